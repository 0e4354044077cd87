"""Which cases a run is about: whole categories, the first few of each, or cases named one by one."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bfcl_runner.dataset import CATEGORIES
from bfcl_runner.errors import RunnerError
from bfcl_runner.tracks import known_categories, parse_categories, parse_category, track_of

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from bfcl_runner.dataset import Case


@dataclass(frozen=True, slots=True)
class Selection:
    """What the user chose.

    Attributes:
        categories: The categories to run.
        limit: The first so many cases of each, or None for all.
        ids: Only these cases, where some are named.
    """

    categories: tuple[str, ...] = CATEGORIES
    limit: int | None = None
    ids: frozenset[str] | None = None

    def cases(self) -> dict[str, tuple[Case, ...]]:
        """The chosen cases by category, in numeric order.

        Raises:
            BenchmarkMissingError: bfcl-eval is absent or of another version.
            RunnerError: A case is named that doesn't exist, or no case is left.
        """
        if self.ids is not None:
            known = {case.id for category in self.categories for case in track_of(category).load(category)}
            if missing := self.ids - known:
                message = f"no such case in {', '.join(self.categories)}: {min(missing)!r}"
                raise RunnerError(message)
        chosen = {category: self._of(category) for category in self.categories}
        chosen = {category: cases for category, cases in chosen.items() if cases}
        if not chosen:
            message = "nothing is selected to run"
            raise RunnerError(message)
        return chosen

    def _of(self, category: str) -> tuple[Case, ...]:
        cases = track_of(category).load(category)
        if self.ids is not None:
            cases = tuple(case for case in cases if case.id in self.ids)
        return cases[: self.limit]


def category_of_id(case_id: str, where: str) -> str:
    """The category in a case id.

    Raises:
        RunnerError: The id belongs to no category; `where` says who named it.
    """
    name, _, number = case_id.rpartition("_")
    if not number.isdecimal():
        message = f"{where}: {case_id!r} is no case id"
        raise RunnerError(message)
    return parse_category(name, where)


def read_ids(path: Path) -> Selection:
    """The selection in a JSON file that maps categories to lists of case ids; empty lists are passed over.

    Raises:
        RunnerError: The file can't be read, is no such mapping, or names an unknown category or case.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        message = f"{path}: {error.strerror}"
        raise RunnerError(message) from None
    except ValueError as error:
        message = f"{path}: not JSON: {error}"
        raise RunnerError(message) from None
    if not isinstance(content, dict):
        message = f"{path}: expected an object of categories with lists of case ids"
        raise RunnerError(message)
    ids: set[str] = set()
    categories: set[str] = set()
    for name, case_ids in content.items():
        if not isinstance(case_ids, list) or not all(isinstance(case_id, str) for case_id in case_ids):
            message = f"{path}: {name}: expected a list of case ids"
            raise RunnerError(message)
        if case_ids:  # upstream's own example lists categories that exist no more, without ids
            categories.add(parse_category(name, f"{path}"))
            ids |= set(case_ids)
    if not ids:
        message = f"{path}: names no case"
        raise RunnerError(message)
    return Selection(tuple(name for name in known_categories() if name in categories), ids=frozenset(ids))


def select(categories: Iterable[str], limit: int | None, ids: Path | None, cases: Iterable[str]) -> Selection:
    """The selection of the command line's options.

    Raises:
        RunnerError: One of them names what doesn't exist.
    """
    named = frozenset(cases)
    if ids is not None and (named or list(categories)):
        message = "--ids: goes with neither --case nor --categories"
        raise RunnerError(message)
    if ids is not None:
        selection = read_ids(ids)
        return Selection(selection.categories, limit, selection.ids)
    if named:
        wanted = {category_of_id(case_id, "--case") for case_id in named}
        return Selection(tuple(name for name in known_categories() if name in wanted), limit, named)
    return Selection(parse_categories(categories), limit)
