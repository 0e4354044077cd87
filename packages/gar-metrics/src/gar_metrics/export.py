"""Files for machines: JSON, JSON lines and CSV, nothing rounded, None where a value can't be measured."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING

from action_classifier import PRIORITY
from gar_metrics.corrected import corrected_gold_turn_gar
from gar_metrics.errors import shown
from gar_metrics.outcomes import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from gar_metrics.cases import Listed
    from gar_metrics.confusion import Confusion
    from gar_metrics.records import Cell, Run

CELL_FIELDS = (
    "model", "ruleset", "folder", "category", "gold", "n", "gar_hits", "gar", "gar_ci95_low", "gar_ci95_high",
    "measurable", "error_rows", "gar_answered", "correct", "acc", "acc_ci95_low", "acc_ci95_high", "gar_minus_acc",
    "strict_acc", "masked_share", *(outcome.value for outcome in Outcome), "warnings",
)  # fmt: skip
CASE_FIELDS = (
    "model", "folder", "category", "id", "gold", "emitted", "gold_emitted", "passed", "outcome", "error_row",
    "gold_turn", "gold_turn_class", "gold_turn_hit", "file", "line",
)  # fmt: skip
GOLD_TURN_FIELDS = ("gold_turn_gar", "gold_turn_hits", "gold_turn_gar_ci95_low", "gold_turn_gar_ci95_high")
CORRECTED_FIELDS = (
    "gold_turn_gar_corrected", "gold_turn_gar_corrected_ci95_low", "gold_turn_gar_corrected_ci95_high",
)  # fmt: skip


def run_records(
    runs: Iterable[Run], *, gold_turn: bool = False, confusion: Confusion | None = None
) -> dict[str, object]:
    """The runs as one JSON-ready object, rates in percent.

    ``{"runs": [{"model", "ruleset", "folder", "categories": {category: cell}, "overall_acc"}]}``; a cell holds
    the properties of `Cell` under their own names.

    Args:
        runs: The runs.
        gold_turn: Whether gold-turn GAR is among them.
        confusion: What its corrected rate is corrected by; none without.
    """
    return {
        "runs": [
            {
                "model": run.model,
                "ruleset": run.ruleset,
                "folder": shown(run.folder),
                "categories": {
                    cell.category: _cell_record(cell)
                    | (_gold_turn_record(cell) if gold_turn else {})
                    | (_corrected_record(cell, confusion) if confusion else {})
                    for cell in run.cells
                },
                "overall_acc": run.overall_acc,
            }
            for run in runs
        ]
    }


def render_json(runs: Iterable[Run], *, gold_turn: bool = False, confusion: Confusion | None = None) -> str:
    """`run_records` as indented JSON in ASCII."""
    return json.dumps(run_records(runs, gold_turn=gold_turn, confusion=confusion), indent=2) + "\n"


def render_csv(runs: Iterable[Run], *, gold_turn: bool = False, confusion: Confusion | None = None) -> str:
    """One CSV row per run and category, columns `CELL_FIELDS`, rates in percent, empty where not measurable.

    ``gold_turn`` adds `GOLD_TURN_FIELDS`, ``confusion`` adds `CORRECTED_FIELDS`.
    """
    fields = (*CELL_FIELDS, *(GOLD_TURN_FIELDS if gold_turn else ()), *(CORRECTED_FIELDS if confusion else ()))
    return "".join(csv_lines(fields, (_flat(run, cell, confusion) for run in runs for cell in run.cells)))


def case_record(listed: Listed) -> dict[str, object]:
    """A case as a JSON-ready object with the fields `CASE_FIELDS`; ``file`` and ``line`` say where its row stands."""
    run, cell, case = listed
    return {
        "model": run.model,
        "folder": shown(run.folder),
        "category": cell.category,
        "id": case.id,
        "gold": cell.gold.value,
        "emitted": [action.value for action in PRIORITY if action in case.emitted],
        "gold_emitted": case.gold_emitted,
        "passed": case.passed,
        "outcome": case.outcome.value if case.outcome else None,
        "error_row": case.error_row,
        "gold_turn": case.gold_turn,
        "gold_turn_class": case.gold_turn_class.value if case.gold_turn_class else None,
        "gold_turn_hit": case.gold_turn_hit,
        "file": shown(cell.results),
        "line": case.line,
    }


def cases_jsonl(cases: Iterable[Listed]) -> Iterator[str]:
    """One line of JSON per case, the line end included."""
    return (json.dumps(case_record(listed)) + "\n" for listed in cases)


def cases_csv(cases: Iterable[Listed]) -> Iterator[str]:
    """A head line, then one CSV line per case: classes joined by spaces, truth values ``true`` and ``false``."""
    return csv_lines(CASE_FIELDS, map(case_record, cases))


def _cell_record(cell: Cell) -> dict[str, object]:
    outcomes = cell.outcomes
    return {
        "gold": cell.gold.value,
        "n": cell.n,
        "gar": cell.gar,
        "gar_hits": cell.gar_hits,
        "gar_ci95": list(cell.gar_ci95),
        "measurable": cell.measurable,
        "acc": cell.acc,
        "acc_ci95": None if cell.acc_ci95 is None else list(cell.acc_ci95),
        "correct": cell.correct,
        "gar_minus_acc": cell.gar_minus_acc,
        "strict_acc": cell.strict_acc,
        "masked_share": cell.masked_share,
        "error_rows": cell.error_rows,
        "gar_answered": cell.gar_answered,
        "classes": {action.value: count for action, count in cell.classes.items()},
        "outcomes": None if outcomes is None else {outcome.value: count for outcome, count in outcomes.items()},
        "warnings": list(cell.warnings),
    }


def _gold_turn_record(cell: Cell) -> dict[str, object]:
    bounds = cell.gold_turn_gar_ci95
    return {
        "gold_turn_gar": cell.gold_turn_gar,
        "gold_turn_hits": cell.gold_turn_hits,
        "gold_turn_gar_ci95": None if bounds is None else list(bounds),
    }


def _corrected_record(cell: Cell, confusion: Confusion) -> dict[str, object]:
    found = corrected_gold_turn_gar(cell, confusion)
    return {
        "gold_turn_gar_corrected": found.rate,
        "gold_turn_gar_corrected_ci95": None if found.ci95 is None else list(found.ci95),
        "warnings": [*cell.warnings, *([found.note] if found.note else [])],
    }


def _flat(run: Run, cell: Cell, confusion: Confusion | None) -> dict[str, object]:
    acc_low, acc_high = cell.acc_ci95 or (None, None)
    turn_low, turn_high = cell.gold_turn_gar_ci95 or (None, None)
    corrected = corrected_gold_turn_gar(cell, confusion) if confusion else None
    low, high = (corrected and corrected.ci95) or (None, None)
    notes = [corrected.note] if corrected and corrected.note else []
    outcomes = cell.outcomes or {}
    return {
        **_cell_record(cell),
        "model": run.model,
        "ruleset": run.ruleset,
        "folder": shown(run.folder),
        "category": cell.category,
        "gar_ci95_low": cell.gar_ci95[0],
        "gar_ci95_high": cell.gar_ci95[1],
        "acc_ci95_low": acc_low,
        "acc_ci95_high": acc_high,
        **{outcome.value: count for outcome, count in outcomes.items()},
        "gold_turn_gar": cell.gold_turn_gar,
        "gold_turn_hits": cell.gold_turn_hits,
        "gold_turn_gar_ci95_low": turn_low,
        "gold_turn_gar_ci95_high": turn_high,
        "gold_turn_gar_corrected": corrected and corrected.rate,
        "gold_turn_gar_corrected_ci95_low": low,
        "gold_turn_gar_corrected_ci95_high": high,
        "warnings": "; ".join([*cell.warnings, *notes]),
    }


def csv_lines(fields: tuple[str, ...], records: Iterable[Mapping[str, object]]) -> Iterator[str]:
    """A head line, then a line per record: its fields in that order, lists joined by spaces, None as nothing."""
    yield _csv_line(fields)
    for record in records:
        yield _csv_line(_plain(record.get(field)) for field in fields)


def _csv_line(values: Iterable[object]) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow(values)
    return line.getvalue()


def _plain(value: object) -> object:
    if isinstance(value, bool):
        return "true" if value else "false"
    return " ".join(value) if isinstance(value, list) else value
