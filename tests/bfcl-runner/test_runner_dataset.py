"""The runner's own loading gives upstream's entries, and running changes none of them."""

from __future__ import annotations

import copy

import pytest

from bfcl_runner import CATEGORIES, ScriptedBackend, load_cases, run_case
from bfcl_runner.agents import make_agent
from bfcl_runner.benchmark import upstream

pytestmark = pytest.mark.usefixtures("benchmark")


@pytest.mark.parametrize("category", CATEGORIES)
def test_entries_are_upstreams(category: str) -> None:
    """Every entry of upstream's loader, in numeric order, functions and withheld functions included."""
    utils = upstream("utils")
    expected = sorted(utils.load_dataset_entry(f"multi_turn_{category}"), key=utils.sort_key)
    assert len(expected) == 200
    assert [case.entry for case in load_cases(category)] == expected


@pytest.mark.parametrize("category", ["miss_func", "long_context"])
def test_running_changes_no_entry(category: str) -> None:
    """Function documents are shared between cases, so a run must leave them as they are."""
    cases = load_cases(category)[:20]
    before = copy.deepcopy([case.entry for case in cases])
    for case in cases:
        run_case(case, ScriptedBackend(make_agent("oracle")))
    assert [case.entry for case in cases] == before
