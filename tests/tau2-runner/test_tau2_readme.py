"""What the README and the package's docstring show is what happens."""

from __future__ import annotations

import doctest
import re
import shlex
import sys
from typing import TYPE_CHECKING

import pytest

import tau2_runner
from tau2_runner.cli import main

if TYPE_CHECKING:
    from pathlib import Path

FILES = re.compile(r"`((?:shop|runs)/\S+)`:\n\n```\w+\n(.*?)```", re.DOTALL)
COMMANDS = re.compile(r"```console\n\$ tau2-runner (.*?)\n(.*?)```", re.DOTALL)


@pytest.fixture
def readme(repository: Path) -> str:
    """The README's text."""
    return (repository / "packages/tau2-runner/README.md").read_text(encoding="utf-8")


def test_commands(
    readme: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """On the files shown, every command that reads results prints what is shown."""
    monkeypatch.chdir(tmp_path)
    files = FILES.findall(readme)
    assert len(files) == 3
    for name, content in files:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content, encoding="utf-8")
    shown = [(arguments, output) for arguments, output in COMMANDS.findall(readme) if " runs" in arguments]
    assert len(shown) == 2
    for arguments, output in shown:
        monkeypatch.setattr(sys, "argv", ["tau2-runner", *shlex.split(arguments)])
        with pytest.raises(SystemExit) as end:
            main()
        assert (end.value.code, capsys.readouterr().out) == (0, output)


def test_docstring() -> None:
    """The example in the package's docstring is true."""
    assert doctest.testmod(tau2_runner) == (0, 3)


def test_public_names(readme: str) -> None:
    """The README names everything that the package exports, and the exports exist."""
    named = set(re.findall(r"`(\w+)`", readme.partition("## Names")[2]))
    assert set(tau2_runner.__all__) - {"__version__"} - named == set()
    assert [name for name in tau2_runner.__all__ if not hasattr(tau2_runner, name)] == []
