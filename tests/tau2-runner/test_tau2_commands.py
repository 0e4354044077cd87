"""The command line: every command on a small run, files that are written, and what goes wrong, on one line."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from tau2_runner.cli import main

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

Command = tuple[int, str, str]


@pytest.fixture
def tau2_runner(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Command]:
    """Runs the command in this process: its status, standard output and standard error."""
    monkeypatch.delenv("TAU2_DATA_DIR", raising=False)

    def run(*arguments: object) -> Command:
        monkeypatch.setattr(sys, "argv", ["tau2-runner", *map(str, arguments)])
        with pytest.raises(SystemExit) as end:
            main()
        captured = capsys.readouterr()
        return int(end.value.code or 0), captured.out, captured.err

    return run


@pytest.fixture
def run_file(shop: Any) -> Path:
    """A run of two tasks."""
    return shop.run(
        [
            shop.simulation(
                "write", 1.0, shop.says(None, shop.cancel), shop.says("It has been cancelled.\tNow.\n\x1b[2JBye!")
            ),
            shop.simulation("refuse", 0.0, shop.says("I cannot do that.")),
        ]
    )


def test_breakdown(shop: Any, run_file: Path, tmp_path: Path, tau2_runner: Callable[..., Command]) -> None:
    """Text or Markdown on standard output, JSON and CSV in files; `-` puts one of them on standard output instead."""
    files = {"--json": tmp_path / "b.json", "--csv": tmp_path / "b.csv"}
    options = [part for pair in files.items() for part in pair]
    status, text, _ = tau2_runner("breakdown", shop.runs, "--tau2-root", shop.root, *options)
    assert (status, text.splitlines()[0]) == (0, "tau2_shop_m_baseline")
    assert json.loads(files["--json"].read_text(encoding="utf-8"))[0]["pass_at_1"] == 0.5
    assert files["--csv"].read_text(encoding="utf-8").startswith("run,domain,model,method,row,n,")
    _, markdown, _ = tau2_runner("breakdown", run_file, "--tau2-root", shop.root, "--md")
    assert markdown.startswith("| run | class | n |")
    _, output, _ = tau2_runner("breakdown", run_file, "--tau2-root", shop.root, "--json", "-")
    assert output == files["--json"].read_text(encoding="utf-8")


def test_root_from_the_environment(
    shop: Any, run_file: Path, tau2_runner: Callable[..., Command], monkeypatch: pytest.MonkeyPatch
) -> None:
    """tau2's own variable names the data folder where no option does."""
    monkeypatch.setenv("TAU2_DATA_DIR", str(shop.root / "data"))
    status, text, _ = tau2_runner("breakdown", run_file)
    assert (status, text.splitlines()[1]) == (0, "shop, m, baseline")


def test_tasks_and_audit(shop: Any, tau2_runner: Callable[..., Command]) -> None:
    """Classes and rewards of a domain, as tables and as JSON."""
    status, text, _ = tau2_runner("tasks", "--tau2-root", shop.root)
    assert (status, text.splitlines()[1].split()) == (0, ["shop", "4", "2", "2", "2"])
    _, record, _ = tau2_runner("tasks", "--tau2-root", shop.root, "--json", "-")
    assert json.loads(record)["shop"]["quiet"] == ["REFUSE", "ASK"]
    _, text, _ = tau2_runner("reward-audit", "--tau2-root", shop.root)
    assert "  right outcome leaves the database unchanged (3): read refuse quiet" in text.splitlines()
    _, record, _ = tau2_runner("reward-audit", "--tau2-root", shop.root, "--json", "-")
    assert json.loads(record)[0]["write_tools"] == ["cancel"]


def test_ask_subset(run_file: Path, tmp_path: Path, tau2_runner: Callable[..., Command]) -> None:
    """Labels of one's own replace the released ones."""
    labels = tmp_path / "labels.jsonl"
    label = {"domain": "shop", "task_id": "write", "label": "valid", "in_paper_ask_subset": False}
    labels.write_text(json.dumps(label), encoding="utf-8")
    status, record, _ = tau2_runner("ask-subset", run_file, "--labels", labels, "--json", "-")
    nothing = {"n": 0, "gar": None, "acc": None, "delta": None}
    found = {"n": 1, "gar": 0.0, "acc": 100.0, "delta": -100.0}
    assert (status, json.loads(record)) == (
        0,
        [{"run": "tau2_shop_m_baseline", "domain": "shop", "all": found, "paper": nothing, "valid": found}],
    )
    _, text, _ = tau2_runner("ask-subset", run_file)
    assert text.splitlines()[1].split() == ["tau2_shop_m_baseline", "all", "0", *"----", "-"][:8]


