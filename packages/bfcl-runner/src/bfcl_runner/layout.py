"""Where the files of a run lie: BFCL's own layout below one directory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

from bfcl_runner.dataset import ID_PREFIX

if TYPE_CHECKING:
    from pathlib import Path

FILE_PREFIX = "BFCL_v4_"
RUN_RECORD = "run.json"


def model_directory(model: str) -> str:
    """The name of a model's folder, one per model: letters, digits and ``-._~`` stay, the rest is %-encoded."""
    name = quote(model, safe="")
    # Only these two names mean something else to a file system.
    return name.replace(".", "%2E") if name in (".", "..") else name


def model_name(directory: str) -> str:
    """The model of a folder that `model_directory` named."""
    return unquote(directory)


@dataclass(frozen=True, slots=True)
class RunLayout:
    """The paths of one model's run below an output directory."""

    root: Path
    model: str

    @property
    def record(self) -> Path:
        """The file that says what was run."""
        return self.root / RUN_RECORD

    def result(self, category: str) -> Path:
        """The result file of a category."""
        return self._file("result", category)

    def score(self, category: str) -> Path:
        """The score file of a category."""
        return self._file("score", category)

    def _file(self, kind: str, category: str) -> Path:
        folder = self.root / kind / model_directory(self.model) / "multi_turn"
        return folder / f"{FILE_PREFIX}{ID_PREFIX}{category}_{kind}.json"
