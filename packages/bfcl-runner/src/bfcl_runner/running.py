"""A whole run: the cases of the chosen categories through the loop and the checker, into files."""

from __future__ import annotations

import multiprocessing
import shutil
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from bfcl_runner.agents import make_agent
from bfcl_runner.backends.scripted import ScriptedBackend
from bfcl_runner.benchmark import require_benchmark
from bfcl_runner.dataset import CATEGORIES, load_cases
from bfcl_runner.decoding import decode_structured
from bfcl_runner.errors import RunnerError
from bfcl_runner.files import failure, score_lines, write_lines
from bfcl_runner.layout import RunLayout, model_directory
from bfcl_runner.loop import run_case
from bfcl_runner.scoring import judge

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from bfcl_runner.loop import Row
    from bfcl_runner.progress import Progress
    from bfcl_runner.records import RunRecord

    _Judged = tuple[Row, Row | None]
    _MapCases = Callable[[Callable[[int], _Judged], Iterable[int]], Iterator[_Judged]]

CHUNK = 10
"""Cases that a worker process takes at a time."""


@dataclass(frozen=True, slots=True)
class ScriptedRun:
    """What to run: one scripted agent over some cases.

    Attributes:
        agent: Name of the agent (see `bfcl_runner.agents`); the model's name in files and tables.
        output_dir: Where the files go; refused if it holds a run already, unless `overwrite`.
        categories: Some of `bfcl_runner.dataset.CATEGORIES`.
        limit: The first so many cases of each category, or None for all.
        jobs: Worker processes; 1 runs in this process. The files do not depend on it.
        overwrite: Whether a run that is already there is replaced.
        argv: The command line, for the record.
    """

    agent: str
    output_dir: Path
    categories: tuple[str, ...] = CATEGORIES
    limit: int | None = None
    jobs: int = 1
    overwrite: bool = False
    argv: tuple[str, ...] = ()


def run_scripted(plan: ScriptedRun, progress: Progress) -> RunLayout:
    """Runs and scores the cases of a plan, and returns where the files are.

    Raises:
        BenchmarkMissingError: bfcl-eval is absent or of another version.
        RunnerError: The agent is unknown, or the output directory can't be used.
    """
    make_agent(plan.agent)  # a wrong name is an error before anything is written
    require_benchmark()
    layout = RunLayout(plan.output_dir, plan.agent)
    record = _record(plan)
    _claim(layout, record, overwrite=plan.overwrite)
    with _mapper(plan.jobs) as map_cases:
        for category in plan.categories:
            cases = load_cases(category)[: plan.limit]
            work = partial(_run_and_judge, plan.agent, category)
            rows: list[Row] = []
            failures: list[Row] = []
            for row, failed in progress.track(map_cases(work, range(len(cases))), category, len(cases)):
                rows.append(row)
                if failed:
                    failures.append(failed)
            write_lines(layout.result(category), rows)
            write_lines(layout.score(category), score_lines(failures, len(rows)))
    record.finish().write(layout.record)
    return layout


def _record(plan: ScriptedRun) -> RunRecord:
    from bfcl_runner import records  # pydantic takes longer to import than `--help` may take

    return records.RunRecord(
        backend="scripted",
        model=plan.agent,
        model_dir=model_directory(plan.agent),
        categories=list(plan.categories),
        limit=plan.limit,
        jobs=plan.jobs,
        dataset=records.dataset(),
        versions=records.package_versions(),
        argv=list(plan.argv),
        started=records.now(),
    )


def _claim(layout: RunLayout, record: RunRecord, *, overwrite: bool) -> None:
    """Makes the output directory this run's: an earlier run's files go, if the user said so."""
    try:
        if layout.record.exists():
            if not overwrite:
                message = f"{layout.root}: holds a run already ({layout.record.name}); choose another or --overwrite"
                raise RunnerError(message)
            for kind in ("result", "score"):
                shutil.rmtree(layout.root / kind, ignore_errors=True)
        record.write(layout.record)
    except OSError as error:
        message = f"{layout.root}: {error.strerror}"
        raise RunnerError(message) from None


def _run_and_judge(agent: str, category: str, index: int) -> tuple[Row, Row | None]:
    """The result row of a case and, if it failed, its line in the score file. Runs in worker processes too."""
    case = load_cases(category)[index]
    row = run_case(case, ScriptedBackend(make_agent(agent)))
    verdict = judge(case, row["result"], decode_structured)
    return row, None if verdict.valid else failure(case, agent, row["result"], verdict)


@contextmanager
def _mapper(jobs: int) -> Iterator[_MapCases]:
    """An order-keeping `map`, in this process or over `jobs` fresh ones."""
    if jobs == 1:
        yield map
        return
    # Fresh interpreters instead of forks: the same on every system, and safe beside the progress bar's thread.
    with ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn")) as pool:
        yield partial(pool.map, chunksize=CHUNK)
