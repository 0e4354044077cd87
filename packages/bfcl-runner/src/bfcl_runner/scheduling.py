"""Many conversations at a time: rows come out as they are finished, for one writer to take."""

from __future__ import annotations

import multiprocessing
import os
import queue
import signal
import threading
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from typing import TYPE_CHECKING, TypeVar

from bfcl_runner.error_rows import error_row
from bfcl_runner.errors import InfrastructureError, RunnerError, RunStoppedError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from bfcl_runner.dataset import Case
    from bfcl_runner.loop import Row
    from bfcl_runner.stopping import StopRequest

T = TypeVar("T")
Item = TypeVar("Item")

POLL_SECONDS = 0.2
"""How often a waiting writer looks whether the run was stopped."""


def in_threads(
    run: Callable[[Case], Row], cases: Sequence[Case], concurrency: int, stop: StopRequest
) -> Iterator[tuple[Case, Row]]:
    """The rows of the cases, in the order in which they are finished, `concurrency` cases at a time.

    A case without a reply gives its error row. After a stop request no case begins, and the rows of those in
    hand come until its grace time is over.

    Raises:
        Exception: Whatever else a case raised; no further case begins.
    """
    work = _Work(run, cases, stop)
    workers = min(concurrency, len(cases))
    for number in range(workers):
        # Daemons: a case that hangs must not keep the process from ending after the grace time.
        threading.Thread(target=work.go_on, name=f"conversation-{number}", daemon=True).start()
    while workers and not stop.out_of_time():
        try:
            item = work.finished.get(timeout=POLL_SECONDS)
        except queue.Empty:
            continue
        if item is None:
            workers -= 1
            continue
        case, row = item
        if isinstance(row, BaseException):
            raise row
        yield case, row


class _Work:
    """Cases that several threads take one by one, and what came of them; None says that a thread is through."""

    def __init__(self, run: Callable[[Case], Row], cases: Sequence[Case], stop: StopRequest) -> None:
        self.finished: queue.SimpleQueue[tuple[Case, Row | BaseException] | None] = queue.SimpleQueue()
        self._run = run
        self._stop = stop
        self._waiting = iter(cases)
        self._taking = threading.Lock()
        self._failed = threading.Event()

    def go_on(self) -> None:
        """Takes cases until none is left, the run is stopped or a case has failed for good."""
        while (case := self._next()) is not None:
            try:
                self.finished.put((case, run_or_record(self._run, case)))
            except RunStoppedError:
                break
            except BaseException as error:  # noqa: BLE001 (raised again where the rows are taken)
                self._failed.set()
                self.finished.put((case, error))
        self.finished.put(None)

    def _next(self) -> Case | None:
        if self._stop.made or self._failed.is_set():
            return None
        with self._taking:
            return next(self._waiting, None)


def run_or_record(run: Callable[[Case], Row], case: Case) -> Row:
    """The row of a case, or where no reply was to be had the row that says so."""
    try:
        return run(case)
    except InfrastructureError as error:
        return error_row(case.id, error)


def in_processes(work: Callable[[Item], T], items: Sequence[Item], jobs: int, stop: StopRequest) -> Iterator[T]:
    """The results of `work` on the items as they are finished, over fresh interpreters.

    After a stop request nothing more is begun. `work` and the items must pickle.
    """
    # Not forks: the same on every system, and safe beside the threads of a progress display.
    context = multiprocessing.get_context("spawn")
    workers = min(jobs, max(1, len(items)))
    with ProcessPoolExecutor(workers, mp_context=context, initializer=_depend_on_parent) as pool:
        try:
            for future in as_completed([pool.submit(work, item) for item in items]):
                yield future.result()
                if stop.made:
                    return
        except BrokenProcessPool:
            message = "a worker process was killed, perhaps for lack of memory; try fewer --jobs"
            raise RunnerError(message) from None
        finally:
            pool.shutdown(cancel_futures=True)


def _depend_on_parent() -> None:
    """Makes a worker leave interrupts to its parent, and end when the parent does."""
    # Ctrl-C reaches the whole process group; the parent decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, name="end-with-parent", daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)  # a worker may be deep in somebody's C code: nothing gentler reaches it
