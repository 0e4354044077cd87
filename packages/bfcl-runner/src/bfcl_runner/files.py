"""Writing result and score files in BFCL's format, each whole or not at all."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from bfcl_runner.dataset import ID_PREFIX
from bfcl_runner.errors import RunnerError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from bfcl_runner.dataset import Case
    from bfcl_runner.loop import Row
    from bfcl_runner.scoring import Verdict

INSTANCE_STATES = ("model_instance_state", "ground_truth_instance_state")
"""Error details that repeat the whole state of a backend, half a megabyte a case; the differences stay."""


def write_lines(path: Path, lines: Iterable[object]) -> None:
    """One JSON document a line; the file appears under its name once it is complete.

    Raises:
        RunnerError: The file can't be written (disk full, no permission); what was there before stays.
    """
    unfinished = path.with_name(f"{path.name}.partial")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with unfinished.open("w", encoding="utf-8") as stream:
            stream.writelines(f"{json.dumps(line, default=str)}\n" for line in lines)
        unfinished.replace(path)
    except OSError as error:
        message = f"{path}: {error.strerror}"
        raise RunnerError(message) from error


def score_lines(failures: list[Row], total: int) -> list[Row]:
    """The lines of a score file: accuracy and counts first, then the failing cases."""
    correct = total - len(failures)
    header = {"accuracy": correct / total, "correct_count": correct, "total_count": total}
    return [header, *failures]


def failure(case: Case, model: str, result: object, verdict: Verdict) -> Row:
    """What a score file says of a failing case."""
    error = dict(verdict.error)
    if isinstance(details := error.get("details"), dict):
        error["details"] = {key: value for key, value in details.items() if key not in INSTANCE_STATES}
    prompt: dict[str, Any] = {key: value for key, value in case.entry.items() if key != "function"}
    return {
        "id": case.id,
        "model_name": model,
        "test_category": f"{ID_PREFIX}{case.category}",
        "valid": False,
        "error": error,
        "prompt": prompt,
        "model_result_raw": result,
        "model_result_decoded": verdict.decoded,
        "possible_answer": [list(turn) for turn in case.ground_truth],
    }
