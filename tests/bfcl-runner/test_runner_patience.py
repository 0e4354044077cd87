"""Retries are bounded, and the number of requests under way follows what the server bears."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

import pytest

from bfcl_runner import patience as patience_module
from bfcl_runner.errors import InfrastructureError, RunStoppedError, TransientError
from bfcl_runner.patience import ConcurrencyGate, Patience

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture(autouse=True)
def _short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Back-off in milliseconds."""
    monkeypatch.setattr(patience_module, "FIRST_WAIT", 0.002)
    monkeypatch.setattr(patience_module, "LONGEST_WAIT", 0.01)


def _failing(times: int, error: TransientError) -> tuple[Callable[[], str], list[float]]:
    """A request that fails so many times, and the moments of its tries."""
    tries: list[float] = []

    def request() -> str:
        tries.append(time.monotonic())
        if len(tries) <= times:
            raise error
        return "answer"

    return request, tries


def test_a_success_after_failures() -> None:
    """The answer comes as if nothing had been."""
    request, tries = _failing(3, TransientError("server_error", "HTTP 500"))
    assert Patience(ConcurrencyGate(1), max_retries=5, max_wait=10).call(request) == "answer"
    assert len(tries) == 4


def test_the_bound_on_tries() -> None:
    """After the last try the error says what happened, how often it was tried and how long was waited."""
    request, tries = _failing(99, TransientError("server_error", "HTTP 500"))
    with pytest.raises(InfrastructureError) as failure:
        Patience(ConcurrencyGate(1), max_retries=2, max_wait=10).call(request)
    assert (len(tries), failure.value.kind, failure.value.message, failure.value.tries) == (
        3,
        "server_error",
        "HTTP 500",
        3,
    )
    assert 0 < failure.value.waited < 1


def test_the_bound_on_waiting() -> None:
    """A server that asks for more time than there is isn't waited for at all."""
    request, tries = _failing(99, TransientError("rate_limited", "HTTP 429", retry_after=100.0))
    started = time.monotonic()
    with pytest.raises(InfrastructureError):
        Patience(ConcurrencyGate(1), max_retries=50, max_wait=5).call(request)
    assert (len(tries), time.monotonic() - started < 2) == (1, True)


def test_what_the_server_asks_for_is_waited() -> None:
    """Not less, and only a little more."""
    request, tries = _failing(1, TransientError("rate_limited", "HTTP 429", retry_after=0.3))
    Patience(ConcurrencyGate(1), max_retries=1, max_wait=5).call(request)
    assert 0.3 <= tries[1] - tries[0] < 1


def test_a_stop_ends_the_waiting() -> None:
    """Nobody waits on once the run gives up."""
    stopping = threading.Event()
    request, _ = _failing(99, TransientError("rate_limited", "HTTP 429", retry_after=60.0))
    threading.Timer(0.1, stopping.set).start()
    started = time.monotonic()
    with pytest.raises(RunStoppedError):
        Patience(ConcurrencyGate(1), max_retries=9, max_wait=600, stopping=stopping).call(request)
    assert time.monotonic() - started < 10


def test_overloads_halve_the_concurrency_and_successes_raise_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once per overload, never below one, and back up to where it began."""
    monkeypatch.setattr(patience_module, "COOLING_SECONDS", 0.05)
    gate = ConcurrencyGate(8)
    gate.overloaded()
    gate.overloaded()
    assert gate.limit == 4  # the second complaint was about requests already on their way
    time.sleep(0.06)
    gate.overloaded()
    assert gate.limit == 2
    for _ in range(4):
        time.sleep(0.06)
        gate.overloaded()
    assert gate.limit == 1
    for _ in range(200):
        gate.succeeded()
    assert gate.limit == 8


def test_no_more_requests_than_the_limit() -> None:
    """Twenty threads, three at a time."""
    gate = ConcurrencyGate(3)
    under_way, most = 0, 0
    counting = threading.Lock()

    def request() -> None:
        nonlocal under_way, most
        with counting:
            under_way += 1
            most = max(most, under_way)
        time.sleep(0.005)
        with counting:
            under_way -= 1

    threads = [
        threading.Thread(target=Patience(gate, max_retries=0, max_wait=0).call, args=(request,)) for _ in range(20)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 3
