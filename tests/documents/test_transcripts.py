"""Conversations as people have them: exports of chats, transcripts, interviews; and what only looks like them."""

from __future__ import annotations

import itertools
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyhop.documents.chunking import cut
from polyhop.documents.conversations.speakers import spoken
from polyhop.documents.conversations.stamps import day_of, is_month_first, minute_of
from polyhop.documents.conversations.transcripts import Transcript, transcript_of
from polyhop.layers.parsekg.layer import ParseKGLayer, parse_of
from polyhop.layers.questions.rules.passages import questions_of
from polyhop.models.choice import Models
from polyhop.reading.conversations.turns import SpokenPassage
from polyhop.reading.event_order import ordered
from polyhop.reading.reader import text_of
from polyhop.settings import Chunking
from polyhop.types import Document, Passage
from tests.worlds.transcripts import FORMS, WHATSAPP

OTHER = {
    "prose": "Ada Brisk built the mill. She said: it will last.\nOtto: her husband.\n",
    "notes": "Note: the mill is closed.\nWarning: the floor is wet.\nNote: bring boots with you today.\n",
    "a recipe": "Ingredients: flour and milk.\nMethod: stir it well.\nTip: Chill it.\nTip: Rest it.\n",
    "a dated recipe": "Date: 2031-02-04\nTitle: Seed cake\nIngredients: two eggs\nDirections: Bake it.\n",
    "a cast": "Cast\nHAMISH: a miller in his fifties.\nORLA: the daughter of the miller.\nFIN: a boatman.\n",
    "a cast at once": "HAMISH: a miller in his fifties.\nORLA: the daughter of the miller.\nFIN: a boatman.\n",
    "a bibliography": "Brisk A.: The Tarn Mill. 1901.\nBrisk A.: Her bridges. 1905.\nFell O.: Paint. 1911.\n",
    "questions often asked": (
        "Q: How can the ferry be booked?\nA: Tickets are sold at the pier.\n"
        "Q: Do dogs need a ticket?\nA: Dogs travel free.\n"
    ),
    "questions without order": "Q: Where is it?\nQ: Who has it?\nA: I do.\nQ: Why?\n",
    "a glossary": "Bow: the front of a boat.\nKeel: what keeps it upright.\nStern: the back of a boat.\n",
    "mail": (
        "Date: Tue, 4 Feb 2031 17:30:00 +0000\nFrom: Ada Brisk <ada@mill.example>\nTo: Otto Fell\n"
        "Subject: Oars\n\nDear Otto, the oars are dry.\n"
    ),
    "mail with its subject first": "Subject: Oars\nFrom: Ada\nTo: Otto\nFrom: Ada\n",
    "yaml": "Name: Heron\nOwner: Ada\nName: Gull\nOwner: Otto\nName: Tern\nOwner: Mira\n",
    "yaml in small letters": "name: heron\nowner: ada\nname: gull\nowner: otto\n",
    "records": "Species: heron\nHabitat: river\nSpecies: gull\nHabitat: sea\n",
    "paragraphs of fields": (
        "Boat: the Heron is red.\nSailmaker: Ada has made it.\nShed: the third one from here.\n\n"
        "Boat: the Gull is green.\nSailmaker: Otto has made it.\nShed: the first one from here.\n"
    ),
    "rights": "Upstream-Name: mill\nFiles: a and b are all.\nUpstream-Name: boat\nFiles: c and d are all.\n",
    "code": "class Boat:\n    def row(self):\n        if self.wet:\n            return None\n    Name: str = 'Heron'\n",
    "a log": (
        "2031-02-04 17:30:01 INFO: the server has started\n2031-02-04 17:30:02 WARN: the disk is nearly full\n"
        "2031-02-04 17:30:03 INFO: the server has stopped\n"
    ),
    "a log in brackets": "[2031-02-04 17:30:01] mill.grind: turn\n[2031-02-04 17:30:02] mill.grind: stop\n",
    "a calendar": "17:30 Opening: Ada speaks of boats.\n18:00 Dinner: there will be fish.\n19:00 Talk: of sails.\n",
    "a timetable": "Breakfast  8:00 AM\nin the hall\nBoat race  10:00 AM\non the lake\nLunch  1:00 PM\nin the hall\n",
    "changes": "[2031-02-04] Added: a mast.\n[2031-02-05] Fixed: the rudder.\n[2031-02-06] Added: a sail.\n",
    "markup": "<p> Ada built a mill. </p>\n<p> Otto painted it. </p>\n<p> It stands. </p>\n",
    "placeholders": "<host> the name of the machine\n<port> its number\n<path> where the file is\n",
    "films with captions": "1\n00:00:01,000 --> 00:00:02,000\nThe mill.\n\n2\n00:00:03,000 --> 00:00:04,000\nNow.\n",
    "verses": "3:16 For the mill turned.\n3:17 And the river rose.\n3:18 For the mill stood.\n",
    "languages": "English: The mill turns.\nFrench: Le moulin tourne.\nEnglish: It stops.\nFrench: Il s'arrête.\n",
    "addresses": "https://mill.example/a\nhttps://mill.example/b\nhttps://mill.example/a\n",
    "advice": "Pros: it is cheap and light.\nCons: it sinks.\nPros: it is red.\nCons: it is small.\n",
    "books by their places": "London: The Mill, 1999.\nParis: The Boat, 1980.\nLondon: The Oar, 1985.\n",
    "an account": "04/02/2031 17:30 Ada: 30.00\n05/02/2031 17:30 Otto: 10.00\n06/02/2031 11:00 Ada: 20.00\n",
    "opening hours": "Mon  5:00 PM\nclosed\nTue  5:00 PM\nopen\nMon  6:00 PM\nclosed\n",
    "trains": "Train A  5:30 PM\nfrom the pier\nTrain B  5:40 PM\nfrom the mill\nTrain A  6:30 PM\nfrom the pier\n",
    "mail within mail": (
        "From: Ada Brisk\nSent: Tuesday, February 4, 2031 5:30 PM\nTo: Otto\n\nHello.\n\nFrom: Otto\n"
        "Sent: Monday, February 3, 2031 5:30 PM\nTo: Ada Brisk\n\nHi.\n"
    ),
    "nothing": "",
    "white space": " \n\u200e\n\t",
}


