"""A whole run: the chosen cases through a model, the loop and the checker, into files, as often as it takes."""

from __future__ import annotations

import gc
from collections import Counter
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Protocol, cast

from bfcl_runner.backends import available
from bfcl_runner.benchmark import require_benchmark
from bfcl_runner.claiming import claim, only_run_in
from bfcl_runner.environment import public_methods
from bfcl_runner.errors import RunnerError, RunStoppedError
from bfcl_runner.gold_turns import write_gold_turns
from bfcl_runner.journal import Journal
from bfcl_runner.patience import ConcurrencyGate, Patience
from bfcl_runner.probing import forget_events, probe_stack
from bfcl_runner.scheduling import in_processes, in_threads, run_or_record, worker_processes
from bfcl_runner.score_files import score_rows
from bfcl_runner.stopping import StopRequest, on_signals
from bfcl_runner.tracks import track_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path

    from bfcl_runner.backends.base import Backend
    from bfcl_runner.dataset import Case
    from bfcl_runner.display import Display
    from bfcl_runner.layout import RunLayout
    from bfcl_runner.loop import Row
    from bfcl_runner.options import ModelOptions, Prices
    from bfcl_runner.plan import RunPlan
    from bfcl_runner.records import RunRecord
    from bfcl_runner.summary import Summary
    from calibration_probes import Configuration as ProbeConfiguration
    from calibration_probes import ProbeStack


class BackendModule(Protocol):
    """What every module of `bfcl_runner.backends` has."""

    def open_backend(self, options: ModelOptions, patience: Patience) -> AbstractContextManager[Backend]:
        """The model of the options, ready for dialogues."""


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """How a run ended.

    Attributes:
        layout: Where the files are.
        selected: Cases that were selected.
        done: Of these, how many have a row now.
        stopped_by: Number of the signal that stopped it, or None if it went to its end and was scored.
        unanswered: Whether it went to its end and not one of its rows holds a reply.
    """

    layout: RunLayout
    selected: int
    done: int
    stopped_by: int | None
    unanswered: bool


def run(plan: RunPlan, display: Display) -> RunOutcome:
    """Runs what is not done yet of a plan; once all is done, scores it and writes the summary.

    Raises:
        RunnerError: Something that the user can mend; rows written until then are safe.
    """
    module = backend_module(plan.options.backend)
    require_benchmark()
    selected = plan.selection.cases()
    stop = StopRequest(plan.grace)
    patience = Patience(
        ConcurrencyGate(plan.concurrency),
        max_retries=plan.options.max_retries,
        max_wait=plan.options.max_wait,
        stopping=stop.giving_up,
    )
    unanswered = False
    with on_signals(stop):
        try:
            with module.open_backend(plan.options, patience) as backend, only_run_in(plan.layout):
                record, done = _go_on(plan, backend, selected, display, stop)
                if not stop.made:
                    summary = finish(plan.layout, record, plan.prices, jobs=plan.jobs)
                    unanswered = 0 < summary.cases == summary.infrastructure_errors
        except RunStoppedError:  # while the backend was being brought up
            done = 0
    return RunOutcome(plan.layout, sum(map(len, selected.values())), done, stop.signal, unanswered)


def _go_on(
    plan: RunPlan, backend: Backend, selected: dict[str, tuple[Case, ...]], display: Display, stop: StopRequest
) -> tuple[RunRecord, int]:
    """Runs what is not done yet, until all is done or the run is stopped; its record, and the cases that are done."""
    layout = plan.layout
    record = claim(plan, backend, {category: len(cases) for category, cases in selected.items()})
    write_gold_turns(layout.gold_turns, record.categories)
    journals = {category: journal(layout, category) for category in selected}
    pending = _pending(selected, journals, keep_errors=plan.keep_errors)
    done = sum(map(len, selected.values())) - len(pending)
    forget_events(layout.root, [case.id for case in pending])
    _prepare(pending)
    showing = display.showing(Counter(case.category for case in pending), already=done)
    with probe_stack(plan.probes, layout.root) as probes, showing:
        for case, row in _rows(plan, backend, probes, pending, stop):
            journals[case.category].append(row)
            display.add(case.category, row)
            done += 1
    for result_file in journals.values():
        result_file.sort()
    return record, done


