"""The real runs give the reference counts, every cell."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gar_metrics import load_runs, run_records

DATA = Path(__file__).resolve().parents[2].parent / "shared" / "data"


@pytest.fixture(scope="module")
def expected() -> list[dict[str, Any]]:
    """The reference cells."""
    path = DATA / "parity" / "expected_gar.json"
    if not path.is_file():
        pytest.skip("shared/data/parity is not beside the repository")
    cells: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    return cells


@pytest.fixture(scope="module")
def measured() -> dict[tuple[str, str], dict[str, Any]]:
    """The cells that one call over the folder of runs finds, by model and category, as they are exported."""
    if not (DATA / "bfcl_runs").is_dir():
        pytest.skip("shared/data/bfcl_runs is not beside the repository")
    records: dict[str, Any] = run_records(load_runs([DATA / "bfcl_runs"]))
    return {(run["model"], category): cell for run in records["runs"] for category, cell in run["categories"].items()}


def comparable(cell: dict[str, Any]) -> dict[str, Any]:
    """A measured cell in the form of the reference: counts above 0 only, Acc as a share, absent without scores."""
    scored = {} if cell["acc"] is None else {
        "acc": cell["acc"] / 100,
        "correct": cell["correct"],
        "outcomes": {outcome: count for outcome, count in cell["outcomes"].items() if count},
    }  # fmt: skip
    return {
        "n": cell["n"],
        "gar_hits": cell["gar_hits"],
        "error_rows": cell["error_rows"],
        "cases_emitting": {action: count for action, count in cell["classes"].items() if count},
        **scored,
    }


def test_every_cell(expected: list[dict[str, Any]], measured: dict[tuple[str, str], dict[str, Any]]) -> None:
    """Hits, error rows, classes, accuracy and outcomes are exact, and no cell is missing or added."""
    reference = {
        (cell["model"], cell["category"]): {
            name: cell[name]
            for name in ("acc", "correct", "outcomes", "n", "gar_hits", "error_rows", "cases_emitting")
            if name in cell
        }
        for cell in expected
    }
    assert reference == {key: comparable(cell) for key, cell in measured.items()}
    assert len(reference) == len(expected)


def test_warnings(measured: dict[tuple[str, str], dict[str, Any]]) -> None:
    """The runs without text say so, and no other does."""
    silent = {model for (model, _), cell in measured.items() if any("can't be measured" in w for w in cell["warnings"])}
    assert silent == {"openai_gpt-oss-20b", "claude-sonnet-4-5-20250929-FC"}
