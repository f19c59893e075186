"""Exports of chats as JSON are conversations: who said what, and when."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from polyhop.documents.conversations.transcripts import transcript_of
from polyhop.documents.loaders.jsonl import JsonlLoader
from polyhop.documents.loaders.message_lists import as_meant
from polyhop.types import Document

AT = 1_927_000_000  # 24 January 2031, 05:46 in UTC


def documents(file: Path, value: object) -> list[Document]:
    file.write_text(json.dumps(value), encoding="utf-8")
    return [item for item in JsonlLoader().load(file, file.as_posix()) if isinstance(item, Document)]


def message(author: object, text: object, **others: object) -> dict[str, object]:
    return {"from": author, "text": text, "date": "2031-02-04T17:30:00+01:00", **others}


def test_each_message_has_who_said_it_and_when(tmp_path: Path) -> None:
    """Notices that somebody came are nothing that was said; ids in messages are names."""
    ada = {"user": "U1", "user_profile": {"real_name": "Ada Brisk"}}
    otto = {"user": "U2", "user_profile": {"real_name": "Otto Fell"}}
    export = [
        {"type": "message", **ada, "ts": f"{AT}.0001", "text": "I decided against oak.\nIt warps."},
        {"type": "message", **otto, "ts": f"{AT + 60}.0001", "text": "<@U1> then elm?"},
        {"type": "message", "user": "U3", "ts": f"{AT + 90}.0001", "text": "<@U3> has joined the channel"},
        {"type": "message", **ada, "ts": f"{AT + 120}.0001", "text": "Elm."},
    ]
    (chat,) = documents(tmp_path / "wheel.json", export)
    assert chat.title == "wheel"
    assert chat.text == (
        "[24 January 2031, 05:46] Ada Brisk: I decided against oak.\nIt warps.\n"
        "[24 January 2031, 05:47] Otto Fell: @Ada Brisk then elm?\n[24 January 2031, 05:48] Ada Brisk: Elm."
    )
    transcript = transcript_of(chat.text)
    assert transcript is not None
    assert [turn.speaker for turn in transcript.turns] == ["Ada Brisk", "Otto Fell", "Ada Brisk"]
    assert {turn.date for turn in transcript.turns} == {"20310124"}


@pytest.mark.parametrize(
    "messages",
    [
        [{"author": {"id": "7", "name": "ada"}, "timestamp": "2031-02-04T17:30:00.123+00:00", "content": "The gate."}],
        [{"sender_name": "ada", "timestamp_ms": AT * 1000, "content": "The gate."}],
        [message("ada", ["The ", {"type": "bold", "text": "gate"}, "."])],
        [
            {
                "from": {"user": {"displayName": "ada"}},
                "createdDateTime": "2031-02-04T17:30:00Z",
                "body": {"content": "The gate."},
            }
        ],
        [{"creator": {"name": "ada"}, "created_date": "Tuesday, February 4, 2031 at 5:30 PM", "text": "The gate."}],
    ],
    ids=["nested author", "milliseconds", "text in pieces", "author within", "a date in words"],
)
def test_messages_are_known_however_an_export_calls_their_parts(
    tmp_path: Path, messages: list[dict[str, object]]
) -> None:
    (chat,) = documents(tmp_path / "a.json", {"channel": {"id": 1}, "messages": messages})
    transcript = transcript_of(chat.text)
    assert transcript is not None
    (turn,) = transcript.turns
    assert (turn.speaker, chat.text[turn.start : turn.end], turn.date[:4]) == ("Ada", "The gate.", "2031")


def test_a_chat_may_have_a_list_of_who_takes_part_beside_it(tmp_path: Path) -> None:
    messages = [message(who, "The gate.") for who in ("ada", "otto", "ada")]
    export = {"participants": [{"name": "ada"}, {"name": "otto"}], "messages": messages, "title": "Mill"}
    (chat,) = documents(tmp_path / "message_1.json", export)
    assert (chat.title, chat.text.count("The gate.")) == ("Mill", 3)
    assert transcript_of(chat.text) is not None


def test_links_and_entities_of_slack_are_read_as_they_are_seen(tmp_path: Path) -> None:
    said = (
        "<!here> oak &amp; elm are &lt; 40, see <https://mill.example/wood|the list>",
        "and <https://mill.example/wood>, in <#C1|gates>; &amp;lt; is a sign",
        "<file> is none",
    )
    export = [{"user": "ada", "ts": f"{AT + 60 * number}.0001", "text": text} for number, text in enumerate(said)]
    (chat,) = documents(tmp_path / "wheel.json", export)
    assert [line.partition("] ada: ")[2] for line in chat.text.split("\n")] == [
        "@here oak & elm are < 40, see the list",
        "and https://mill.example/wood, in gates; &lt; is a sign",
        "<file> is none",
    ]


def test_members_of_slack_have_the_names_that_their_export_has_for_them(tmp_path: Path) -> None:
    """They stand in ``users.json``, beside the folders of channels, which have a file for each day."""
    members = [
        {"id": "U1", "name": "ada", "profile": {"display_name": "", "real_name": "Ada Brisk"}},
        {"id": "U2", "name": "otto", "profile": None},
        {"id": 3},
    ]
    (tmp_path / "users.json").write_text(json.dumps(members), encoding="utf-8")
    (tmp_path / "gates").mkdir()
    said = (("U1", "Oak?"), ("U2", "<@U1> elm, and <@U7> <@U9> know."), ("U7", "Elm."))
    export = [{"user": who, "ts": f"{AT + 60 * at}.0001", "text": text} for at, (who, text) in enumerate(said)]
    (chat,) = documents(tmp_path / "gates" / "2031-01-24.json", export)
    assert [line.partition("] ")[2] for line in chat.text.split("\n")] == [
        "Ada Brisk: Oak?",
        "otto: @Ada Brisk elm, and @U7 @U9 know.",
        "U7: Elm.",
    ]


@pytest.mark.parametrize("members", ["{", "[" * 100_000, "7", "\x00", '["U1"]'])
def test_a_list_of_members_that_is_none_changes_nothing(tmp_path: Path, members: str) -> None:
    (tmp_path / "users.json").write_text(members, encoding="utf-8")
    (tmp_path / "gates").mkdir()
    export = [{"user": "U1", "ts": f"{AT}.0001", "text": "Oak?"}]
    (chat,) = documents(tmp_path / "gates" / "2031-01-24.json", export)
    assert chat.text.endswith("U1: Oak?")


def test_letters_that_facebook_writes_as_their_bytes_are_read_as_meant(tmp_path: Path) -> None:
    """Instagram does, too."""
    said = {"sender_name": "Zoë", "timestamp_ms": AT * 1000, "content": "Is Zoë at the café? 😀"}
    export = {"participants": [{"name": "Zoë"}], "messages": [said], "title": "Café"}
    wrong = json.loads(json.dumps(export, ensure_ascii=False).encode("utf-8").decode("latin-1"))
    (chat,) = documents(tmp_path / "message_1.json", wrong)
    assert (chat.title, chat.text.partition("] ")[2]) == ("Café", "Zoë: Is Zoë at the café? 😀")


@pytest.mark.parametrize("written", [r"caf\u00e9", r"\u00c3\u00c3", r"\\u00c3\u00a9", "Ã©"])
def test_letters_that_are_no_such_mistake_stay(written: str) -> None:
    export = f'{{"sender_name": "{written}", "timestamp_ms": 1}}'
    assert as_meant(export) == export


def test_the_oldest_message_is_the_first_whatever_the_order_of_the_export(tmp_path: Path) -> None:
    export = [{"sender": "Ada", "time": AT - n, "text": f"Part {n}."} for n in range(3)]
    (chat,) = documents(tmp_path / "a.json", export)
    assert [line.rpartition(": ")[2] for line in chat.text.split("\n")] == ["Part 2.", "Part 1.", "Part 0."]


@pytest.mark.parametrize(
    "rows",
    [
        [message("Ada", "The gate is shut.", title="Gate"), message("Ada", "The lamp is lit.", title="Lamp")],
        [{**message("Ada", "The gate is shut."), "date": "2031-02-04"}] * 2,
        [message(f"Ada {n}", "The gate is shut.") for n in range(8)],
        [{"from": "Orla", "text": "The gate is shut."}, {"from": "Fenn", "text": "The lamp is lit."}],
    ],
    ids=["with titles", "a day without a time", "nobody comes back", "without a time"],
)
def test_rows_that_only_look_like_messages_are_rows(tmp_path: Path, rows: list[dict[str, object]]) -> None:
    found = documents(tmp_path / "a.json", rows)
    assert [one.text for one in found] == [row["text"] for row in rows]
    assert all(one.whole for one in found)
