"""The report's charts as files for a paper: scatter, bars with intervals, outcome mosaic. Needs matplotlib."""

from __future__ import annotations

import io
from itertools import cycle
from textwrap import fill
from typing import TYPE_CHECKING, Any

from matplotlib import rc_context
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from gar_metrics.outcomes import Outcome
from gar_metrics.records import CATEGORIES, percent
from gar_metrics.render import run_labels

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from matplotlib.axes import Axes

    from gar_metrics.records import Cell, Run

# Okabe and Ito's colours, told apart with every common colour blindness, and a shape each for print without colour.
LOOKS = (
    ("#0072B2", "o"),
    ("#D55E00", "s"),
    ("#009E73", "^"),
    ("#CC79A7", "D"),
    ("#8A6D00", "v"),
    ("#56B4E9", "P"),
    ("#4A4A4A", "X"),
    ("#7A4FB5", "*"),
)
FILLS = {
    Outcome.CALIBRATED_PASS: ("#1C6A98", "white", ""),
    Outcome.EXECUTION_FAILURE: ("#A9CDE2", "black", ""),
    Outcome.MASKED_PASS: ("#C9500C", "white", "////"),
    Outcome.MISCALIBRATED: ("#F3CFAE", "black", ""),
}
"""Colour, colour of the number on it, hatching."""

SETTINGS: Any = {
    "font.size": 8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "svg.fonttype": "path",
    "svg.hashsalt": "gar-metrics",
    "hatch.linewidth": 0.4,
    "text.parse_math": False,  # two dollar signs in a name are no formula
}
METADATA: dict[str, dict[str, str | None]] = {
    "svg": {"Date": None, "Creator": "gar-metrics"},
    "png": {"Software": None},
}
"""Nothing that differs between two runs of the command."""

INCH_PER_PANEL = 2.3
PANELS_ACROSS = 4
NARROWEST = 3.6
CHARACTERS_PER_PANEL = 26
CHARACTERS_PER_LABEL = 40
"""Of a line of a run's name, beside the bars and in the legend."""
LINES_PER_LABEL = 4
INCH_PER_RUN = 0.42
INCH_PER_LINE = 0.17
INCH_PER_CHARACTER = 0.07
SHARE_OF_A_LINE = 7
"""Percent of a mosaic's height that a line of text takes."""
RESOLUTION = 200
SOFT = "#55514A"


def draw(runs: Sequence[Run], kind: str, file_format: str) -> bytes:
    """The chart as a file; the same bytes for the same runs and the same matplotlib.

    Args:
        runs: At least one.
        kind: One of `KINDS`.
        file_format: ``svg`` or ``png``.
    """
    file = io.BytesIO()
    with rc_context(SETTINGS):
        figure = Figure(layout="constrained")
        FigureCanvasAgg(figure)
        KINDS[kind](figure, runs, run_labels(runs))
        figure.savefig(file, format=file_format, dpi=RESOLUTION, metadata=METADATA[file_format])
    return file.getvalue()


def _scatter(figure: Figure, runs: Sequence[Run], labels: Sequence[str]) -> None:
    """GAR against Acc, a panel per category, with the diagonal and what lies on its sides.

    A mark is hollow where no text was read that could show the gold class: the true GAR may be anything above it.
    """
    names = _wrapped(labels)
    panels = _panels(figure, runs)
    for category, axes in panels.items():
        axes.fill_between([0, 100], [0, 100], 100, color="#FBEEE3", linewidth=0)
        axes.fill_between([0, 100], 0, [0, 100], color="#EAF2F7", linewidth=0)
        axes.plot([0, 100], [0, 100], color=SOFT, linewidth=0.8, linestyle="--")
        axes.text(4, 92, "masked passes", style="italic", color=SOFT)
        axes.text(96, 4, "execution failures", style="italic", color=SOFT, ha="right")
        for (color, marker), label, cell in _of_category(runs, names, category):
            if cell.acc is not None and cell.acc_ci95 is not None:
                axes.errorbar(
                    cell.gar, cell.acc, xerr=_reach(cell.gar, cell.gar_ci95), yerr=_reach(cell.acc, cell.acc_ci95),
                    color=color, marker=marker, label=label, markersize=5, elinewidth=0.7, linestyle="none",
                    clip_on=False, markerfacecolor=color if cell.measurable else "white",
                )  # fmt: skip
        axes.set(xlim=(0, 100), ylim=(0, 100), aspect="equal", xlabel="GAR (%)", title=category)
    next(iter(panels.values())).set_ylabel("Acc (%)")
    _legend(figure, list(panels.values()))


def _bars(figure: Figure, runs: Sequence[Run], labels: Sequence[str]) -> None:
    """GAR and Acc with their intervals, a panel per category, the runs from top to bottom.

    A GAR is called not measured where no text was read that could show the gold class.
    """
    names = _wrapped(labels)
    lines = max(name.count("\n") + 1 for name in names)
    height = 0.7 + max(INCH_PER_RUN, INCH_PER_LINE * lines) * len(runs)
    panels = _panels(figure, runs, height, beside=_inches(names))
    for category, axes in panels.items():
        for place, run in enumerate(runs):
            for _, _, cell in _of_category([run], [""], category):
                _bar_pair(axes, cell, place)
        axes.set(xlim=(0, 100), ylim=(len(runs) - 0.5, -0.5), xlabel="%", title=category)
        axes.set_yticks(range(len(runs)), names)
    for axes in list(panels.values())[1:]:
        axes.tick_params(labelleft=False)
    _legend(figure, list(panels.values()))


