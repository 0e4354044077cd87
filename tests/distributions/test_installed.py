"""The packages as a user gets them: built, installed into an empty environment, run by their commands."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.network

FOLDERS = ("action-classifier", "gar-metrics", "probes", "bfcl-runner", "tau2-runner", "confirm-judge")
SCRIPTS = "Scripts" if os.name == "nt" else "bin"


def _run(*command: str | Path) -> str:
    """What a command prints; the test fails with the command's own words if it fails."""
    # Nothing of this test run's own environment may help the installed packages.
    outside = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False, env=outside)
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def scripts(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the commands of an environment that holds all six packages and what they depend on."""
    environment = tmp_path_factory.mktemp("environment")
    venv.create(environment, with_pip=True)
    folder = environment / SCRIPTS
    packages = [repository / "packages" / name for name in FOLDERS]
    _run(folder / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages)
    return folder


def test_commands(scripts: Path, tmp_path: Path) -> None:
    """Each command answers; the benchmark is installed by its digest and an oracle run scores 100."""
    for command in ("action-classifier", "gar", "calibration-probes", "bfcl-runner", "tau2-runner", "confirm-judge"):
        assert _run(scripts / command, "--version").split()[1] == "0.1.0"
    assert _run(scripts / "bfcl-runner", "install-benchmark") == "installed bfcl-eval 2026.3.23\n"
    assert _run(scripts / "bfcl-runner", "install-benchmark") == "bfcl-eval 2026.3.23 is installed already\n"
    assert _run(scripts / "bfcl-runner", "install-benchmark", "--quiet") == ""
    options = ("--backend", "scripted", "--agent", "oracle", "--limit", "5", "--output-dir", tmp_path / "run")
    assert "overall Acc  100.00%" in _run(scripts / "bfcl-runner", "run", *options)
    assert "overall Acc  100.00%" in _run(scripts / "gar", "table", tmp_path / "run")


def test_environment_stays_light(scripts: Path) -> None:
    """No torch, no numpy, no vendor's SDK, and far less than 150 MB, pip included."""
    installed = _run(scripts / "python", "-m", "pip", "list", "--format=freeze", "--disable-pip-version-check").lower()
    assert not {"torch", "numpy", "litellm", "anthropic", "transformers"} & set(
        installed.replace("==", "\n").split("\n")
    )
    size = sum(path.lstat().st_size for path in scripts.parent.rglob("*") if path.is_file())
    assert size < 150e6


@pytest.mark.parametrize(
    "module", ["action_classifier", "gar_metrics", "calibration_probes", "tau2_runner", "confirm_judge"]
)
def test_import_needs_nothing_heavy(scripts: Path, module: str) -> None:
    """Importing a package brings in the standard library and the house, nothing else."""
    program = f"import sys, {module}; print(*{{name.split('.')[0] for name in sys.modules}})"
    loaded = set(_run(scripts / "python", "-c", program).split())
    house = {"action_classifier", "gar_metrics", module}
    foreign = loaded - set(sys.stdlib_module_names) - house - {"__main__", "__mp_main__"}
    assert {name for name in foreign if not name.startswith("_")} <= {"site", "sitecustomize", "usercustomize"}
