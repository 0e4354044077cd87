"""Result files and score files, read strictly: what comes out is right, or an error names file, line and field."""

from __future__ import annotations

import hashlib
import json
from itertools import chain
from typing import TYPE_CHECKING

from action_classifier import RULESETS, category_of, classify
from gar_metrics.errors import GarError
from gar_metrics.jsonl import TOO_DEEP, described, numbered_objects, present, text_field
from gar_metrics.records import Results, Row, Score

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from action_classifier import Action

ROUNDING = 0.001
"""How far a stated accuracy may lie from correct_count / total_count: some files state three decimals."""


def read_results(path: Path, category: str, ruleset: str = "paper") -> Results:
    """The rows of a BFCL result file, classified, in the order of the case numbers.

    A repeated row with the same result counts once, with a warning.

    Args:
        path: A file of JSON lines ``{"id": ..., "result": [turns]}``.
        category: The category that every id must belong to.
        ruleset: How emissions are classified; one of `action_classifier.RULESETS`.

    Raises:
        GarError: The ruleset is unknown, the file can't be read or holds no row, a row is malformed or of another
            category, or one id has two different results.
    """
    if ruleset not in RULESETS:
        what = f"unknown ruleset {ruleset!r}; known: {', '.join(RULESETS)}"
        raise GarError(what)
    rows: dict[str, Row] = {}
    digests: dict[str, bytes] = {}
    repeats: list[tuple[str, int]] = []
    for line, record in numbered_objects(path):
        row, digest = _row(record, category, ruleset, path, line)
        if row.id not in rows:
            rows[row.id], digests[row.id] = row, digest
        elif digests[row.id] == digest:
            repeats.append((row.id, line))
        else:
            what = f"{row.id} stands on line {rows[row.id].line} too, with another result"
            raise GarError(what, path=path, line=line, field="id")
    if not rows:
        what = "holds no result rows"
        raise GarError(what, path=path)
    ordered = tuple(sorted(rows.values(), key=lambda row: _case_number(row.id)))
    return Results(path, category, ruleset, ordered, _repeat_warning(repeats))


def read_score(path: Path, category: str) -> Score:
    """The head line of a BFCL score file, and the ids on the lines after it: the cases that failed.

    Args:
        path: A file of JSON lines, first ``{"accuracy": ..., "correct_count": ..., "total_count": ...}``, then
            one line for each failing case with its ``id`` (an id may stand twice).
        category: The category that every id must belong to.

    Raises:
        GarError: The file can't be read or is empty, a line is malformed, an id is of another category, or the
            accuracy isn't correct_count / total_count.
    """
    lines = numbered_objects(path)
    line, head = next(lines, (0, None))
    if head is None:
        what = "holds no score"
        raise GarError(what, path=path)
    total = _count(head, "total_count", path, line)
    correct = _count(head, "correct_count", path, line)
    _check_head(head, correct, total, path, line)
    failing = frozenset(_failing_id(record, category, path, line) for line, record in lines)
    return Score(path, correct, total, failing)


def emissions(result: list[object]) -> Iterator[object]:
    """Every emission of a result's turns, in order; a turn that isn't a list is a single emission."""
    return chain.from_iterable(turn if isinstance(turn, list) else (turn,) for turn in result)


def _row(record: dict[str, object], category: str, ruleset: str, path: Path, line: int) -> tuple[Row, bytes]:
    """The row of one line, and a digest of its result that tells repeated rows from contradicting ones."""
    case_id = _case_id(record, category, path, line)
    result = present(record, "result", path, line)
    digest = _digest(result, path, line)
    if isinstance(result, str):
        return Row(case_id, line, frozenset(), error_row=True, texts=0, unread_texts=0), digest
    if not isinstance(result, list):
        what = f"expected a list of turns or an error message, found {described(result)}"
        raise GarError(what, path=path, line=line, field="result")
    emitted: set[Action] = set()
    texts = unread_texts = 0
    for emission in emissions(result):
        action = classify(emission, ruleset)
        if action is not None:
            emitted.add(action)
        if _holds_text(emission):
            # A list of strings is text that a harness wrapped; not every ruleset unwraps it.
            unread = action is None and isinstance(emission, list)
            unread_texts += unread
            texts += not unread
    return Row(case_id, line, frozenset(emitted), error_row=False, texts=texts, unread_texts=unread_texts), digest


def _digest(result: object, path: Path, line: int) -> bytes:
    try:
        return hashlib.blake2b(json.dumps(result, sort_keys=True).encode()).digest()
    except RecursionError as error:
        raise GarError(TOO_DEEP, path=path, line=line, field="result") from error


def _holds_text(emission: object) -> bool:
    parts = emission if isinstance(emission, list) else (emission,)
    return any(isinstance(part, str) and part.strip() for part in parts)


def _case_id(record: dict[str, object], category: str, path: Path, line: int) -> str:
    case_id = text_field(record, "id", path, line)
    found = category_of(case_id)
    if found != category:
        belongs = f"a case of {found}" if found else "no multi-turn case id"
        what = f"{_shortened(case_id)!r} is {belongs}, in a file of {category}"
        raise GarError(what, path=path, line=line, field="id")
    return case_id


def _case_number(case_id: str) -> tuple[int, str, str]:
    """A sort key in the order of the numbers that ids end with, however many digits they have."""
    digits = case_id.rpartition("_")[2].lstrip("0")
    return len(digits), digits, case_id


def _repeat_warning(repeats: list[tuple[str, int]]) -> tuple[str, ...]:
    if not repeats:
        return ()
    case_id, line = repeats[0]
    rows = "1 row repeats" if len(repeats) == 1 else f"{len(repeats)} rows repeat"
    return (f"{rows} an earlier row with the same result and counts once (first: {case_id}, line {line})",)


def _count(head: dict[str, object], field: str, path: Path, line: int) -> int:
    value = present(head, field, path, line)
    if not isinstance(value, int) or isinstance(value, bool):
        what = f"expected a whole number, found {described(value)}"
        raise GarError(what, path=path, line=line, field=field)
    return value


def _check_head(head: dict[str, object], correct: int, total: int, path: Path, line: int) -> None:
    if total < 1:
        what = f"expected at least 1, found {total}"
        raise GarError(what, path=path, line=line, field="total_count")
    if not 0 <= correct <= total:
        what = f"expected 0 to total_count ({total}), found {correct}"
        raise GarError(what, path=path, line=line, field="correct_count")
    accuracy = present(head, "accuracy", path, line)
    if not isinstance(accuracy, (int, float)) or isinstance(accuracy, bool):
        what = f"expected a number, found {described(accuracy)}"
        raise GarError(what, path=path, line=line, field="accuracy")
    if not 0 <= accuracy <= 1:  # NaN is none of it either
        what = f"expected a share, 0 to 1, found {accuracy}"
        raise GarError(what, path=path, line=line, field="accuracy")
    if abs(accuracy - correct / total) > ROUNDING:
        what = f"{accuracy} isn't correct_count / total_count ({correct} / {total})"
        raise GarError(what, path=path, line=line, field="accuracy")


def _failing_id(record: dict[str, object], category: str, path: Path, line: int) -> str:
    if record.get("valid") is True:
        what = "true on a line that should name a failing case"
        raise GarError(what, path=path, line=line, field="valid")
    return _case_id(record, category, path, line)


def _shortened(text: str, width: int = 60) -> str:
    return text if len(text) <= width else text[: width - 3] + "..."
