"""Where results and scores lie: the BFCL v3 and v4 trees below the paths that a user names."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

from gar_metrics.errors import GarError, shown
from gar_metrics.records import CATEGORIES, CategoryFiles, RunFiles

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

RESULT_ROOTS = ("result", "results")
SCORE_ROOTS = ("score", "scores")
SUBFOLDER = "multi_turn"
"""v4 files lie in this folder of the model's folder, v3 files in the model's folder itself."""

GOLD_TURNS_NAME = "gold_turns.json"
"""The index of gold turns in a run directory, beside the results root."""

_FILE_NAME = re.compile(rf"BFCL_v[0-9]+_multi_turn_(?P<category>{'|'.join(CATEGORIES)})_(?P<kind>result|score)\.json")


def discover(paths: Iterable[Path], *, results: Path | None = None, scores: Path | None = None) -> tuple[RunFiles, ...]:
    """The runs below the paths, in the order of the paths and then of the folder names.

    A path is a result file or any folder above some: a model's folder, a results root, a run directory, a folder of
    run directories. A model's scores are looked for in its twin under a ``score`` or ``scores`` root beside the
    ``result`` or ``results`` root, and beside the result files.

    Args:
        paths: Files and folders; each must lead to at least one result file. A file reached twice counts once.
        results: A folder whose scores lie below ``scores``, under the same names.
        scores: The score folder that belongs to ``results``.

    Raises:
        GarError: Nothing is named, a path doesn't exist or leads to no result file, only one of results and scores
            is given, the pair shares no model, or a model has two files for one category.
    """
    try:
        return _discovered(paths, results, scores)
    except OSError as error:  # no permission, a name that is too long, a disk that fails
        what = f"can't be looked into: {error.strerror or error}"
        raise GarError(what, path=Path(error.filename) if error.filename else None) from error


def _discovered(paths: Iterable[Path], results: Path | None, scores: Path | None) -> tuple[RunFiles, ...]:
    if (results is None) != (scores is None):
        what = "--results and --scores go together: give both, or a PATH"
        raise GarError(what)
    runs = [_run(folder, files, _score_folders(folder)) for folder, files in _by_folder(paths).items()]
    if results is not None and scores is not None:
        runs += _paired(_above_subfolder(_absolute(results)), _above_subfolder(_absolute(scores)))
    if not runs:
        what = "nothing to read: name a PATH, or --results and --scores"
        raise GarError(what)
    return tuple(runs)


def _paired(results: Path, scores: Path) -> list[RunFiles]:
    for folder in (results, scores):
        if not folder.is_dir():
            what = "no such folder"
            raise GarError(what, path=folder)
    runs = [
        _run(folder, files, _paired_score_folders(folder, results, scores))
        for folder, files in _by_folder([results]).items()
    ]
    if not any(files.score for run in runs for files in run.files):
        what = f"no score file belongs to the results in {shown(results)}"
        raise GarError(what, path=scores)
    return runs


def _run(folder: Path, files: list[Path], score_folders: Iterable[Path]) -> RunFiles:
    results = _by_category(files, "result")
    scores = _by_category((file for place in score_folders for file in _score_files(place)), "score")
    return RunFiles(
        model=_model_name(folder),
        folder=folder,
        files=tuple(
            CategoryFiles(category, results[category], scores.get(category))
            for category in CATEGORIES
            if category in results
        ),
        gold_turns=_gold_turns(folder),
    )


def _by_category(files: Iterable[Path], kind: str) -> dict[str, Path]:
    """The one file of each category; two names that links lead to the same file are one."""
    chosen: dict[str, Path] = {}
    for file in files:
        category = _category(file, kind)
        if category and not chosen.setdefault(category, file).samefile(file):
            what = f"a second {kind} file for {category}, the first is {shown(chosen[category])}: keep one of them"
            raise GarError(what, path=file)
    return chosen


def _category(file: Path, kind: str) -> str | None:
    """The category in a file's name, or None if it isn't a multi-turn file of that kind."""
    match = _FILE_NAME.fullmatch(file.name)
    return match["category"] if match and match["kind"] == kind else None


def _by_folder(paths: Iterable[Path]) -> dict[Path, list[Path]]:
    """The result files below the paths by model folder, each once."""
    folders: dict[Path, list[Path]] = {}
    seen: set[Path] = set()
    for path in paths:
        for file in _result_files(_absolute(path)):
            # The folder is resolved, the file isn't: two models may link to one shared file.
            real = file.parent.resolve() / file.name
            if real not in seen:
                seen.add(real)
                folders.setdefault(_above_subfolder(file.parent), []).append(file)
    return folders


def _result_files(path: Path) -> list[Path]:
    """The result file that the path is, or those below it: at least one."""
    if path.is_file():
        files, missing = [path], "not named BFCL_v<digits>_multi_turn_<category>_result.json"
    elif path.is_dir():
        # Links back up are not followed: the walk would leave the folder that was named.
        files, missing = list(_walk(path, set(path.resolve().parents))), "no BFCL multi-turn result file in this folder"
    else:
        files, missing = [], "no such file or folder"
    found = [file for file in files if _category(file, "result")]
    if not found:
        raise GarError(missing, path=path)
    return found


def _walk(folder: Path, seen: set[Path]) -> Iterator[Path]:
    """Every file below the folder in name order; a folder that links lead to twice is entered once."""
    real = folder.resolve()
    if real in seen:
        return
    seen.add(real)
    entries = sorted(folder.iterdir())
    yield from (entry for entry in entries if entry.is_file())
    folders = [entry for entry in entries if entry.is_dir() and not entry.name.startswith(".")]
    # Links come last, so that a folder is known by its own name rather than as "latest".
    for entry in sorted(folders, key=Path.is_symlink):
        yield from _walk(entry, seen)


def _score_files(place: Path) -> Iterator[Path]:
    """The files of a model's score folder, in the layout of v3 and in that of v4."""
    for folder in (place, place / SUBFOLDER):
        if folder.is_dir():
            yield from (entry for entry in sorted(folder.iterdir()) if entry.is_file())


