"""A run counted by hand, its domain found in every place, and the ASK subsets of runs with several trials."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Any

import pytest

from action_classifier import Action
from gar_metrics import GarError
from gar_metrics.tau2 import read_run
from tau2_runner import (
    AskLabel,
    Tau2Root,
    ask_subsets,
    audit_rewards,
    breakdown_csv,
    breakdown_json,
    breakdown_markdown,
    breakdown_text,
    build_breakdown,
    read_labels,
    task_classes,
)

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def run_file(shop: Any) -> Path:
    """Two trials of four tasks: one hit and one miss of every class, one simulation that isn't scored."""
    says, simulation = shop.says, shop.simulation
    return shop.run(
        [
            simulation("write", 1.0, says(None, shop.cancel), says("It has been cancelled.")),
            simulation("write", 0.0, says(None, shop.look), done=False, trial=1),
            simulation("read", 1.0, says("Which order?"), says(None, shop.look)),
            simulation("read", None, says("Which order?"), trial=1),
            simulation("refuse", 1.0, says("I cannot do that.")),
            simulation("refuse", 0.0, says(None, shop.cancel), trial=1),
            simulation("quiet", 1.0, says("I cannot do that."), {"role": "user", "content": "Which one? I can't."}),
            simulation("quiet", 0.0, says("What's your name?"), trial=1),
        ]
    )


def test_counts(shop: Any, run_file: Path) -> None:
    """Every scored simulation is a row; only the agent's messages and its WRITE calls count."""
    breakdown = build_breakdown(read_run(run_file), Tau2Root(shop.root))
    assert (breakdown.passed.hits, breakdown.passed.n, breakdown.unscored, breakdown.floor) == (4, 7, 1, None)
    assert {action.name: share.hits for action, share in breakdown.capability.items()} == {
        "TOOL_CALL": 4, "ASK": 2, "REFUSE": 2, "CONFIRM": 1,
    }  # fmt: skip
    cells = {a.name: (c.gar.n, c.gar.hits, c.acc.hits, c.delta) for a, c in breakdown.calibration.items()}
    assert cells == {
        "TOOL_CALL": (3, 2, 2, 0.0),
        "ASK": (3, 2, 2, 0.0),
        "REFUSE": (4, 3, 2, 0.25),
    }


def test_checks_that_were_not_recorded(shop: Any) -> None:
    """Without checks a TOOL_CALL counts as a hit in the paper's reading, and not at all in the measured one."""
    bare = {"reward": 0.0, "reward_basis": ["DB"], "action_checks": None}
    run = shop.run([shop.simulation("write", 0.0, done=False), shop.simulation("read", reward_info=bare)])
    breakdown = build_breakdown(read_run(run), Tau2Root(shop.root))
    paper, measured = breakdown.calibration[Action.TOOL_CALL], breakdown.measured
    assert (paper.gar.hits, paper.gar.n, measured.gar.hits, measured.gar.n) == (1, 2, 0, 1)
    assert breakdown.warnings[2] == (
        "TOOL_CALL: 1 of 2 simulations have no recorded action checks and count as hits, as in the paper; "
        "over the other 1 GAR is 0.0% (first: task read, trial 0)"
    )


def test_json_and_csv(shop: Any, run_file: Path) -> None:
    """JSON has the keys that were promised and no others, CSV a line per class; both hold the same rates."""
    breakdown = build_breakdown(read_run(run_file), Tau2Root(shop.root))
    (record,) = json.loads(breakdown_json([breakdown]))
    assert list(record) == [
        "run", "domain", "model", "method", "scored_simulations", "unscored_simulations", "pass_at_1", "capability",
        "calibration", "warnings",
    ]  # fmt: skip
    assert record["capability"]["confirm"] == {"tasks_with_emission": 1, "tasks_total": 7, "rate": 1 / 7}
    assert record["calibration"]["refuse"] == {
        "gar_hits": 3, "acc_hits": 2, "denom": 4, "gar": 0.75, "acc": 0.5, "delta": 0.25,
    }  # fmt: skip
    rows = {row["row"]: row for row in csv.DictReader(io.StringIO(breakdown_csv([breakdown])))}
    assert list(rows) == ["tool_call", "tool_call_measured", "ask", "refuse", "confirm"]
    assert (rows["refuse"]["gar"], rows["refuse"]["acc"], rows["confirm"]["gar"]) == ("0.75", "0.5", "")
    assert float(rows["confirm"]["capability"]) == record["capability"]["confirm"]["rate"]


