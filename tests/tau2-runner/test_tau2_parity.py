"""The figures of three real runs, exactly."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from gar_metrics.tau2 import find_runs, read_run
from tau2_runner import Tau2Root, ask_subsets, audit_rewards, breakdown_json, build_breakdown, read_labels, task_classes
from tau2_runner.analysis.reports import audit_record, subset_record

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def expected(shared_data: Path) -> Any:
    """The expected results."""
    return json.loads((shared_data / "parity" / "expected_tau2.json").read_text(encoding="utf-8"))


@pytest.fixture
def root(shared_data: Path) -> Tau2Root:
    """The tasks at the pinned commit."""
    return Tau2Root(shared_data / "tau2_data")


def test_task_classes(root: Tau2Root, expected: Any) -> None:
    """The classes of all 164 tasks."""
    for domain, classes in expected["task_classes"].items():
        tasks = root.domain(domain).tasks
        assert {number: [action.name for action in task_classes(task)] for number, task in tasks.items()} == classes


def test_pinned_tasks(root: Tau2Root) -> None:
    """The tasks are those whose digests the package holds: there is nothing to warn of."""
    assert [root.domain(name).warnings for name in root.names] == [(), ()]


def test_reward_audit(root: Tau2Root, expected: Any) -> None:
    """What the rewards rest on."""
    for audit in expected["reward_basis_audit"]:
        record = audit_record(audit_rewards(root.domain(audit["domain"])))
        assert {**record, **audit} == record


def test_breakdown(shared_data: Path, root: Tau2Root, expected: Any) -> None:
    """Every figure of the three runs, and the keys that the JSON promises."""
    runs = [read_run(path) for path in find_runs([shared_data / "tau2_runs"])]
    rows = json.loads(breakdown_json([build_breakdown(run, root) for run in runs]))
    models = ["gpt-5.4", "gpt-oss-120b", "ft-gpt-4.1"]
    for row, other, model in zip(rows, expected["breakdown"], models, strict=True):
        assert other.pop("pass_hits") == round(row["pass_at_1"] * row["scored_simulations"])
        assert row.pop("warnings")
        assert row == {**other, "model": model}


def test_ask_subsets(shared_data: Path, expected: Any) -> None:
    """All candidates, those of the paper and the valid ones."""
    runs = [read_run(path) for path in find_runs([shared_data / "tau2_runs"])]
    assert [subset_record(run, ask_subsets(run, read_labels())) for run in runs] == expected["ask_subset"]


def test_labels_are_those_of_the_release(shared_data: Path, root: Tau2Root) -> None:
    """The labels that the package holds are the released ones, one for every candidate that the keywords find."""
    assert read_labels() == read_labels(shared_data / "released" / "tau2_ask_labels.jsonl")
    candidates = {
        (name, number)
        for name in root.names
        for number, task in root.domain(name).tasks.items()
        if "ASK" in [action.name for action in task_classes(task)]
    }
    assert {(label.domain, label.task_id) for label in read_labels()} == candidates


def test_honest_notes(shared_data: Path, root: Tau2Root) -> None:
    """What the real runs have to be read with: other versions of tasks, unmeasured calls, a floor not reached."""
    notes = {
        run.name: build_breakdown(run, root).warnings for run in map(read_run, find_runs([shared_data / "tau2_runs"]))
    }
    assert notes == {
        "tau2_airline_gpt-5.4_baseline": (
            (
                "27 of the run's 50 tasks differ from those of --tau2-root, whose classes and floor are used "
                "(first: task 2)"
            ),
        ),
        "tau2_airline_gpt-oss-120b_baseline": (
            (
                "27 of the run's 50 tasks differ from those of --tau2-root, whose classes and floor are used "
                "(first: task 2)"
            ),
            (
                "TOOL_CALL: 4 of 43 simulations have no recorded action checks and count as hits, as in the paper; "
                "over the other 39 GAR is 25.6% (first: task 9, trial 0)"
            ),
            "no more passes than an agent that does nothing gets: 23 of 50",
        ),
        "tau2_retail_ft-gpt-4.1_baseline": (
            "40 of the 114 tasks of retail were run",
            (
                "40 of the run's 40 tasks differ from those of --tau2-root, whose classes and floor are used "
                "(first: task 5)"
            ),
        ),
    }
