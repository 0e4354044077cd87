"""How long and how hard to try: bounded retries with back-off, and a concurrency that follows the server."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, NoReturn, TypeVar

from tenacity import (
    RetryCallState,
    Retrying,
    retry_if_exception_type,
    stop_after_attempt,
    stop_any,
    wait_random_exponential,
)
from tenacity.stop import stop_base

from bfcl_runner.errors import InfrastructureError, RunStoppedError, TransientError

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")

FIRST_WAIT = 0.5
LONGEST_WAIT = 60.0
COOLING_SECONDS = 1.0
"""After the limit was lowered, complaints of requests already on their way don't lower it again."""


class ConcurrencyGate:
    """Lets so many requests through at a time: half as many after an overload, then slowly more again.

    Additive increase, multiplicative decrease, as TCP does it: every success adds the reciprocal of the limit,
    so that one full round of successes adds one place.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._limit = float(most)
        self._under_way = 0
        self._lowered_at = float("-inf")
        self._changed = threading.Condition()

    @property
    def limit(self) -> int:
        """How many requests may be under way now, at least 1."""
        return max(1, int(self._limit))

    def __enter__(self) -> None:
        with self._changed:
            self._changed.wait_for(lambda: self._under_way < self.limit)
            self._under_way += 1

    def __exit__(self, *_: object) -> None:
        with self._changed:
            self._under_way -= 1
            self._changed.notify()

    def succeeded(self) -> None:
        """Raises the limit a little, up to where it began."""
        with self._changed:
            self._limit = min(self._most, self._limit + 1 / self._limit)
            self._changed.notify()

    def overloaded(self) -> None:
        """Halves the limit, once per overload."""
        with self._changed:
            if time.monotonic() - self._lowered_at >= COOLING_SECONDS:
                self._limit = max(1.0, self._limit / 2)
                self._lowered_at = time.monotonic()


class Patience:
    """Makes requests until one succeeds or the bounds are reached.

    Args:
        gate: Limits the requests under way; shared by all that talk to the same server.
        max_retries: Tries after the first.
        max_wait: Seconds of waiting between the tries of one request, all together.
        stopping: Set when waiting is no longer worth it; requests then give up.
    """

    def __init__(
        self, gate: ConcurrencyGate, *, max_retries: int, max_wait: float, stopping: threading.Event | None = None
    ) -> None:
        self._gate = gate
        self._max_retries = max_retries
        self._max_wait = max_wait
        self._stopping = stopping or threading.Event()

    def call(self, request: Callable[[], T]) -> T:
        """What the request returns.

        Raises:
            InfrastructureError: It kept failing with TransientError.
            RunStoppedError: The run was stopped while it waited.
        """
        retrying = Retrying(
            retry=retry_if_exception_type(TransientError),
            stop=stop_any(stop_after_attempt(self._max_retries + 1), _WaitedOut(self._max_wait)),
            wait=_wait,
            sleep=self._sleep,
            retry_error_callback=_give_up,
        )
        answer: T = retrying(self._try, request)
        return answer

    def _try(self, request: Callable[[], T]) -> T:
        with self._gate:
            try:
                answer = request()
            except TransientError as error:
                if error.overloaded:
                    self._gate.overloaded()
                raise
        self._gate.succeeded()
        return answer

    def _sleep(self, seconds: float) -> None:
        if self._stopping.wait(seconds):
            raise RunStoppedError


class _WaitedOut(stop_base):
    """Stops where the next wait would exceed so many seconds of waiting in all."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    def __call__(self, retry_state: RetryCallState) -> bool:
        return retry_state.idle_for + retry_state.upcoming_sleep > self._seconds


def _wait(state: RetryCallState) -> float:
    """Seconds until the next try: what the server asks for, else exponential with full jitter."""
    asked = getattr(_failure(state), "retry_after", None)
    backoff: float = wait_random_exponential(multiplier=FIRST_WAIT, min=FIRST_WAIT / 2, max=LONGEST_WAIT)(state)
    # A little jitter on top of what the server asks, or all waiting requests come back at the same moment.
    return backoff if asked is None else asked + backoff * 0.1


def _failure(state: RetryCallState) -> BaseException | None:
    return state.outcome.exception() if state.outcome else None


def _give_up(state: RetryCallState) -> NoReturn:
    error = _failure(state)
    kind = error.kind if isinstance(error, TransientError) else "error"
    raise InfrastructureError(kind, str(error), tries=state.attempt_number, waited=round(state.idle_for, 3)) from error
