"""Pages of tables for people, as aligned text, Markdown and LaTeX."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from gar_metrics.render import aligned, escaped, noted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_LATEX_ESCAPES = str.maketrans(
    {
        "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "|": r"\textbar{}",
        "<": r"\textless{}", ">": r"\textgreater{}", **{char: f"\\{char}" for char in "&%$#_{}"},
    }
)  # fmt: skip
_MINUS = re.compile(r"(?<!\w)-(?=\d)")
"""The hyphen before a negative number, which LaTeX would print as one."""


class Grid(NamedTuple):
    """A table of texts.

    Attributes:
        title: A line above it; empty for none.
        head: Names of the columns.
        units: Their units, empty where there is none.
        rows: As wide as the head.
        text_columns: How many columns, from the left, hold text; the others hold numbers.
    """

    title: str
    head: Sequence[str]
    units: Sequence[str]
    rows: Sequence[Sequence[str]]
    text_columns: int


class Page(NamedTuple):
    """What is printed of one subject, every text on one line.

    Attributes:
        heading: Pairs of what is named and its name.
        grids: The tables.
        lists: Titles, each with the lines below it.
        notes: What the reader must know.
    """

    heading: Sequence[tuple[str, str]]
    grids: Sequence[Grid]
    lists: Sequence[tuple[str, Sequence[str]]]
    notes: Sequence[str]


def page_text(page: Page) -> str:
    """The page as aligned text. Ends with a line end."""
    lines = aligned(page.heading, text_columns=2)
    for grid in page.grids:
        lines += ["", *grid_text(grid)]
    for title, items in page.lists:
        lines += ["", title, *(f"  {item}" for item in items)]
    return "\n".join([*lines, *noted(page.notes)]) + "\n"


def page_markdown(page: Page) -> str:
    """The page in Markdown: lists, and pipe tables with the units in their heads."""
    lines = [f"- {what}: {escaped(name)}" for what, name in page.heading]
    for grid in page.grids:
        lines += ["", *grid_markdown(grid)]
    for title, items in (*page.lists, *([("notes", page.notes)] if page.notes else [])):
        lines += ["", f"**{title}**", "", *(f"- {escaped(item)}" for item in items)]
    return "\n".join(lines) + "\n"


def page_latex(page: Page) -> str:
    """The page's tables as tabulars for the package booktabs; heading, titles, lists and notes are comments."""
    lines = [f"% {what}: {name}" for what, name in page.heading]
    for grid in page.grids:
        lines += ["", *grid_latex(grid)]
    for title, items in (*page.lists, *([("notes", page.notes)] if page.notes else [])):
        lines += ["", f"% {title}", *(f"%   {item}" for item in items)]
    return "\n".join(lines) + "\n"


def grid_text(grid: Grid) -> list[str]:
    """The title, if any, and the aligned table, units on a line of their own."""
    units = [f"({unit})" if unit else "" for unit in grid.units]
    rows = [grid.head, units, *grid.rows] if any(units) else [grid.head, *grid.rows]
    return [*([grid.title] if grid.title else []), *aligned(rows, text_columns=grid.text_columns)]


def grid_markdown(grid: Grid) -> list[str]:
    """The title, if any, and the pipe table."""
    rule = ["---" if place < grid.text_columns else "---:" for place in range(len(grid.head))]
    rows = (_with_units(grid), rule, *grid.rows)
    table = ["| " + " | ".join(escaped(text) for text in row) + " |" for row in rows]
    return [*([f"**{grid.title}**", ""] if grid.title else []), *table]


def grid_latex(grid: Grid) -> list[str]:
    """The title, if any, as a comment, and the tabular."""
    return [*([f"% {grid.title}"] if grid.title else []), *_tabular(grid)]


def _tabular(grid: Grid) -> Iterator[str]:
    columns = "l" * grid.text_columns + "r" * (len(grid.head) - grid.text_columns)
    yield from (rf"\begin{{tabular}}{{{columns}}}", r"\toprule", _latex_row(_with_units(grid)), r"\midrule")
    yield from (_latex_row(row, grid.text_columns) for row in grid.rows)
    yield from (r"\bottomrule", r"\end{tabular}")


def _latex_row(texts: Sequence[str], text_columns: int | None = None) -> str:
    """The row with a minus sign in the numbers after its text columns; without their number all of it is text."""
    inert = [text.translate(_LATEX_ESCAPES) for text in texts]
    place = len(inert) if text_columns is None else text_columns
    return " & ".join([*inert[:place], *(_MINUS.sub("$-$", text) for text in inert[place:])]) + r" \\"


def _with_units(grid: Grid) -> list[str]:
    return [f"{name} ({unit})" if unit else name for name, unit in zip(grid.head, grid.units, strict=True)]
