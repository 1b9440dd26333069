"""Charts as SVG elements without style or script of their own, which the Content-Security-Policy would block."""

import sys
from collections.abc import Mapping, Sequence
from typing import Any, Final

import pygal
from django.utils.safestring import SafeString, mark_safe
from lxml import etree

# A finder for maps, which nothing here draws. Python 3.11 warns of its interface at each import that finds nothing.
sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, pygal.PluginImportFixer)]

WIDTH: Final = 920
HEIGHT: Final = 260
# Labels below the bars: more would run into each other.
MAX_LABELS: Final = 10
_SVG: Final = "{http://www.w3.org/2000/svg}"


def draw_bars(labels: Sequence[str], series: Mapping[str, Sequence[float]], *, title: str) -> SafeString:
    """One stacked bar for each label."""
    return _draw_chart(pygal.StackedBar, labels, series, title)


def draw_lines(labels: Sequence[str], series: Mapping[str, Sequence[float | None]], *, title: str) -> SafeString:
    """One line for each series; None leaves a gap."""
    return _draw_chart(pygal.Line, labels, series, title)


def draw_curves(
    curves: Mapping[str, Sequence[tuple[float, float]]],
    *,
    title: str,
    across: str,
    upwards: str,
    is_dotted: bool = False,
) -> SafeString:
    """One curve for each series through points of shares, with both axes from 0 to 1."""
    chart = _make_chart(pygal.XY, len(curves), **_axes(across, upwards), show_dots=is_dotted)
    for name, points in curves.items():
        chart.add(name, list(points))
    return _clean_drawing(chart, title, css_class="chart chart--curves")


def draw_picture(
    curves: Mapping[str, Sequence[tuple[float, float]]], *, title: str, across: str, upwards: str
) -> bytes:
    """The same as a file that stands alone, with its own style."""
    chart = pygal.XY(title=title, js=(), show_dots=False, **_axes(across, upwards))
    for name, points in curves.items():
        chart.add(name, list(points))
    picture: bytes = chart.render()
    return picture


def _axes(across: str, upwards: str) -> dict[str, Any]:
    return {
        "x_title": across,
        "y_title": upwards,
        "xrange": (0, 1),
        "range": (0, 1),
        "x_value_formatter": _write_percent,
        "value_formatter": _write_percent,
    }


def _write_percent(value: float) -> str:
    return f"{value:.0%}"


def _draw_chart(
    kind: Any, labels: Sequence[str], series: Mapping[str, Sequence[float | None]], title: str
) -> SafeString:
    chart = _make_chart(kind, len(series), x_label_rotation=0, truncate_label=-1, show_minor_x_labels=False)
    chart.x_labels = labels
    chart.x_labels_major = labels[:: max(1, -(-len(labels) // MAX_LABELS))]
    for name, values in series.items():
        chart.add(name, list(values))
    return _clean_drawing(chart, title)


def _make_chart(kind: Any, columns: int, **options: Any) -> Any:
    return kind(
        css=(), js=(), width=WIDTH, height=HEIGHT, no_prefix=True, show_x_guides=False, legend_at_bottom=True,
        legend_at_bottom_columns=columns, include_x_axis=True, no_data_text="Nothing yet", **options,
    )  # fmt: skip


def _clean_drawing(chart: Any, title: str, *, css_class: str = "chart") -> SafeString:
    root = etree.fromstring(chart.render())
    # What the library would style and move by itself is in our own style sheet.
    for element in root.findall(f".//{_SVG}defs"):
        element.getparent().remove(element)
    etree.strip_tags(root, etree.Comment)
    for element in root.iter(f"{_SVG}title", f"{_SVG}desc"):
        element.text = None
    for element in root.iter():
        element.attrib.pop("style", None)
    root.attrib.pop("id", None)
    # The numbers stand in the table below it, for whoever hears the page: the drawing itself is one picture.
    root.set("class", css_class)
    root.set("role", "img")
    root.set("aria-label", title)
    return mark_safe(str(etree.tostring(root, encoding="unicode")))  # noqa: S308 - numbers and days, escaped by the library
