"""Runs from paths: found, read and counted in one call."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from gar_metrics.discover import discover
from gar_metrics.errors import GarError
from gar_metrics.read import read_results, read_score
from gar_metrics.table import build_cell, build_run

if TYPE_CHECKING:
    from collections.abc import Iterable
    from os import PathLike

    from gar_metrics.records import CategoryFiles, Cell, Run


def load_runs(
    paths: Iterable[str | PathLike[str]] = (),
    *,
    results: str | PathLike[str] | None = None,
    scores: str | PathLike[str] | None = None,
    ruleset: str = "paper",
) -> tuple[Run, ...]:
    """Every run below the paths, ready to be rendered.

    Args:
        paths: Result files and folders, as `discover` takes them. A single path is given as a list of one.
        results: A results folder whose scores lie elsewhere, in ``scores``.
        scores: The score folder that belongs to ``results``.
        ruleset: How emissions are classified; one of `action_classifier.RULESETS`.

    Raises:
        GarError: Nothing is found, a path is empty, or a file can't be read right; the message is one line.
    """
    found = discover(
        [_path(path, "PATH") for path in paths],
        results=None if results is None else _path(results, "--results"),
        scores=None if scores is None else _path(scores, "--scores"),
    )
    return tuple(
        build_run(run.model, ruleset, run.folder, (load_cell(files, ruleset) for files in run.files)) for run in found
    )


def load_cell(files: CategoryFiles, ruleset: str = "paper") -> Cell:
    """One category, read and counted.

    Raises:
        GarError: One of its files can't be read right.
    """
    score = read_score(files.score, files.category) if files.score else None
    return build_cell(read_results(files.results, files.category, ruleset), score)


def _path(given: str | PathLike[str], name: str) -> Path:
    # `Path("")` is the working directory, which an empty shell variable doesn't mean.
    if not os.fspath(given):
        what = "an empty path names nothing; the working directory is ."
        raise GarError(what, field=name)
    return Path(given)
