"""The examples in the documents are true."""

from __future__ import annotations

import doctest
import importlib
from typing import TYPE_CHECKING

import pytest

from bfcl_runner import BenchmarkMissingError, ModelOptions, RunPlan, Silent, require_benchmark, run
from gar_metrics import load_runs, render_combined

if TYPE_CHECKING:
    from pathlib import Path

PACKAGES_WITH_EXAMPLES = ("action-classifier", "probes", "bfcl-runner", "tau2-runner", "confirm-judge")
"""The README of gar-metrics needs files to read and is tested beside the package."""

MODULES_WITH_EXAMPLES = (
    "action_classifier",
    "action_classifier.adapters",
    "gar_metrics",
    "calibration_probes",
    "bfcl_runner",
    "tau2_runner",
    "confirm_judge",
)
QUICKSTART_AGENTS = ("oracle", "overcaller", "refuser")


@pytest.mark.parametrize("package", PACKAGES_WITH_EXAMPLES)
def test_interactive_examples(repository: Path, package: str) -> None:
    """Every ``>>>`` example of a package's README gives what is shown there, and there is one."""
    readme = repository / "packages" / package / "README.md"
    failed, attempted = doctest.testfile(str(readme), module_relative=False, encoding="utf-8")
    assert attempted > 0
    assert failed == 0


def test_quickstart_table(repository: Path, tmp_path: Path) -> None:
    """The table in the README of the repository is that of the three scripted agents over all conversations."""
    try:
        require_benchmark()
    except BenchmarkMissingError as missing:
        pytest.skip(str(missing))
    for agent in QUICKSTART_AGENTS:
        run(RunPlan(ModelOptions("scripted", agent=agent), tmp_path / agent), Silent())
    combined = render_combined(load_runs([tmp_path / agent for agent in QUICKSTART_AGENTS]))
    table = combined[combined.index("model ") :].partition("\n\n")[0]
    readme = (repository / "README.md").read_text(encoding="utf-8")
    shown = readme.partition("```text\nmodel ")[2].partition("```")[0]
    assert f"model {shown}" == f"{table}\n"


@pytest.mark.parametrize("package", [*PACKAGES_WITH_EXAMPLES, "gar-metrics"])
def test_notices(repository: Path, package: str) -> None:
    """Every package carries the notice of the repository, which its archives then hold."""
    notice = (repository / "packages" / package / "NOTICE").read_text(encoding="utf-8")
    assert (repository / "NOTICE").read_text(encoding="utf-8") == notice


@pytest.mark.parametrize("module", MODULES_WITH_EXAMPLES)
def test_docstring_examples(module: str) -> None:
    """So does every example in a package's own docstring."""
    failed, attempted = doctest.testmod(importlib.import_module(module))
    assert attempted > 0
    assert failed == 0
