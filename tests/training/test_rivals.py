"""Slates: the right texts of a question among what our own retrieval finds beside them, written as strategies do."""

from __future__ import annotations

from polyhop.models.cross_encoder import reranker_folder
from polyhop.strategies.paths.strategy import EXCERPT, SINGLE
from polyhop.strategies.shared.excerpt import excerpt, path_text
from polyhop.training.linked_passages import LinkedPassages, as_stored
from polyhop.training.rivals import slates
from polyhop.training.rows import MultiHopRow, ReadingRow, TrainingPassage
from polyhop.training.slates import GradedText, Slate, SlateMaker, figures, judged

TOKENIZER = reranker_folder() / "tokenizer.json"
QUESTION = "Where was the keeper of the Ostrand Light born?"
LIGHT = TrainingPassage(title="Ostrand Light", text="The Ostrand Light was kept by Edda Marrish, who knew Tom Harl.")
KEEPER = TrainingPassage(title="Edda Marrish", text="Edda Marrish was born in Pellingrove. She was never at sea.")
TOWN = TrainingPassage(title="Pellingrove", text="Pellingrove is a town. Its mayor is Ada Finch.")
FRIEND = TrainingPassage(title="Tom Harl", text="Tom Harl was born in Velmouth. Near it stands the Ostrand Light.")
BAKER = TrainingPassage(title="Ines Dove", text="Ines Dove was a baker, and her bread was black.")


def row(*positives: TrainingPassage) -> MultiHopRow:
    negatives = tuple(one for one in (FRIEND, BAKER, TOWN) if one not in positives)
    return MultiHopRow(
        source="hops",
        licence="CC0-1.0",
        question=QUESTION,
        answer="Pellingrove",
        positives=positives,
        negatives=negatives,
    )


def ordinary(number: int) -> ReadingRow:
    context = f"The bell of tower {number} was cast by Piet Rook in {1800 + number}. It rings at noon."
    return ReadingRow(
        source="bells",
        licence="CC0-1.0",
        question=f"When was the bell of tower {number} cast?",
        context=context,
        answers=((str(1800 + number), context.index(str(1800 + number))),),
        kind="span",
    )


def made(*positives: TrainingPassage, seed: int = 0) -> dict[str, Slate]:
    """The slates of one question and four of one step, by kind."""
    found = slates([row(*positives)], [ordinary(number) for number in range(4)], TOKENIZER, seed=seed)
    return {slate.kind: slate for slate in (*found.training, *found.aside)}


def texts(slate: Slate) -> list[str]:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(TOKENIZER))
    return [tokenizer.decode(list(pair[slate.asked :])) for pair in slate.pairs]


def test_a_title_that_a_passage_names_is_a_link() -> None:
    pool = LinkedPassages.of([LIGHT, KEEPER, FRIEND, LIGHT])
    assert len(pool.passages) == 3
    assert [(link.target, link.naming) for link in pool.links_from(0)] == [(1, ("Edda Marrish",)), (2, ("Tom Harl",))]
    assert pool.named_in(QUESTION) == [0]
    assert pool.link_between(1, 0) is None


def test_a_name_that_both_have_joins_them_where_no_title_does() -> None:
    led = TrainingPassage(title="A banker", text="She led Corin Vale Shipping for nine years.")
    owned = TrainingPassage(title="A ferry", text="It was bought by Corin Vale Shipping in 1902.")
    link = LinkedPassages.of([led, owned]).link_between(0, 1)
    assert link is not None
    assert link.naming == ("Corin Vale Shipping",)


def test_right_passages_and_paths_stand_among_what_is_found_beside_them() -> None:
    found = made(LIGHT, KEEPER)
    singles, paths = found["passages"], found["paths"]
    assert singles.grades[:2] == (1, 1)
    assert set(singles.grades[2:]) == {0}
    right = [text for text, grade in zip(texts(paths), paths.grades, strict=True) if grade]
    assert len(right) == 1
    assert right[0].startswith("ostrand light")
    assert "was born in pellingrove" in right[0]
    astray = [text for text, grade in zip(texts(paths), paths.grades, strict=True) if not grade]
    assert any("tom harl was born" in text for text in astray)


def test_a_path_of_three_is_worth_more_than_its_beginning() -> None:
    assert sorted(set(made(LIGHT, KEEPER, TOWN)["paths"].grades)) == [0, 2, 3]


def test_a_question_of_one_step_has_its_context_among_those_like_it() -> None:
    slate = made(LIGHT, KEEPER)["ordinary"]
    assert slate.grades == (1, 0, 0, 0)


def test_the_same_seed_gives_the_same_slates() -> None:
    assert made(LIGHT, KEEPER, seed=4) == made(LIGHT, KEEPER, seed=4)


def test_texts_are_written_as_the_strategy_has_them_judged() -> None:
    """A path is its passages' excerpts one behind the other, and a long passage loses what says least."""
    filler = " ".join(f"In {year} nothing happened there." for year in range(1500, 1560))
    long = as_stored(f"The light was lit in 1801. {filler} It was kept by Edda Marrish.", title="Ostrand Light")
    keeper = as_stored(KEEPER.text, title=KEEPER.title)
    joined = path_text([long, keeper], QUESTION, EXCERPT, naming=[["Edda Marrish"]])
    assert joined.startswith("Ostrand Light\nThe light was lit in 1801.")
    assert "It was kept by Edda Marrish. Edda Marrish\nEdda Marrish was born" in joined
    assert len(joined) < 2 * EXCERPT
    assert excerpt(keeper, QUESTION, SINGLE) == f"{KEEPER.title}\n{KEEPER.text}"


def test_a_slate_with_nothing_to_choose_is_none() -> None:
    maker = SlateMaker(TOKENIZER)
    same = [GradedText(text=text, grade=0) for text in ("a", "b")]
    assert maker.slate(QUESTION, same, kind="paths", source="hops", licence="CC0-1.0") is None


def test_ranks_are_judged_by_grades() -> None:
    slate = Slate(source="hops", licence="CC0-1.0", kind="paths", pairs=((1, 2, 3),) * 3, asked=2, grades=(2, 0, 0))
    rows = [judged(slate, logits) for logits in ([3.0, 1.0, -1.0], [1.0, 3.0, -1.0])]
    assert [one.first for one in rows] == [True, False]
    assert [one.pairwise for one in rows] == [1.0, 0.5]
    table = figures(rows)["paths"]
    assert (table["first"], table["pairwise"], table["right"], table["wrong"]) == (50, 75, 2, 0.5)
