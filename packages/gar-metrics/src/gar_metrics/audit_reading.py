"""Audit labels, read strictly: every label of both raters comes out, or an error that names file, line and field."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gar_metrics.audit import LABELS, AuditCase
from gar_metrics.errors import GarError
from gar_metrics.jsonl import described, numbered_objects, present, text_field
from gar_metrics.records import CATEGORIES

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

SPLITS = ("main", "pilot")


def read_audit(path: Path) -> tuple[AuditCase, ...]:
    """The cases of an audit, both splits, in the order of the file.

    Args:
        path: A file of JSON lines with at least the fields ``split``, ``case_id``, ``model``, ``category``,
            ``stratum``, and ``rater_a``, ``rater_b`` and ``final``, each an object with all seven labels;
            ``final`` may be null in the pilot split. Other fields and labels aren't looked at.

    Raises:
        GarError: The file can't be read or holds no case; a field or a label is missing, of a wrong type, or has a
            value that isn't listed; or a case (its id and model, within a split) stands there twice.
    """
    cases: dict[tuple[str, str, str], AuditCase] = {}
    for line, record in numbered_objects(path):
        case = _case(record, path, line)
        earlier = cases.setdefault((case.split, case.model, case.case_id), case)
        if earlier is not case:
            what = f"{_shortened(case.case_id)} of {_shortened(case.model)} stands on line {earlier.line} too"
            raise GarError(what, path=path, line=line, field="case_id")
    if not cases:
        what = "holds no audited case"
        raise GarError(what, path=path)
    return tuple(cases.values())


def _case(record: dict[str, object], path: Path, line: int) -> AuditCase:
    split = _choice(record, "split", SPLITS, path, line)
    unadjudicated = split == "pilot" and present(record, "final", path, line) is None
    return AuditCase(
        split=split,
        case_id=text_field(record, "case_id", path, line),
        model=text_field(record, "model", path, line),
        category=_choice(record, "category", CATEGORIES, path, line),
        stratum=text_field(record, "stratum", path, line),
        rater_a=_labels(record, "rater_a", path, line),
        rater_b=_labels(record, "rater_b", path, line),
        final=None if unadjudicated else _labels(record, "final", path, line),
        line=line,
    )


def _choice(record: dict[str, object], field: str, known: Sequence[str], path: Path, line: int) -> str:
    value = text_field(record, field, path, line)
    if value not in known:
        what = f"expected one of {', '.join(known)}, found {_brief(value)}"
        raise GarError(what, path=path, line=line, field=field)
    return value


def _labels(record: dict[str, object], field: str, path: Path, line: int) -> dict[str, int | str]:
    given = present(record, field, path, line)
    if not isinstance(given, dict):
        what = f"expected an object of labels, found {described(given)}"
        raise GarError(what, path=path, line=line, field=field)
    return {label: _value(given, field, label, path, line) for label in LABELS}


def _value(given: dict[str, object], field: str, label: str, path: Path, line: int) -> int | str:
    place = f"{field}.{label}"
    if label not in given:
        what = "missing"
        raise GarError(what, path=path, line=line, field=place)
    value = given[label]
    # By type as well: in Python true equals 1, and so does 1.0.
    for known in LABELS[label]:
        if type(value) is type(known) and value == known:
            return known
    what = f"expected one of {', '.join(map(str, LABELS[label]))}, found {_brief(value)}"
    raise GarError(what, path=path, line=line, field=place)


def _brief(value: object) -> str:
    """The value itself where it is a short one, else what it is."""
    if isinstance(value, str):
        return repr(_shortened(value))
    return _shortened(str(value)) if type(value) in (int, float) else described(value)


def _shortened(text: str, width: int = 60) -> str:
    return text if len(text) <= width else text[: width - 3] + "..."
