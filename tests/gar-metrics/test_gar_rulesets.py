"""The same runs under several rulesets, side by side."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING

import pytest

from gar_metrics import load_runs, render_report
from gar_metrics.cli import main

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

FILE = "result/m/BFCL_v4_multi_turn_{}_result.json"
REFUSALS = ("There is no tool for that in my list, so this part stays undone.", "I cannot do that.", "All done.")
"""The first is a refusal for `extended` alone, the second for both."""


@pytest.fixture
def runs(tmp_path: Path, write_lines: Callable[..., Path]) -> Path:
    """A run with three cases of miss_func, and three of miss_param whose texts weren't recorded."""
    rows = [{"id": f"multi_turn_miss_func_{n}", "result": [[text]]} for n, text in enumerate(REFUSALS)]
    write_lines(tmp_path / FILE.format("miss_func"), rows)
    calls = [{"id": f"multi_turn_miss_param_{n}", "result": [[[{"ls": "{}"}]]]} for n in range(3)]
    write_lines(tmp_path / FILE.format("miss_param"), calls)
    for category in ("miss_func", "miss_param"):
        head = {"accuracy": 1.0, "correct_count": 3, "total_count": 3}
        write_lines(tmp_path / FILE.format(category).replace("result", "score"), [head])
    return tmp_path


def test_side_by_side(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One line per category, a column of GAR and of masked passes for each ruleset, Acc once; notes once."""
    assert main(["table", str(runs), "--ruleset", "paper,extended"]) == 0
    out = capsys.readouterr().out
    head, units, func, param = (line.split() for line in out.splitlines()[2:6])
    assert " ".join(head) == "model category gold n GAR paper GAR extended Acc masked paper masked extended"
    assert units == ["(%)"] * 5
    assert func == ["m", "miss_func", "REFUSE", "3", "33.3", "66.7", "100.0", "66.7", "33.3"]
    assert param == ["m", "miss_param", "ASK", "3", "0.0", "0.0", "100.0", "100.0", "100.0"]
    assert out.count("no text was recorded at all") == 1


@pytest.mark.parametrize(("format_", "mark"), [("md", "| GAR extended (%) |"), ("latex", "GAR extended (\\%) &")])
def test_other_pages(runs: Path, capsys: pytest.CaptureFixture[str], format_: str, mark: str) -> None:
    """Markdown and LaTeX have the same columns."""
    assert main(["table", str(runs), "--ruleset", "paper,extended", "--format", format_]) == 0
    assert mark in capsys.readouterr().out


def test_records(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """JSON and CSV have a record for each run and ruleset, which says its ruleset."""
    assert main(["table", str(runs), "--ruleset", "paper,extended", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)["runs"]
    assert [(run["ruleset"], run["categories"]["miss_func"]["gar_hits"]) for run in found] == [
        ("paper", 1),
        ("extended", 2),
    ]
    assert main(["table", str(runs), "--ruleset", "extended,paper,paper", "--format", "csv"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [row["ruleset"] for row in rows] == ["extended", "extended", "paper", "paper"]


@pytest.mark.parametrize("named", ["paper,", "paper,papr", ""])
def test_unknown_rulesets(runs: Path, capsys: pytest.CaptureFixture[str], named: str) -> None:
    """One line that names the known ones."""
    assert main(["table", str(runs), "--ruleset", named]) == 2
    assert capsys.readouterr().err.startswith("gar: --ruleset: unknown ruleset ")


def test_a_confusion_table_is_of_one_ruleset(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Correcting two rulesets by one table is refused before any file is read."""
    options = ["--ruleset", "paper,extended", "--gold-turn", "--corrected", "none.json"]
    assert main(["table", str(runs), *options]) == 2
    assert capsys.readouterr().err == "gar: --corrected: a confusion table is of one ruleset; name one\n"


def test_what_texts_would_show_is_marked(runs: Path) -> None:
    """A cell whose gold class shows in texts that nobody recorded isn't measurable; the report's sentences skip it."""
    pytest.importorskip("jinja2", reason="the report needs the extra [report]")
    (run,) = load_runs([runs])
    assert [(cell.category, cell.measurable) for cell in run.cells] == [("miss_func", True), ("miss_param", False)]
    page = render_report([run])
    assert "Of 3 passes, 2 (66.7%) are masked" in page
    assert "so this leaves out miss_param of m." in page
