"""A small file of each format that the examples have none of."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

from tests.worlds.epub import write_epub
from tests.worlds.mail import attach, letter, mailbox
from tests.worlds.odf import cell, p, row, style, table, write_odf
from tests.worlds.pptx import said, shape, write_pptx
from tests.worlds.pptx import table as slide_table
from tests.worlds.rtf import rows as rtf_rows
from tests.worlds.rtf import write_rtf
from tests.worlds.xlsx import rows as mill_rows
from tests.worlds.xlsx import write_xlsx


def written(file: Path, content: bytes) -> Path:
    """The file, with that content."""
    file.write_bytes(content)
    return file


MADE: dict[str, Callable[[Path], Path]] = {  # by the name of the loader, how one is written
    "bib": lambda file: written(
        file,
        b'@string{tides = {Tides}}\n@book{a, author = {Brisk, Ada and Otto Fell}, title = "The mill",\n'
        b" journal = tides # { and Rye}, year = 1742, month = feb, abstract = {It grinds \\'e.}}\n",
    ),
    "eml": lambda file: written(
        file, attach(letter("Rye.", "<p>Rye.</p>"), {"a.csv": b"Mill,Built\nOrla,1742"}).as_bytes()
    ),
    "epub": lambda file: write_epub(
        file, {"a.xhtml": "<h1>The mill</h1><p>It grinds rye.</p>", "b.xhtml": "<p>End.</p>"}
    ),
    "gz": lambda file: written(file, gzip.compress(b"The mill grinds rye.")),
    "ics": lambda file: written(
        file,
        b"BEGIN:VCALENDAR\r\nX-WR-TIMEZONE:Europe/Oslo\r\nBEGIN:VEVENT\r\nUID:1\r\nDTSTART:20310527T160000Z\r\n"
        b"DURATION:PT1H\r\nRRULE:FREQ=MONTHLY;BYDAY=-1FR;UNTIL=20320101\r\nEXDATE;VALUE=DATE:20310627\r\n"
        b'ATTENDEE;CN="Brisk, Ada":mailto:a@a.example\r\nSUMMARY:The mill\\, whole\r\nDESCRIPTION:It gr\r\n inds.\r\n'
        b"BEGIN:VALARM\r\nEND:VALARM\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n",
    ),
    "info": lambda file: written(
        file,
        b"START-INFO-DIR-ENTRY\n* Mill: (mill).\nEND-INFO-DIR-ENTRY\n\n\x1f\nFile: mill.info,  Node: Top,  Up: (dir)\n"
        b"\nMill\n****\n\n* Menu:\n\n* Rye::  What it\n            grinds.\n\n*Note Rye: Oats. It grinds.\n\x1f\n"
        b"Tag Table:\n",
    ),
    "latex": lambda file: written(
        file,
        b"\\newcommand{\\mill}[1][Orla]{#1 mill}\n\\begin{document}\n\\section{\\mill}\n"
        b"It grinds rye\\footnote{Caf\\'e.} at $\\frac{1}{2}$.\n"
        b"\\begin{tabular}{ll}\nMill & Built \\\\ \\hline\nOrla & 1742 \\\\\n\\end{tabular}\n"
        b"\\begin{itemize}\\item[a] b\\end{itemize}\n\\begin{verbatim}\nturn()\n\\end{verbatim}\n"
        b"\\verb|a| \\url{http://a.example}\n\\end{document}\n",
    ),
    "man": lambda file: written(
        file,
        b".TH MILL 1\n.SH NAME\nmill\n.TP\n.BR \\-q , x\nRye.\n.TS\nl l.\nMill\tBuilt\nOrla\tT{\n1742\nT}\n.TE\n",
    ),
    "mbox": lambda file: written(
        file, mailbox(letter("Is it whole?", Message_ID="<1@a>"), letter("Yes.\n> Is it whole?", In_Reply_To="<1@a>"))
    ),
    "notebook": lambda file: written(
        file,
        b'{"cells": [{"cell_type": "markdown", "source": ["# The mill"]}, {"cell_type": "code", "source": "turn()",'
        b' "outputs": [{"text": "rye"}, {"data": {"text/plain": ["1742"]}}]}]}',
    ),
    "org": lambda file: written(file, b"#+TITLE: Mill\n* Rye  :a:\n| Mill | Built |\n|---+---|\n| Orla | 1742 |\n"),
    "odp": lambda file: write_odf(
        file,
        "<draw:page><draw:frame presentation:class='title'><draw:text-box>"
        f"{p('The mill')}</draw:text-box></draw:frame><draw:frame>{table(row('Mill', 'Built'), row('Orla', '1742'))}"
        f"</draw:frame><presentation:notes><draw:frame>{p('Say when.')}</draw:frame></presentation:notes></draw:page>",
    ),
    "ods": lambda file: write_odf(
        file,
        table(
            row("Mill", "Built"),
            row("Orla", cell("1742", attributes="office:value-type='float' office:value='1742'")),
            row(
                cell("Total", attributes="table:number-columns-spanned='2'"),
                attributes="table:number-rows-repeated='3'",
            ),
            row(cell("2031", attributes="office:value-type='date' office:date-value='2031-02-04'")),
        )
        + "<table:database-ranges><table:database-range table:target-range-address='Fees.A1:Fees.B2'/>"
        "</table:database-ranges>",
        title="Mills",
    ),
    "odt": lambda file: write_odf(
        file,
        f"<text:h>The mill</text:h><text:list><text:list-item>{p('rye')}</text:list-item></text:list>"
        f"<text:p><text:span text:style-name='T'>10</text:span></text:p>"
        f"{table(row('Mill', 'Built'), row('Orla', '1742'))}"
        f"<text:p>It<text:note><text:note-body>{p('End.')}</text:note-body></text:note></text:p>",
        automatic=style("T", "text", "fo:font-weight='bold'"),
    ),
    "pptx": lambda file: write_pptx(
        file,
        shape(said("The mill"), place="title") + shape(said("rye"), said("oats"), place="body"),
        slide_table(("Mill", "Built"), ("Orla", "1742")),
        notes={1: shape(said("Say when."), place="body")},
    ),
    "rtf": lambda file: write_rtf(
        file,
        "\\s1 The mill\\par\\pard It{\\footnote Rye.} \\u8211? \\'e9{\\listtext 1.}\\par"
        + rtf_rows(("Mill", "Built"), ("Orla", "1742")),
    ),
    "source": lambda file: written(file, b"import os\n\n\ndef mill():\n    return 1742\n"),
    "vcf": lambda file: written(
        file,
        b"BEGIN:VCARD\r\nVERSION:2.1\r\nN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:Br=C3=AEsk;=\r\nAda\r\nTEL;CELL:1742\r\n"
        b"ADR;TYPE=HOME:;;Mill Lane;Quillmouth;;;\r\nBDAY:--0504\r\nitem1.X-ABDATE:20310527\r\n"
        b"item1.X-ABLabel:_$!<Anniversary>!$_\r\nNOTE:It\\ngrinds.\r\nEND:VCARD\r\n",
    ),
    "xlsx": lambda file: write_xlsx(
        file,
        {"Mills": mill_rows(["Mill", "Built"], ["Orla", 1742], [], ["Total", 1], head=1), "Notes": mill_rows(["Rye."])},
        behind='<mergeCells><mergeCell ref="A3:B4"/></mergeCells><autoFilter ref="A1:B2"/>',
        shared="<si><t>rye</t></si>",
    ),
    "xml": lambda file: written(
        file,
        b"<mills><title>Mills</title><mill><name>Orla</name><built>1742</built></mill><p>It <b>grinds</b> rye.</p>"
        b"<p>&lt;p&gt;Rye.&lt;/p&gt;</p><list><item>rye</item><item><p>oats</p></item></list><code>turn()</code></mills>",
    ),
}
