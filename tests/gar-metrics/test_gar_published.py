"""The published table of gpt-5.4 at high effort, from a synthetic run of its counts, through the command."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING

import pytest

from gar_metrics.cli import main

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

# Of 200 cases each: gold class and passed, gold class only, passed only, neither.
COUNTS = {
    "base": (114, 84, 0, 2),
    "long_context": (112, 88, 0, 0),
    "miss_func": (80, 51, 24, 45),
    "miss_param": (50, 38, 33, 79),
}
KINDS = ((True, True), (True, False), (False, True), (False, False))
PUBLISHED = {
    "base": ("99.0", "57.0"),
    "long_context": ("100.0", "56.0"),
    "miss_func": ("65.5", "52.0"),
    "miss_param": ("44.0", "41.5"),
}


@pytest.fixture
def published(tmp_path: Path, write_run: Callable[..., Path]) -> str:
    """A run directory with these counts and an index that makes the first turn of every case its gold turn."""
    cells = {
        category: [kind for kind, count in zip(KINDS, counts, strict=True) for _ in range(count)]
        for category, counts in COUNTS.items()
    }
    write_run(tmp_path / "result" / "gpt-5.4", cells, scores=tmp_path / "score" / "gpt-5.4")
    index = {f"multi_turn_{category}_{number}": 0 for category in cells for number in range(200)}
    (tmp_path / "gold_turns.json").write_text(json.dumps(index))
    return str(tmp_path)


def test_text(published: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Rates as published, and 51.625 as 51.62."""
    assert main(["table", published, "--gold-turn"]) == 0
    lines = capsys.readouterr().out.splitlines()
    rows = [line.split() for line in lines[5:9]]
    assert {row[0]: (row[3], row[5]) for row in rows} == PUBLISHED
    assert [row[4] for row in rows] == [row[3] for row in rows]  # one turn: any turn is the gold turn
    assert "overall Acc  51.62%" in lines


@pytest.mark.parametrize(
    ("form", "row", "overall"),
    [
        ("md", "| gpt-5.4 | paper | miss_func | REFUSE | 200 | 65.5 | 52.0 | +13.5 | 12.0 |", "overall Acc 51.62%"),
        ("latex", r"gpt-5.4 & miss\_func & REFUSE & 200 & 65.5 & 52.0 & +13.5 & 12.0 \\", "%   gpt-5.4: 51.62%"),
    ],
)
def test_documents(published: str, capsys: pytest.CaptureFixture[str], form: str, row: str, overall: str) -> None:
    """So in tables for documents."""
    assert main(["table", published, "--format", form]) == 0
    shown = capsys.readouterr().out
    assert row in shown.splitlines()
    assert overall in shown


def test_numbers(published: str, capsys: pytest.CaptureFixture[str]) -> None:
    """For programs nothing is rounded."""
    main(["table", published, "--format", "json"])
    (run,) = json.loads(capsys.readouterr().out)["runs"]
    assert run["overall_acc"] == 51.625
    assert {category: (str(cell["gar"]), str(cell["acc"])) for category, cell in run["categories"].items()} == PUBLISHED
    main(["table", published, "--format", "csv"])
    rows = csv.DictReader(io.StringIO(capsys.readouterr().out))
    assert {row["category"]: (row["gar"], row["acc"]) for row in rows} == PUBLISHED


def test_latex(published: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The whole tabular, for booktabs."""
    main(["table", published, "--format", "latex"])
    assert (
        capsys.readouterr().out
        == r"""% ruleset: paper

\begin{tabular}{lllrrrrr}
\toprule
model & category & gold & n & GAR (\%) & Acc (\%) & GAR-Acc (pp) & masked (\%) \\
\midrule
gpt-5.4 & base & TOOL\_CALL & 200 & 99.0 & 57.0 & +42.0 & 0.0 \\
gpt-5.4 & long\_context & TOOL\_CALL & 200 & 100.0 & 56.0 & +44.0 & 0.0 \\
gpt-5.4 & miss\_func & REFUSE & 200 & 65.5 & 52.0 & +13.5 & 12.0 \\
gpt-5.4 & miss\_param & ASK & 200 & 44.0 & 41.5 & +2.5 & 16.5 \\
\bottomrule
\end{tabular}

% overall Acc
%   gpt-5.4: 51.62%
"""
    )


def test_hostile_names_in_latex(
    tmp_path: Path, write_run: Callable[..., Path], capsys: pytest.CaptureFixture[str]
) -> None:
    """A model's name runs no command, ends no comment and adds no column."""
    write_run(tmp_path / "a&b%{\\input x}$_\n#", {"base": [(True, True)]})
    assert main(["table", str(tmp_path), "--format", "latex"]) == 0
    lines = capsys.readouterr().out.splitlines()
    (row,) = (line for line in lines if "TOOL" in line)
    assert row.startswith(r"a\&b\%\{\textbackslash{}input x\}\$\_\textbackslash{}n\# & base & TOOL\_CALL & 1 & ")
    assert [line for line in lines if "overall" not in line and "input x" in line and not line.startswith("%")] == [row]
