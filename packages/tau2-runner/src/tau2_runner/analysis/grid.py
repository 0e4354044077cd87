"""Rows of text as an aligned table, and as one in Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gar_metrics import aligned, one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

ABSENT = "-"


def table(rows: Sequence[Sequence[str]], *, text_columns: int) -> list[str]:
    """The rows as lines: the first columns flush left, the numbers after them flush right."""
    return aligned([[one_line(text) for text in row] for row in rows], text_columns=text_columns)


def markdown(rows: Sequence[Sequence[str]], *, text_columns: int) -> list[str]:
    """The rows as a pipe table, the first one its head."""
    head, *rest = rows
    rule = ["---" if place < text_columns else "---:" for place in range(len(head))]
    return ["| " + " | ".join(one_line(text).replace("|", "\\|") for text in row) + " |" for row in (head, rule, *rest)]


def noted(warnings: Iterable[str]) -> list[str]:
    """The warnings as a block below a table; nothing where there is none."""
    lines = [f"  {one_line(warning)}" for warning in warnings]
    return ["", "notes", *lines] if lines else []


def percent(share: float | None, sign: str = "") -> str:
    """A share in percent, or a difference of two in percent points, with one decimal; `ABSENT` without one."""
    if share is None:
        return ABSENT
    # Rounded first, and 0.0 added, so that a tiny negative number doesn't print as -0.0.
    value = round(100 * share, 1) + 0.0
    return format(value, f"{sign if value else ''}.1f")


def interval(bounds: tuple[float, float] | None) -> str:
    """An interval of shares in percent, such as ``42.3 to 68.8``."""
    return ABSENT if bounds is None else f"{percent(bounds[0])} to {percent(bounds[1])}"
