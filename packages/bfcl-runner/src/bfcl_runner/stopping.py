"""Stopping a run from outside: the first Ctrl-C or SIGTERM lets the cases in hand finish, for a while."""

from __future__ import annotations

import signal
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType


class StopRequest:
    """Whether the user wants the run to stop, since when, and by which signal.

    Attributes:
        giving_up: Set when the grace time is over: nothing that waits should go on waiting.
    """

    def __init__(self, grace: float) -> None:
        """A request that is not made yet; `grace` is in seconds."""
        self._grace = grace
        self._signal: int | None = None
        self._deadline = float("inf")
        self.giving_up = threading.Event()

    def make(self, signal_number: int) -> None:
        """Asks to stop; asked a second time, the grace time is over at once."""
        if self._signal is None:
            self._signal = signal_number
            self._deadline = time.monotonic() + self._grace
        else:
            self._deadline = time.monotonic()

    @property
    def signal(self) -> int | None:
        """The number of the signal that asked first."""
        return self._signal

    @property
    def made(self) -> bool:
        """Whether no new case should begin."""
        return self._signal is not None

    def out_of_time(self) -> bool:
        """Whether the cases in hand should be dropped; from then on `giving_up` is set."""
        if time.monotonic() >= self._deadline:
            self.giving_up.set()
        return self.giving_up.is_set()


@contextmanager
def on_signals(stop: StopRequest) -> Iterator[None]:
    """While it lasts, SIGINT and SIGTERM make the stop request. Outside the main thread signals stay as they are."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def handle(number: int, _: FrameType | None) -> None:
        stop.make(number)

    before = {number: signal.signal(number, handle) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