def read(text: str) -> Transcript:
    found = transcript_of(text)
    assert found is not None
    return found


@pytest.mark.parametrize("form", FORMS)
def test_a_conversation_is_read_in_each_form(form: str) -> None:
    """Who says what, on which day; notices that nobody says are left out."""
    text, expected = FORMS[form]
    assert [(turn.speaker, text[turn.start : turn.end], turn.date) for turn in read(text).turns] == expected


@pytest.mark.parametrize("kind", OTHER)
def test_what_only_looks_like_a_conversation_is_none(kind: str) -> None:
    """A colon, a clock or a name in front makes no conversation."""
    assert transcript_of(OTHER[kind]) is None


def test_each_turn_has_its_own_time() -> None:
    """Where it is written, its day and its minute; the header's where only that tells."""
    turns = read(WHATSAPP).turns
    assert [WHATSAPP[turn.time_start : turn.time_end] for turn in turns] == [
        "12/03/2031, 17:30",
        "12/03/2031, 17:32",
        "13/03/2031, 08:05",
    ]
    assert [turn.minute for turn in turns] == [17 * 60 + 30, 17 * 60 + 32, 8 * 60 + 5]
    assert (read(WHATSAPP).time_end, read(WHATSAPP).date) == (0, "")
    text = "Date: 4 February 2031\n[17:30] Ada: Hello.\n[17:31] Otto: Hi.\n"
    found = read(text)
    assert (text[found.time_start : found.time_end], found.date) == ("4 February 2031", "4 February 2031")
    assert [(turn.date, turn.minute) for turn in found.turns] == [("20310204", 1050), ("20310204", 1051)]
    header, _ = FORMS["a header"]
    assert all((turn.time_start, turn.time_end, turn.date) == (0, 0, "20310204") for turn in read(header).turns)
    recorded, _ = FORMS["Zoom"]
    assert {turn.minute for turn in read(recorded).turns} == {-1}  # no time of the day


