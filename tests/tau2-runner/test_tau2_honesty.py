"""What a run's table must say: one run per note, and two runs compared."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from gar_metrics import GarError, tango
from gar_metrics.tau2 import read_run
from tau2_runner import Tau2Root, build_breakdown, compare_runs
from tau2_runner.analysis.honesty import file_warnings, label_warnings
from tau2_runner.analysis.pinned import COMMIT, NULL_AGENT_PASSES, pinned_digests
from tau2_runner.analysis.reports import pass_k_record

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

ALWAYS = "nothing is known here of the shop tasks at the pinned commit: they aren't compared"


SHUFFLED = (
    "2 of 4 scored simulations record checks of actions that aren't those of their task "
    "(first: task read, trial 0; they are those of task write: were ids shuffled?)"
)


def whole(shop: Any, **changes: Any) -> list[dict[str, Any]]:
    """A trial of each task, one of them changed."""
    return [
        {**shop.simulation(number), **(changes if number == "write" else {})}
        for number in ("write", "read", "refuse", "quiet")
    ]


def relabelled(shop: Any) -> list[dict[str, Any]]:
    """The simulations of two tasks under each other's id."""
    simulations = whole(shop)
    simulations[0]["task_id"], simulations[1]["task_id"] = "read", "write"
    return simulations


def judged(shop: Any, assertions: object) -> Path:
    """A run of a task that an assertion decides on, with this record of its judgment."""
    reward = {"reward": 1.0, "reward_basis": ["DB", "NL_ASSERTION"], "action_checks": None, "nl_assertions": assertions}
    task = shop.task("refuse", ["DB", "NL_ASSERTION"], ["It is polite.", "It is brief."])
    return shop.run([shop.simulation("refuse", reward_info=reward)], tasks=[task])


RUNS: list[tuple[Callable[[Any], Path], list[str]]] = [
    (lambda shop: shop.run(whole(shop)), []),
    (
        lambda shop: shop.run([*whole(shop, reward_info=None), shop.simulation("write", trial=1, error="boom")]),
        [
            "2 of 5 simulations aren't scored: 1 no reward, 1 error",
            "3 trials are missing (first: task read, trial 1)",
        ],
    ),
    (
        lambda shop: shop.run(whole(shop, termination_reason="infrastructure_error")),
        ["1 of 4 simulations aren't scored: 1 termination_reason infrastructure_error"],
    ),
    (
        lambda shop: shop.run(whole(shop)[1:]),
        [
            "1 of the run's 4 tasks have no simulation (first: task write)",
            "3 of the 4 tasks of shop were run",
        ],
    ),
    (
        lambda shop: shop.run([*whole(shop), shop.simulation("quiet")]),
        [
            "1 trials stand there more than once (first: task quiet, trial 0)",
            (
                "5 scored simulations of 4 tasks: those of one task aren't independent, so intervals are too narrow; "
                "passk's are over tasks"
            ),
        ],
    ),
    (
        lambda shop: shop.run(whole(shop), tasks=[shop.task("write")]),
        ["3 tasks were run that the file doesn't hold (first: task read)"],
    ),
    (
        lambda shop: shop.run(whole(shop, messages=[])),
        ["1 of 4 scored simulations hold no message of the agent and show no class (first: task write, trial 0)"],
    ),
    (
        lambda shop: shop.run(whole(shop), tasks=None),
        ["the file holds no tasks: whether they were those of --tau2-root isn't known"],
    ),
    (
        lambda shop: shop.run(whole(shop), tasks=[shop.task(n, ["ENV"]) for n in ("write", "read", "refuse", "quiet")]),
        ["4 of the run's 4 tasks differ from those of --tau2-root, whose classes are used (first: task write)"],
    ),
    (
        lambda shop: shop.run(relabelled(shop)),
        [SHUFFLED],
    ),
    (
        lambda shop: judged(shop, []),
        [
            "1 of the 4 tasks of shop were run",
            "1 of the run's 1 tasks differ from those of --tau2-root, whose classes are used (first: task refuse)",
            (
                "1 of 1 simulations that judged assertions decide on have none, which tau2 counts as all met; "
                "1 of them passed (first: task refuse, trial 0)"
            ),
        ],
    ),
    (
        lambda shop: judged(shop, [{"met": True}]),
        [
            "1 of the 4 tasks of shop were run",
            "1 of the run's 1 tasks differ from those of --tau2-root, whose classes are used (first: task refuse)",
            (
                "1 of 1 simulations that judged assertions decide on have fewer than their task asserts; "
                "1 of them passed (first: task refuse, trial 0)"
            ),
        ],
    ),
    (
        lambda shop: judged(shop, [{"met": True}, {"met": True}]),
        [
            "1 of the 4 tasks of shop were run",
            "1 of the run's 1 tasks differ from those of --tau2-root, whose classes are used (first: task refuse)",
        ],
    ),
    (
        lambda shop: shop.run(
            [{**shop.simulation("write"), "task_id": "new"}], tasks=[{**shop.task("write"), "id": "new"}]
        ),
        [
            "0 of the 4 tasks of shop were run",
            "1 of the run's 1 tasks aren't in --tau2-root (first: task new)",
        ],
    ),
    (
        lambda shop: shop.run(whole(shop), info={"num_trials": 10**12, "environment_info": {"domain_name": "shop"}}),
        ["3999999999996 trials are missing (first: task write, trial 1)"],
    ),
    (
        lambda shop: shop.run(whole(shop), name="tau2_mall_m_baseline"),
        ["the run's name speaks of mall, its file of shop: the file counts"],
    ),
]


