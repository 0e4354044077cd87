"""What the README and the package's docstring show is what happens."""

from __future__ import annotations

import doctest
import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import gar_metrics
from gar_metrics.cli import main

if TYPE_CHECKING:
    from collections.abc import Iterator

README = Path(__file__).resolve().parents[2] / "packages" / "gar-metrics" / "README.md"
FILES = re.compile(r"`((?:demo|probed)/\S+\.json)`:\n\n```json\n(.*?)```", re.DOTALL)
COMMANDS = re.compile(r"```console\n\$ gar (.*?)\n(.*?)```", re.DOTALL)


@pytest.fixture
def demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The README's text, in a folder that holds the files it shows, and the repository's data."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").symlink_to(README.parents[2] / "data")
    text = README.read_text(encoding="utf-8")
    for name, content in FILES.findall(text):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    return text


def test_commands(demo: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Every command shown prints what is shown."""
    shown = COMMANDS.findall(demo)
    assert len(shown) == 5
    for arguments, output in shown:
        assert main(shlex.split(arguments)) == 0
        assert capsys.readouterr().out == output


def test_library_example(demo: str) -> None:
    """The Python example is true."""
    assert doctest.testfile(str(README), module_relative=False) == (0, 6)


def test_docstring() -> None:
    """So is the one in the package's docstring."""
    assert doctest.testmod(gar_metrics) == (0, 3)


def test_public_names(demo: str) -> None:
    """The README names everything that the package exports, and the exports exist."""
    text = demo[demo.index("## Names") :]
    exported = set(gar_metrics.__all__)
    assert {name for name in _quoted(text) if name.isidentifier()} >= exported - {"__version__", "CATEGORIES", "Listed"}
    assert [name for name in gar_metrics.__all__ if not hasattr(gar_metrics, name)] == []


def _quoted(text: str) -> Iterator[str]:
    return (match[1] for match in re.finditer(r"`([^`]+)`", text))
