"""Questions in other languages: what they ask for, and answers that are stretches, whole sentences, or none."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyhop.documents.languages import is_in_our_script
from polyhop.english.answer_type import AnswerType
from polyhop.indexes.shared_terms import Terms
from polyhop.models.choice import Models
from polyhop.models.cross_encoder import MiniLML12
from polyhop.reading.abroad.question_words import LANGUAGES, question_words
from polyhop.reading.abroad.questions import asked_abroad
from polyhop.reading.abroad.reader import read_abroad
from polyhop.reading.abroad.stretches import Look, written
from polyhop.reading.reader import Reading
from polyhop.reading.trained import Trained
from polyhop.types import Evidence, Passage

PERSON, PLACE, DATE, NUMBER = AnswerType.PERSON, AnswerType.PLACE, AnswerType.DATE, AnswerType.NUMBER
ORGANISATION, WORK, YES_NO, THING = AnswerType.ORGANISATION, AnswerType.WORK, AnswerType.YES_NO, AnswerType.THING


def passages(**texts: str) -> list[Passage]:
    """Passages by their titles; an underscore is a space."""
    return [
        Passage(id=name, document_id=name, ordinal=0, start=0, end=len(text), title=name.replace("_", " "), text=text)
        for name, text in texts.items()
    ]


GERMAN = passages(
    Wehr_Altquell=(
        "Das Wehr Altquell wurde am 3. April 1893 von der Ingenieurin Thea Morwald entworfen. Es hat sieben Tore."
    ),
    Thea_Morwald="Thea Morwald wurde in Hirschbach geboren. Sie war die Tochter des Müllers Knut Morwald.",
    Fischerfest="Das Fischerfest wird im Mai gefeiert. Es gibt Brot und Suppe.",
)
CHINESE = passages(
    青石坝="青石坝建于1893年，由工程师陆秋白设计。坝长312米。",
    陆秋白="陆秋白出生在桐溪镇。她是木匠陆长河的女儿。",
)


def read(question: str, texts: list[Passage]) -> Reading:
    asked = asked_abroad(question)
    assert asked is not None
    return read_abroad(question, asked, texts)


@pytest.mark.parametrize(
    ("question", "language", "kind"),
    [
        ("Wer baute das Wehr?", "de", PERSON),
        ("In welcher Stadt steht das Wehr?", "de", PLACE),
        ("Wie viele Tore hat das Wehr?", "de", NUMBER),
        ("Mit wie vielen Toren kam das Wehr?", "de", NUMBER),
        ("Hat das Wehr sieben Tore?", "de", YES_NO),
        ("Was kostet der Turm?", "de", THING),
        ("Is de dam hoog?", "nl", YES_NO),
        ("Was het huis van Anna de Wit oud?", "nl", YES_NO),
        ("Was ist das Fischerfest?", "de", THING),
        ("Quand le barrage fut-il construit ?", "fr", DATE),
        ("Quel livre a-t-elle écrit ?", "fr", WORK),
        ("¿Dónde nació la ingeniera?", "es", PLACE),
        ("¿Para qué empresa trabajó?", "es", ORGANISATION),
        ("Chi ha costruito la diga?", "it", PERSON),
        ("Onde nasceu a engenheira?", "pt", PLACE),
        ("Wanneer werd de dam gebouwd?", "nl", DATE),
        ("Kto zbudował tamę?", "pl", PERSON),
        ("В каком году построили плотину?", "ru", DATE),
        ("Хто збудував греблю?", "uk", PERSON),
        ("青石坝是谁设计的？", "zh", PERSON),
        ("她出生在哪座城市？", "zh", PLACE),
        ("ダムはいつ建てられましたか？", "ja", DATE),
        ("댐은 누가 지었나요?", "ko", PERSON),
        ("متى بُني السد؟", "ar", DATE),
        ("هل بُني السد؟", "ar", YES_NO),
    ],
)
def test_question_words_tell_what_is_asked_for(question: str, language: str, kind: AnswerType) -> None:
    """With the noun behind them, where they say "which"."""
    asked = asked_abroad(question)
    assert asked is not None
    assert (asked.language, asked.type) == (language, kind)


@pytest.mark.parametrize(
    "question",
    [
        "Who wrote Wer war Thea Morwald?",
        "Was Die Stadt und das Meer released before Le Phare?",
        "Which film came out first, El Barco y la Mar or Dove va la nave?",
        "Is Quién es a song by Ada Brisk?",
        "Ada Brisk",
        "Come home by nine, will you?",
        "Was Otto a sailor?",
        "Is Van Gogh buried in Paris?",
        "Was Charles de Gaulle born in Lille?",
        "Was de Gaulle born in Lille?",
        "Is Rio de Janeiro in Brazil?",
        "Was Max von Sydow Swedish?",
        "Was Maria de la Fuente over fifty?",
        "",
    ],
)
def test_english_questions_stay_english(question: str) -> None:
    """Whatever titles they name."""
    assert asked_abroad(question) is None


def test_every_language_has_all_its_tables() -> None:
    """Each asks for people, places, dates and numbers, and says yes."""
    for wording in map(question_words, LANGUAGES):
        assert {PERSON, PLACE, DATE, NUMBER, THING} <= set(wording.asks)
        assert wording.which
        assert wording.yes
        assert wording.denies


def test_questions_in_a_language_without_tables_are_told() -> None:
    """Sentences answer them, for nothing tells what they ask for."""
    asked = asked_abroad("Ποιος έχτισε το φράγμα;")
    assert asked is not None
    assert (asked.language, asked.type) == ("", THING)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Wer entwarf das Wehr Altquell?", "Thea Morwald"),
        ("Wann wurde das Wehr Altquell entworfen?", "3. April 1893"),
        ("In welchem Jahr wurde das Wehr Altquell entworfen?", "1893"),
        ("Wie viele Tore hat das Wehr Altquell?", "sieben Tore"),
        ("Wo wurde Thea Morwald geboren?", "Hirschbach"),
        ("Wo wurde die Ingenieurin geboren, die das Wehr Altquell entworfen hat?", "Hirschbach"),
        ("Wurde Thea Morwald in Hirschbach geboren?", "Ja"),
    ],
)
def test_stretches_answer_in_german(question: str, answer: str) -> None:
    """What the question says leads to the sentence, also by way of another."""
    assert read(question, GERMAN).text == answer


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("青石坝是谁设计的？", "陆秋白"),
        ("青石坝建于哪一年？", "1893年"),
        ("陆秋白出生在哪里？", "桐溪镇"),
        ("设计青石坝的工程师出生在哪里？", "桐溪镇"),
    ],
)
def test_stretches_answer_in_chinese(question: str, answer: str) -> None:
    """Where no capitals and no spaces tell names."""
    assert read(question, CHINESE).text == answer


def test_a_sentence_answers_where_nothing_short_fits() -> None:
    """In its own words, and with less confidence."""
    reading = read("Was gibt es beim Fischerfest?", GERMAN)
    assert reading.text == "Es gibt Brot und Suppe."
    [quote] = reading.quotes
    assert quote.passage.text[quote.start : quote.end] == reading.text
    assert reading.confidence < 0.6


def test_what_is_not_spoken_of_is_not_answered() -> None:
    """A word or two in common are too few."""
    evidence = Evidence(
        question="",
        strategy="bm25",
        passages=tuple(GERMAN),
    )
    reading = Trained().read("Wer gewann voriges Jahr den Preis beim Fischerfest?", evidence, Models.__new__(Models))
    assert reading.text is None


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Wann wurde das Wehr gegründet?", "Aus guten Gründen steht das grüne Wehr leer."),
        ("Wer schrieb das Lied?", "Mit jedem Schritt geschieht dem Lied ein Unrecht."),
        ("Wann starb Thea?", "Thea versteht das total."),
        ("Wann wurde der Turm gebaut?", "Neben dem Turm steht ein Baum, der einem Bauern gehört."),
        ("Wann schreef Thea het lied?", "Thea is geschikt voor het lied."),
        ("Quand est né Théo ?", "Théo est nécessaire."),
    ],
)
def test_words_that_only_begin_alike_do_not_say_the_same(question: str, said: str) -> None:
    """Reasons found nothing, and a tree is no building."""
    assert read(question, passages(Altquell=said)).confidence < 0.3


def test_questions_and_headings_are_no_answers() -> None:
    """However much of the question they say; what is said below them is."""
    text = "Warum quietscht das Wehr?\n\nDas Wehr quietscht, weil Öl fehlt."
    [passage] = passages(Altquell=text)
    assert read("Warum quietscht das Wehr?", [passage]).text == "Das Wehr quietscht, weil Öl fehlt."
    text = "4.2. Wehr 7\n\nEs heißt Altquell."
    [passage] = passages(Wehre=text)
    assert read("Wie heißt Wehr 7?", [replace(passage, headings=((0, 11),))]).text == "Es heißt Altquell."


def test_numbers_with_a_hyphen_and_a_noun_behind_them_are_no_years() -> None:
    texts = passages(Tore="Ein Schlüssel muss mindestens 2048-Bit haben, besser wären aber 4096-Bit.")
    assert read("Wie lang muss ein Schlüssel mindestens sein?", texts).text == "2048"


def test_a_sentence_that_denies_says_no_yes() -> None:
    """It is quoted instead."""
    texts = passages(Otto_Brand="Otto Brand war nicht in Hirschbach.")
    assert read("War Otto Brand in Hirschbach?", texts).text == "Otto Brand war nicht in Hirschbach."


def test_turns_of_a_chat_are_quoted() -> None:
    """Who says it counts as said."""
    texts = passages(Fähre="12.03.31, 10:03 - Imke: Wann kommt sie?\n12.03.31, 10:05 - Jörn: Ich bringe Käse mit.")
    assert read("Was bringt Jörn mit?", texts).text == "Ich bringe Käse mit."


@pytest.mark.parametrize(
    ("language", "text", "stretch", "look"),
    [
        ("de", "Sie zog im August nach Hirschbach und malte.", "Hirschbach", Look.PLACED),
        ("de", "Es malte der Müller Knut Morwald dort.", "Knut Morwald", Look.NAME),
        ("fr", "Le phare fut bâti par Aude Lanvoy en 1841.", "Aude Lanvoy", Look.BY),
        ("es", "Escribió el libro Flores de la costa.", "Flores de la costa", Look.QUOTED),
        ("ru", "Она написала «Травы моря» в 1841 году.", "Травы моря", Look.QUOTED),
        ("ru", "Маяк построили 4 мая 1841 года.", "4 мая 1841", Look.DATE),
        ("zh", "灯塔由工程师顾晚晴设计。", "顾晚晴", Look.BY),
        ("ja", "顧みちるは鷺浜町に生まれた。", "鷺浜町", Look.PLACED),
        ("ja", "船はマリーナへ行った。", "マリーナ", Look.WORD),
        ("ko", "1841년 3월 2일에 지었다.", "1841년 3월 2일", Look.DATE),
        ("ar", "وُلدت في بلدة قصبين.", "قصبين", Look.PLACED),
        ("ar", "غرقت عام ١٩٠٧ قرب الجزيرة.", "١٩٠٧", Look.DATE),
    ],
)
def test_stretches_are_told_from_how_they_are_written(language: str, text: str, stretch: str, look: Look) -> None:
    """By capitals, marks and what stands around them."""
    found = {text[one.start : one.end]: one.look for one in written(text, (), question_words(language))}
    assert found[stretch] is look


@pytest.mark.parametrize("question", ["青石坝是谁设计的？", "Кто построил плотину?", "متى بُني السد؟"])
def test_the_cross_encoder_leaves_other_scripts_alone(question: str) -> None:
    """It counts what is shared, whatever else it is shown."""
    assert not is_in_our_script(question)
    shared, other = f"{question[:-1]}.", "Nothing of that."
    first, second = MiniLML12().score(question, [shared, other]).tolist()
    assert first > 5 > -5 > second
    assert MiniLML12().score(question, [shared]).tolist() == [first]


def test_shared_terms_are_beginnings_and_pairs() -> None:
    """Endings, articles and what ties words together do not part words of one family."""
    assert Terms.of("построили плотину").share(Terms.of("построили плотину").in_("Плотина, построенная здесь")) == 1.0
    assert Terms.of("المنارة").in_("منارة البلدة")
    terms = Terms.of("青石坝是谁设计的")
    assert terms.share(terms.in_("青石坝由她设计")) == 1.0


_LETTERS = st.text(
    st.sampled_from("Wer baute Turm 1841 von wo 谁在于由建家的河 どこで か кто «Маяк» من بنى ،。？.?\n"),
    max_size=80,
)


@settings(max_examples=60, deadline=None)
@given(question=_LETTERS, text=_LETTERS, title=_LETTERS)
def test_any_question_is_answered_from_the_text_or_not_at_all(question: str, text: str, title: str) -> None:
    """With quotations that stand in it."""
    asked = asked_abroad(question)
    if asked is None:
        return
    [one] = passages(**{title: text})
    reading = read_abroad(question, asked, [one])
    assert reading.text is None or reading.text in text or reading.text == asked.words.yes
    assert all(0 <= quote.start < quote.end <= len(text) for quote in reading.quotes)
    assert 0 <= reading.confidence <= 1
