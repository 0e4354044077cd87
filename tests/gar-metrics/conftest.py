"""Builders of small BFCL trees: real files, as upstream would write them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

CALL = [{"ls": '{"a": true}'}]
NEUTRAL = "The folder holds two files."
GOLD_EMISSIONS = {"base": CALL, "long_context": CALL, "miss_func": "I cannot do that.", "miss_param": "Which file?"}
FILE_NAME = "BFCL_{version}_multi_turn_{category}_{kind}.json"


def _write_lines(path: Path, records: Iterable[object]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def _write_run(
    folder: Path,
    cells: Mapping[str, Sequence[tuple[bool, bool]]],
    *,
    scores: Path | None = None,
    version: str = "v4",
    score_version: str | None = None,
) -> Path:
    for category, verdicts in cells.items():
        ids = [f"multi_turn_{category}_{number}" for number in range(len(verdicts))]
        rows = [
            {"id": case_id, "result": [[GOLD_EMISSIONS[category] if gold else "", NEUTRAL]]}
            for case_id, (gold, _) in zip(ids, verdicts, strict=True)
        ]
        _write_lines(folder / FILE_NAME.format(version=version, category=category, kind="result"), rows)
        if scores:
            failing = [{"id": case_id} for case_id, (_, passed) in zip(ids, verdicts, strict=True) if not passed]
            correct, total = len(ids) - len(failing), len(ids)
            head = {"accuracy": correct / total, "correct_count": correct, "total_count": total}
            name = FILE_NAME.format(version=score_version or version, category=category, kind="score")
            _write_lines(scores / name, [head, *failing])
    return folder


@pytest.fixture(scope="session")
def write_lines() -> Callable[..., Path]:
    """``write_lines(path, records)`` writes JSON lines and the folders above them, and returns the path."""
    return _write_lines


@pytest.fixture(scope="session")
def write_run() -> Callable[..., Path]:
    """Write a model's files and return its folder.

    ``write_run(folder, {category: [(gold emitted, passed), ...]}, scores=folder)``: the cases are numbered from 0,
    and every one emits a neutral text, with the gold class before it where asked.
    """
    return _write_run
