"""Figures held to their targets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class Figure:
    """A measured number.

    Attributes:
        value: The number.
        unit: Its unit.
        what: What was measured.
        most: The target: what it may be at most. None: it is only shown.
    """

    value: float
    unit: str
    what: str
    most: float | None = None

    @property
    def met(self) -> bool:
        """Whether the target is met; not a number meets none."""
        return self.most is None or self.value <= self.most

    def __str__(self) -> str:
        mark = "" if self.most is None else "ok" if self.met else "MISSED"
        target = "" if self.most is None else f" (target: at most {self.most:g})"
        return f"{mark:6} {self.value:9.3f} {self.unit:4} {self.what}{target}"


def report(title: str, figures: Sequence[Figure]) -> int:
    """Prints the figures; returns an exit status, 1 if a target is missed."""
    print(title)
    for figure in figures:
        print(figure)
    return 0 if all(figure.met for figure in figures) else 1