def test_passk(run_file: Path, tau2_runner: Callable[..., Command]) -> None:
    """Any k can be asked for; where no task has so many trials there is no rate."""
    status, text, _ = tau2_runner("passk", run_file, "-k", "1, 3")
    rows = [line.split() for line in text.splitlines()[1:3]]
    assert (status, rows) == (
        0,
        [
            ["tau2_shop_m_baseline", "1", "2", "0", "50.0", "0.0", "to", "100.0"],
            ["tau2_shop_m_baseline", "3", "0", "2", "-", "-"],
        ],
    )
    _, record, _ = tau2_runner("passk", run_file, "--json", "-")
    assert [(value["k"], value["rate"]) for value in json.loads(record)[0]["pass_k"]] == [
        (1, 0.5),
        (2, None),
        (4, None),
    ]


def test_compare(shop: Any, run_file: Path, tau2_runner: Callable[..., Command]) -> None:
    """Both rates, the difference, and the flips."""
    other = shop.run([shop.simulation("write", 0.0), shop.simulation("refuse", 0.0)], name="tau2_shop_n_baseline")
    status, text, _ = tau2_runner("compare", run_file, other)
    assert status == 0
    assert "difference -50.0 pp" in text
    assert {"gained (0): -", "lost (1): write/0"} <= set(text.splitlines())
    _, record, _ = tau2_runner("compare", run_file, other, "--json", "-")
    assert (json.loads(record)["mcnemar_p"], json.loads(record)["lost"]) == (1.0, [["write", 0]])


def test_show(run_file: Path, tau2_runner: Callable[..., Command]) -> None:
    """A conversation with its classes, calls and checks; what a model wrote can't steer the terminal."""
    status, text, _ = tau2_runner("show", run_file, "write")
    assert (status, text.splitlines()) == (
        0,
        [
            "tau2_shop_m_baseline, task write, trial 0, simulation write-0",
            "pass, reward 1.0, scored by DB, ended by user_stop",
            "",
            "[0] assistant  TOOL_CALL",
            '  -> cancel({"id": "A"})',
            "",
            "[1] assistant  CONFIRM",
            "  It has been cancelled.    Now.",
            r"  \x1b[2JBye!",
            "",
            "reference actions",
            "  done     look({})",
            '  done     cancel({"id": "A"})',
        ],
    )


BAD = [
    (["breakdown", "{runs}", "--tau2-root", "{root}/none"], "none: --tau2-root: no such folder"),
    (["breakdown", "{runs}", "--tau2-root", "{runs}"], "--tau2-root: no <domain>/tasks.json here"),
    (["breakdown", "{runs}/none", "--tau2-root", "{root}"], "none: no such file or folder"),
    (["breakdown", "{runs}"], "Missing option '--tau2-root'"),
    (["breakdown", "--tau2-root", "{root}"], "Missing argument 'RUN...'"),
    (["breakdown", "{runs}", "--tau2-root", "{root}", "--json", "{root}"], "can't be written: Is a directory"),
    (["passk", "{runs}", "-k", "0"], "-k: expected whole numbers from 1, separated by commas, got '0'"),
    (["passk", "{runs}", "-k", "1,x"], "-k: expected whole numbers from 1"),
    (["passk", "{runs}", "-k", "9" * 5000], "-k: expected whole numbers from 1"),
    (["breakdown", "", "--tau2-root", "{root}"], "RUN: an empty path names nothing"),
    (["show", "", "write"], "RUN: an empty path names nothing"),
    (
        ["breakdown", "{runs}", "--tau2-root", "{root}", "--json", "-", "--csv", "-"],
        "--json and --csv: only one of them can go to standard output",
    ),
    (["show", "{runs}", "other"], "results.json: has no task other"),
    (["show", "{runs}", "write", "3"], "results.json: has no trial 3 of task write; there are: 0"),
    (["ask-subset", "{runs}", "--labels", "{runs}"], "can't be read: Is a directory"),
    (["compare", "{runs}"], "Missing argument 'B'"),
    (["nothing"], "No such command 'nothing'"),
]


