"""Runs from paths: found, read and counted in one call."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from gar_metrics.classes import Reader
from gar_metrics.discover import discover
from gar_metrics.errors import GarError
from gar_metrics.gold_turns import read_gold_turns
from gar_metrics.read import read_results, read_score
from gar_metrics.table import build_cell, build_run

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from os import PathLike

    from gar_metrics.records import CategoryFiles, Cell, Run, RunFiles


def load_runs(
    paths: Iterable[str | PathLike[str]] = (),
    *,
    results: str | PathLike[str] | None = None,
    scores: str | PathLike[str] | None = None,
    ruleset: str = "paper",
    gold_turns: str | PathLike[str] | None = None,
) -> tuple[Run, ...]:
    """Every run below the paths, ready to be rendered.

    Args:
        paths: Result files and folders, as `discover` takes them. A single path is given as a list of one.
        results: A results folder whose scores lie elsewhere, in ``scores``.
        scores: The score folder that belongs to ``results``.
        ruleset: How emissions are classified; one of `action_classifier.RULESETS`.
        gold_turns: An index of gold turns (see `read_gold_turns`) for all runs. By default each run's own is read, from
            its directory, if there is one.

    Raises:
        GarError: Nothing is found, a path is empty, or a file can't be read right; the message is one line.
    """
    found = discover(
        [_path(path, "PATH") for path in paths],
        results=None if results is None else _path(results, "--results"),
        scores=None if scores is None else _path(scores, "--scores"),
    )
    index = None if gold_turns is None else read_gold_turns(_path(gold_turns, "--gold-turns"))
    reader = Reader(ruleset)
    return tuple(_load_run(run, reader, index) for run in found)


def load_cell(files: CategoryFiles, ruleset: str = "paper", gold_turns: Mapping[str, int] | None = None) -> Cell:
    """One category, read and counted; ``gold_turns`` as `build_cell` takes them.

    Raises:
        GarError: One of its files can't be read right.
    """
    return _load_cell(files, Reader(ruleset), gold_turns)


def _load_run(run: RunFiles, reader: Reader, gold_turns: Mapping[str, int] | None) -> Run:
    if gold_turns is None and run.gold_turns is not None:
        gold_turns = read_gold_turns(run.gold_turns)
    cells = (_load_cell(files, reader, gold_turns) for files in run.files)
    return build_run(run.model, reader.ruleset, run.folder, cells)


def _load_cell(files: CategoryFiles, reader: Reader, gold_turns: Mapping[str, int] | None) -> Cell:
    score = read_score(files.score, files.category) if files.score else None
    results = read_results(files.results, files.category, reader=reader)
    return build_cell(results, score, gold_turns)


def _path(given: str | PathLike[str], name: str) -> Path:
    # `Path("")` is the working directory, which an empty shell variable doesn't mean.
    if not os.fspath(given):
        what = "an empty path names nothing; the working directory is ."
        raise GarError(what, field=name)
    return Path(given)
