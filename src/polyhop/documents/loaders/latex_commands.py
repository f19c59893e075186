"""Which commands and environments of LaTeX say what to readers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from polyhop.documents.loaders.latex_signs import ACCENTS, SIGNS

HEADINGS: Final = {
    name: level
    for level, name in enumerate(
        ("part", "chapter", "section", "subsection", "subsubsection", "paragraph", "subparagraph"), start=1
    )
}
NOT_SHOWN: Final[Mapping[str, int]] = {  # how many arguments of a command say nothing to readers
    **dict.fromkeys(
        (
            *("label", "pageref", "vspace", "hspace", "color", "textcolor", "index", "tikz", "nocite"),
            *("includegraphics", "input", "include", "bibliography", "bibliographystyle", "pagestyle", "thispagestyle"),
            *("hypersetup", "lstset", "sisetup", "altaffilmark", "altaffiltext", "affilmark", "cline", "cmidrule"),
            *("phantom", "vphantom", "hphantom", "multirow", "hypertarget", "hyperlink", "href", "raisebox"),
            *("scalebox", "parbox", "colorbox", "selectlanguage", "orcidID", "usepackage", "documentclass"),
            *("stepcounter", "refstepcounter", "vskip", "markright"),
        ),
        1,
    ),
    **dict.fromkeys(("setlength", "addtolength", "setcounter", "addtocounter", "rule", "resizebox", "fontsize"), 2),
    **dict.fromkeys(("newtheorem", "newcounter", "newlength", "definecolor", "let", "markboth", "SetKwInOut"), 2),
    **dict.fromkeys(("addcontentsline", "newenvironment", "renewenvironment"), 3),
}
SHORT_CITES: Final = frozenset(
    ("citet", "citealt", "citealp", "citeauthor", "citeyear", "textcite", "Citet", "Textcite", "citetalias")
)
CITES: Final = frozenset((
    *("cite", "citep", "parencite", "autocite", "footcite", "citeyearpar", "Citep", "Parencite", "smartcite"),
    *("supercite", *SHORT_CITES),
))  # fmt: skip
NOTES: Final = frozenset(("footnote", "footnotetext", "thanks", "tablefootnote"))
MATH: Final = re.compile(r"(?:equation|align(?:at|ed)?|eqnarray|gather|multline|displaymath|math|flalign)\*?")
TABLE: Final = re.compile(r"(?:tabular[xy]?|longtable|tabulary|supertabular|array)\*?")
RAW: Final = frozenset(("verbatim", "verbatim*", "Verbatim", "lstlisting", "minted", "listing", "alltt"))
NOT_READ: Final = frozenset(("comment", "tikzpicture", "pgfpicture", "picture", "filecontents", "CCSXML"))
LISTS: Final = frozenset(("itemize", "enumerate", "description", "thebibliography", "compactitem"))
TAKES: Final = {"thebibliography": 1, "minted": 1, "tabular*": 1, "tabularx": 1, "minipage": 1, "multicols": 1}
ON_A_LINE: Final = frozenset(("altaffiltext", "affil", "affiliation", "address", "institute", "email", "keywords"))
KEPT: Final = frozenset((  # what no definition of a source changes
    *("title", "author", "date", "maketitle", "begin", "end", "item", "bibitem", "caption", "url", "par", "\\"),
    *("affil", "texttt", "textbf", "textit", "textsc", "textsf", "textrm", "emph", "and", "(", ")", "[", "]"),
    *(*HEADINGS, *NOT_SHOWN, *CITES, *NOTES, *ACCENTS, *SIGNS),
))  # fmt: skip
