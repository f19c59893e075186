"""The span model that comes with Polyhop: what it may point at, and that it reads long texts to their end."""

from __future__ import annotations

import pytest

from polyhop.models.span_reader import RECENT, PolyhopReader
from polyhop.ports import SpanReading, TextPart

LAMP = "The lamp was built in 1877 by Ana Reyes. It burnt colza oil, and it could be seen for twelve miles."
MODEL = PolyhopReader()


def read(question: str, *parts: TextPart) -> SpanReading:
    return MODEL.read(question, [parts])[0]


def best(question: str, *parts: TextPart) -> str:
    span = read(question, *parts).spans[0]
    return (question if span.part < 0 else parts[span.part].text)[span.start : span.end]


def test_the_answer_is_pointed_at() -> None:
    assert best("Who built the lamp?", TextPart(LAMP)) == "Ana Reyes"
    assert best("When was the lamp built?", TextPart("Lamp: ", answers=False), TextPart(LAMP)) == "1877"


def test_chances_sum_to_one_and_places_lie_in_their_parts() -> None:
    reading = read("Who built the lamp?", TextPart("Lamp: ", answers=False), TextPart(LAMP))
    assert reading.none + reading.span + reading.yes + reading.no == pytest.approx(1, abs=1e-5)
    assert all(span.part == 1 and 0 <= span.start < span.end <= len(LAMP) for span in reading.spans)
    assert [span.score for span in reading.spans] == sorted((span.score for span in reading.spans), reverse=True)
    assert all(0 <= chance <= 1 for *_, chance in reading.evidence)


def test_what_cannot_answer_is_read_but_never_pointed_at() -> None:
    reading = read(
        "Who built the lamp?", TextPart("Ana Reyes built the lamp. ", answers=False), TextPart("It is tall.")
    )
    assert {span.part for span in reading.spans} == {1}
    assert read("Who?", TextPart("Only a heading", answers=False)).spans == ()


def test_the_question_answers_only_where_it_offers_options() -> None:
    assert all(span.part >= 0 for span in read("Who built the lamp?", TextPart(LAMP)).spans)
    offered = read("Which is older, the Grebe lamp or the Heron lamp?", TextPart("The Grebe lamp is older."))
    assert {span.part for span in offered.spans} <= {-1, 0}


def test_the_sentence_that_an_answer_rests_on_is_supported_most() -> None:
    reading = read("How far could the lamp be seen?", TextPart(LAMP))
    second = LAMP.index("It burnt")
    assert reading.support(0, second, len(LAMP)) > reading.support(0, 0, second)
    assert reading.support(3, 0, 5) == 0.0


def test_no_answer_reaches_over_a_blank_line() -> None:
    """As of a heading and the sentence below it."""
    text = "Ana Reyes\n\nAna Reyes built the lamp.\n \nPiet Rook lit it."
    spans = read("Who built the lamp?", TextPart(text)).spans
    assert spans
    assert not any("\n" in text[span.start : span.end] for span in spans)


def test_a_long_text_is_read_to_its_end() -> None:
    filler = "The harbour was quiet that day, and nobody came or went. " * 80
    text = filler + "The bell of the chapel was cast by Piet Rook."
    assert best("Who cast the bell of the chapel?", TextPart("Harbour: ", answers=False), TextPart(text)) == "Piet Rook"


def test_a_long_text_is_read_to_its_end_beside_a_long_question_and_title() -> None:
    """A window of the fewest tokens that are allowed has then hardly any room for the text."""
    question = f"{'Of all the bridges over all the rivers, ' * 8}who built the Heron Bridge?"
    text = [TextPart("The bridges of Velm " * 20, answers=False), TextPart("It rained in Velm again. " * 40)]
    (reading,) = PolyhopReader(max_tokens=128).read(question, [text])
    assert max(end for part, _, end, _ in reading.evidence if part == 1) == len(text[1].text.rstrip())


@pytest.mark.parametrize("text", ["", " ", "\ud800", "日本語のテキスト", "x" * 3000])
def test_any_text_can_be_read(text: str) -> None:
    reading = read("Who built the lamp?", TextPart(text))
    assert 0 <= reading.none <= 1


def test_settings_have_bounds_and_the_weights_are_whole() -> None:
    with pytest.raises(ValueError, match="128 to 512"):
        PolyhopReader(max_tokens=64)
    MODEL.verify()


def test_a_text_is_read_once_for_a_question(monkeypatch: pytest.MonkeyPatch) -> None:
    model = PolyhopReader()
    lamp, bell = (TextPart(LAMP),), (TextPart("The bell of the chapel was cast by Piet Rook."),)
    first = model.read("Who built the lamp?", [lamp, bell, lamp])
    assert first[0] is first[2]
    windows = []
    monkeypatch.setattr("polyhop.models.span_reader._read", lambda *window: windows.append(window))
    assert model.read("Who built the lamp?", [bell, lamp]) == [first[1], first[0]]
    assert windows == []


def test_only_the_latest_readings_are_kept() -> None:
    model = PolyhopReader()
    for number in range(RECENT + 3):
        model.read(f"Who built lamp {number}?", [(TextPart(f"Ana Reyes built lamp {number}."),)])
    assert len(model._recent) == RECENT