def test_days_are_read_day_first_unless_that_is_impossible() -> None:
    """One number over 12 tells for the whole text; where both orders occur, each date for itself."""
    assert not is_month_first(["2/4/31", "3/5/31"])
    assert is_month_first(["2/4/31", "2/14/31"])
    assert not is_month_first(["14/2/31", "2/14/31"])
    assert day_of("2/4/31") == "20310402"
    assert day_of("2/4/31", month_first=True) == day_of("4.2.2031") == day_of("2031-02-04") == "20310204"
    assert day_of("2/14/31") == day_of("14/2/31", month_first=True) == "20310214"
    assert day_of("Feb 4th, 2031") == day_of("4 February 2031") == day_of("2031年2月4日") == "20310204"
    assert day_of("31.02.2031") == day_of("17:30") == ""
    assert [minute_of(text) for text in ("5:30 PM", "12:05 a.m.", "2031-02-04T17:30:05Z", "4.2.31", "25:00")] == [
        1050, 5, 1050, -1, -1,
    ]  # fmt: skip


def times(text: str) -> list[tuple[str, str]]:
    """When each turn was said, as the text writes it, and the day."""
    spoken = SpokenPassage.of(passage(text))
    assert spoken is not None
    written = [(spoken.time_of(turn), turn.date) for turn in spoken.chat.turns]
    return [(text_of(time), day) for time, day in written if time is not None]


def test_a_reader_is_told_the_time_of_the_turn() -> None:
    """And that of the header only where a turn has none."""
    assert times(WHATSAPP)[-1] == ("13/03/2031, 08:05", "20310313")
    header, _ = FORMS["a header"]
    assert set(times(header)) == {("20310204_17:30", "20310204")}


def test_events_in_one_export_are_ordered_by_their_turns(models: Models) -> None:
    """Passages of one export that have no header tell of their own days."""
    asks = (
        "04/02/2031, 17:30 - Ada Brisk: Tom, could you measure the broken window in the kitchen for me?\n"
        "04/02/2031, 17:32 - Tom Rook: I will do it tonight.\n"
    )
    tells = (
        "09/02/2031, 18:30 - Tom Rook: I have ordered the new glass for your kitchen window.\n"
        "10/02/2031, 09:00 - Ada Brisk: Thanks!\n"
    )
    question = "How many days passed between Ada asking Tom to measure the window and Tom ordering the new glass?"
    reading = ordered(question, [passage(asks, "1"), passage(tells, "2")], models)
    assert reading is not None
    assert reading.text == "5 days"


def test_questions_ask_for_the_time_of_a_message(models: Models) -> None:
    """With its own time as the answer; the day in other questions is that of the message."""
    one = passage(WHATSAPP)
    [rows] = ParseKGLayer().extract([one], models, {})
    assert isinstance(rows, bytes)
    pairs = questions_of(one, parse_of(rows), most=60)
    assert any(pair.question.startswith("When did Ada Brisk write") and "13/03/2031" in pair.answer for pair in pairs)
    assert any("on 20310313" in pair.question for pair in pairs)


def passage(text: str, name: str = "p") -> Passage:
    return Passage(id=name, document_id=name, ordinal=0, start=0, end=len(text), title="", text=text)


def document(text: str) -> Document:
    return Document(id="d", uri="/chat.txt", title="chat", text=text, media_type="text/plain", sha256="0")


def test_passages_of_a_conversation_begin_and_end_with_turns() -> None:
    """So that the times of all turns are found again in their passages."""
    said = [f"{day:02}/03/2031, 17:{day:02} - {['Ada', 'Otto'][day % 2]}: Part {day} of it." for day in range(1, 29)]
    text = "\n".join(said)
    passages = cut(document(text), Chunking(tokens=120, overlap=30))
    assert len(passages) > 3
    assert all(line in said for one in passages for line in one.text.split("\n"))
    assert {turn.date for one in passages for turn in read(one.text).turns} == {turn.date for turn in read(text).turns}
    shared = [set(one.text.split("\n")) & set(two.text.split("\n")) for one, two in itertools.pairwise(passages)]
    assert all(shared)


