"""LaTeX sources are read as they are shown: what they say, and not how it is set."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from polyhop.documents.loaders.latex import LatexLoader
from polyhop.types import Document

SOURCE = r"""\documentclass{article}
\usepackage{graphicx} % for the map
\newcommand{\mill}{\textsc{Orla Mill}}
\newcommand{\depth}[2][m]{#2\,#1}
\newcommand{\flow}{\ensuremath{\alpha_1}}
\title{The wheel of \mill}
\author{Ada Brisk\thanks{Harbour Office} \and Otto Fell}
\date{4 May 2031}
\begin{document}
\maketitle
\begin{abstract}
\mill\ is in Quill\-mouth---a ``small'' town.
\end{abstract}
\section{Its \emph{wheel}}\label{sec:wheel}
The wheel weighs 95\% of a ton and lies \depth{3} deep; the caf\'e does not.
It was drawn by \citet{fell2030} \citep[see][p.~4]{brisk}.\footnote{In \textbf{ink}.} Its flow \flow\ is
$\frac{a+b}{2} \leq 10^{-6}$.
\begin{enumerate}
\item Open the gate.
\item Wait.
\end{enumerate}
\begin{description}
\item[sump] where water gathers
\end{description}
\subsection{Fees}
\begin{tabular}{lr}
\hline
Vessel & Fee \\ \hline
Cutter & 35 \\
Barge & 40 \\
\end{tabular}
\begin{verbatim}
turn(3)  % not a comment
\end{verbatim}
\iffalse Nobody reads this. \fi
\begin{thebibliography}{9}
\bibitem[Fell(2030)]{fell2030} Fell, O. See \url{http://a.example/b%20c}.
\end{thebibliography}
\end{document}
Nor this.
"""
SHOWN = """\
Authors: Ada Brisk, Otto Fell
Date: 4 May 2031

Harbour Office

Abstract

Orla Mill is in Quillmouth\u2014a \u201csmall\u201d town.

Its wheel

The wheel weighs 95% of a ton and lies 3 m deep; the caf\u00e9 does not. \
It was drawn by Fell (2030) (see brisk, p. 4). Its flow \u03b1_1 is (a+b)/2 \u2264 10^-6.

In ink.

1. Open the gate.
2. Wait.

sump: where water gathers

Fees

Vessel: Cutter; Fee: 35
Vessel: Barge; Fee: 40

turn(3)  % not a comment

Fell, O. See http://a.example/b%20c."""


def read(folder: Path, source: str) -> Document:
    (folder / "wheel.tex").write_text(source, encoding="utf-8")
    (document,) = LatexLoader().load(folder / "wheel.tex", "wheel.tex")
    return document


def test_a_source_is_read_as_it_is_shown(tmp_path: Path) -> None:
    document = read(tmp_path, SOURCE)
    assert document.title == "The wheel of Orla Mill"
    assert document.text == SHOWN


def test_sections_are_headings_and_know_how_deep_they_are(tmp_path: Path) -> None:
    document = read(tmp_path, SOURCE)
    assert [document.text[start:end] for start, end in document.headings] == ["Abstract", "Its wheel", "Fees"]
    assert document.levels == (3, 3, 4)


def test_a_chapter_of_a_larger_source_is_called_after_its_file(tmp_path: Path) -> None:
    document = read(tmp_path, "\\section{The gate}\nIt is \\textbf{green}.")
    assert (document.title, document.text) == ("wheel", "The gate\n\nIt is green.")


def test_what_a_source_defines_does_not_change_how_headings_and_letters_are_read(tmp_path: Path) -> None:
    document = read(
        tmp_path, "\\renewcommand{\\section}[1]{\\vspace{#1}}\\def\\emph#1{}\\section{Gates} All \\emph{green}"
    )
    assert document.text == "Gates\n\nAll green"


@pytest.mark.parametrize(
    ("first", "shown"),
    [("\\'Eva", "Éva"), ("\\cite{eva}", "(eva)"), ("\\ensuremath{n^2}", "n^2"), ("\\ss", "ß")],
)
def test_a_row_may_begin_with_a_command(tmp_path: Path, first: str, shown: str) -> None:
    rows = f"Name & Town \\\\ \\hline Bo & Lund \\\\ {first} & Oslo \\\\"
    document = read(tmp_path, f"\\begin{{tabular}}{{ll}}{rows}\\end{{tabular}}")
    assert document.text == f"Name: Bo; Town: Lund\nName: {shown}; Town: Oslo"


@pytest.mark.parametrize(
    "hostile",
    [
        "{" * 20_000,
        "[" * 20_000,
        "\\footnote{" * 2_000,
        "\\begin{tabular}{l}" * 2_000,
        r"\def\x{\x\x}\x",
        "$" * 9_999,
        "\\a[" * 9_999,
    ],
)
def test_a_source_that_never_ends_what_it_begins_is_read_in_time(tmp_path: Path, hostile: str) -> None:
    began = time.process_time()
    read(tmp_path, f"Kept. {hostile}")
    assert time.process_time() - began < 10
