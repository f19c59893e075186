"""Facts from grammar: what plain sentences state, with the title behind pronouns, and nothing that is not written."""

from __future__ import annotations

from collections.abc import Callable
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhop.indexes.names import normal
from polyhop.layers.facts.syntax.facts import facts_of
from polyhop.layers.facts.syntax.openings import lives
from polyhop.layers.grammar.lexicon import PERSONAL
from polyhop.layers.grammar.tree import ParseTree
from polyhop.models.choice import Models
from polyhop.ports import ParsedEntity, ParsedSentence, ParsedWord
from polyhop.types import Fact, Passage
from tests.worlds.documents import HARBOUR

Triple = tuple[str, str, str]
Read = Callable[[str, str], list[Fact]]


def passage_of(text: str, title: str, *, ordinal: int = 0) -> Passage:
    return Passage(id="p", document_id="d", ordinal=ordinal, start=0, end=len(text), title=title, text=text)


def triples(facts: list[Fact]) -> list[Triple]:
    return [(fact.head, fact.relation, fact.tail) for fact in facts]


@pytest.fixture(scope="module")
def read(models: Models) -> Read:
    """Reads a text under a title with the real parser."""

    def reading(title: str, text: str) -> list[Fact]:
        return facts_of(passage_of(text, title), next(iter(models.parser.parse([text]))))

    return reading


@pytest.mark.parametrize(
    ("title", "text", "stated"),
    [
        pytest.param(
            "Tarn School",
            "The Tarn School was founded by Piet Rook in 1790.",
            [("Tarn School", "was founded by", "Piet Rook"), ("Tarn School", "was founded in", "1790")],
            id="passives",
        ),
        pytest.param(
            "Ada Brisk",
            "Ada Brisk built a lighthouse and married Jonas Vell in 1841.",
            [
                ("Ada Brisk", "built", "lighthouse"),
                ("Ada Brisk", "married", "Jonas Vell"),
                ("Ada Brisk", "married Jonas Vell in", "1841"),
            ],
            id="verbs that share a subject",
        ),
        pytest.param(
            "Ada Brisk",
            "Ada Brisk was a French engineer. She was born in London and died in Paris in 1901.",
            [
                ("Ada Brisk", "was", "French engineer"),
                ("Ada Brisk", "nationality", "French"),
                ("Ada Brisk", "born in", "London"),
                ("Ada Brisk", "died in", "Paris"),
                ("Ada Brisk", "died in", "1901"),
            ],
            id="what someone is, was born and died",
        ),
        pytest.param(
            "Low Water (film)",
            "Low Water is a 1987 American drama film directed by Anna Bell and starring Karl Vell and Otto Rook.",
            [
                ("Low Water (film)", "directed by", "Anna Bell"),
                ("Low Water (film)", "starring", "Karl Vell"),
                ("Low Water (film)", "starring", "Otto Rook"),
                ("Low Water (film)", "released in", "1987"),
                ("Low Water (film)", "country of origin", "American"),
            ],
            id="participles, of a title in brackets",
        ),
        pytest.param(
            "Karl Vell",
            "Karl Vell was an actor. He was the son of Jonas Vell and Maria Rook.",
            [("Karl Vell", "was the son of", "Jonas Vell"), ("Karl Vell", "was the son of", "Maria Rook")],
            id="kin",
        ),
        pytest.param(
            "Karl Vell",
            "Karl Vell was an actor. He was married to Anna Bell. His sister, Maria Vell, was a painter from Norway.",
            [
                ("Karl Vell", "was married to", "Anna Bell"),
                ("Karl Vell", "sister", "Maria Vell"),
                ("Maria Vell", "was", "painter"),
                ("Maria Vell", "was a painter from", "Norway"),
            ],
            id="possessives",
        ),
        pytest.param(
            "Anna Bell",
            "Anna Bell was a singer. Bell was not associated with the party of John Smith.",
            [("Anna Bell", "was not associated with", "party of John Smith")],
            id="negation, and a part of the title",
        ),
        pytest.param(
            "Anna Bell",
            "Anna Bell, a member of the Royal Society, lives in Boston, Massachusetts.",
            [
                ("Anna Bell", "member of", "Royal Society"),
                ("Anna Bell", "lives in", "Boston, Massachusetts"),
                ("Boston", "in", "Massachusetts"),
            ],
            id="appositions, and places within places",
        ),
        pytest.param(
            "Low Water",
            "Low Water is a novel. The novel was written by Anna Bell, who was born in Chicago.",
            [("Low Water", "was written by", "Anna Bell"), ("Anna Bell", "born in", "Chicago")],
            id="descriptions of the title, and relative clauses",
        ),
        pytest.param(
            "Low Water",
            "Low Water is a film. The music was composed by Otto Rook.",
            [("Low Water", "music was composed by", "Otto Rook")],
            id="parts of the title",
        ),
        pytest.param(
            "Hugh of Tarn",
            "Hugh of Tarn was born to Robert I, Duke of Tarn, and Agnes of Ost.",
            [("Hugh of Tarn", "born to", "Robert I, Duke of Tarn"), ("Hugh of Tarn", "born to", "Agnes of Ost")],
            id="names that go on after a comma",
        ),
    ],
)
def test_facts_of_states_what_a_sentence_states(title: str, text: str, stated: list[Triple], read: Read) -> None:
    """Each kind of sentence gives its facts, with the title for the pronouns and short names that mean it."""
    found = triples(read(title, text))
    assert not set(stated) - set(found), found


