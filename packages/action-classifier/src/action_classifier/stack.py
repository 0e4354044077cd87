"""Room for functions that recurse, whatever is left of the caller's recursion limit."""

from __future__ import annotations

from contextlib import suppress
from threading import Thread
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

Argument = TypeVar("Argument")
Result = TypeVar("Result")


def with_room(function: Callable[[Argument], Result], argument: Argument) -> Result | None:
    """What the function gives, also where the caller's frames leave too little room for it.

    The second try is made in a thread, whose frames count from 0. None if the limit is set too low even for that.
    """
    try:
        return function(argument)
    except RecursionError:
        results: list[Result] = []

        def run() -> None:
            with suppress(RecursionError):
                results.append(function(argument))

        thread = Thread(target=run)
        thread.start()
        thread.join()
        return results[0] if results else None
