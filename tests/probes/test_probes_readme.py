"""What the README and the package's docstring show is what happens."""

from __future__ import annotations

import doctest
import json
import re
from typing import TYPE_CHECKING, Any

import pytest

import calibration_probes
from calibration_probes.cli import main

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def readme(repository: Path) -> str:
    """The README's text."""
    return (repository / "packages/probes/README.md").read_text(encoding="utf-8")


def test_listing(readme: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The probes shown are the package's own."""
    assert main(["list"]) == 0
    own = [line for line in capsys.readouterr().out.splitlines() if line.startswith(("sri:", "cri:"))]
    shown = readme.partition("$ calibration-probes list\n")[2].partition("```")[0]
    assert [line.split(None, 1) for line in own] == [line.split(None, 1) for line in shown.splitlines()]


def test_conversation_and_its_events(readme: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The example runs as shown, and so does the command on its events."""
    names: dict[str, Any] = {}
    example = doctest.DocTestParser().get_doctest(readme, names, "README", None, 0)
    assert doctest.DocTestRunner().run(example, clear_globs=False).failed == 0
    log = tmp_path / "log.jsonl"
    log.write_text("".join(json.dumps(event) + "\n" for event in example.globs["events"]))
    assert main(["events", str(log)]) == 0
    assert capsys.readouterr().out == readme.partition("```text\n")[2].partition("```")[0]


def test_docstring() -> None:
    """The example in the package's docstring is true."""
    assert doctest.testmod(calibration_probes) == (0, 6)


def test_public_names(readme: str) -> None:
    """The README names everything that the package exports, and the exports exist."""
    named = set(re.findall(r"`(\w+)`", readme.partition("## Names")[2]))
    assert set(calibration_probes.__all__) - {"__version__"} - named == set()
    assert [name for name in calibration_probes.__all__ if not hasattr(calibration_probes, name)] == []