@pytest.mark.parametrize(("write", "notes"), RUNS)
def test_notes(shop: Any, write: Callable[[Any], Path], notes: list[str]) -> None:
    """Each run is reported in plain words, and a run that is as it should be isn't."""
    breakdown = build_breakdown(read_run(write(shop)), Tau2Root(shop.root))
    assert list(breakdown.warnings) == [*notes, ALWAYS]


def as_airline(shop: Any, ids: list[str]) -> None:
    """Makes the domain one of these airline ids, each a task to refuse."""
    folder = shop.root / "data" / "tau2" / "domains"
    (folder / "shop").rename(folder / "airline")
    tasks = [{**shop.task("refuse"), "id": number} for number in ids]
    (folder / "airline" / "tasks.json").write_text(json.dumps(tasks), encoding="utf-8")


def test_floor(shop: Any) -> None:
    """What an agent that does nothing passes is counted over the simulations of the run; not to pass it is said."""
    as_airline(shop, ["0", "1", "3"])
    simulations = [
        {**shop.simulation("refuse", reward), "task_id": number}
        for number, reward in (("0", 1.0), ("1", 0.0), ("3", 0.0))
    ]
    tasks = [{**shop.task("refuse"), "id": number} for number in ("0", "1", "3")]
    info = {"environment_info": {"domain_name": "airline"}}
    path = shop.run(simulations, name="tau2_airline_m_baseline", info=info, tasks=tasks)
    breakdown = build_breakdown(read_run(path), Tau2Root(shop.root))
    assert breakdown.floor is not None
    assert (breakdown.floor.hits, breakdown.floor.n) == (2, 3)
    assert list(breakdown.warnings) == [
        "3 of the run's 3 tasks differ from those of tau2-bench a03b791, whose floor is used (first: task 0)",
        "no more passes than an agent that does nothing gets: 2 of 3",
        "tasks.json holds 3 tasks, at the pinned commit there are 50",
        "3 of the 3 tasks in tasks.json aren't those of the pinned commit (first: 0)",
    ]


def test_floors_of_the_pinned_tasks() -> None:
    """23 of 50 and 11 of 114, each a task that exists."""
    digests = pinned_digests()
    assert {name: (len(ids), len(digests[name])) for name, ids in NULL_AGENT_PASSES.items()} == {
        "airline": (23, 50),
        "retail": (11, 114),
    }
    assert all(ids <= digests[name].keys() for name, ids in NULL_AGENT_PASSES.items())


@pytest.mark.parametrize(
    ("head", "reference", "warned"),
    [
        (COMMIT, None, False),
        ("ref: refs/heads/main", COMMIT, False),
        ("0" * 40, None, True),
        ("ref: refs/heads/main", "1" * 40, True),
        ("ref: refs/heads/packed", None, False),  # not told by these files: the tasks themselves are compared
    ],
)
def test_commit_of_a_checkout(shop: Any, head: str, reference: str | None, warned: bool) -> None:
    """A checkout at another commit than the pinned one is noticed."""
    git = shop.root / ".git"
    (git / "refs" / "heads").mkdir(parents=True)
    (git / "HEAD").write_text(head + "\n", encoding="ascii")
    if reference:
        (git / "refs" / "heads" / "main").write_text(reference + "\n", encoding="ascii")
    warnings = Tau2Root(shop.root).domain("shop").warnings
    assert any("not at the pinned a03b791" in warning for warning in warnings) == warned


