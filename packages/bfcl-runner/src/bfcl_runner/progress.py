"""What a user sees while a run goes on: a bar on a terminal, a line per category elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rich.console import Console

T = TypeVar("T")


class Progress(Protocol):
    """Watches items go by."""

    def track(self, items: Iterable[T], label: str, total: int) -> Iterator[T]:
        """The items, unchanged."""


class Silent:
    """Shows nothing."""

    def track(self, items: Iterable[T], label: str, total: int) -> Iterator[T]:  # noqa: ARG002
        """The items, unchanged."""
        yield from items


class Lines:
    """One line when a category is through."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def track(self, items: Iterable[T], label: str, total: int) -> Iterator[T]:
        """The items, unchanged."""
        yield from items
        self._console.print(f"{label}: {total} cases done", highlight=False)


class Bars:
    """A bar per category."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def track(self, items: Iterable[T], label: str, total: int) -> Iterator[T]:
        """The items, unchanged."""
        from rich.progress import track

        yield from track(items, description=f"{label:<12}", total=total, console=self._console)


def progress_on(console: Console) -> Progress:
    """Bars where the console is a terminal, lines elsewhere."""
    return Bars(console) if console.is_terminal else Lines(console)
