"""Probes of other distributions: the worked example of the documentation, and what can be wrong with one."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from typing import TYPE_CHECKING

import pytest

from calibration_probes import ProbeError, Proceed, Retry, find_probe, installed_probes
from calibration_probes.cli import main

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from calibration_probes import Decision, ProbeStack

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

SCRIPTS = "Scripts" if os.name == "nt" else "bin"
SAID = "You say it is done. Is it? Observed so far:\nfilesystem.last_path_transition.destination: archive\n"
SUMMARY = "at a turn's first claim to be done, ask to compare it with the observed state (from claim-check-probe)"


def _distribution(folder: Path, name: str, entries: str) -> None:
    """The traces that an installer leaves of a distribution with some entry points."""
    info = folder / f"{name.replace('-', '_')}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[calibration_probes]\n{entries}")


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder on the path that modules and distributions can be put into."""
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


@pytest.fixture
def example(repository: Path, site: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The documentation's probe, found by its entry point."""
    root = repository / "docs" / "third-party-probe"
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    entries = project["entry-points"]["calibration_probes"]
    _distribution(site, project["name"], "".join(f"{name} = {value}\n" for name, value in entries.items()))
    monkeypatch.syspath_prepend(str(root / "src"))
    monkeypatch.delitem(sys.modules, "claim_check", raising=False)
    return root


@pytest.mark.usefixtures("example")
def test_example_is_listed_and_shown(capsys: pytest.CaptureFixture[str]) -> None:
    """The commands treat it like the package's own, and say where it comes from."""
    assert main(["list"]) == 0
    assert [
        line.split("  ", 1)[1].strip() for line in capsys.readouterr().out.splitlines() if "claim_check" in line
    ] == [SUMMARY]
    assert main(["show", "claim_check"]) == 0
    assert capsys.readouterr().out.startswith(SAID)


@pytest.mark.usefixtures("example")
def test_example_acts(play: Callable[..., list[list[Decision]]], make_stack: Callable[..., ProbeStack]) -> None:
    """It acts at its seam, alone and beside others, and not at all when passive."""
    script = [("u", ["All done.", "All done."]), ("u", ["Which one?"])]
    turns = play(make_stack("claim_check:v1"), script)
    assert [[type(decision) for decision in turn] for turn in turns] == [[Retry, Proceed], [Proceed]]
    turns = play(make_stack("claim_check", "sri:ablation_no_recon"), [("u", ["All done."] * 3)])
    assert [isinstance(decision, Retry) and decision.drop_reply for decision in turns[0]] == [False, True, False]
    assert play(make_stack("claim_check", mode="passive_log"), script) == [[Proceed()], [Proceed()]]


def test_readme_of_the_example(repository: Path, example: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What its README shows is what happens."""
    shown = (example / "README.md").read_text(encoding="utf-8").partition("$ calibration-probes show claim_check\n")[2]
    assert main(["show", "claim_check"]) == 0
    assert capsys.readouterr().out == shown.partition("```")[0]


def test_two_distributions_with_one_name(site: Path) -> None:
    """Which of them is meant can't be known."""
    _distribution(site, "another", "sri = another:SRI\n")
    with pytest.raises(ProbeError, match=r"^probe sri is brought by another and by calibration-probes: remove one$"):
        find_probe("sri")


@pytest.mark.parametrize(
    ("source", "complaint"),
    [
        (None, "probe odd of odd-probe can't be loaded: ModuleNotFoundError: No module named 'odd_probe'"),
        ("1 / 0", "probe odd of odd-probe can't be loaded: ZeroDivisionError: division by zero"),
        ("Odd = 7", "probe odd of odd-probe can't be used: it has no variants"),
        ("class Odd: variants = {}", "probe odd of odd-probe can't be used: it has no variants"),
    ],
)
def test_broken_probes(
    site: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    source: str | None,
    complaint: str,
) -> None:
    """A probe that can't be used is one line, and keeps nobody from using the others."""
    monkeypatch.delitem(sys.modules, "odd_probe", raising=False)
    if source:
        (site / "odd_probe.py").write_text(source)
    _distribution(site, "odd-probe", "odd = odd_probe:Odd\n")
    assert main(["show", "odd"]) == 2
    assert capsys.readouterr().err == f"calibration-probes: {complaint}\n"
    assert main(["list"]) == 0
    out = capsys.readouterr().out
    assert complaint in out
    assert "sri:v1" in out
    assert [probe.name for probe in installed_probes() if probe.name in ("cri", "odd", "sri")] == ["cri", "odd", "sri"]


@pytest.mark.network
def test_example_as_installed(repository: Path, tmp_path: Path) -> None:
    """Built and installed into an environment of its own, it is found there."""
    venv.create(tmp_path / "environment", with_pip=True)
    scripts = tmp_path / "environment" / SCRIPTS
    folders = ("packages/action-classifier", "packages/probes", "docs/third-party-probe")
    outside = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    install = [scripts / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*map(str, install), *(str(repository / folder) for folder in folders)], check=True, env=outside)
    shown = subprocess.run(
        [scripts / "calibration-probes", "show", "claim_check"], check=True, env=outside, capture_output=True, text=True
    )
    assert shown.stdout.startswith(SAID)