@pytest.mark.parametrize(
    ("bracket", "said"),
    [
        ("12 May 1901 – 3 March 1980", [("born on", "12 May 1901"), ("died on", "3 March 1980")]),
        ("May 12, 1901 - March 3, 1980", [("born on", "May 12, 1901"), ("died on", "March 3, 1980")]),
        ("1901–1980", [("born in", "1901"), ("died in", "1980")]),
        ("c. 1260 – aft. 26 December 1323", [("born in", "1260"), ("died on", "26 December 1323")]),
        ("born 12 May 1901", [("born on", "12 May 1901")]),
        ("b. 1901", [("born in", "1901")]),
        ("died October 1346", [("died on", "October 1346")]),
        ("Anna Maria; born 12 May 1901 in Ost", [("born on", "12 May 1901"), ("born in", "Ost")]),
        (
            "12 May 1901, Ost – 3 March 1980, Tarn",
            [("born on", "12 May 1901"), ("born in", "Ost"), ("died on", "3 March 1980"), ("died in", "Tarn")],
        ),
        (
            "Ost, 12 May 1901 – Tarn, 3 March 1980",
            [("born in", "Ost"), ("born on", "12 May 1901"), ("died in", "Tarn"), ("died on", "3 March 1980")],
        ),
        ("12 May 19013 March 1980", [("born on", "12 May 1901"), ("died on", "3 March 1980")]),
        ("NRB", []),
        ("see 4.2", []),
    ],
)
def test_lives_reads_the_bracket_after_a_name(bracket: str, said: list[tuple[str, str]]) -> None:
    """Dates and places of birth and death, in the orders that people write them."""
    text = f"Anna Bell ({bracket}) was a singer."
    assert [(life.relation, life.tail.text) for life in lives(text, 0, len(text))] == said


def test_facts_of_takes_the_life_of_the_title_from_its_bracket(read: Read) -> None:
    """Also where the first sentence calls the title by a longer name: what it says of that is said of the title."""
    found = triples(read("Anna Bell", "Anna Maria Bell (12 May 1901 – 3 March 1980) was a Swedish singer."))
    assert ("Anna Bell", "born on", "12 May 1901") in found
    assert ("Anna Bell", "died on", "3 March 1980") in found
    assert ("Anna Bell", "was", "Swedish singer") in found


def test_a_pronoun_of_another_gender_is_not_the_title(read: Read) -> None:
    """``her`` in what speaks of a man is the woman named last."""
    found = read(
        "Karl Vell", "Karl Vell was a painter. He married Anna Bell. In 1903 he painted Anna Bell and her dog."
    )
    assert [fact.head_label for fact in found if fact.relation.startswith("married")] == ["TITLE"]
    assert not [fact for fact in found if normal(fact.head) in PERSONAL or normal(fact.tail) in PERSONAL]