@pytest.mark.parametrize(("arguments", "message"), BAD)
def test_faults(
    shop: Any, run_file: Path, tau2_runner: Callable[..., Command], arguments: list[str], message: str
) -> None:
    """What a user can mend ends as one line with status 2 and nothing on standard output."""
    filled = [argument.format(runs=shop.runs, root=shop.root) for argument in arguments]
    status, output, error = tau2_runner(*filled)
    assert (status, output, error.count("\n")) == (2, "", 1)
    assert error.startswith("tau2-runner: ")
    assert message in error


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"info": {"environment_info": {"domain_name": "mall"}}},
            "domain_name: no domain 'mall' in {root}/data/tau2/domains; there are: shop",
        ),
        ({"tasks": []}, "results.json: tasks: holds no tasks"),
        ({"simulations": []}, "results.json: simulations: holds no simulations"),
        ({"simulations": None}, "results.json: simulations: expected a list, found null"),
        ({"info": None}, "results.json: info: expected an object, found null"),
    ],
)
def test_bad_runs(shop: Any, tau2_runner: Callable[..., Command], change: dict[str, Any], message: str) -> None:
    """A run of another domain, without tasks or without a key: the line names file and field."""
    path = shop.run([shop.simulation("write")], **change)
    status, output, error = tau2_runner("breakdown", path, "--tau2-root", shop.root)
    assert (status, output, error.count("\n")) == (2, "", 1)
    assert f"{path}: " in error
    assert message.format(root=shop.root) in error


def test_a_task_of_another_domain(shop: Any, tau2_runner: Callable[..., Command]) -> None:
    """A simulation of a task that is nowhere has no class: the line names it."""
    path = shop.run([{**shop.simulation("write"), "task_id": "99"}])
    status, _, error = tau2_runner("breakdown", path, "--tau2-root", shop.root)
    assert status == 2
    assert "results.json: simulations[0].task_id: '99' is no task of shop, neither in --tau2-root nor in" in error


def test_broken_tasks(shop: Any, run_file: Path, tau2_runner: Callable[..., Command]) -> None:
    """Tasks that are cut off, or none: the line names their file."""
    tasks = shop.root / "data" / "tau2" / "domains" / "shop" / "tasks.json"
    for content, message in (("[", "shop/tasks.json:1: invalid JSON"), ("[]", "shop/tasks.json: holds no tasks")):
        tasks.write_text(content, encoding="utf-8")
        status, _, error = tau2_runner("breakdown", run_file, "--tau2-root", shop.root)
        assert (status, error.count("\n")) == (2, 1)
        assert message in error


def test_analysis_needs_no_tau2(shop: Any, run_file: Path) -> None:
    """No command that reads results imports tau2, nor what only running needs."""
    code = (
        "import sys, tau2_runner.cli as cli\n"
        f"sys.argv = ['tau2-runner', 'breakdown', {str(run_file)!r}, '--tau2-root', {str(shop.root)!r}]\n"
        "try:\n    cli.main()\nfinally:\n"
        "    assert not {'tau2', 'openai', 'litellm', 'tau2_runner.running'} & sys.modules.keys()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.startswith("tau2_shop_m_baseline\n")


def test_help_and_version(tau2_runner: Callable[..., Command]) -> None:
    """All commands are listed, also where none is given."""
    status, output, _ = tau2_runner("--help")
    assert status == 0
    assert tau2_runner() == (0, output, "")
    commands = {line.split()[0] for line in output.partition("Commands:")[2].splitlines() if line.strip()}
    analysis = {"tasks", "breakdown", "ask-subset", "reward-audit", "passk", "compare", "show"}
    assert commands >= analysis | {"run", "install-benchmark"}
    assert tau2_runner("--version")[1].startswith("tau2-runner 0.")
