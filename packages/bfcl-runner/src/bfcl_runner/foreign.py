"""Scoring result files that somebody else made."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from bfcl_runner.benchmark import require_benchmark
from bfcl_runner.errors import RunnerError
from bfcl_runner.layout import RUN_RECORD, RunLayout
from bfcl_runner.score_files import score_rows
from gar_metrics import GarError, discover

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def score_foreign(
    results: Path, scores: Path, *, prompting: bool, jobs: int
) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Model, category and first line of each score file, as soon as it is written.

    Args:
        results: What `gar_metrics.discover` takes: a run, a results folder, a model's folder or one file.
        scores: The folder that the score files go to, in BFCL's layout.
        prompting: Whether calls are read from text; a run of ours says itself how it is read.
        jobs: Worker processes.

    Raises:
        RunnerError: Nothing is found, a row can't be read, or a file can't be written.
    """
    require_benchmark()
    decoder = _recorded_decoder(results) or ("prompting" if prompting else "structured")
    try:
        runs = discover([results])
    except GarError as error:
        raise RunnerError(str(error)) from None
    for run in runs:
        for files in run.files:
            target = scores / run.folder.name / "multi_turn" / RunLayout(scores, run.model).score(files.category).name
            score_rows(files.results, target, files.category, run.model, decoder, jobs)
            with target.open("rb") as stream:
                yield run.model, files.category, json.loads(stream.readline())


def _recorded_decoder(results: Path) -> str | None:
    from bfcl_runner.records import read_record

    record = results / RUN_RECORD
    return read_record(record).configuration.decoder if record.is_file() else None
