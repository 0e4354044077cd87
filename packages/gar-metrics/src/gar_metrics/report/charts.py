"""Where the marks of the page's charts stand, in the units of their SVG view boxes; y grows downwards."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gar_metrics.records import CATEGORIES, percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gar_metrics.outcomes import Outcome
    from gar_metrics.records import Cell, Run

SHAPES = (
    "M-5,0a5,5 0 1,0 10,0a5,5 0 1,0 -10,0",
    "M-4.6,-4.6h9.2v9.2h-9.2z",
    "M0,-6L5.8,4.4H-5.8z",
    "M0,-6.6L5.6,0L0,6.6L-5.6,0z",
    "M0,6L5.8,-4.4H-5.8z",
    "M-2,-6h4v4h4v4h-4v4h-4v-4h-4v-4h4z",
    "M-5.8,0L-2.9,-5H2.9L5.8,0L2.9,5H-2.9z",
    "M-6,-3.5L-3.5,-6L0,-2.5L3.5,-6L6,-3.5L2.5,0L6,3.5L3.5,6L0,2.5L-3.5,6L-6,3.5L-2.5,0z",
)
"""Marks of the runs, around (0, 0). A ninth run has the first colour again, with the second shape."""

COLOURS = 8

SCATTER_SIDE = 200
"""Width and height of a scatter's plot area: 2 units are one percent point."""

BAR_LENGTH = 300
"""Length of a bar of 100%."""
BAR_ROW = 46
"""Height of a run's band: its name, then the two bars."""

MOSAIC_WIDTH = 240
MOSAIC_HEIGHT = 130
GAP = 2
_TEXT_FITS = 14
"""A mosaic segment at least this high and wide enough holds its number."""


@dataclass(frozen=True, slots=True)
class Series:
    """How a run is drawn: number of its colour, and the path of its shape."""

    colour: int
    shape: str


@dataclass(frozen=True, slots=True)
class Point:
    """A run in a scatter, with the ends of its two intervals."""

    run: int
    x: float
    y: float
    x_low: float
    x_high: float
    y_low: float
    y_high: float
    gar: float
    acc: float


@dataclass(frozen=True, slots=True)
class Scatter:
    """GAR (x) against Acc (y) in one category, a point for each run that has both."""

    category: str
    gold: str
    points: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class Bar:
    """One rate with its interval, along x; ``measure`` is ``gar`` or ``acc``."""

    measure: str
    y: float
    width: float
    low: float
    high: float
    rate: float


@dataclass(frozen=True, slots=True)
class BarRow:
    """The bars of one run, in the band that begins at y."""

    run: int
    y: float
    bars: tuple[Bar, ...]


@dataclass(frozen=True, slots=True)
class BarChart:
    """GAR and Acc of one category, run by run."""

    category: str
    gold: str
    height: float
    rows: tuple[BarRow, ...]


@dataclass(frozen=True, slots=True)
class Segment:
    """The cases of a category with one outcome: a share of the column's height."""

    outcome: Outcome
    count: int
    share: float
    y: float
    height: float
    labelled: bool


@dataclass(frozen=True, slots=True)
class Column:
    """A category, as wide as its share of the run's cases; without segments where outcomes aren't known."""

    category: str
    n: int
    x: float
    width: float
    segments: tuple[Segment, ...]


def series(run: int) -> Series:
    """The look of a run by its number; 64 runs look different, each by colour and shape at once."""
    return Series(run % COLOURS, SHAPES[(run + run // COLOURS) % len(SHAPES)])


def scatters(runs: Sequence[Run]) -> tuple[Scatter, ...]:
    """A scatter for every category in which some run has GAR and Acc."""
    found = []
    for category in CATEGORIES:
        cells = _cells(runs, category)
        points = tuple(point for number, cell in cells for point in _points(number, cell))
        if points:
            found.append(Scatter(category, cells[0][1].gold.name, points))
    return tuple(found)


def bar_charts(runs: Sequence[Run]) -> tuple[BarChart, ...]:
    """A chart for every category of some run."""
    charts = []
    for category in CATEGORIES:
        cells = _cells(runs, category)
        if cells:
            rows = tuple(
                BarRow(number, BAR_ROW * place, _bars(cell, BAR_ROW * place))
                for place, (number, cell) in enumerate(cells)
            )
            charts.append(BarChart(category, cells[0][1].gold.name, BAR_ROW * len(rows), rows))
    return tuple(charts)


def mosaic(run: Run) -> tuple[Column, ...]:
    """The columns of a run's mosaic: width by number of cases, height by outcome."""
    total = sum(cell.n for cell in run.cells)
    room = MOSAIC_WIDTH - GAP * (len(run.cells) - 1)
    columns = []
    x = 0.0
    for cell in run.cells:
        width = room * cell.n / total
        columns.append(Column(cell.category, cell.n, x, width, _segments(cell, width)))
        x += width + GAP
    return tuple(columns)


def _cells(runs: Sequence[Run], category: str) -> list[tuple[int, Cell]]:
    return [(number, cell) for number, run in enumerate(runs) for cell in run.cells if cell.category == category]


def _points(number: int, cell: Cell) -> list[Point]:
    if cell.acc is None or cell.acc_ci95 is None:
        return []
    unit = SCATTER_SIDE / 100
    (x_low, x_high), (y_low, y_high) = cell.gar_ci95, cell.acc_ci95
    return [
        Point(
            run=number,
            x=unit * cell.gar,
            y=SCATTER_SIDE - unit * cell.acc,
            x_low=unit * x_low,
            x_high=unit * x_high,
            y_low=SCATTER_SIDE - unit * y_low,
            y_high=SCATTER_SIDE - unit * y_high,
            gar=cell.gar,
            acc=cell.acc,
        )
    ]


def _bars(cell: Cell, top: float) -> tuple[Bar, ...]:
    rates = (("gar", cell.gar, cell.gar_ci95), ("acc", cell.acc, cell.acc_ci95))
    unit = BAR_LENGTH / 100
    return tuple(
        Bar(measure, top + 17 + 12 * place, unit * rate, unit * bounds[0], unit * bounds[1], rate)
        for place, (measure, rate, bounds) in enumerate(rates)
        if rate is not None and bounds is not None
    )


def _segments(cell: Cell, width: float) -> tuple[Segment, ...]:
    segments = []
    y = 0.0
    for outcome, count in (cell.outcomes or {}).items():
        height = MOSAIC_HEIGHT * count / cell.n
        fits = height >= _TEXT_FITS and width >= 2 * _TEXT_FITS
        if count:
            segments.append(Segment(outcome, count, percent(count, cell.n), y, height, fits))
        y += height
    return tuple(segments)
