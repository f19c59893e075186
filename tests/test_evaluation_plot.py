"""Line charts are SVG that can be read with eyes, without colours, and by a screen reader."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhop.evaluation.plot import HEIGHT, WIDTH, Line, line_chart

SHARES = st.floats(0, 1)
POINTS = st.dictionaries(st.floats(-1e6, 1e6), SHARES, min_size=1, max_size=8).map(lambda d: tuple(sorted(d.items())))


def parsed(made: str) -> ElementTree.Element:
    return ElementTree.fromstring(made)  # noqa: S314 - our own


def chart(*lines: Line, from_zero: bool = True) -> ElementTree.Element:
    return parsed(line_chart("Precision", lines, x_label="gamma", y_label="percent", from_zero=from_zero))


def texts(svg: ElementTree.Element) -> list[str]:
    return [element.text or "" for element in svg.iter("text")]


def test_a_chart_has_a_title_axes_a_legend_and_every_number_in_words() -> None:
    paper = Line(label="check=paper", points=((1.0, 0.349), (1.5, 0.527), (2.5, 0.8)))
    ours = Line(label="check=calibrated", points=((1.0, 0.4), (1.5, 0.5)))
    svg = chart(paper, ours)
    shown = texts(svg)
    for part in ("Precision", "gamma", "percent", "1", "1.5", "2.5", "0", "80", "check=paper", "check=calibrated"):
        assert part in shown
    assert svg.get("role") == "img"
    assert svg.get("aria-label") == svg.findtext("title") == "Precision"
    assert svg.findtext("desc") == (
        "percent by gamma. check=paper: 1: 34.9, 1.5: 52.7, 2.5: 80.0; check=calibrated: 1: 40.0, 1.5: 50.0."
    )
    assert len(list(svg.iter("polyline"))) == 2
    styles = {(line.get("style"), line.get("stroke-dasharray")) for line in svg.iter("polyline")}
    assert len(styles) == 2  # told apart without colours as well: another dash and another marker
    assert len(list(svg.iter("circle"))) == 4
    assert len(list(svg.iter("path"))) == 3


@given(POINTS, POINTS, st.booleans())
def test_every_point_lies_within_the_chart(first: object, second: object, from_zero: bool) -> None:
    svg = chart(Line(label="a", points=first), Line(label="b", points=second), from_zero=from_zero)  # type: ignore[arg-type]
    for circle in svg.iter("circle"):
        assert 0 <= float(circle.get("cx", "-1")) <= WIDTH
        assert float(circle.get("cy", "-1")) >= 0
    for polyline in svg.iter("polyline"):
        for pair in polyline.get("points", "").split():
            x, y = map(float, pair.split(","))
            assert 0 <= x <= WIDTH
            assert 0 <= y <= HEIGHT
    assert sum(1 for _ in svg.iter("line")) < 60


def test_a_chart_may_begin_near_its_values_and_end_with_given_ticks() -> None:
    line = Line(label="a", points=((40.0, 0.91), (60.0, 0.95)))
    near = line_chart("R@5", [line], x_label="x", y_label="percent", ticks=(0, 50, 100), from_zero=False)
    shown = texts(parsed(near))
    assert {"91", "95"} <= set(shown)
    assert {"0", "50", "100"} <= set(shown)
    assert "40" not in shown


def test_one_point_is_a_chart_and_none_is_nothing() -> None:
    assert len(list(chart(Line(label="a", points=((1.0, 0.0),))).iter("circle"))) == 2  # and one in the legend
    assert line_chart("t", [Line(label="a", points=())], x_label="x", y_label="y") == ""
    assert line_chart("t", [], x_label="x", y_label="y") == ""


@pytest.mark.parametrize("text", ["<script>", 'a"b', "a&b"])
def test_names_are_escaped(text: str) -> None:
    made = line_chart(text, [Line(label=text, points=((0.0, 1.0),))], x_label=text, y_label=text)
    svg = parsed(made)
    assert svg.findtext("title") == text
    assert "script" not in {element.tag for element in svg.iter()}
