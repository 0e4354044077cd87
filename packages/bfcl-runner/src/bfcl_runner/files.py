"""Writing result and score files in BFCL's format, each whole or not at all."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING

from bfcl_runner.errors import RunnerError
from bfcl_runner.tracks import file_category, track_of

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from bfcl_runner.dataset import Case
    from bfcl_runner.loop import Row
    from bfcl_runner.scoring import Verdict


def write_lines(path: Path, lines: Iterable[object]) -> None:
    """One JSON document a line.

    Raises:
        RunnerError: The file can't be written; what was there before stays.
    """
    replace_file(path, (f"{json.dumps(line, default=str)}\n".encode() for line in lines))


def replace_file(path: Path, lines: Iterable[bytes]) -> None:
    """A file of these lines, in place of what was there; it appears under its name once it is complete.

    Raises:
        RunnerError: It can't be written (disk full, no permission); what was there before stays.
    """
    unfinished = path.with_name(f"{path.name}.partial")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with unfinished.open("wb") as stream:
            stream.writelines(lines)
        unfinished.replace(path)
    except OSError as error:
        with suppress(OSError):
            unfinished.unlink()
        message = f"{path}: {error.strerror}"
        raise RunnerError(message) from error


def score_lines(failures: list[Row], total: int) -> list[Row]:
    """The lines of a score file: accuracy and counts first, then the failing cases."""
    correct = total - len(failures)
    header = {"accuracy": correct / total, "correct_count": correct, "total_count": total}
    return [header, *failures]


def failure(case: Case, model: str, result: object, verdict: Verdict) -> Row:
    """What a score file says of a failing case."""
    return {
        "id": case.id,
        "model_name": model,
        "test_category": file_category(case.category),
        "valid": False,
        **track_of(case.category).describe(case, result, verdict),
    }