def test_a_turn_too_long_for_a_passage_spoils_no_other() -> None:
    """It is cut like prose, and the passage after it begins with the next turn."""
    short = [f"{day:02}/03/2031, 17:30 - Ada: Part {day} of it." for day in range(1, 5)]
    text = "\n".join([*short[:2], f"03/03/2031, 18:00 - Otto: {'So it went on and on. ' * 30}", *short[2:]])
    passages = cut(document(text), Chunking(tokens=60, overlap=10))
    assert passages[-1].text == "\n".join(short[2:])
    assert all(len(one.text.split("\n")) == 1 for one in passages[1:-1])


@pytest.mark.parametrize(
    ("written", "said"),
    [
        *(
            ("AdaBrisk", "Ada Brisk"),
            ("LiHua", "Li Hua"),
            ("EdFell", "Ed Fell"),
            ("OttoMcDonald", "Otto McDonald"),
            ("ADA BRISK", "Ada Brisk"),
            ("ada", "Ada"),
        ),
        *((name, name) for name in ("McDonald", "MacLeod", "DeShawn", "JoAnn", "Ada MacLeod")),
    ],
)
def test_a_name_is_parted_where_two_words_of_it_are_one(written: str, said: str) -> None:
    assert spoken(written) == said


LINES = [
    "[12.03.31, 17:30:05] Ada: Hello", "12/03/2031, 17:30 - Otto: Hi", "Ada, [04.02.31 17:30]", "Ada Brisk  5:30 PM",
    "<ada> hi", "17:30 <@otto> hi", "00:03:15 Ada Brisk: So.", "00:00:01.000 --> 00:00:04.000", "<v Ada>Well</v>",
    "WEBVTT", "Ada: Good morning!", "Otto: Good morning!", "Q: Why?", "A: I see.", "李华：好。", "- 4 February 2031 -",
    "Tuesday, February 4, 2031", "Time: 20310204_17:30", "", " ", "\u200e", "some words", "31.02.2031", "[1:30] Ada: x",
    "99/99/9999, 99:99 - Ada: x", "٠١/٠٢/٢٠٣١, ١٧:٣٠ - Ada: x", "Date: 0000-00-00", "Date: 99991231", "[00:01] Ada: y",
]  # fmt: skip
lines = st.lists(st.one_of(st.sampled_from(LINES), st.text(max_size=20)), max_size=30).map("\n".join)
pieces = st.lists(st.sampled_from([*LINES, *"\n\r\x0b\x85\u2028:：[]<>- ,./~1Aa\u200e"]), max_size=40).map("".join)


@settings(max_examples=300)
@given(st.one_of(lines, pieces))
def test_turns_are_in_order_and_within_the_text(text: str) -> None:
    """The law of transcripts, whatever the text; and cutting it loses nothing."""
    found = transcript_of(text)
    if found is not None:
        assert found.turns
        end = 0
        for turn in found.turns:
            assert end <= turn.start < turn.end <= len(text)
            assert 0 <= turn.name_start < turn.name_end <= turn.start
            assert 0 <= turn.time_start <= turn.time_end <= turn.start
            assert turn.date == "" or (len(turn.date) == len("20310204") and turn.date.isascii())
            assert text[turn.start : turn.end].strip() == text[turn.start : turn.end]
            end = turn.end
    passages = cut(document(text), Chunking(tokens=16, overlap=4))
    covered = bytearray(len(text))
    for one in passages:
        assert text[one.start : one.end] == one.text
        covered[one.start : one.end] = b"1" * (one.end - one.start)
    assert not "".join(text[at] for at, done in enumerate(covered) if not done).strip()


