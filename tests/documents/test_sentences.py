"""Sentences for quotations: by their marks in prose, and line by line in what has none."""

from __future__ import annotations

import pytest

from polyhop.documents.sentences import sentence_spans

WRAPPED = """The old tide mill stands where the river Orla meets the grey sea, and the
wheel is of oak and turns at night when the water of both tides is let out
Fenn harbour below it was built in the same year. It is small."""


def sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Mill: Orla; Rye: 3 t\nMill: Fenn; Rye: 1 t", ["Mill: Orla; Rye: 3 t", "Mill: Fenn; Rye: 1 t"]),
        ("Mill Ferry\nHeight 12 m 4 m\nWeight 30 t 9 t", ["Mill Ferry", "Height 12 m 4 m", "Weight 30 t 9 t"]),
        (
            "- rye\n- oats, which are\n  ground by day\n- barley",
            ["- rye", "- oats, which are\n  ground by day", "- barley"],
        ),
        ("1. Open the gate\n2. Let the water in", ["1. Open the gate", "2. Let the water in"]),
        ("[09:15] Lena: the gate is shut\n[09:16] Tam: why", ["[09:15] Lena: the gate is shut", "[09:16] Tam: why"]),
        ("The mill\nIt was built in 1742.", ["The mill", "It was built in 1742."]),
    ],
)
def test_a_line_that_stands_for_itself_is_a_sentence(text: str, found: list[str]) -> None:
    assert sentences(text) == found


def test_a_record_is_one_sentence() -> None:
    record = "Part no.: 40-3\nArticle: Gate of oak\nNet price (EUR): 168.00"
    assert sentences(record) == [record]
    assert sentences(f"{record}\n{record}") == [record, record]


@pytest.mark.parametrize(
    "records",
    [
        [
            "ferries:\n  tern:\n    quay: North\n    skipper: Una Pell",
            "  gull:\n    quay: South\n    skipper: Ned Fosse",
        ],
        [
            "lamp: 7410",
            "bell:\n  rope: 12\n  tongue: iron",
            "gates:\n  inner:\n    oak: 3\n  outer:\n    elm: 4",
            "tide: 2",
        ],
        ["tern:\n  berth: 3\n  crew:\n    mate: Ada", "gull:\n  berth: 4"],
        ["- name: Una Pell\n  town: Fennick\n  boat:\n    berth: 3", "- name: Ned Fosse\n  town: Orla"],
        ["Skipper:\n  Name: Una Pell\n  Town: Fennick", "  Name: Ned Fosse\n  Town: Orla"],
    ],
    ids=["blocks alike", "blocks that differ", "a block within", "items", "labels that are repeated within a block"],
)
def test_lines_below_a_label_that_stand_farther_in_belong_to_it(records: list[str]) -> None:
    """As settings are written, each of which is said of what stands above it."""
    assert sentences("\n".join(records)) == [record.strip() for record in records]


@pytest.mark.parametrize(
    "record",
    [
        "Name: Una Pell\nReached by:\n  Phone: 12 41\n  Post: Quay Road\nTown: Fennick",
        "Name: Una Pell\n     Town: Fennick\n  Harbour: Orla",
    ],
    ids=["a label with fields of its own among others", "aligned at the right"],
)
def test_a_record_goes_on_where_only_its_indentation_changes(record: str) -> None:
    assert sentences(record) == [record]


def test_a_label_above_what_has_none_begins_no_record() -> None:
    text = "Files: all\nCopyright:\n  1931 Una Pell\nLicence:\n  as it is"
    assert sentences(text)[0] == "Files: all\nCopyright:"


@pytest.mark.parametrize(
    "lines",
    [
        ("Date: 3 March 1931", "Present: Ada Brisk, Piet Rook", "Absent: Hanne Olt"),
        ("From: Ada Brisk <ada@mill.example>", "To: Piet Rook,\n Hanne Olt", "Subject: The lamp", "Date: 3 March 1931"),
        ("Von: Ada Brisk", "An: Piet Rook", "Betreff: Die Lampe", "Gesendet: 3. März 1931"),
    ],
)
def test_each_line_at_the_head_of_mail_and_minutes_is_a_sentence(lines: tuple[str, ...]) -> None:
    """They are said of one letter or meeting, but no line says what the one before it says something of."""
    head = "\n".join(lines)
    assert sentences(f"{head}\n\nThe lamp is lit.") == [*lines, "The lamp is lit."]


def test_lines_from_one_place_to_another_are_a_record() -> None:
    record = "From: Harrow\nTo: Sarnwick\nDate: 4 May"
    assert sentences(record) == [record]


def test_a_full_stop_in_a_cell_does_not_end_its_row() -> None:
    row = "Article: Gate; Made: St. Orla, of oak. It has hinges; Time: 10:30; Note: Heavy. Two carry it."
    assert sentences(f"{row}\nArticle: Lock; Made: Fenn; Note: Light.") == [
        row,
        "Article: Lock; Made: Fenn; Note: Light.",
    ]


def test_each_line_of_code_is_a_sentence() -> None:
    code = "```python\ndef light(lamp):\n    # the maker is Otto\n\n    return lamp.on()\n```"
    lines = [line.strip() for line in code.split("\n") if line]
    assert sentences(f"Run this:\n{code}\nThe lamp is\nlit.") == ["Run this:", *lines, "The lamp is\nlit."]
    assert sentences(code.removesuffix("\n```")) == lines[:-1], "a passage may end within code"
    within = f"return lamp.on()\n```\nThe lamp is\nlit.\n{code}"
    assert sentences(within) == ["return lamp.on()", "```", "The lamp is\nlit.", *lines], "and begin within it"


def test_lines_that_a_width_parted_are_no_sentences() -> None:
    assert len(sentences(WRAPPED)) == 2


def test_a_number_that_a_width_put_first_begins_no_sentence() -> None:
    wrapped = WRAPPED.replace("Fenn harbour below", "31.4 ells. Fenn harbour below")
    assert sentences(wrapped)[0].endswith("is let out\n31.4 ells.")


def test_the_mark_of_a_note_stands_with_the_sentence_before_it() -> None:
    text = "The mill burnt down.[3] It was built again.[citation needed] See Fenn [4]. It had failed.[a][b] It is oak."
    assert sentences(text) == [
        "The mill burnt down.[3]",
        "It was built again.[citation needed]",
        "See Fenn [4].",
        "It had failed.[a][b]",
        "It is oak.",
    ]


def test_the_number_of_an_item_is_no_sentence() -> None:
    assert sentences("Do this:\n1. Open the gate. Wait.") == ["Do this:", "1. Open the gate.", "Wait."]


@pytest.mark.parametrize(
    "sentence",
    [
        "Cllr. Ann Webb and the Hon. Peter Vane spoke to Messrs. Hill.",
        "Brig. Gen. Tom Vane sold it to the Hask Bros. Mill.",
        "Sgt. Blake met Maj. Toms and Sen. Ruiz.",
        "Towns on the coast, e.g. Ostrand, i.e. Those with a light, pay.",
        "The tables are in Vol. II, Figs. IV and VI.",
    ],
)
def test_a_short_form_with_something_behind_it_ends_no_sentence(sentence: str) -> None:
    assert sentences(f"{sentence} Nobody else came.") == [sentence, "Nobody else came."]
