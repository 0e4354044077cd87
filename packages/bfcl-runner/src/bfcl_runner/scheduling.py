"""Many conversations at a time: rows come out as they are finished, for one writer to take."""

from __future__ import annotations

import multiprocessing
import os
import queue
import signal
import threading
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
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


@contextmanager
def worker_processes(jobs: int) -> Iterator[ProcessPoolExecutor | None]:
    """Fresh interpreters for `in_processes`, or None where one job needs none but this one."""
    if jobs == 1:
        yield None
        return
    # Not forks: the same on every system, and safe beside the threads of a progress display.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=context, initializer=_depend_on_parent) as pool:
        yield pool


def in_processes(
    work: Callable[[Item], T],
    items: Sequence[Item],
    pool: ProcessPoolExecutor | None,
    stop: StopRequest,
    batch: int = 1,
) -> Iterator[T]:
    """The results of `work` on the items as they are finished, in the processes of the pool or, without one, here.

    After a stop request nothing more is begun. `work` and the items must pickle; a larger batch saves on the way
    between the processes.
    """
    if pool is None:
        yield from map(work, items)
        return
    batches = [items[start : start + batch] for start in range(0, len(items), batch)]
    waiting = [pool.submit(_all_of, work, some) for some in batches]
    try:
        for future in as_completed(waiting):
            yield from future.result()
            if stop.made:
                return
    except BrokenProcessPool:
        message = "a worker process was killed, perhaps for lack of memory; try fewer --jobs"
        raise RunnerError(message) from None
    finally:
        for future in waiting:
            future.cancel()


def _all_of(work: Callable[[Item], T], items: Sequence[Item]) -> list[T]:
    return [work(item) for item in items]


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