@pytest.mark.parametrize(
    "piece",
    [
        " ", "[", "1", "1:", "A ", "A:", "Ada: x\n", "\n", "[17:30] ", "<a", "12/03/2031, 17:30 - ", "\u200e", "00:00 ",
        "12/03/2031, 17:30 - Ada: x\n", "Ada  5:30 PM\nx\n", "00:00:01.000 --> 00:00:02.000\nx\n\n", "x\n", "Ada  ",
        "4 February 2031\n", "Time: 20310204\n", "17:30 Ada to ", "\u200eA", "<v ", "<ada> hi </",
    ],
)  # fmt: skip
def test_hostile_texts_take_linear_time(piece: str) -> None:
    """A fifth of a megabyte of anything, by itself and after a turn, is read in a second or so."""
    many = piece * (200_000 // len(piece))
    for text in (many, f"Date: 2031-02-04\nAda: {many}"):
        began = time.process_time()
        transcript_of(text)
        assert time.process_time() - began < 3


@pytest.mark.parametrize(
    ("chat", "told"),
    [
        (
            "١٢/٣/٢٠٣١، ١٠:٠٣ ص - سلمى: متى تصل العبارة؟\n١٢/٣/٢٠٣١، ١٠:٠٥ م - فارس: في السادسة.\n",
            [("سلمى", "20310312", 603), ("فارس", "20310312", 1325)],
        ),
        (
            "[١٢\u200f/٣\u200f/٢٠٣١، ١٠:٠٣:١١\u202fم] سلمى: متى؟\n[١٣\u200f/٣\u200f/٢٠٣١، ٨:٠٥:٠٠\u202fص] فارس: غدا.\n",
            [("سلمى", "20310312", 1323), ("فارس", "20310313", 485)],
        ),
        (
            "2031년 3월 12일 오전 10:03, 은서 : 배는 언제 와?\n2031년 3월 12일 오후 12:05, 도윤 : 곧 와.\n",
            [("은서", "20310312", 603), ("도윤", "20310312", 725)],
        ),
        (
            "---- 2031년 3월 12일 수요일 ----\n[은서] [오전 10:03] 와?\n[도윤] [오후 1:05] 곧.\n[은서] [오후 1:06] 응.",
            [("은서", "20310312", 603), ("도윤", "20310312", 785), ("은서", "20310312", 786)],
        ),
        (
            (
                "[LINE] みちるとのトーク履歴\n保存日時：2031/03/13 09:30\n\n2031/03/12(水)\n"
                "10:03\tみちる\tフェリーは何時に着く？\n10:05\t修介\t六時半。\n10:06\tみちる\t[スタンプ]\n"
            ),
            [("みちる", "20310312", 603), ("修介", "20310312", 605)],
        ),
        (
            "2031/03/12 午前10:03 - みちる: 何時？\n2031/03/12 午後0:05 - 修介: 六時半。\n",
            [("みちる", "20310312", 603), ("修介", "20310312", 725)],
        ),
        (
            "2031/3/12 下午3:03 - 顾晚晴: 几点？\n2031/3/12 下午3:05 - 周远: 六点半。\n",
            [("顾晚晴", "20310312", 903), ("周远", "20310312", 905)],
        ),
    ],
)
def test_exports_of_other_countries_are_read(chat: str, told: list[tuple[str, str, int]]) -> None:
    """In their digits, with their halves of the day and their ways to write days."""
    found = transcript_of(chat)
    assert found is not None
    assert [(turn.speaker, turn.date, turn.minute) for turn in found.turns] == told


@pytest.mark.parametrize(
    "text",
    [
        "10:03\tRoom A\tOpening\n11:00\tRoom B\tBoats\n12:00\tRoom A\tClosing\n",
        "2031년 3월 12일 오전 10:03에 배가 왔다. 은서는 기뻤다.\n여섯 시에 돌아갔다.\n",
        "[은서] [중요] 할 일\n[도윤] [보통] 다른 일\n[은서] [중요] 할 일\n",
        "2031年3月12日、午前10:03に船が来た。\n時間：午後\n",
        "في ١٢/٣/٢٠٣١ وصلت العبارة.\nملاحظة: لا شيء.\n",
    ],
)
def test_tables_and_prose_of_other_countries_are_no_chats(text: str) -> None:
    """A clock and tabs, or two words in brackets, are not enough."""
    assert transcript_of(text) is None
