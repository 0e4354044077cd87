"""Where the shared reference data lies, for the tests that compare with it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

PARITY = Path(__file__).resolve().parents[3] / "shared" / "data" / "parity"


@pytest.fixture(scope="session")
def edge_cases() -> dict[str, list[dict[str, Any]]]:
    """Hand-picked corners of the paper's rules, by topic."""
    path = PARITY / "edge_cases.json"
    if not path.is_file():
        pytest.skip("shared/data/parity is not beside the repository")
    cases: dict[str, list[dict[str, Any]]] = json.loads(path.read_text(encoding="utf-8"))
    return cases


@pytest.fixture(scope="session")
def labelled_emissions() -> list[dict[str, Any]]:
    """Emissions with the class that ruleset paper gives them, or null."""
    path = PARITY / "emissions.jsonl"
    if not path.is_file():
        pytest.skip("shared/data/parity is not beside the repository")
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
