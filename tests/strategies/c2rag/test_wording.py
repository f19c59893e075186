"""How a constraint is put as a question, with what was found before it."""

from __future__ import annotations

from polyhop.layers.view import View
from polyhop.plans import plan_of_constraints
from polyhop.strategies.c2rag.pattern import Bound
from polyhop.strategies.c2rag.strategy import C2RAG
from polyhop.types import Budget
from tests.worlds.c2rag import GROUNDING, constraint


def test_a_question_may_speak_of_more_than_its_ends(over: View) -> None:
    """Such as a harbour, which is no end of the constraint: what was found for it is written in all the same."""
    asks = constraint("?ferry", "was first seen", "?year", question="In which year was ?ferry first seen in ?harbour?")
    known = {"?ferry": Bound(values=("Gull",)), "?harbour": Bound(values=("Oster",))}
    assert GROUNDING.pattern(asks, known, over).asked == "In which year was Gull first seen in Oster?"


def test_what_is_put_as_if_it_were_known_is_asked_for(over: View) -> None:
    """Of "Did ?person become mayor?" a text would be asked for yes or no, and not for a person."""
    asks = constraint("?person", "became", "Mayor of Velm", question="Did ?person become Mayor of Velm?")
    assert GROUNDING.pattern(asks, {}, over).asked == "Who became Mayor of Velm?"
    known = GROUNDING.pattern(asks, {"?person": Bound(values=("Jory Pell",))}, over)
    assert known.asked == "Did Jory Pell become Mayor of Velm?"


def test_a_question_that_asks_for_the_open_end_keeps_its_words_where_values_are_narrowed_down(over: View) -> None:
    """Whoever planned it words it better than a rule does from the relation."""
    several = {"?person": Bound(values=("Ada Brook", "Wilma Fenn"), entities=(1, 2))}
    asks = constraint("?person", "from", "Velm", question="Which person comes from Velm?")
    assert GROUNDING.pattern(asks, several, over).asked == "Which person comes from Velm?"
    known = constraint("?person", "from", "Velm", question="Where does ?person come from?")
    assert GROUNDING.pattern(known, several, over).asked == "Who is from Velm?"


def test_what_a_question_speaks_of_is_found_before_it_is_asked(over: View) -> None:
    """The graph could say at once who built the Gull; but the question speaks of somebody whom a text names."""
    keeper = constraint("Sable Light", "keeper", "?keeper", question="Who was the keeper of the Sable Light?")
    builder = constraint("Gull", "was built by", "?builder", question="Who built the Gull, which ?keeper liked?")
    for order in ([keeper, builder], [builder, keeper]):
        plan = plan_of_constraints(order, "nobody")
        blocks = C2RAG().resolver("Who built it?", over).resolve(plan, 0.0, Budget())
        told = {block.pattern.constraint: block for block in blocks}
        assert told[builder].pattern.asked == "Who built the Gull, which Mina Stroud liked?"
        assert told[builder].found == "Ada Brook"
    assert plan_of_constraints([keeper, builder], "nobody").steps[1].refers_to == (0,)
