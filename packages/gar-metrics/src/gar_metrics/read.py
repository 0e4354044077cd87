"""Result files and score files, read strictly: what comes out is right, or an error names file, line and field."""

from __future__ import annotations

import hashlib
import json
from itertools import chain
from typing import TYPE_CHECKING

from action_classifier import category_of
from gar_metrics.classes import CLASSES, NOTHING, Reader
from gar_metrics.errors import GarError
from gar_metrics.jsonl import LARGEST_COUNT, TOO_DEEP, described, numbered_objects, present, text_field
from gar_metrics.leading import Leading
from gar_metrics.records import Results, Row, Score

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from action_classifier import Action

RESULT_FIELDS = Leading(("id", "result"), traces=(b'"result"', b'"multi_turn_'))
FAILURE_FIELDS = Leading(("id", "model_name", "test_category", "valid"))
"""What BFCL writes first in a row and in a failing case; the prompt and the log after it are most of a file."""

ROUNDING = 0.001
"""How far a stated accuracy may lie from correct_count / total_count: some files state three decimals."""


def read_results(path: Path, category: str, ruleset: str = "paper", reader: Reader | None = None) -> Results:
    """The rows of a BFCL result file, classified, in the order of the case numbers.

    A repeated row with the same result counts once, with a warning.

    Args:
        path: A file of JSON lines ``{"id": ..., "result": [turns]}``.
        category: The category that every id must belong to.
        ruleset: How emissions are classified; one of `action_classifier.RULESETS`.
        reader: What classifies them, in the place of ``ruleset``, where several files share one.

    Raises:
        GarError: The ruleset is unknown, the file can't be read or holds no row, a row is malformed or of another
            category, or one id has two different results.
    """
    reader = reader or Reader(ruleset)
    rows: dict[str, Row] = {}
    repeats: list[tuple[str, int]] = []
    for line, record in numbered_objects(path, RESULT_FIELDS, must_end=True):
        row = _row(record, category, reader, path, line)
        if row.id in rows:
            repeats.append((row.id, line))
        else:
            rows[row.id] = row
    if repeats:
        _require_same_results(path, repeats)
    if not rows:
        what = "holds no result rows"
        raise GarError(what, path=path)
    ordered = tuple(sorted(rows.values(), key=lambda row: _case_number(row.id)))
    return Results(path, category, reader.ruleset, ordered, _repeat_warning(repeats))


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
    lines = numbered_objects(path, FAILURE_FIELDS)
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


def _row(record: dict[str, object], category: str, reader: Reader, path: Path, line: int) -> Row:
    case_id = _case_id(record, category, path, line)
    result = present(record, "result", path, line)
    if isinstance(result, str):
        return Row(case_id, line, frozenset(), (), error_row=True, texts=0, unread_texts=0)
    if not isinstance(result, list):
        what = f"expected a list of turns or an error message, found {described(result)}"
        raise GarError(what, path=path, line=line, field="result")
    turns: list[Action | None] = []
    ranks: set[int] = set()
    texts = unread_texts = 0
    for turn in result:  # as plain as it can be: it is run half a million times for the runs of 25 models
        highest = NOTHING
        for emission in turn if isinstance(turn, list) else (turn,):
            rank, text, unread_text = reader.read(emission)
            ranks.add(rank)
            highest = min(highest, rank)
            texts += text
            unread_texts += unread_text
        turns.append(CLASSES[highest])
    emitted = frozenset(action for action in map(CLASSES.__getitem__, ranks) if action)
    return Row(case_id, line, emitted, tuple(turns), error_row=False, texts=texts, unread_texts=unread_texts)


def _require_same_results(path: Path, repeats: list[tuple[str, int]]) -> None:
    """Nothing, if rows of one id have one result, keys in whatever order."""
    repeated = {case_id for case_id, _ in repeats}
    first: dict[str, tuple[int, bytes]] = {}
    for line, record in numbered_objects(path, RESULT_FIELDS):
        if (case_id := record["id"]) in repeated:
            digest = _digest(record["result"], path, line)
            first_line, first_digest = first.setdefault(str(case_id), (line, digest))
            if digest != first_digest:
                what = f"{case_id} stands on line {first_line} too, with another result"
                raise GarError(what, path=path, line=line, field="id")


def _digest(result: object, path: Path, line: int) -> bytes:
    try:
        return hashlib.blake2b(json.dumps(result, sort_keys=True).encode()).digest()
    except RecursionError as error:
        raise GarError(TOO_DEEP, path=path, line=line, field="result") from error


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
    if total > LARGEST_COUNT:
        what = f"expected at most {LARGEST_COUNT}"
        raise GarError(what, path=path, line=line, field="total_count")
    if not 0 <= correct <= total:
        what = f"expected 0 to total_count ({total}), found {_shortened(str(correct))}"
        raise GarError(what, path=path, line=line, field="correct_count")
    accuracy = present(head, "accuracy", path, line)
    if not isinstance(accuracy, (int, float)) or isinstance(accuracy, bool):
        what = f"expected a number, found {described(accuracy)}"
        raise GarError(what, path=path, line=line, field="accuracy")
    if not 0 <= accuracy <= 1:  # NaN is none of it either
        what = f"expected a share, 0 to 1, found {_shortened(str(accuracy))}"
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
