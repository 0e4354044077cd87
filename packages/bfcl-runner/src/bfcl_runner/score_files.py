"""Score files from result files: every row judged, in this process or over several, in the order of the cases."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any

from bfcl_runner.errors import RunnerError
from bfcl_runner.files import failure, score_lines, write_lines
from bfcl_runner.scheduling import in_processes
from bfcl_runner.stopping import StopRequest
from bfcl_runner.tracks import track_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from concurrent.futures import ProcessPoolExecutor
    from pathlib import Path

    from bfcl_runner.loop import Row


BATCH = 25
"""Rows that a worker process judges at a time."""


def score_rows(
    results: Path, scores: Path, category: str, model: str, decoder_name: str, pool: ProcessPoolExecutor | None = None
) -> None:
    """Writes the score file of a result file.

    Args:
        results: A result file of the category; where there is none, no score file is written either.
        scores: The score file to write.
        category: The category.
        model: The model's name, for the lines of the failing cases.
        decoder_name: How calls are read from the replies (see `bfcl_runner.decoding.decoder`).
        pool: Worker processes, for categories that are worth it; None judges in this process.

    Raises:
        RunnerError: A row can't be read, or the score file can't be written.
    """
    if not results.exists():
        return
    rows = list(judgeable_rows(results, category))
    work = partial(_failure, category, model, decoder_name)
    spread = pool if track_of(category).spread else None
    answers = in_processes(work, rows, spread, StopRequest(grace=0), BATCH)
    order = {case.id: place for place, case in enumerate(track_of(category).load(category))}
    failures = sorted((line for line in answers if line), key=lambda line: order[line["id"]])
    write_lines(scores, score_lines(failures, len(rows)))


def judgeable_rows(results: Path, category: str) -> Iterator[tuple[str, Any]]:
    """Case id and result of each row; the rest of a row, nine tenths of it, is dropped as it is read."""
    known = {case.id for case in track_of(category).load(category)}
    with results.open("rb") as stream:
        for number, line in enumerate(stream, start=1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
                case_id, result = row["id"], row["result"]
            except (ValueError, TypeError, KeyError, RecursionError) as error:
                message = f"{results}:{number}: not a result row ({type(error).__name__})"
                raise RunnerError(message) from None
            if not isinstance(case_id, str) or case_id not in known:
                message = f"{results}:{number}: id: {case_id!r} is no case of {category}"
                raise RunnerError(message)
            yield case_id, result


def _failure(category: str, model: str, decoder_name: str, row: tuple[str, Any]) -> Row | None:
    """The score file's line of a row that fails, None for one that passes. Runs in worker processes too."""
    case_id, result = row
    track = track_of(category)
    case = next(case for case in track.load(category) if case.id == case_id)
    verdict = track.judge(case, result, decoder_name)
    return None if verdict.valid else failure(case, model, result, verdict)
