"""Where the files of a run lie: BFCL's own layout below one directory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

from bfcl_runner.tracks import file_category, track_of

if TYPE_CHECKING:
    from pathlib import Path

FILE_PREFIX = "BFCL_v4_"
RUN_RECORD = "run.json"
GOLD_TURNS = "gold_turns.json"


def model_directory(model: str) -> str:
    """The name of a model's folder, one per model: letters, digits and ``-._~`` stay, the rest is %-encoded.

    So is a dot at the beginning, which would lead out of the directory or hide the folder.
    """
    name = quote(model, safe="")
    return f"%2E{name[1:]}" if name.startswith(".") else name


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

    @property
    def summary(self) -> Path:
        """The file with the run's figures; beside it lies the same as Markdown."""
        return self.root / "summary.json"

    @property
    def gold_turns(self) -> Path:
        """The file that says which turn of each case calls for the gold class."""
        return self.root / GOLD_TURNS

    @property
    def results(self) -> Path:
        """The folder of the model's result files."""
        return self.root / "result" / model_directory(self.model)

    def result(self, category: str) -> Path:
        """The result file of a category."""
        return self._file("result", category)

    def score(self, category: str) -> Path:
        """The score file of a category."""
        return self._file("score", category)

    def _file(self, kind: str, category: str) -> Path:
        folder = self.root / kind / model_directory(self.model) / track_of(category).folder
        return folder / f"{FILE_PREFIX}{file_category(category)}_{kind}.json"