def _score_folders(folder: Path) -> list[Path]:
    """Where a model's scores may lie: the twins of its folder under the score roots, and the folder itself."""
    root = _results_root(folder)
    if root.name not in RESULT_ROOTS:
        return [folder]
    below = folder.relative_to(root)
    return [*(root.with_name(name) / below for name in SCORE_ROOTS), folder]


def _paired_score_folders(folder: Path, results: Path, scores: Path) -> list[Path]:
    """Where the scores of a model's folder below ``results`` may lie below ``scores``.

    Each of the two may be a run directory, a root with a folder per model, or the one model's folder.
    """
    tails = [folder.relative_to(results), folder.relative_to(_results_root(folder)), Path(folder.name)]
    roots = [scores, *(scores / name for name in SCORE_ROOTS)]
    itself = [scores] if scores.name == folder.name else []
    return list(dict.fromkeys([*(root / tail for root in roots for tail in tails), *itself]))


def _results_root(folder: Path) -> Path:
    """The nearest folder named as results roots are, the model's folder included; else the folder above it."""
    named = (place for place in (folder, *folder.parents) if place.name in RESULT_ROOTS)
    return next(named, folder.parent)


def _model_name(folder: Path) -> str:
    """The model that a run directory's ``run.json`` names for this folder, else the folder's own name.

    Only a heading hangs on it: a ``run.json`` that is unreadable or someone else's is passed over.
    """
    try:
        run: object = json.loads((_results_root(folder).parent / "run.json").read_bytes())
    except (OSError, ValueError, RecursionError):
        return folder.name
    model = run.get("model") if isinstance(run, dict) and run.get("model_dir") == folder.name else None
    return model if isinstance(model, str) and model else folder.name


def _gold_turns(folder: Path) -> Path | None:
    """The index of gold turns in the run directory that this folder belongs to, or None if there is none."""
    path = _results_root(folder).parent / GOLD_TURNS_NAME
    return path if path.is_file() else None


def _above_subfolder(folder: Path) -> Path:
    """The model's folder, from a folder that may be the one for multi-turn files in it."""
    return folder.parent if folder.name == SUBFOLDER else folder


def _absolute(path: Path) -> Path:
    """The absolute path, links kept: the folder names that the user sees are the ones that are matched."""
    absolute = path.absolute()
    return absolute.resolve() if ".." in absolute.parts else absolute