def test_nothing_scored(shop: Any) -> None:
    """A run without any scored simulation has no rate, and all tables say so."""
    breakdown = build_breakdown(read_run(shop.run([shop.simulation("write", None)])), Tau2Root(shop.root))
    assert "pass@1 - (nothing is scored)" in breakdown_text([breakdown])
    (record,) = json.loads(breakdown_json([breakdown]))
    assert (record["pass_at_1"], record["calibration"]["ask"]["gar"], record["capability"]["ask"]["rate"]) == (
        None,
    ) * 3
    assert ",-" not in breakdown_csv([breakdown])


def test_names_of_a_user_stay_on_their_line(shop: Any) -> None:
    """A folder's name can't break the table: what doesn't print is escaped, pipes too in Markdown."""
    path = shop.run([shop.simulation("write")], name="tau2_shop_a|b\x1b[2J_baseline")
    breakdown = build_breakdown(read_run(path), Tau2Root(shop.root))
    assert "\x1b" not in breakdown_text([breakdown]) + breakdown_markdown([breakdown])
    assert r"| tau2_shop_a\|b\\x1b[2J_baseline | REFUSE |".replace(r"\\x", r"\x") in breakdown_markdown([breakdown])


@pytest.mark.parametrize("below", [".", "data", "data/tau2", "data/tau2/domains"])
def test_places_of_a_domain(shop: Any, below: str) -> None:
    """A checkout, its data folder, the folder in it and the folder of domains lead to the same domain."""
    root = Tau2Root(shop.root / below)
    assert root.names == ("shop",)
    assert root.domain("shop").write_tools == {"cancel"}


def test_a_domain_without_source(shop: Any) -> None:
    """Without tools.py a domain's WRITE tools come from the table; one that isn't in it can't be used."""
    source = shop.root / "src" / "tau2" / "domains" / "shop" / "tools.py"
    source.unlink()
    domain = Tau2Root(shop.root).domain("shop")
    audit = audit_rewards(domain)
    assert (audit.write_tools, audit.unchanged, audit.without_actions) == (None, None, ("refuse", "quiet"))
    with pytest.raises(
        GarError, match=r"no tools.py of shop tells its WRITE tools; known without: airline, retail, tel"
    ):
        build_breakdown(read_run(shop.run([shop.simulation("write")])), Tau2Root(shop.root))
    folder = shop.root / "data" / "tau2" / "domains"
    (folder / "shop").rename(folder / "telecom")
    domain = Tau2Root(shop.root).domain("telecom")
    assert "resume_line" in domain.known_write_tools
    assert domain.warnings == ("nothing is known here of the telecom tasks at the pinned commit: they aren't compared",)


def test_writes_of_the_user(shop: Any) -> None:
    """Where the user has tools, a reference WRITE of the user changes the state as well."""
    folder = shop.root / "data" / "tau2" / "domains" / "shop"
    tasks = json.loads((folder / "tasks.json").read_text(encoding="utf-8"))
    tasks[1]["evaluation_criteria"]["actions"] = [{"name": "toggle", "arguments": {}, "requestor": "user"}]
    (folder / "tasks.json").write_text(json.dumps(tasks), encoding="utf-8")
    assert audit_rewards(Tau2Root(shop.root).domain("shop")).unchanged == ("read", "refuse", "quiet")
    source = shop.root / "src" / "tau2" / "domains" / "shop" / "user_tools.py"
    source.write_text("@is_tool(ToolType.WRITE)\ndef toggle(): ...\n", encoding="utf-8")
    assert audit_rewards(Tau2Root(shop.root).domain("shop")).unchanged == ("refuse", "quiet")


