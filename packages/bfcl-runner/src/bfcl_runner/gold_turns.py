"""The index of gold turns: which turn of a multi-turn case calls for the gold class."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from bfcl_runner.files import replace_file
from bfcl_runner.tracks import MULTI_TURN

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


def gold_turns(categories: Iterable[str] = MULTI_TURN.categories) -> dict[str, int]:
    """The gold turn of every case of the categories, from 0, by case id in numeric order; see `Case.gold_turn`.

    Categories of a single turn have none.

    Raises:
        BenchmarkMissingError: bfcl-eval is absent or of another version.
    """
    chosen = [category for category in categories if category in MULTI_TURN.categories]
    return {case.id: case.gold_turn for category in chosen for case in MULTI_TURN.load(category)}


def gold_turns_document(categories: Iterable[str] = MULTI_TURN.categories) -> str:
    """`gold_turns` as one JSON object, a case a line, as gar-metrics reads it. Ends with a line end.

    Raises:
        BenchmarkMissingError: bfcl-eval is absent or of another version.
    """
    return f"{json.dumps(gold_turns(categories), indent=2)}\n"


def write_gold_turns(path: Path, categories: Iterable[str]) -> None:
    """Leaves the index of a run's categories in a file, whole cases even of a run that is limited to some.

    Raises:
        RunnerError: It can't be written.
    """
    replace_file(path, [gold_turns_document(categories).encode()])