def test_compare(shop: Any) -> None:
    """Paired by task and trial, with the trials that flipped; what has no counterpart is left out and said."""
    first = read_run(shop.run(whole(shop, reward_info=None), name="a"))
    rewards = {"write": 1.0, "read": 0.0, "refuse": 1.0, "quiet": 0.0}
    second = read_run(shop.run([shop.simulation(number, reward) for number, reward in rewards.items()], name="b"))
    comparison = compare_runs(first, second)
    assert (comparison.baseline.hits, comparison.treatment.hits, comparison.baseline.n) == (3, 1, 3)
    assert (comparison.gained, comparison.lost) == ((), (("read", 0), ("quiet", 0)))
    assert (comparison.p, comparison.difference) == (0.5, pytest.approx(-2 / 3))
    assert (comparison.interval, comparison.bootstrapped) == (tango(0, 2, 3), False)
    assert comparison.warnings == (
        "1 scored simulations of b have no counterpart and are left out",
        "a: 1 of 4 simulations aren't scored: 1 no reward",
    )


def test_compare_trials(shop: Any) -> None:
    """With several trials of a task the interval is the bootstrap's, over tasks."""
    names = {"a": (1.0, 0.0), "b": (1.0, 1.0)}
    runs = [
        read_run(shop.run([shop.simulation("read", r, trial=t) for t, r in enumerate(rewards)], name=name))
        for name, rewards in names.items()
    ]
    comparison = compare_runs(*runs)
    assert (comparison.tasks, comparison.baseline.n, comparison.bootstrapped) == (1, 2, True)
    assert comparison.interval == (0.5, 0.5)


def test_mislabelled_runs(shop: Any) -> None:
    """Shuffled ids are said wherever tasks are told apart, with no other file than the run's."""
    run = read_run(shop.run(relabelled(shop)))
    assert file_warnings(run) == label_warnings(run, {"write"}) == (SHUFFLED,)
    assert compare_runs(run, run).warnings == tuple([f"{run.name}: {SHUFFLED}"] * 2)
    assert pass_k_record(run, [])["warnings"] == [SHUFFLED]


def test_labels_of_other_tasks(shop: Any) -> None:
    """Labels are of the tasks at the pinned commit: a labelled task of another version is said."""
    tasks = [{**shop.task("refuse"), "id": number} for number in ("0", "1", "3")]
    simulations = [{**shop.simulation("refuse"), "task_id": task["id"]} for task in tasks]
    run = read_run(shop.run(simulations, tasks=tasks, info={"environment_info": {"domain_name": "airline"}}))
    assert label_warnings(run, {"1", "2", "3"}) == (
        "2 of the 2 labelled tasks differ from those of tau2-bench a03b791: their labels may not fit (first: task 1)",
    )


def test_runs_that_cannot_be_compared(shop: Any, tmp_path: Path) -> None:
    """Other domains, other benchmarks, no trial in common."""
    run = read_run(shop.run([shop.simulation("read")], name="a"))
    other = read_run(shop.run([shop.simulation("quiet")], name="b"))
    with pytest.raises(GarError, match="shares no scored trial of a task with a"):
        compare_runs(run, other)
    path = tmp_path / "retail.json"
    path.write_text('[{"task_id": "read", "reward": 1, "traj": []}]', encoding="utf-8")
    with pytest.raises(GarError, match="is a run of tau-bench retail, a one of tau2 shop"):
        compare_runs(run, read_run(path))


def test_compare_other_setups(shop: Any) -> None:
    """Other versions of a task and another user simulator are said."""
    first = read_run(shop.run([shop.simulation("read")], name="a"))
    info = {"environment_info": {"domain_name": "shop"}, "user_info": {"llm": "v"}}
    second = read_run(shop.run([shop.simulation("read")], name="b", tasks=[shop.task("read", ["ENV"])], info=info))
    assert compare_runs(first, second).warnings == (
        "1 tasks differ between the two runs (first: read)",
        "the user simulators differ: u, v",
        "a: 3 of the run's 4 tasks have no simulation (first: task write)",
    )
