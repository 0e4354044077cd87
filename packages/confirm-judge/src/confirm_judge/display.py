"""What a user sees while a judge is at work: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console
    from rich.progress import Progress, TaskID

    from confirm_judge.judgments import Judgment

LINE_SECONDS = 15.0
"""How often a plain line says how far a run is."""


@dataclass(frozen=True, slots=True)
class Prices:
    """What a million tokens cost, in any currency."""

    read: float
    written: float

    def cost(self, input_tokens: int, output_tokens: int) -> float:
        """What so many tokens cost."""
        return (self.read * input_tokens + self.written * output_tokens) / 1e6


def spent(input_tokens: int, output_tokens: int, prices: Prices | None) -> str:
    """So many tokens and, where prices are known, what they cost; empty where there were none."""
    if not input_tokens and not output_tokens:
        return ""
    cost = f", cost {prices.cost(input_tokens, output_tokens):.4f}" if prices else ""
    return f"{input_tokens} tokens in, {output_tokens} out{cost}"


class Display:
    """Shows how many events are judged, what that took, and how long the rest may take.

    Args:
        console: Where; a bar is drawn if it is a terminal.
        prices: Of tokens, if they are known.
    """

    def __init__(self, console: Console, prices: Prices | None = None) -> None:
        self._console = console
        self._prices = prices
        self._total = self._before = self._judged = self._failed = 0
        self._input_tokens = self._output_tokens = 0
        self._started = self._last_line = 0.0
        self._progress: Progress | None = None
        self._task: TaskID | None = None

    @contextmanager
    def showing(self, total: int, before: int) -> Iterator[None]:
        """A context in which judgments are added: so many events in all, of which so many have a verdict already."""
        self._total, self._before = total, before
        self._started = self._last_line = time.monotonic()
        if not self._console.is_terminal:
            self._say(f"{total} writes, {before} of them judged already")
            yield
            return
        from rich.progress import BarColumn, Progress, TextColumn

        columns = (BarColumn(), TextColumn("{task.description}", markup=False))
        with Progress(*columns, console=self._console) as self._progress:
            self._task = self._progress.add_task(str(self), total=total, completed=before)
            yield

    def add(self, judgment: Judgment) -> None:
        """Takes note of a judgment that was written."""
        self._judged += 1
        self._failed += judgment.confirmed is None
        self._input_tokens += judgment.input_tokens
        self._output_tokens += judgment.output_tokens
        if self._progress is not None and self._task is not None:
            self._progress.update(self._task, completed=self._before + self._judged, description=str(self))
        elif time.monotonic() - self._last_line >= LINE_SECONDS:
            self._say(str(self))

    def __str__(self) -> str:
        done = self._before + self._judged
        parts = [f"{done}/{self._total} writes", f"{self._failed} without a verdict" if self._failed else ""]
        parts.append(spent(self._input_tokens, self._output_tokens, self._prices))
        if self._judged and done < self._total:
            seconds = (time.monotonic() - self._started) / self._judged * (self._total - done)
            parts.append(f"ETA {int(seconds) // 60}:{int(seconds) % 60:02}")
        return ", ".join(part for part in parts if part)

    def _say(self, text: str) -> None:
        self._last_line = time.monotonic()
        self._console.print(text, highlight=False, markup=False, soft_wrap=True)
