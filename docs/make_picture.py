"""Makes docs/images/ask.svg, the picture in the README: what ``polyhop ask`` really prints for a demo question.

    python docs/make_picture.py

The question is asked twice, and the second answer is shown: the time in the picture is without loading the models.
"""

from __future__ import annotations

import io
import os
import re
import tempfile
from pathlib import Path

from click.testing import CliRunner
from rich.console import Console
from rich.text import Text

from polyhop.cli.main import polyhop

ROOT = Path(__file__).parent.parent
TARGET = ROOT / "docs" / "images" / "ask.svg"
QUESTION = "Where was the architect of Harrowmere Lighthouse born?"
WIDTH = 104  # characters


def asked(question: str) -> str:
    """What the command prints, colours included, on an index of the examples."""
    os.chdir(ROOT)  # so that sources are shown as paths from here
    runner = CliRunner()
    with tempfile.TemporaryDirectory() as folder:
        index = str(Path(folder) / "polyhop.index")
        runner.invoke(polyhop, ["index", "examples/corpus", "--index", index], catch_exceptions=False)
        for _ in range(2):
            result = runner.invoke(polyhop, ["ask", question, "--index", index], color=True, catch_exceptions=False)
    if result.return_value not in (0, None):
        raise SystemExit(f"The question was not answered:\n{result.output}")
    return result.stdout


def picture(question: str, said: str) -> str:
    """A terminal with the command and what it said, as SVG without fonts from elsewhere."""
    console = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True, color_system="truecolor")
    console.print(Text.assemble(("$ ", "bold green"), f'polyhop ask "{question}"\n'))
    console.print(Text.from_ansi(said.rstrip()))
    svg = console.export_svg(title="polyhop", unique_id="polyhop")
    svg = re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL)
    return re.sub(r"[ \t]+$", "", svg, flags=re.MULTILINE)


if __name__ == "__main__":
    TARGET.parent.mkdir(exist_ok=True)
    TARGET.write_text(picture(QUESTION, asked(QUESTION)), encoding="utf-8", newline="\n")
