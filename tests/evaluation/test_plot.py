"""Charts are SVG that can be read with eyes, without colours, and by a screen reader."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhop.evaluation.reports.plot import HEIGHT, WIDTH, Bars, Level, Line, bar_chart, line_chart

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
    line = Line(label="a", points=((40.0, 0.83), (60.0, 0.95)))
    near = line_chart("R@5", [line], x_label="x", y_label="percent", ticks=(0, 50, 100), from_zero=False)
    shown = texts(parsed(near))
    assert {"80", "95"} <= set(shown)
    assert {"0", "50", "100"} <= set(shown)
    assert "40" not in shown


@given(POINTS)
def test_an_axis_near_the_values_has_ten_points_at_least_and_none_above_all(points: object) -> None:
    """One question more or less among forty must not look like much."""
    svg = chart(Line(label="a", points=points), from_zero=False)  # type: ignore[arg-type]
    ticks = [float(text.text or "") for text in svg.iter("text") if text.get("text-anchor") == "end"]
    assert max(ticks) - min(ticks) >= 10
    assert 0 <= min(ticks) <= max(ticks) <= 100


def test_levels_are_dotted_lines_to_compare_with() -> None:
    line = Line(label="k=2", points=((0.0, 0.5), (2.0, 0.6)))
    svg = parsed(line_chart("t", [line], x_label="hops", y_label="percent", levels=[Level(label="dense", share=0.3)]))
    dotted = [each for each in svg.iter("line") if each.get("stroke-dasharray") == "1 4"]
    assert len(dotted) == 2  # one of them in the legend
    assert dotted[0].get("y1") == dotted[0].get("y2")
    assert "dense" in texts(svg)
    assert (svg.findtext("desc") or "").endswith("dense: 30.0 throughout.")


def bars(*drawn: Bars, groups: tuple[str, ...] = ("question+answer", "question", "answer", "sentence")) -> str:
    return bar_chart("Accuracy", groups, drawn, x_label="nodes", y_label="percent")


def heights(svg: ElementTree.Element) -> list[float]:
    return [float(rect.get("height", "-1")) for rect in svg.iter("rect")]


def test_bars_stand_side_by_side_on_zero_with_their_numbers() -> None:
    svg = parsed(bars(Bars(label="qcg", shares=(0.8, 0.6, None, 0.4))))
    shown = texts(svg)
    assert {"Accuracy", "nodes", "percent", "question+answer", "sentence", "80.0", "60.0", "40.0", "0"} <= set(shown)
    assert "qcg" not in shown  # bars of one kind need no legend
    first, second, third = heights(svg)
    assert first == pytest.approx(2 * third, abs=0.2)
    assert first > second > third
    lefts = [float(rect.get("x", "-1")) for rect in svg.iter("rect")]
    assert lefts == sorted(lefts)
    assert svg.findtext("desc") == ("percent by nodes. qcg: question+answer: 80.0, question: 60.0, sentence: 40.0.")


def test_bars_of_several_kinds_are_told_apart_without_colours() -> None:
    svg = parsed(bars(Bars(label="k=2", shares=(0.5, 0.5)), Bars(label="k=3", shares=(0.7, 0.7)), groups=("a", "b")))
    assert {"k=2", "k=3"} <= set(texts(svg))
    assert len(heights(svg)) == 6  # four bars, and two in the legend
    assert len(list(svg.iter("circle"))) == len(list(svg.iter("path"))) == 3  # in each bar, and in the legend


@given(st.lists(st.lists(SHARES | st.none(), min_size=9, max_size=9), min_size=1, max_size=4))
def test_every_bar_lies_within_the_chart(drawn: list[list[float | None]]) -> None:
    groups = tuple(f"a kind of node {number}" for number in range(9))
    made = bars(*(Bars(label=str(n), shares=tuple(shares)) for n, shares in enumerate(drawn)), groups=groups)
    if all(share is None for shares in drawn for share in shares):
        assert made == ""
        return
    svg = parsed(made)
    for rect in svg.iter("rect"):
        x, y, width, height = (float(rect.get(key, "nan")) for key in ("x", "y", "width", "height"))
        assert 0 <= x <= x + width <= WIDTH
        assert 0 <= y <= y + height <= float(svg.get("height", "0"))
        assert width > 0
        assert height >= 0


def test_one_point_is_a_chart_and_none_is_nothing() -> None:
    assert len(list(chart(Line(label="a", points=((1.0, 0.0),))).iter("circle"))) == 2  # and one in the legend
    assert line_chart("t", [Line(label="a", points=())], x_label="x", y_label="y") == ""
    assert line_chart("t", [], x_label="x", y_label="y") == ""


@pytest.mark.parametrize("text", ["<script>", 'a"b', "a&b"])
def test_names_are_escaped(text: str) -> None:
    made = line_chart(text, [Line(label=text, points=((0.0, 1.0),))], x_label=text, y_label=text)
    made += bar_chart(text, [text], [Bars(label=text, shares=(1.0,))], x_label=text, y_label=text)
    svg = parsed(f"<both>{made}</both>")
    assert [title.text for title in svg.iter("title")] == [text, text]
    assert "script" not in {element.tag for element in svg.iter()}
