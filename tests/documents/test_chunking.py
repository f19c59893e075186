"""Documents are cut into passages: exact offsets, complete cover, a token budget, and ids that survive edits."""

from __future__ import annotations

import random
import re
import statistics
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyhop.documents.chunking import count_tokens, cut
from polyhop.settings import Chunking
from polyhop.types import Document, Passage

TINY = Chunking(tokens=16, overlap=4)
SENTENCES = [
    "Lena Voss repaired the tide mill.",
    "It stands on the Orla river, where the ferry lands!",
    "丽娜修好了潮汐磨坊。它在奥拉河上！",
    "أصلحت لينا الطاحونة القديمة. أين تقع؟",
    "ลีน่าซ่อมโรงสี ริมแม่น้ำ",
    "लीना ने चक्की ठीक की। वह नदी पर है।",
    "Antidisestablishmentarianism_and_more" * 4,
    "🛶👩‍🔧 e\u0301te\u0301",
]
texts = st.one_of(
    st.text(st.characters(codec="utf-8"), max_size=600),
    st.lists(st.sampled_from([*SENTENCES, " ", "\n", "\n\n", "\t \n"]), max_size=60).map(" ".join),
    st.text(alphabet="ab. \n。字", max_size=800),
)
chunkings = st.integers(16, 80).flatmap(
    lambda tokens: st.builds(Chunking, tokens=st.just(tokens), overlap=st.integers(0, tokens // 2 - 1))
)


def document(text: str, *, whole: bool = False, title: str = "Mill") -> Document:
    return Document(id="doc", uri="/mill.txt", title=title, text=text, media_type="text/plain", sha256="0", whole=whole)


def uncovered(text: str, passages: tuple[Passage, ...]) -> str:
    covered = [False] * len(text)
    for passage in passages:
        covered[passage.start : passage.end] = [True] * (passage.end - passage.start)
    return "".join(character for character, done in zip(text, covered, strict=True) if not done)


@given(texts, chunkings)
def test_passages_quote_cover_and_keep_to_the_budget(text: str, chunking: Chunking) -> None:
    """The laws of chunking, for any text in any script."""
    passages = cut(document(text), chunking)
    for ordinal, passage in enumerate(passages):
        assert text[passage.start : passage.end] == passage.text
        assert passage.text.strip()
        assert passage.ordinal == ordinal
        assert count_tokens(passage.text) <= chunking.tokens
    assert not uncovered(text, passages).strip()
    assert len({passage.id for passage in passages}) == len(passages)
    for earlier, later in pairwise(passages):
        assert earlier.start < later.start
        assert earlier.end < later.end


@given(texts, chunkings)
def test_overlap_stays_within_its_budget(text: str, chunking: Chunking) -> None:
    passages = cut(document(text), chunking)
    for earlier, later in pairwise(passages):
        assert count_tokens(text[later.start : earlier.end]) <= chunking.overlap


@given(texts)
def test_cutting_is_deterministic(text: str) -> None:
    assert cut(document(text), TINY) == cut(document(text), TINY)


@given(st.text(max_size=200))
def test_whole_document_is_one_passage_with_the_documents_id(text: str) -> None:
    (passage,) = cut(document(text, whole=True), TINY)
    assert (passage.id, passage.start, passage.end, passage.text) == ("doc", 0, len(text), text)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        (" \n\t\u3000", 0),
        ("mill", 1),
        ("miller", 1),
        ("millers", 2),  # a word counts one token for each six characters begun
        ("a, b!", 4),
        ("丽娜修好了", 5),
        ("ひらがなカタカナ", 8),
        ("한국어", 3),
        ("ไทย", 3),
        ("don't", 3),
        ("लीना", 1),  # vowel signs belong to their word
        ("e\u0301te\u0301", 1),
        ("!!!", 3),
        ("tide 潮 mill", 3),
    ],
)
def test_count_tokens_needs_no_language(text: str, tokens: int) -> None:
    assert count_tokens(text) == tokens


