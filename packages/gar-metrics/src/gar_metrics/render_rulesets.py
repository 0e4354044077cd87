"""The same runs under several rulesets, their rates side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gar_metrics.grids import Grid, Page
from gar_metrics.render import COLUMNS, GOLD_TURN_COLUMN, overall, run_labels, run_notes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gar_metrics.records import Run

SHARED = ("category", "gold", "n")
CLASSIFIED = ("GAR", "masked")
"""Names of the columns that hang on the classes, and so stand there once for every ruleset; Acc doesn't."""


def rulesets_page(runs: Mapping[str, Sequence[Run]], *, gold_turn: bool = False) -> Page:
    """A page with a row per run and category, to be written by the functions of `gar_metrics.grids`.

    Args:
        runs: By ruleset, the same runs in the same order.
        gold_turn: Whether gold-turn GAR stands beside GAR.
    """
    rulesets = tuple(runs)
    first, *_ = runs.values()
    labels = run_labels(first)
    columns = {column.name: column for column in (*COLUMNS, GOLD_TURN_COLUMN)}
    shared = [columns[name] for name in SHARED]
    acc = columns["Acc"]
    gar, masked = (columns[name] for name in CLASSIFIED)
    rates = [gar, *([GOLD_TURN_COLUMN] if gold_turn else [])]
    rows = []
    for label, *versions in zip(labels, *runs.values(), strict=True):
        for cells in zip(*(run.cells for run in versions), strict=True):
            fixed = [column.text(cells[0]) for column in shared]
            classified = [column.text(cell) for column in rates for cell in cells]
            rows.append((label, *fixed, *classified, acc.text(cells[0]), *(masked.text(cell) for cell in cells)))
    head = ["model", *SHARED]
    head += [f"{column.name} {ruleset}" for column in rates for ruleset in rulesets]
    head += [acc.name, *(f"{masked.name} {ruleset}" for ruleset in rulesets)]
    grid = Grid(
        title="",
        head=head,
        units=["", *("" for _ in SHARED), *("%" for _ in head[1 + len(SHARED) :])],
        rows=rows,
        text_columns=3,
    )
    return Page(
        heading=[("rulesets", ", ".join(rulesets))],
        grids=[grid],
        lists=[("overall Acc", [f"{label}: {overall(run)}" for label, run in zip(labels, first, strict=True)])],
        notes=_notes(labels, runs),
    )


def _notes(labels: Sequence[str], runs: Mapping[str, Sequence[Run]]) -> list[str]:
    """Each run's notes, with the ruleset where it is not true under all of them."""
    notes = []
    for place, label in enumerate(labels):
        by_ruleset = {ruleset: run_notes(versions[place]) for ruleset, versions in runs.items()}
        for note in dict.fromkeys(note for found in by_ruleset.values() for note in found):
            under = [ruleset for ruleset, found in by_ruleset.items() if note in found]
            notes.append(", ".join([label, *(under if len(under) < len(runs) else ()), note]))
    return notes
