"""Runs from paths: found below folders, and read whatever their layout."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from gar_metrics.errors import GarError
from gar_metrics.jsonl import described, read_document
from gar_metrics.tau2.results import read_results
from gar_metrics.tau2.tau_bench import read_tau_bench

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gar_metrics.tau2.records import Tau2Run

RESULTS = "results.json"
RECORD = "run.json"
"""What tau2-runner writes beside the results, and before there are any."""


def find_runs(paths: Iterable[str | os.PathLike[str]]) -> tuple[Path, ...]:
    """The result files that the paths are or that lie below them, each once: in the order of the paths and of names.

    Below a folder these are the files ``results.json`` at any depth; a folder without any stands for the JSON files
    in it, as tau-bench writes them.

    Raises:
        GarError: A path doesn't exist, or leads to no result file; or no path is given.
    """
    found: dict[Path, Path] = {}
    for given in paths:
        if not os.fspath(given):
            what = "an empty path names nothing; the working directory is ."
            raise GarError(what, field="RUN")
        for file in _files(Path(given)):
            found.setdefault(file.resolve(), file)
    if not found:
        what = "nothing to read: name a RUN"
        raise GarError(what)
    return tuple(found.values())


def read_run(path: str | os.PathLike[str]) -> Tau2Run:
    """The run in a result file of tau2 or tau-bench, or in the folder of one.

    Raises:
        GarError: The path leads to no file or to several, or the file isn't one of these or is malformed; the message
            is one line that names the file and the field.
    """
    files = find_runs([path])
    if len(files) > 1:
        what = f"{len(files)} runs lie below this folder: name one of them"
        raise GarError(what, path=Path(path))
    (file,) = files
    content = read_document(file)
    if isinstance(content, dict):
        return read_results(file, _name(file), content)
    if isinstance(content, list):
        return read_tau_bench(file, _name(file), content)
    what = f"expected the results of tau2 or tau-bench, found {described(content)}"
    raise GarError(what, path=file)


def _files(path: Path) -> list[Path]:
    if path.is_file():
        return [path]
    if not path.is_dir():
        what = "no such file or folder"
        raise GarError(what, path=path)
    # In tau2's other layout a run's folder holds a folder of simulations, none of which is called results.json.
    files = sorted(path.rglob(RESULTS)) or sorted(
        file for file in path.glob("*.json") if file.is_file() and file.name != RECORD
    )
    if not files:
        what = f"no {RESULTS} in this folder"
        raise GarError(what, path=path)
    return files


def _name(file: Path) -> str:
    return file.absolute().parent.name if file.name == RESULTS else file.stem