@given(st.text(), st.text())
def test_count_tokens_adds_up_across_white_space(left: str, right: str) -> None:
    assert count_tokens(f"{left} {right}") == count_tokens(left) + count_tokens(right)


@given(st.text(alphabet="ab cé.,!字ไ\n", max_size=300))
def test_count_tokens_equals_the_definition(text: str) -> None:
    """Against a count that walks over the text character by character."""
    expected, run = 0, 0
    for character in text:
        run = run + 1 if character in "abcé" else 0
        expected += run % 6 == 1 if run else not character.isspace()
    assert count_tokens(text) == expected


def test_passage_ends_at_a_paragraph_rather_than_a_sentence() -> None:
    text = "One two three four five six seven eight nine ten eleven twelve.\n\nSix. Seven eight nine."
    assert cut(document(text), TINY)[0].text.endswith("twelve.")


@pytest.mark.parametrize("stop", [".", "!", "?", "؟", "।", "…"])
def test_passage_ends_at_a_sentence_rather_than_a_word(stop: str) -> None:
    text = f"one two three four five six seven eight nine ten eleven twelve{stop} Thirteen seven one two six"
    assert cut(document(text), TINY)[0].text.endswith(f"twelve{stop}")


@pytest.mark.parametrize("stop", ["。", "！", "？"])
def test_passage_ends_at_a_chinese_sentence(stop: str) -> None:
    text = f"一二三四五六七八九十甲乙{stop}丙丁戊己庚辛壬癸"
    assert cut(document(text), TINY)[0].text.endswith(stop)


def test_words_are_not_split_while_there_is_another_way() -> None:
    text = "watermill repaired " * 200
    words = {word for passage in cut(document(text), TINY) for word in passage.text.split()}
    assert words == {"watermill", "repaired"}


def test_latin_words_between_chinese_are_not_split() -> None:
    text = "奥拉Watermill河" * 60
    assert all(re.fullmatch("(Watermill|[奥拉河])+", passage.text) for passage in cut(document(text), TINY))


def test_characters_keep_their_marks() -> None:
    """A Thai vowel sign never begins a passage."""
    passages = cut(document("กิ" * 300), TINY)
    assert all(passage.text.startswith("ก") for passage in passages)


def test_an_endless_word_is_split_where_it_must_be() -> None:
    passages = cut(document("x" * 5000), TINY)
    assert all(count_tokens(passage.text) <= 16 for passage in passages)
    assert "".join(passage.text for passage in passages) == "x" * 5000


def paragraphs(number: int) -> list[str]:
    """Paragraphs of one to six sentences about keepers and boats, always the same."""
    dice = random.Random(7)  # noqa: S311 - a world, not a secret
    boats = ["Heron", "Grey Tern", "Marsh Lantern", "Eel"]
    return [
        " ".join(
            f"Keeper {dice.randrange(500)} sailed the {dice.choice(boats)}{' past the buoy' * dice.randrange(4)}."
            for _ in range(dice.randint(1, 6))
        )
        for _ in range(number)
    ]


@pytest.mark.parametrize("replacement", ["Short.", "Another story entirely. " * 9, ""])
def test_editing_a_paragraph_leaves_most_ids_alone(replacement: str) -> None:
    """After an edit the passages soon fall back into step; typically a handful of some eighty is new."""
    before = paragraphs(1000)
    chunking = Chunking(tokens=512, overlap=64)
    old = {passage.id for passage in cut(document("\n\n".join(before)), chunking)}
    changed = []
    for edited in range(0, 500, 50):
        after = [*before[:edited], replacement, *before[edited + 1 :]]
        new = {passage.id for passage in cut(document("\n\n".join(after)), chunking)}
        changed.append(len(new - old))
    assert len(old) > 60
    assert statistics.median(changed) <= 8


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 299))
def test_passages_that_end_before_an_edit_are_untouched(edited: int) -> None:
    before = paragraphs(300)
    text = "\n\n".join(before)
    position = len("\n\n".join(before[:edited]))
    changed = text[:position] + "\n\nA line that is new." + text[position:]
    old, new = cut(document(text), TINY), cut(document(changed), TINY)
    kept = [passage for passage in old if passage.end + 200 < position]  # a window looks ahead
    assert list(new[: len(kept)]) == kept