def test_facts_of_the_harbour_join_into_a_chain(read: Read) -> None:
    """Lighthouse, its builder, her school, its founder: facts of different passages meet in their ends."""
    found = {
        triple
        for name, text in HARBOUR.items()
        for triple in triples(read(name.removesuffix(".txt").replace("_", " ").title(), text))
    }
    assert ("Quillmouth", "lighthouse was built by", "Ada Brisk") in found
    assert ("Ada Brisk", "studied at", "Tarn School") in found
    assert ("Tarn School", "was founded by", "Piet Rook") in found
    assert ("Ada Brisk", "born in", "Fennick") in found


def test_evidence_is_the_sentence_that_states_a_fact(read: Read) -> None:
    """The span of a fact holds its tail, and the title stands for what the sentence calls ``she``."""
    text = "Ada Brisk was an engineer. She was born in London."
    born = next(fact for fact in read("Ada Brisk", text) if fact.relation == "born in")
    assert text[born.start : born.end] == "She was born in London."
    assert (born.head_label, born.tail_label) == ("TITLE", "GPE")
    assert 0 < born.confidence <= 1


def test_facts_of_reads_without_a_title(read: Read) -> None:
    """Names speak for themselves; pronouns speak for no one."""
    found = read("", "Anna Bell founded the Tarn School. She was born in London.")
    assert ("Anna Bell", "founded", "Tarn School") in triples(found)
    assert all(fact.head_label != "TITLE" for fact in found)


@pytest.mark.parametrize("title", ["÷ (album)", "!!! (album)"])
def test_facts_of_reads_under_a_title_whose_name_has_no_letters(title: str, read: Read) -> None:
    """A name that begins with an honorific is compared with a title that has no words."""
    found = triples(read(title, "King Karl admired Anna Bell."))
    assert [(head, tail) for head, _, tail in found] == [("King Karl", "Anna Bell")]


def test_sentences_without_words_state_nothing() -> None:
    """A parser that gives entities only leaves the layer empty, not broken."""
    text = "Anna Bell was born in London."
    entity = ParsedEntity(start=0, end=9, label="PERSON", dependency="nsubjpass")
    assert facts_of(passage_of(text, "Anna Bell"), [ParsedSentence(0, len(text), (entity,))]) == []
    assert facts_of(passage_of("", "Anna Bell"), []) == []


def test_white_space_that_counts_as_a_word_changes_nothing(read: Read) -> None:
    """A double space or a line break within a sentence is a word to some parsers."""
    plain = triples(read("Ada Brisk", "Ada Brisk was born in London in 1801."))
    assert triples(read("Ada Brisk", "Ada Brisk was born  in London\nin 1801.")) == plain


def test_other_languages_give_fewer_facts_and_no_error(read: Read) -> None:
    """What an English parser makes of other text is not trusted to be grammar."""
    for text in (
        "Анна Белл родилась в Лондоне в 1801 году.",
        "安娜·贝尔1801年出生于伦敦。",
        "Ada wurde 1801 in Ulm geboren.",
    ):
        for fact in read("Ada", text):
            assert fact.tail in text


SOME_WORDS = """Anna Bell Karl Duke I , ( ) was is born in of and the son his who which She it 1901 film directed by as
    not to x - - -"""
SOME_LABELS = """ROOT nsubj nsubjpass dobj attr prep pobj agent appos conj cc poss compound aux auxpass neg relcl acl
    xcomp ccomp advcl amod nummod det punct npadvmod pcomp csubj acomp oprd dative odd"""
ENTITIES = st.sampled_from(["PERSON", "GPE", "DATE", "NORP", "ORG", "CARDINAL", "WORK_OF_ART"])