def test_classes_of_tasks(shop: Any) -> None:
    """Reference actions or none, and a phrase that keeps something back."""
    tasks = Tau2Root(shop.root).domain("shop").tasks
    assert {number: [action.name for action in task_classes(task)] for number, task in tasks.items()} == {
        "write": ["TOOL_CALL"],
        "read": ["TOOL_CALL", "ASK"],
        "refuse": ["REFUSE"],
        "quiet": ["REFUSE", "ASK"],
    }


def test_tau_bench_tasks(tmp_path: Path, shop: Any) -> None:
    """A tau-bench file's own tasks give the classes; without them those of the same numbers do, which is said."""
    folder = shop.root / "data" / "tau2" / "domains"
    (folder / "shop").rename(folder / "retail")
    record = {"task_id": 5, "reward": 1.0, "trial": 0, "traj": [shop.says(None, {"name": "modify_user_address"})]}
    task = {"instruction": "Only reveal your name when asked.", "actions": []}
    path = tmp_path / "retail.json"
    path.write_text(json.dumps([{**record, "info": {"task": task}}]), encoding="utf-8")
    breakdown = build_breakdown(read_run(path), Tau2Root(shop.root))
    assert breakdown.floor is None
    assert {a.name: (c.gar.hits, c.gar.n) for a, c in breakdown.calibration.items()} == {
        "TOOL_CALL": (0, 0), "ASK": (0, 1), "REFUSE": (0, 1),
    }  # fmt: skip
    path.write_text(json.dumps([{**record, "task_id": "write", "info": {}}]), encoding="utf-8")
    breakdown = build_breakdown(read_run(path), Tau2Root(shop.root))
    assert breakdown.calibration[Action.TOOL_CALL].gar.n == 1
    assert "classes are those of the tau2 tasks of these numbers: it holds none" in breakdown.warnings[0]


def test_last_trial_of_a_subset(shop: Any) -> None:
    """Of several trials the last scored one counts; tasks that weren't run, and other domains, are left out."""
    run = read_run(
        shop.run(
            [
                shop.simulation("read", 1.0, shop.says("Which order?")),
                shop.simulation("read", 0.0, shop.says("Done."), trial=1),
                shop.simulation("read", None, shop.says("Which order?"), trial=2),
                shop.simulation("quiet", 1.0, shop.says("Which order?")),
            ]
        )
    )
    labels = (
        AskLabel("shop", "read", "valid", in_paper_ask_subset=True),
        AskLabel("shop", "quiet", "false_positive", in_paper_ask_subset=False),
        AskLabel("shop", "refuse", "valid", in_paper_ask_subset=True),
        AskLabel("mall", "read", "valid", in_paper_ask_subset=True),
    )
    subsets = ask_subsets(run, labels)
    assert {name: (cell.gar.hits, cell.acc.hits, cell.gar.n) for name, cell in subsets.items()} == {
        "all": (1, 1, 2),
        "paper": (0, 0, 1),
        "valid": (0, 0, 1),
    }


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "labels.jsonl:1: invalid JSON"),
        ("[]", "labels.jsonl:1: domain: expected a string"),
        ('{"domain": "a", "task_id": 1}', "labels.jsonl:1: task_id: expected a string"),
        ('{"domain": "a", "task_id": "1", "label": "valid"}', "in_paper_ask_subset: expected a truth value"),
        ('{"domain": "a", "task_id": "1", "label": "no", "in_paper_ask_subset": true}', "label: unknown label 'no'"),
        ("", "labels.jsonl: holds no labels"),
        (
            '{"domain": "a", "task_id": "1", "label": "valid", "in_paper_ask_subset": true}\n' * 2,
            "labels.jsonl: task_id: a 1 is labelled 2 times",
        ),
    ],
)
def test_labels_of_ones_own(tmp_path: Path, line: str, message: str) -> None:
    """A label file that can't be read right is named by line and field."""
    path = tmp_path / "labels.jsonl"
    path.write_text(line + "\n", encoding="utf-8")
    with pytest.raises(GarError, match=message):
        read_labels(path)