def test_same_text_twice_has_two_ids() -> None:
    passages = cut(document("Tide mill. " * 400), TINY)
    assert len({passage.text for passage in passages}) < len(passages) == len({passage.id for passage in passages})


def test_ids_depend_on_document_and_title() -> None:
    assert cut(document("Mill."), TINY)[0].id != cut(document("Mill.", title="Ferry"), TINY)[0].id
    assert re.fullmatch("[0-9a-f]{20}", cut(document("Mill."), TINY)[0].id)


def test_blank_documents_have_no_passages() -> None:
    assert cut(document(" \n\n\t "), TINY) == ()


@pytest.mark.parametrize(
    "text",
    [
        "The tide mill stands on the Orla river. " * 100_000,
        "x" * 2_000_000,
        " " * 4_000_000 + "x",
        "潮汐磨坊。" * 300_000,
    ],
    ids=["prose", "one word", "white space", "chinese"],
)
def test_megabytes_are_cut_in_linear_time(text: str) -> None:
    """Quadratic work would exceed the suite's time limit by far."""
    passages = cut(document(text), Chunking())
    assert passages[-1].end == len(text.rstrip())


@given(st.lists(st.sampled_from(SENTENCES[:2]), min_size=2, max_size=40), chunkings)
def test_what_is_repeated_begins_with_a_sentence(sentences: list[str], chunking: Chunking) -> None:
    """Where the passage before ended with one; nobody reads half of it, or quotes it."""
    passages = cut(document(" ".join(sentences)), chunking)
    for before, passage in pairwise(passages):
        if before.text.endswith((".", "!")):
            assert passage.text.startswith(("Lena", "It stands"))


@given(st.lists(st.tuples(st.sampled_from(["Fares", "Piers"]), st.integers(1, 9)), min_size=1, max_size=12), chunkings)
def test_no_passage_ends_with_a_heading(sections: list[tuple[str, int]], chunking: Chunking) -> None:
    """And what stands before a heading is not repeated behind it."""
    text, headings = "", []
    for name, count in sections:
        headings.append((len(text), len(text) + len(name)))
        text += f"{name}\n\n" + "It rains.\n\n" * count
    document_of = Document(id="doc", title="Mill", text=text.strip(), headings=tuple(headings))
    passages = cut(document_of, chunking)
    for before, passage in pairwise(passages):
        assert not before.text.endswith(("Fares", "Piers"))
        if text[before.end :].lstrip().startswith(("Fares", "Piers")):
            assert passage.text.startswith(("Fares", "Piers"))
            assert passage.start >= before.end


@given(
    st.lists(st.integers(1, 9), min_size=1, max_size=12),
    st.integers(64, 99),
    st.sampled_from(["## {}", "== {}", "{}\n====="]),
)
def test_the_signs_of_a_heading_stay_with_it(counts: list[int], tokens: int, written: str) -> None:
    """Markdown writes marks before one, and others a rule below: none ends a passage, or is of another section."""
    text, headings = "", []
    for number, count in enumerate(counts):
        said = f"Pier{number}"
        at = len(text) + written.index("{")
        headings.append((at, at + len(said)))
        text += written.format(said) + "\n\n" + "It rains.\n\n" * count
    document_of = Document(id="doc", title="Mill", text=text.strip(), headings=tuple(headings))
    for passage in cut(document_of, Chunking(tokens=tokens, overlap=tokens // 4)):
        assert not passage.text.endswith(("#", "=")), passage.text
        if passage.text.startswith(("#", "== ", "Pier")):
            assert passage.section == ()
            assert passage.headings[0][0] <= 3