def _prepare(cases: list[Case]) -> None:
    """Does once, before the first request is under way, what the first conversations would all wait for."""
    for class_name in {name for case in cases for name in case.entry.get("involved_classes", ())}:
        public_methods(class_name)  # imports it
    gc.freeze()  # the data set stays: looking through it for garbage stops all conversations for a tenth of a second


def journal(layout: RunLayout, category: str) -> Journal:
    """The journal of a category's result file."""
    return Journal(layout.result(category), [case.id for case in track_of(category).load(category)])


def describe(plan: RunPlan) -> list[str]:
    """What a plan would run and where, in lines; nothing is written or sent.

    Raises:
        RunnerError: The plan can't be run as it is.
    """
    backend_module(plan.options.backend)
    require_benchmark()
    selected = plan.selection.cases()
    lines = [f"model {plan.model} on backend {plan.options.backend}, into {plan.layout.root}"]
    for category, cases in selected.items():
        finished = journal(plan.layout, category).peek(keep_errors=plan.keep_errors)
        done = sum(case.id in finished for case in cases)
        lines.append(f"  {category}: {len(cases)} cases, {done} done already")
    return lines


def finish(layout: RunLayout, record: RunRecord, prices: Prices, *, jobs: int) -> Summary:
    """The summary of a run: its rows are scored, summary and the end of the record written."""
    from bfcl_runner.records import now
    from bfcl_runner.summary import write_summary

    decoder = record.configuration.decoder
    with worker_processes(jobs) as pool:
        for category in record.categories:
            score_rows(layout.result(category), layout.score(category), category, record.model, decoder, pool)
    ended = record.model_copy(update={"finished": now()})
    summary = write_summary(layout, ended, prices)
    ended.write(layout.record)
    return summary


def backend_module(name: str) -> BackendModule:
    """The module of a backend.

    Raises:
        RunnerError: There is none of that name.
    """
    if name not in available():
        message = f"--backend: {name!r} is none of {', '.join(available())}"
        raise RunnerError(message)
    return cast("BackendModule", import_module(f"bfcl_runner.backends.{name}"))


def _pending(selected: dict[str, tuple[Case, ...]], journals: dict[str, Journal], *, keep_errors: bool) -> list[Case]:
    """The selected cases without a row, in the order in which they begin."""
    pending: list[Case] = []
    for category, cases in selected.items():
        finished = journals[category].finished(keep_errors=keep_errors)
        left = [case for case in cases if case.id not in finished]
        # The longest first: one that begins last would keep the others' places empty while it goes on.
        pending += sorted(left, key=lambda case: -len(case.entry["question"]))
    return pending


def _rows(
    plan: RunPlan, backend: Backend, probes: ProbeStack, cases: list[Case], stop: StopRequest
) -> Iterator[tuple[Case, Row]]:
    if plan.options.backend != "scripted" or plan.jobs == 1:
        yield from in_threads(
            lambda case: track_of(case.category).run(case, backend, probes), cases, plan.concurrency, stop
        )
        return
    # Scripted agents compute and never wait: processes help them, threads don't.
    by_id = {case.id: case for case in cases}
    items = [(case.category, case.id) for case in cases]
    work = partial(_run_scripted, plan.options, plan.probes, plan.output_dir)
    with worker_processes(plan.jobs) as pool:
        for row in in_processes(work, items, pool, stop):
            yield by_id[row["id"]], row


def _run_scripted(options: ModelOptions, probes: ProbeConfiguration, directory: Path, item: tuple[str, str]) -> Row:
    """The row of one case, in a worker process."""
    category, case_id = item
    track = track_of(category)
    case = next(case for case in track.load(category) if case.id == case_id)
    patience = Patience(ConcurrencyGate(1), max_retries=0, max_wait=0)
    opened = backend_module(options.backend).open_backend(options, patience)
    with opened as backend, probe_stack(probes, directory) as stack:
        return run_or_record(lambda case: track.run(case, backend, stack), case)
