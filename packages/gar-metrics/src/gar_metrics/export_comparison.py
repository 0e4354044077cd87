"""A comparison, or a family of them, for machines: JSON and CSV, nothing rounded, every flipped case."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from gar_metrics.comparing import Family
from gar_metrics.comparison_notes import all_notes
from gar_metrics.errors import shown
from gar_metrics.export import csv_lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gar_metrics.comparing import Adjusted, ComparedCell, Comparison
    from gar_metrics.records import Run
    from gar_metrics.shifts import Shift

SHIFT_FIELDS = (
    "baseline_model", "baseline_folder", "treatment_model", "treatment_folder", "category", "measure", "n", "baseline",
    "treatment", "shift_pp", "ci95_low", "ci95_high", "mcnemar_p", "mcnemar_p_holm", "conversation_p",
    "conversation_p_holm", "gained", "lost", "gained_ids", "lost_ids", "warnings",
)  # fmt: skip


def comparison_record(compared: Comparison | Family) -> dict[str, object]:
    """A comparison or a family as one JSON-ready object, rates in percent, shifts in percent points.

    ``{"baseline": run, "treatment": run, "categories": {category: cell}, "overall": cell, "warnings"}``; of a family
    ``{"baseline": run, "family": {measure: number of tests}, "runs": [the same without "baseline"]}``. A run is
    ``{"model", "folder", "ruleset"}``; a cell ``{"n", "acc": shift, "gar": shift, "transitions"}``, with
    ``"gold_turn_gar"`` where it is measured, and null for what can't be compared. A shift has the fields of `Shift`,
    flips as numbers and as ``"gained_ids"`` and ``"lost_ids"``; overall ones of a family also ``"mcnemar_p_holm"`` and
    ``"conversation_p_holm"``.
    """
    baseline = {"baseline": _run(compared.baseline)}
    if not isinstance(compared, Family):
        return baseline | _treatment(compared, {})
    return baseline | {
        "family": compared.sizes,
        "runs": [
            _treatment(comparison, adjusted)
            for comparison, adjusted in zip(compared.comparisons, compared.adjusted, strict=True)
        ],
    }


def render_comparison_json(compared: Comparison | Family) -> str:
    """`comparison_record` as indented JSON in ASCII."""
    return json.dumps(comparison_record(compared), indent=2) + "\n"


def render_comparison_csv(compared: Comparison | Family) -> str:
    """One CSV row per run, category (and overall) and measure, columns `SHIFT_FIELDS`; ids joined by spaces."""
    return "".join(csv_lines(SHIFT_FIELDS, _flat(compared)))


def _run(run: Run) -> dict[str, object]:
    return {"model": run.model, "folder": shown(run.folder), "ruleset": run.ruleset}


def _treatment(comparison: Comparison, adjusted: Mapping[str, Adjusted]) -> dict[str, object]:
    return {
        "treatment": _run(comparison.treatment),
        "categories": {cell.category: _cell(cell, {}) for cell in comparison.cells},
        "overall": _cell(comparison.overall, adjusted),
        "warnings": all_notes(comparison),
    }


def _cell(cell: ComparedCell, adjusted: Mapping[str, Adjusted]) -> dict[str, object]:
    shifts = {key: _shift(shift, adjusted.get(key)) for key, shift in cell.shifts.items()}
    moves = cell.transitions
    return {
        "n": cell.n,
        "acc": None,
        **shifts,
        "transitions": moves
        and {before.value: {after.value: n for after, n in row.items()} for before, row in moves.items()},
    }


def _shift(shift: Shift, adjusted: Adjusted | None) -> dict[str, object]:
    return {
        "baseline": shift.baseline,
        "treatment": shift.treatment,
        "shift_pp": shift.shift_pp,
        "ci95": list(shift.ci95),
        "mcnemar_p": shift.mcnemar_p,
        "conversation_p": shift.conversation_p,
        **({"mcnemar_p_holm": adjusted.mcnemar_p, "conversation_p_holm": adjusted.conversation_p} if adjusted else {}),
        "gained": len(shift.gained),
        "lost": len(shift.lost),
        "gained_ids": list(shift.gained),
        "lost_ids": list(shift.lost),
    }


def _flat(compared: Comparison | Family) -> Iterator[dict[str, object]]:
    if isinstance(compared, Family):
        members = list(zip(compared.comparisons, compared.adjusted, strict=True))
    else:
        members = [(compared, {})]
    for comparison, adjusted in members:
        warnings = "; ".join(all_notes(comparison))
        for cell in (*comparison.cells, comparison.overall):
            for key, shift in cell.shifts.items():
                low, high = shift.ci95
                yield {
                    "baseline_model": comparison.baseline.model,
                    "baseline_folder": shown(comparison.baseline.folder),
                    "treatment_model": comparison.treatment.model,
                    "treatment_folder": shown(comparison.treatment.folder),
                    "category": cell.category,
                    "measure": key,
                    "n": cell.n,
                    **_shift(shift, adjusted.get(key) if cell is comparison.overall else None),
                    "ci95_low": low,
                    "ci95_high": high,
                    "warnings": warnings,
                }
