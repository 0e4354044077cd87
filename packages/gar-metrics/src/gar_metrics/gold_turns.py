"""The index of gold turns: which turn of a case calls for the gold class, read from the file that a runner wrote."""

from __future__ import annotations

from typing import TYPE_CHECKING

from action_classifier import category_of
from gar_metrics.errors import GarError
from gar_metrics.jsonl import described, read_document
from gar_metrics.notes import counted

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from gar_metrics.records import Run

REMEDY = "`bfcl-runner gold-turns > FILE` writes an index, --gold-turns FILE reads it"


def read_gold_turns(path: Path) -> dict[str, int]:
    """The gold turn of each case, counted from 0, by case id.

    Args:
        path: A file with one JSON object ``{"multi_turn_miss_func_0": 1, ...}``.

    Raises:
        GarError: The file can't be read, isn't such an object, or names an id that is no multi-turn case.
    """
    document = read_document(path)
    if not isinstance(document, dict):
        what = f"expected an object of case ids and turns, found {described(document)}"
        raise GarError(what, path=path)
    for case_id, turn in document.items():
        if category_of(case_id) is None:
            what = "no multi-turn case id"
            raise GarError(what, path=path, field=case_id[:60])
        if not isinstance(turn, int) or isinstance(turn, bool):
            what = f"expected the index of a turn, found {described(turn)}"
            raise GarError(what, path=path, field=case_id)
        if turn < 0:
            what = f"expected the index of a turn, 0 or more, found {turn}"
            raise GarError(what, path=path, field=case_id)
    return document


def require_gold_turns(runs: Iterable[Run]) -> None:
    """Nothing, if the gold turn of every case is known.

    Raises:
        GarError: It isn't; the message says how to get an index.
    """
    for run in runs:
        for cell in run.cells:
            unknown = [case.id for case in cell.cases if case.gold_turn is None]
            if unknown:
                what = f"the gold turn of {counted(len(unknown), 'case')} isn't known (first: {unknown[0]}): {REMEDY}"
                raise GarError(what, path=cell.results)
