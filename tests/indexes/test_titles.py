"""Titles: which passages a name is the title of, and which titles a text names, whatever segments hold them."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyhop.errors import IndexCorrupt
from polyhop.indexes import titles as module
from polyhop.indexes.adjacency import Adjacency
from polyhop.indexes.names import normal
from polyhop.indexes.streamed import streamed
from polyhop.indexes.titles import Titles


def segmented(*segments: Mapping[int, str], live: Sequence[int] | None = None) -> Titles:
    """Titles by passage number, written as so many segments; all passages live unless said otherwise."""
    numbers = sorted({number for segment in segments for number in segment}) if live is None else live
    with tempfile.TemporaryDirectory() as folder:
        folders = [Path(folder) / str(place) for place in range(len(segments))]
        for path, segment in zip(folders, segments, strict=True):
            with streamed(path) as writer:
                module.write(writer, list(segment), list(segment.values()))
        return Titles.open(folders, np.array(numbers, np.int64))


def titled(*titles: str) -> Titles:
    """Titles of the passages 1, 2 and so on."""
    return segmented(dict(enumerate(titles, 1)))


# --- about ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["Ada Brisk", "ada brisk", "ADA  BRISK", "Ada-Brisk", "Adá Brisk!"])
def test_a_name_is_a_title_however_it_is_spelled(name: str) -> None:
    assert titled("Quillmouth", "Ada Brisk").about(name) == [2]


@pytest.mark.parametrize("name", ["Brisk", "Ada", "Ada Brisk the Younger", "", "?!", "lighthouse"])
def test_a_part_of_a_title_is_not_the_title(name: str) -> None:
    assert titled("Ada Brisk").about(name) == []


def test_all_passages_under_a_title_are_about_it() -> None:
    assert titled("Ada Brisk", "Quillmouth", "Ada Brisk").about("Ada Brisk") == [1, 3]


def test_brackets_count_where_the_name_has_them() -> None:
    """And stand for nothing where it has none."""
    titles = titled("Mercury (planet)", "Mercury (element)", "Venus")
    assert titles.about("Mercury (planet)") == [1]
    assert titles.about("Mercury (element)") == [2]
    assert titles.about("Mercury (god)") == []
    assert titles.about("Mercury") == [1, 2]
    assert titles.about("Venus (planet)") == []


def test_a_title_that_is_the_name_comes_before_one_with_brackets() -> None:
    titles = titled("Gull (ferry)", "Gull")
    assert titles.about("Gull") == [2]
    assert titles.about("Gull (ferry)") == [1]


def test_a_name_of_two_words_may_be_what_stands_before_a_comma() -> None:
    """One word may not: too much is called "Hallow" beside the town in Velmland."""
    titles = titled("Upper Hallow, Velmland", "Hallow, Velmland", "Hallow")
    assert titles.about("Upper Hallow") == [1]
    assert titles.about("Upper Hallow, Velmland") == [1]
    assert titles.about("Hallow, Velmland") == [2]
    assert titles.about("Hallow") == [3]
    assert titled("Hallow, Velmland").about("Hallow") == []


def test_a_title_in_full_comes_before_one_that_goes_on_behind_a_comma() -> None:
    assert titled("Upper Hallow, Velmland", "Upper Hallow").about("Upper Hallow") == [2]
    assert titled("Upper Hallow, Velmland", "Upper Hallow (novel)").about("Upper Hallow") == [2]


def test_a_title_may_be_named_without_its_article() -> None:
    titles = titled("The Long Bridge", "Gull")
    assert titles.about("Long Bridge") == [1]
    assert titles.about("The Long Bridge") == [1]


def test_an_article_tells_titles_apart() -> None:
    """Where both are there; and "The Gull" is not the bird."""
    titles = titled("The Long Bridge", "Long Bridge", "The Gull", "Gull")
    assert titles.about("Long Bridge") == [2]
    assert titles.about("The Long Bridge") == [1]
    assert titles.about("Gull") == [4]
    assert titles.about("The Gull") == [3]
    assert titled("Gull").about("The Gull") == []


@pytest.mark.parametrize("name", ["the Long Bridge", "The Long Bridge"])
def test_a_name_of_two_words_may_have_an_article_that_its_title_lacks(name: str) -> None:
    """Texts say "the Long Bridge" where the title is plain."""
    assert titled("Long Bridge").about(name) == [1]


def test_deleted_passages_are_about_nothing() -> None:
    titles = segmented({1: "Ada Brisk", 2: "Ada Brisk", 3: "Gull"}, live=[2])
    assert titles.about("Ada Brisk") == [2]
    assert titles.about("Gull") == []
    assert titles.named_in("The Gull and Ada Brisk") == [("Ada Brisk", [2])]


def test_a_deleted_exact_title_gives_way_to_another() -> None:
    titles = segmented({1: "Gull", 2: "Gull (ferry)"}, live=[2])
    assert titles.about("Gull") == [2]


def test_a_name_is_spoken_of_as_a_title_that_is_still_there() -> None:
    """Not as one whose passages are all deleted."""
    titles = segmented({1: "Ada Brisk", 2: "Ada Brisk (engineer)"}, live=[2])
    assert titles.named_in("Who was Ada Brisk?") == [("Ada Brisk (engineer)", [2])]


@pytest.mark.parametrize(
    "title", ["東京タワー", "Пелагея Орлова", "مدينة الرياح", "รถไฟเหนือ", "Łódź Kaliska", "ㅎ", "नया बाज़ार", "Ö"]
)
def test_titles_of_any_script_are_found(title: str) -> None:
    titles = titled("Gull", title)
    assert titles.about(title) == [2]
    assert titles.about(title.upper()) == [2]
    assert (title, [2]) in titles.named_in(f"{title}", careful=False)


@pytest.mark.parametrize("text", ["東京タワーはどこですか", "昔、東京タワーで会った。"])
def test_titles_are_named_where_words_are_not_set_apart(text: str) -> None:
    titles = titled("東京", "東京タワー")
    assert titles.named_in(text) == titles.named_in(text, careful=False) == [("東京タワー", [2])]


@pytest.mark.parametrize("title", ["", "?!", "()", "…", "\u00ad", "\n"])
def test_titles_without_words_are_no_titles(title: str) -> None:
    titles = titled(title, "Gull")
    assert titles.about(title) == []
    assert titles.named_in(f"What is {title} about the Gull?") == [("Gull", [2])]


@pytest.mark.parametrize("titles", [Titles.open([], np.empty(0, np.int64)), segmented({}), segmented({1: "!"}, {})])
def test_nothing_is_about_anything_where_there_are_no_titles(titles: Titles) -> None:
    assert titles.about("Gull") == []
    assert titles.named_in("Where is the Gull?") == []


# --- named in ---------------------------------------------------------------------------------------------------------


def test_titles_are_named_in_the_order_of_the_text_and_once() -> None:
    titles = titled("Ada Brisk", "Quillmouth", "Quillmouth")
    text = "Quillmouth, where Ada Brisk lived, is Quillmouth."
    assert titles.named_in(text) == [("Quillmouth", [2, 3]), ("Ada Brisk", [1])]


def test_titles_within_a_longer_one_are_not_named() -> None:
    titles = titled("Quillmouth", "Quillmouth Harbour", "Harbour Master")
    assert titles.named_in("Quillmouth Harbour") == [("Quillmouth Harbour", [2])]
    assert titles.named_in("Quillmouth Harbour Master") == [("Quillmouth Harbour", [2]), ("Harbour Master", [3])]


@pytest.mark.parametrize("careful", [True, False])
def test_one_word_counts_only_as_it_is_written(careful: bool) -> None:
    titles = titled("Home", "Gull")
    assert titles.named_in("The Gull went home.", careful=careful) == [("Gull", [2])]
    assert titles.named_in("Home is a film.", careful=careful) == [("Home", [1])]


@pytest.mark.parametrize("careful", [True, False])
@pytest.mark.parametrize("text", ["Princess Anna wept.", "It was Anna Princess.", "The Crown-Princess wept."])
def test_one_word_does_not_count_as_a_part_of_a_longer_name(text: str, careful: bool) -> None:
    assert titled("Princess").named_in(text, careful=careful) == []


def test_one_word_counts_elsewhere_in_the_text_all_the_same() -> None:
    titles = titled("Princess")
    assert titles.named_in("Princess Anna read a book. Her sister, a Princess, wept.") == [("Princess", [1])]


@pytest.mark.parametrize(
    "text", ["Is Gull a ferry?", "The Gull sank.", "Who left Oster? Gull did.", "Oster, Gull and Tern", "Oster. Gull?"]
)
def test_a_capital_that_belongs_to_the_sentence_makes_no_longer_name(text: str) -> None:
    assert titled("Gull").named_in(text) == [("Gull", [1])]


@pytest.mark.parametrize("text", ["It was Émile Gull.", "It was Capt Gull.", "It was Dr. Gull.", "Gull Årsta sank."])
def test_initials_titles_and_accents_make_a_longer_name(text: str) -> None:
    assert titled("Gull").named_in(text) == []


def test_several_words_count_as_they_come_unless_one_is_careful() -> None:
    titles = titled("Long Bridge")
    text = "Who crossed the long bridge at Quillmouth?"
    assert titles.named_in(text, careful=False) == [("Long Bridge", [1])]
    assert titles.named_in(text) == []
    assert titles.named_in(text.replace("long bridge", "Long Bridge")) == [("Long Bridge", [1])]


@pytest.mark.parametrize("careful", [True, False])
def test_in_a_text_without_capitals_any_title_counts(careful: bool) -> None:
    titles = titled("Home", "Long Bridge")
    named = titles.named_in("who went home over the long bridge?", careful=careful)
    assert named == [("Home", [1]), ("Long Bridge", [2])]


@pytest.mark.parametrize("careful", [True, False])
def test_titles_are_named_without_brackets_and_without_what_follows_a_comma(careful: bool) -> None:
    titles = titled("Gull (ferry)", "Upper Hallow, Velmland", "Hallow, Velmland")
    text = "The Gull sails to Upper Hallow."
    assert titles.named_in(text, careful=careful) == [("Gull (ferry)", [1]), ("Upper Hallow, Velmland", [2])]


def test_a_title_that_several_passages_could_be_called_is_named_with_all_of_them() -> None:
    assert titled("Mercury (planet)", "Mercury (element)").named_in("Mercury shone.") == [("Mercury (planet)", [1, 2])]


def test_an_article_within_a_text_belongs_to_a_title_that_has_it() -> None:
    titles = titled("The Long Bridge")
    assert titles.named_in("They met on The Long Bridge.") == [("The Long Bridge", [1])]
    assert titles.named_in("They met on the Long Bridge.", careful=False) == [("The Long Bridge", [1])]


# --- segments ---------------------------------------------------------------------------------------------------------

NAMES = (
    *(
        "Gull",
        "The Gull",
        "Gull (ferry)",
        "Gull (bird)",
        "gull",
        "Ada Brisk",
        "Ada Brisk (engineer)",
        "Ada Brisk, Sable",
    ),
    *(
        "Ada",
        "Brisk",
        "Brisk Wind",
        "Long Bridge",
        "The Long Bridge",
        "Bridge",
        "東京",
        "東京タワー",
        "?",
        "The",
        "A B C",
    ),
)
CORPUS = st.lists(st.tuples(st.sampled_from(NAMES), st.integers(0, 2), st.booleans()), max_size=14)
TEXT = st.lists(st.sampled_from([*NAMES, "the", "who", "of", "brisk", "long bridge", "東京", "Sable,"]), max_size=7)


@settings(max_examples=15, deadline=None)
@given(CORPUS, TEXT)
def test_which_segments_hold_titles_never_matters(corpus: list[tuple[str, int, bool]], text: list[str]) -> None:
    """Nor do deleted passages that segments still hold."""
    titles = {number: title for number, (title, _, _) in enumerate(corpus, 1)}
    alive = [number for number, (_, _, lives) in enumerate(corpus, 1) if lives]
    apart: list[dict[int, str]] = [{} for _ in range(3)]
    for number, (title, place, _) in enumerate(corpus, 1):
        apart[place][number] = title
    several, whole = segmented(*apart, live=alive), segmented({number: titles[number] for number in alive})
    for name in NAMES:
        assert several.about(name) == whole.about(name)
    for careful in (True, False):
        assert several.named_in(" ".join(text), careful=careful) == whole.named_in(" ".join(text), careful=careful)


@settings(max_examples=15, deadline=None)
@given(CORPUS)
def test_every_live_passage_is_found_by_its_title(corpus: list[tuple[str, int, bool]]) -> None:
    titles = {number: title for number, (title, _, _) in enumerate(corpus, 1)}
    found = segmented(titles)
    for number, title in titles.items():
        assert (number in found.about(title)) == bool(normal(title))


def test_damaged_segments_are_refused(tmp_path: Path) -> None:
    with pytest.raises(IndexCorrupt):
        Titles.open([tmp_path / "none"], np.empty(0, np.int64))
    with streamed(tmp_path / "other") as writer:
        module.write(writer, [1, 2], ["Gull", "Tern"])
    for part in ("titles", "passages"):
        with streamed(tmp_path / part) as writer:
            module.write(writer, [1], ["Gull"])
            writer.keep(part, Adjacency.open(tmp_path / "other" / part))
        with pytest.raises(IndexCorrupt, match="do not belong together"):
            Titles.open([tmp_path / part], np.array([1]))
