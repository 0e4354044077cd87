"""What a user sees while a run goes on: a live line on a terminal, plain lines elsewhere."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from bfcl_runner.error_rows import is_error
from bfcl_runner.options import NO_PRICES, Prices

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from contextlib import AbstractContextManager

    from rich.console import Console
    from rich.progress import Progress, TaskID

    from bfcl_runner.loop import Row

LINE_SECONDS = 15.0
"""How often a plain line says how far a run is."""


class Tally:
    """Counts what a run has done so far in this process."""

    def __init__(self, total: int, already: int, prices: Prices) -> None:
        """So many cases in all, of which some were done before."""
        self.total = total
        self.done = already
        self._before = already
        self._prices = prices
        self._started = time.monotonic()
        self._errors = 0
        self._input_tokens = 0
        self._output_tokens = 0

    def add(self, row: Row) -> None:
        """Counts one row."""
        self.done += 1
        self._errors += is_error(row["result"])
        self._input_tokens += tokens_of(row, "input_token_count")
        self._output_tokens += tokens_of(row, "output_token_count")

    def __str__(self) -> str:
        seconds = max(time.monotonic() - self._started, 1e-9)
        rate = (self.done - self._before) / seconds
        parts = [f"{self.done}/{self.total} cases", f"{rate:.1f}/s"]
        if self._errors:
            parts.append(f"{self._errors} errors")
        if self._input_tokens or self._output_tokens:
            parts.append(f"{_short(self._input_tokens)} tokens in, {_short(self._output_tokens)} out")
        cost = self._prices.cost(self._input_tokens, self._output_tokens)
        if cost is not None:
            parts.append(f"cost {cost:.2f}")
        if rate and self.done < self.total:
            minutes, rest = divmod(round((self.total - self.done) / rate), 60)
            parts.append(f"ETA {minutes}:{rest:02}")
        return ", ".join(parts)


def tokens_of(row: Row, kind: str) -> int:
    """The tokens of a row: counts by turn and step, or one number for a single turn; 0 in error rows."""
    return sum(int(count) for count in numbers_in(row.get(kind)))


def numbers_in(value: object) -> Iterator[float]:
    """The numbers in lists of lists, whatever else stands there: rows may come from other hands."""
    if isinstance(value, list):
        for item in value:
            yield from numbers_in(item)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield value


def _short(number: int) -> str:
    for size, letter in ((10**6, "M"), (10**3, "k")):
        if number >= size:
            return f"{number / size:.1f}{letter}"
    return str(number)


class Display(Protocol):
    """Shows a run as it goes on."""

    def showing(self, pending: Mapping[str, int], already: int) -> AbstractContextManager[None]:
        """A context in which rows are added: so many by category are to come, so many were there before."""

    def add(self, category: str, row: Row) -> None:
        """Takes note of a row that was written."""


class Silent:
    """Shows nothing."""

    @contextmanager
    def showing(self, pending: Mapping[str, int], already: int) -> Iterator[None]:  # noqa: ARG002
        """Nothing is shown."""
        yield

    def add(self, category: str, row: Row) -> None:
        """Nothing is shown."""


class Lines:
    """A line when a category is through, and one every now and then."""

    def __init__(self, console: Console, prices: Prices = NO_PRICES) -> None:
        self._console = console
        self._prices = prices
        self._pending: dict[str, int] = {}
        self._totals: Mapping[str, int] = {}
        self._tally = Tally(0, 0, prices)
        self._last_line = 0.0

    @contextmanager
    def showing(self, pending: Mapping[str, int], already: int) -> Iterator[None]:
        """Says what was there before, if anything was."""
        self._pending = dict(pending)
        self._totals = pending
        self._tally = Tally(already + sum(pending.values()), already, self._prices)
        self._last_line = time.monotonic()
        if already:
            self._say(f"{already} cases are done already")
        yield

    def add(self, category: str, row: Row) -> None:
        """Counts the row, and says so where it is the last of its category or the last line is long ago."""
        self._tally.add(row)
        self._pending[category] -= 1
        if not self._pending[category]:
            self._say(f"{category}: {self._totals[category]} cases done")
        elif time.monotonic() - self._last_line >= LINE_SECONDS:
            self._say(str(self._tally))

    def _say(self, text: str) -> None:
        self._last_line = time.monotonic()
        self._console.print(text, highlight=False, markup=False)


class LiveLine:
    """A bar with the counts behind it."""

    def __init__(self, console: Console, prices: Prices = NO_PRICES) -> None:
        self._console = console
        self._prices = prices
        self._tally = Tally(0, 0, prices)
        self._progress: Progress | None = None
        self._task: TaskID | None = None

    @contextmanager
    def showing(self, pending: Mapping[str, int], already: int) -> Iterator[None]:
        """The bar stands while the context lasts, and its last state stays."""
        from rich.progress import BarColumn, Progress, TextColumn

        self._tally = Tally(already + sum(pending.values()), already, self._prices)
        columns = (BarColumn(), TextColumn("{task.description}", markup=False))
        with Progress(*columns, console=self._console) as self._progress:
            self._task = self._progress.add_task(str(self._tally), total=self._tally.total, completed=already)
            yield

    def add(self, category: str, row: Row) -> None:  # noqa: ARG002 (one bar for all)
        """Moves the bar on."""
        self._tally.add(row)
        if self._progress is not None and self._task is not None:
            self._progress.update(self._task, completed=self._tally.done, description=str(self._tally))


def display_on(console: Console, prices: Prices = NO_PRICES) -> Display:
    """A live line where the console is a terminal, plain lines elsewhere."""
    return LiveLine(console, prices) if console.is_terminal else Lines(console, prices)
