"""``polyhop index`` and ``polyhop ask`` over a chat as a messenger exports it."""

from __future__ import annotations

import pytest

from polyhop.cli.main import main

EXPORT = """12/03/2031, 17:28 - Messages and calls are end-to-end encrypted. No one outside of this chat can read them.
12/03/2031, 17:30 - Ada Brisk: Morning crew! I have found a buyer for the old winch.
12/03/2031, 17:31 - Tom Rook: <Media omitted>
12/03/2031, 17:33 - Tom Rook: Great! How much does he offer?
12/03/2031, 17:35 - Ada Brisk: 240 euros, and he fetches it himself next Saturday at 9 AM
because he needs the trailer on Friday.
13/03/2031, 08:02 - Mara Venn: Can I borrow your rowing boat on Sunday, Tom?
13/03/2031, 08:10 - Tom Rook: Sorry, it leaks. Ask Piet, he has two.
25/03/2031, 19:00 - Piet Oster: The regatta committee meets at the old boathouse tomorrow at 20:00.
"""


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The index of the export."""
    folder = tmp_path_factory.mktemp("chat")
    (folder / "WhatsApp Chat with Harbour crew.txt").write_text(EXPORT, encoding="utf-8")
    with pytest.raises(SystemExit) as left:
        main(["index", str(folder), "--index", str(folder / "polyhop.index"), "--layers", "text,parsekg,questions"])
    assert left.value.code == 0
    return str(folder / "polyhop.index")


def ask(question: str, index: str, strategy: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    capsys.readouterr()
    with pytest.raises(SystemExit) as left:
        main(["ask", question, "--index", index, "--strategy", strategy])
    return int(left.value.code or 0), capsys.readouterr().out


@pytest.mark.parametrize("strategy", ["qcg", "paths"])
@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("When does the buyer fetch the winch?", "next Saturday at 9 AM (2031-03-22)"),
        ("How much does the buyer offer for the winch?", "240 euros"),
        ("Can Mara borrow Tom's rowing boat?", "“Sorry, it leaks. Ask Piet, he has two.”"),
        ("Where does the regatta committee meet?", "the old boathouse"),
        ("When did Mara ask Tom for his boat?", "13/03/2031, 08:02"),
        ("Who has found a buyer for the winch?", "Ada Brisk"),
    ],
)
def test_ask_answers_from_an_exported_chat(
    question: str, answer: str, strategy: str, index: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out = ask(question, index, strategy, capsys)
    assert code == 0
    assert out.startswith(f"{answer}   ")


def test_ask_shows_the_message_behind_the_hop(index: str, capsys: pytest.CaptureFixture[str]) -> None:
    _, out = ask("When does the buyer fetch the winch?", index, "qcg", capsys)
    assert "“240 euros, and he fetches it himself next Saturday at 9 AM because he needs the trailer on Friday.”" in out


def test_ask_says_that_nobody_spoke_of_it(index: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out = ask("Which lighthouse did the admiral paint in Lisbon?", index, "qcg", capsys)
    assert code == 3
    assert out.startswith("Not found in these documents.")


def test_ask_looks_for_two_events_apart(index: str, capsys: pytest.CaptureFixture[str]) -> None:
    question = "Did Ada find a buyer for the winch before Mara asked Tom for his rowing boat?"
    code, out = ask(question, index, "qcg", capsys)
    assert code == 0
    assert out.startswith("yes   ")
    assert "hop 2: Mara asked Tom for his rowing boat" in out
