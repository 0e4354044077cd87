"""The pytest example of the documents, run by pytest."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def test_documented_pytest_example(repository: Path, tmp_path: Path) -> None:
    """The example of docs/pytest-example.md passes, and fails where the agent acts instead of asking."""
    document = (repository / "docs" / "pytest-example.md").read_text(encoding="utf-8")
    (source,) = re.findall(r"```python\n(.*?)```", document, re.DOTALL)
    assert _pytest(tmp_path / "test_right.py", source) == "2 passed"
    wrong = source.replace('"Which folder should I move it to?"', '"All done."')
    assert wrong != source
    assert _pytest(tmp_path / "test_wrong.py", wrong) == "1 failed, 1 passed"


def _pytest(path: Path, source: str) -> str:
    """What pytest counts at the end of a run of one file."""
    path.write_text(source, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(path.parent), str(path)]
    output = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False).stdout
    return output.splitlines()[-1].partition(" in ")[0]
