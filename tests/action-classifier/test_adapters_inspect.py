"""Logs that Inspect really wrote, and the scorer of docs/inspect-scorer.md, which really scored in them."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from action_classifier import adapters, classify
from action_classifier.cli import main

if importlib.util.find_spec("inspect_ai") is None:  # not imported here: it would teach this process's zipfile zstd
    pytest.skip("inspect_ai is not installed", allow_module_level=True)

pytestmark = pytest.mark.slow

CALL = [{"name": "move", "arguments": {"source": "a.txt"}}]
EMISSIONS = [
    (0, 0, CALL),
    (0, 1, "Done, a.txt is in the archive."),
    (1, 0, "Which file do you mean?"),
]


@pytest.fixture(scope="module", params=["json", "eval"])
def log(request: pytest.FixtureRequest, repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The log of a run in a process of its own, in one of Inspect's two formats."""
    folder = tmp_path_factory.mktemp(request.param)
    home = tmp_path_factory.mktemp("home")
    program = Path(__file__).with_name("inspect_task.py")
    document = repository / "docs" / "inspect-scorer.md"
    logs = folder / "logs"
    result = subprocess.run(
        [sys.executable, str(program), str(document), request.param, str(logs)],
        env=os.environ | {"HOME": str(home), "XDG_DATA_HOME": str(home)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    (path,) = logs.iterdir()
    assert path.suffix == f".{request.param}"
    return path


def test_emissions_of_a_log(log: Path) -> None:
    """Every sample and epoch gives what the model said, without reasoning, tool results and the input's examples."""
    emitted = [*adapters.inspect_log(adapters.read_inspect_log(log))]
    cases = {
        case_id: [(e.turn, e.step, e.emission) for e in emitted if e.case_id == case_id] for case_id, *_ in emitted
    }
    assert cases == dict.fromkeys(["moves", "2", "moves#2", "2#2"], EMISSIONS)


def test_one_sample(log: Path) -> None:
    """A sample alone is read as well."""
    samples: Any = adapters.read_inspect_log(log)["samples"]
    alone = [emitted for sample in samples for emitted in adapters.inspect_log(sample)]
    assert alone == [*adapters.inspect_log({"samples": samples})]


def test_log_on_the_command_line(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`classify --from inspect` reads both formats."""
    assert main(["classify", "--from", "inspect", "--ruleset", "extended", str(log)]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [row["action"] for row in rows if row["id"] == "moves"] == ["tool_call", "confirm", "ask"]


def test_documented_scorer(log: Path) -> None:
    """The scorer of the document finds the class that one sample calls for, and misses the other's."""
    if log.suffix == ".json":
        samples = json.loads(log.read_bytes())["samples"]
    else:
        adapters.read_inspect_log(log)  # makes sure that zipfile can read it
        with zipfile.ZipFile(log) as archive:
            names = [name for name in archive.namelist() if name.startswith("samples/")]
            samples = [json.loads(archive.read(name)) for name in names]
    scores = {(sample["id"], sample["epoch"]): sample["scores"]["gold_action"] for sample in samples}
    assert {place: score["value"] for place, score in scores.items()} == {
        ("moves", 1): "C",
        ("moves", 2): "C",
        (2, 1): "I",
        (2, 2): "I",
    }
    assert {score["answer"] for score in scores.values()} == {"tool_call, confirm, ask"}


def test_classes_agree_between_rulesets(log: Path) -> None:
    """Structured calls, whatever question stands beside them, are calls under every ruleset."""
    first = next(adapters.inspect_log(adapters.read_inspect_log(log)))
    assert [str(classify(first.emission, ruleset)) for ruleset in ("paper", "extended")] == ["TOOL_CALL"] * 2
