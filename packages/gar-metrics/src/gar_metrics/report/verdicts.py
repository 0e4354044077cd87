"""What the grader says about the cases that failed: kind of error, message and details."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gar_metrics.jsonl import numbered_objects
from gar_metrics.leading import Leading
from gar_metrics.report.texts import as_json, as_text

if TYPE_CHECKING:
    from pathlib import Path

FIELDS = Leading(("id", "model_name", "test_category", "valid", "error"))
"""What graders write first; a log that is much longer comes after it."""

KINDS_PREFIX = "multi_turn:"
"""Before every kind of error of a multi-turn case; it tells nothing."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Why a case failed, each part empty where the score file doesn't say."""

    kind: str
    message: str
    details: str


def read_verdicts(path: Path) -> dict[str, Verdict]:
    """Case id -> verdict, of the cases that a BFCL score file lists as failing; the first line of a case counts.

    Raises:
        GarError: The score file can't be read (any more).
    """
    verdicts: dict[str, Verdict] = {}
    for place, (_, record) in enumerate(numbered_objects(path, FIELDS)):
        case_id = record.get("id")
        if place and isinstance(case_id, str):
            verdicts.setdefault(case_id, _verdict(record.get("error")))
    return verdicts


def _verdict(error: object) -> Verdict:
    if not isinstance(error, dict):
        return Verdict("", "" if error is None else as_text(error), "")
    details = error.get("details")
    return Verdict(
        kind=as_text(error.get("error_type", "")).removeprefix(KINDS_PREFIX),
        message=as_text(error.get("error_message", "")),
        details="" if details is None else as_json(details, indent=1),
    )
