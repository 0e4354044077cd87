"""Ruleset paper gives what the original implementation gives, on every reference emission."""

from __future__ import annotations

from typing import Any

from action_classifier import asks, classify, normalize


def test_reference_emissions(labelled_emissions: list[dict[str, Any]]) -> None:
    """All 4,784 emissions have the expected class."""
    wrong = [row for row in labelled_emissions if row["paper"] != classify(row["emission"])]
    assert wrong == []
    assert len(labelled_emissions) > 4000


def test_edge_case_classes(edge_cases: dict[str, list[dict[str, Any]]]) -> None:
    """Every hand-picked corner has the expected class."""
    assert [row for row in edge_cases["paper"] if row["class"] != classify(row["emission"])] == []


def test_edge_case_normal_forms(edge_cases: dict[str, list[dict[str, Any]]]) -> None:
    """Every hand-picked corner has the expected normal form."""
    assert [row for row in edge_cases["normalize"] if row["normalized"] != normalize(row["emission"])] == []


def test_edge_case_asks(edge_cases: dict[str, list[dict[str, Any]]]) -> None:
    """The bare ASK test answers as expected on raw text."""
    assert [row for row in edge_cases["asks"] if row["asks"] != asks(row["text"])] == []