@st.composite
def parses(draw: st.DrawFn) -> tuple[Passage, list[ParsedSentence]]:
    """A passage whose trees and entities are anything at all: heads in circles, outside, to themselves."""
    text, sentences = "", []
    for _ in range(draw(st.integers(1, 3))):
        start = len(text)
        words: list[ParsedWord] = []
        size = draw(st.integers(0, 18))
        for _ in range(size):
            form = draw(st.sampled_from(SOME_WORDS.split()))
            head, dependency = draw(st.integers(-1, size)), draw(st.sampled_from(SOME_LABELS.split()))
            words.append(ParsedWord(len(text), len(text) + len(form), head, dependency))
            text += form + draw(st.sampled_from(["", " ", "\n"]))
        text += ". "
        spans = [sorted(draw(st.tuples(st.integers(0, size), st.integers(0, size)))) for _ in range(size and 3)]
        entities = tuple(
            ParsedEntity(words[first].start, words[last - 1].end, draw(ENTITIES), "nsubj")
            for first, last in sorted(spans)
            if first < last
        )
        shifted = draw(st.integers(0, 40)) == 0  # now and then, offsets that are not of this text
        end = len(text) + (5 if shifted else 0)
        sentences.append(ParsedSentence(start, end, entities, tuple(words)))
    title = draw(st.sampled_from(["Anna Bell", "Anna Bell (film)", "", "Karl", "(", "I", "Duke of Karl"]))
    return passage_of(text, title, ordinal=draw(st.integers(0, 1))), sentences


@given(parses())
def test_facts_of_holds_its_laws_over_any_parse(parse: tuple[Passage, list[ParsedSentence]]) -> None:
    """It ends, raises nothing, and every fact is written in the passage: its ends, its evidence, once."""
    passage, sentences = parse
    facts = facts_of(passage, sentences)
    keys = [(normal(fact.head), fact.relation, normal(fact.tail)) for fact in facts]
    assert len(set(keys)) == len(keys)
    for fact, (head, relation, tail) in zip(facts, keys, strict=True):
        assert fact.head == passage.title or fact.head in passage.text
        assert fact.tail == passage.title or fact.tail in passage.text
        assert "" not in (head, tail, relation.strip())
        assert head != tail
        assert PERSONAL.isdisjoint((head, tail))
        assert any((fact.start, fact.end) == (sentence.start, sentence.end) for sentence in sentences)
        assert 0 <= fact.start < fact.end <= len(passage.text)
        assert 0 < fact.confidence <= 1


@given(st.lists(st.integers(-3, 30), max_size=25))
def test_a_tree_has_no_circles(heads: list[int]) -> None:
    """Whatever the parser says of heads, going up from any word ends at a root."""
    text = "a" * len(heads) or "a"
    words = tuple(ParsedWord(i, i + 1, head, "dep") for i, head in enumerate(heads))
    tree = ParseTree(text, ParsedSentence(0, len(text), (), words), [])
    for i, head in enumerate(heads):
        path = [above for above, _ in zip(tree.upwards(i), range(len(heads) + 1), strict=False)]
        assert len(set(path)) == len(path)
        assert tree.heads[i] in (head, i)


def test_a_long_chain_is_read_in_time() -> None:
    """Depth and length are bounded: neither a chain of 300 words nor a table of 5,000 is walked for long."""
    for size, dependency in ((300, "conj"), (300, "pobj"), (300, "relcl"), (300, "attr"), (5000, "conj")):
        text = "is Anna of " * (size // 3 + 1)
        places = [(match, match + 1) for match in range(size)]
        words = tuple(
            ParsedWord(start, end, max(i - 1, 0), dependency if i % 2 else "prep")
            for i, (start, end) in enumerate(places)
        )
        began = process_time()
        facts_of(passage_of(text, "Anna"), [ParsedSentence(0, len(text), (), words)])
        assert process_time() - began < 2


def test_sentences_are_read_quickly(models: Models) -> None:
    """A few tenths of a millisecond a sentence, so that facts cost little beside the parse; 2 for a busy machine."""
    texts = list(HARBOUR.values()) * 10
    parsed = [
        (passage_of(text, "Quillmouth"), parse) for text, parse in zip(texts, models.parser.parse(texts), strict=True)
    ]
    began = process_time()
    for passage, sentences in parsed:
        facts_of(passage, sentences)
    assert process_time() - began < 0.002 * sum(len(sentences) for _, sentences in parsed)
