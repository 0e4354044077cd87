"""Scoring result files that somebody else made."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from action_classifier import Action, classify
from bfcl_runner.benchmark import require_benchmark
from bfcl_runner.decoding import decoder
from bfcl_runner.errors import DecodeError, RunnerError
from bfcl_runner.layout import RUN_RECORD, RunLayout
from bfcl_runner.scheduling import worker_processes
from bfcl_runner.score_files import judgeable_rows, score_rows
from bfcl_runner.tracks import MULTI_TURN
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
        RunnerError: Nothing is found, a row can't be read, a file can't be written, or the calls in it are in a
            form that is not read: a score of 0 would say something about the reading, not about the model.
    """
    require_benchmark()
    decoder_name = _recorded_decoder(results) or ("prompting" if prompting else "structured")
    try:
        runs = discover([results])
    except GarError as error:
        raise RunnerError(str(error)) from None
    with worker_processes(jobs) as pool:
        for run in runs:
            for files in run.files:
                name = RunLayout(scores, run.model).score(files.category).name
                target = scores / run.folder.name / MULTI_TURN.folder / name
                _require_readable(files.results, files.category, decoder_name)
                score_rows(files.results, target, files.category, run.model, decoder_name, pool)
                with target.open("rb") as stream:
                    yield run.model, files.category, json.loads(stream.readline())


def _recorded_decoder(results: Path) -> str | None:
    from bfcl_runner.records import read_record

    record = results / RUN_RECORD
    return read_record(record).configuration.decoder if record.is_file() else None


def _require_readable(results: Path, category: str, decoder_name: str) -> None:
    """Refuses a file in which replies look like calls and not one of them can be read as such."""
    decode = decoder(decoder_name)
    unread = 0
    for _, result in judgeable_rows(results, category):
        for turn in result if isinstance(result, list) else []:
            for emission in turn if isinstance(turn, list) else [turn]:
                if classify(emission) is not Action.TOOL_CALL:
                    continue
                try:
                    decode(emission)
                except DecodeError:
                    unread += 1
                else:
                    return
    if unread:
        other = "structured calls" if decoder_name == "prompting" else "BFCL's text, with --prompting"
        what = f"none of {unread} replies that look like calls can be read as {decoder_name}"
        message = f"{results}: {what}; is it {other}?"
        raise RunnerError(message)