def _mosaic(figure: Figure, runs: Sequence[Run], labels: Sequence[str]) -> None:
    """Outcome shares, a panel per run, a column per category as wide as its share of the cases."""
    across = min(PANELS_ACROSS, len(runs))
    down = -(-len(runs) // across)
    figure.set_size_inches(max(NARROWEST, INCH_PER_PANEL * across), 0.6 + INCH_PER_PANEL * down)
    panels = list(figure.subplots(down, across, squeeze=False, sharey=True).flat)
    for axes, run, label in zip(panels, runs, labels, strict=False):
        total = sum(cell.n for cell in run.cells)
        left, centres = 0.0, []
        for cell in run.cells:
            width = cell.n / total
            centres.append(left + width / 2)
            _column(axes, cell, left, width)
            left += width
        axes.set(xlim=(0, 1), ylim=(0, 100))
        axes.set_title(fill(label, CHARACTERS_PER_PANEL, max_lines=LINES_PER_LABEL, placeholder="…"), fontsize=8)
        axes.set_xticks(centres, [cell.category for cell in run.cells], rotation=30, ha="right")
    for axes in panels[len(runs) :]:
        axes.set_axis_off()
    for axes in panels[::across]:
        axes.set_ylabel("% of the cases")
    _legend(figure, panels)


KINDS: dict[str, Callable[[Figure, Sequence[Run], Sequence[str]], None]] = {
    "scatter": _scatter,
    "bars": _bars,
    "mosaic": _mosaic,
}


def _bar_pair(axes: Axes, cell: Cell, place: int) -> None:
    """The bars of one run in one category, on both sides of its place."""
    if not cell.measurable:
        axes.text(2, place - 0.19, "not measured", style="italic", color=SOFT, va="center", size=7)
    rates = (
        ("GAR", cell.gar if cell.measurable else None, cell.gar_ci95, "#1C6A98"),
        ("Acc", cell.acc, cell.acc_ci95, "#B8B2A6"),
    )
    for offset, (measure, rate, bounds, color) in zip((-0.19, 0.19), rates, strict=True):
        if rate is not None and bounds is not None:
            axes.barh(
                place + offset, rate, 0.36, xerr=_reach(rate, bounds), color=color, label=measure,
                error_kw={"elinewidth": 0.8, "capsize": 1.8},
            )  # fmt: skip


def _column(axes: Axes, cell: Cell, left: float, width: float) -> None:
    bottom = 0.0
    for outcome, count in (cell.outcomes or {}).items():
        share = percent(count, cell.n)
        color, ink, hatch = FILLS[outcome]
        axes.bar(
            left, share, width, bottom=bottom, align="edge", color=color, hatch=hatch, edgecolor="white", linewidth=0.6,
            label=outcome.value.replace("_", " "),
        )  # fmt: skip
        if share >= SHARE_OF_A_LINE:
            box = {"facecolor": color, "edgecolor": "none", "pad": 0.8}
            place = (left + width / 2, bottom + share / 2)
            axes.text(*place, str(count), color=ink, ha="center", va="center", size=7, bbox=box)
        bottom += share
    if not bottom:
        axes.text(left + width / 2, 50, "not known", rotation=90, ha="center", va="center", color=SOFT)


def _wrapped(labels: Sequence[str]) -> list[str]:
    """The runs' names, so that a very long one leaves room for the chart."""
    return [fill(label, CHARACTERS_PER_LABEL, max_lines=LINES_PER_LABEL, placeholder="…") for label in labels]


def _inches(names: Iterable[str]) -> float:
    """How wide the longest line of some names is, about, in the font that SETTINGS name."""
    return INCH_PER_CHARACTER * max(len(line) for name in names for line in name.split("\n"))


def _panels(
    figure: Figure, runs: Sequence[Run], height: float = INCH_PER_PANEL, beside: float = 0.0
) -> dict[str, Axes]:
    """A panel per category in a row of that height, with so much room for names on its left, all in inches."""
    present = {cell.category for run in runs for cell in run.cells}
    categories = [category for category in CATEGORIES if category in present]
    figure.set_size_inches(beside + max(NARROWEST, INCH_PER_PANEL * len(categories)), height)
    panels = figure.subplots(1, len(categories), squeeze=False, sharey=True)[0]
    return dict(zip(categories, panels, strict=True))


def _of_category(runs: Sequence[Run], labels: Sequence[str], category: str) -> list[tuple[tuple[str, str], str, Cell]]:
    return [
        (look, label, cell)
        for look, run, label in zip(cycle(LOOKS), runs, labels, strict=False)
        for cell in run.cells
        if cell.category == category
    ]


def _reach(rate: float, bounds: tuple[float, float]) -> list[list[float]]:
    """How far the interval reaches below and above the rate."""
    return [[max(0.0, rate - bounds[0])], [max(0.0, bounds[1] - rate)]]


def _legend(figure: Figure, panels: Sequence[Axes]) -> None:
    """One legend for all panels, below them; each label once."""
    handles: dict[str, Any] = {}
    for axes in panels:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            handles.setdefault(label, handle)
    if handles:
        inches = 0.6 + _inches(handles)
        columns = max(1, min(len(handles), int(figure.get_figwidth() / inches)))
        figure.legend(list(handles.values()), list(handles), loc="outside lower center", ncols=columns, frameon=False)
