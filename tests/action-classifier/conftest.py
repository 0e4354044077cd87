"""The reference data of ruleset paper."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(scope="session")
def edge_cases(shared_data: Path) -> dict[str, list[dict[str, Any]]]:
    """Hand-picked corners of the paper's rules, by topic."""
    cases: dict[str, list[dict[str, Any]]] = json.loads((shared_data / "parity/edge_cases.json").read_bytes())
    return cases


@pytest.fixture(scope="session")
def labelled_emissions(shared_data: Path) -> list[dict[str, Any]]:
    """Emissions with the class that ruleset paper gives them, or null."""
    return [json.loads(line) for line in (shared_data / "parity/emissions.jsonl").read_bytes().splitlines()]


@pytest.fixture(scope="session")
def written_emissions() -> list[dict[str, str]]:
    """Emissions written for this project, with the label of their main act by the rubric of the labelled file."""
    path = Path(__file__).with_name("written_emissions.jsonl")
    return [json.loads(line) for line in path.read_bytes().splitlines()]
