"""A domain's tasks and WRITE tools, found below what `--tau2-root` names."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from gar_metrics import GarError
from gar_metrics.tau2 import WRITE_TOOLS, read_tasks, read_write_tools
from tau2_runner.analysis.pinned import COMMIT, differing_tasks, pinned_digests

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from gar_metrics.tau2 import Task

TASKS = "tasks.json"
DOMAIN_FOLDERS = ("data/tau2/domains", "tau2/domains", "domains", ".")
"""Where the folders of the domains lie below a checkout, a data folder, the folder in it, or themselves."""

SOURCES = "src/tau2/domains"
"""Where a checkout keeps their source."""


@dataclass(frozen=True, slots=True)
class Domain:
    """A domain of the benchmark.

    Attributes:
        name: Its name.
        path: Its ``tasks.json``.
        tasks: Its tasks by id, in the order of the file.
        write_tools: The tools by which the agent changes the database; None where nothing tells them.
        user_write_tools: Those by which the user changes what the task is about; none in most domains.
        warnings: What makes it another domain than that of the pinned commit, in plain words.
    """

    name: str
    path: Path
    tasks: Mapping[str, Task] = field(repr=False)
    write_tools: frozenset[str] | None
    user_write_tools: frozenset[str]
    warnings: tuple[str, ...]

    @property
    def known_write_tools(self) -> frozenset[str]:
        """The tools by which the agent changes the database.

        Raises:
            GarError: Nothing tells them.
        """
        if self.write_tools is None:
            what = f"no tools.py of {self.name} tells its WRITE tools; known without: {', '.join(WRITE_TOOLS)}"
            raise GarError(what, path=self.path)
        return self.write_tools


class Tau2Root:
    """The domains of a checkout, a data folder or a domains folder, each read when it is first asked for."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._read: dict[str, Domain] = {}

    @cached_property
    def folder(self) -> Path:
        """The folder that holds a folder per domain.

        Raises:
            GarError: There is none.
        """
        for place in DOMAIN_FOLDERS:
            folder = self.root / place
            if any(folder.glob(f"*/{TASKS}")):
                return folder
        what = f"no <domain>/{TASKS} here" if self.root.is_dir() else "no such folder"
        raise GarError(what, path=self.root, field="--tau2-root")

    @property
    def names(self) -> tuple[str, ...]:
        """The domains that are there, in the order of their names."""
        return tuple(sorted(path.parent.name for path in self.folder.glob(f"*/{TASKS}")))

    def domain(self, name: str) -> Domain:
        """The domain of this name.

        Raises:
            GarError: It isn't there, or one of its files can't be read.
        """
        if name not in self._read:
            self._read[name] = self._domain(name)
        return self._read[name]

    def _domain(self, name: str) -> Domain:
        if name not in self.names:
            what = f"no domain {name!r} here; there are: {', '.join(self.names)}"
            raise GarError(what, path=self.folder)
        path = self.folder / name / TASKS
        tasks = read_tasks(path)
        user_source = self._source(name, "user_tools.py")
        return Domain(
            name=name,
            path=path,
            tasks={task.id: task for task in tasks},
            write_tools=self._write_tools(name),
            user_write_tools=frozenset() if user_source is None else read_write_tools(user_source),
            warnings=(*self._commit_warnings(), *_task_warnings(name, tasks)),
        )

    def _write_tools(self, name: str) -> frozenset[str] | None:
        source = self._source(name, "tools.py")
        return WRITE_TOOLS.get(name) if source is None else read_write_tools(source)

    def _source(self, name: str, file: str) -> Path | None:
        """A domain's source file: beside its tasks, or where the checkout around them keeps it."""
        checkout = self._checkout
        places = [self.folder / name / file, *([checkout / SOURCES / name / file] if checkout else [])]
        return next((place for place in places if place.is_file()), None)

    @cached_property
    def _checkout(self) -> Path | None:
        above = self.folder.resolve().parents
        return above[2] if len(above) > 2 and (above[2] / SOURCES).is_dir() else None

    def _commit_warnings(self) -> tuple[str, ...]:
        commit = _commit_of(self._checkout) if self._checkout else None
        if commit is None or commit == COMMIT:
            return ()
        return (f"the checkout is at commit {commit[:7]}, not at the pinned {COMMIT[:7]}",)


def _task_warnings(name: str, tasks: tuple[Task, ...]) -> tuple[str, ...]:
    known = pinned_digests().get(name)
    if known is None:
        return (f"nothing is known here of the {name} tasks at the pinned commit: they aren't compared",)
    warnings = []
    if len(tasks) != len(known):
        warnings.append(f"{TASKS} holds {len(tasks)} tasks, at the pinned commit there are {len(known)}")
    differing = differing_tasks(name, tasks)
    if differing:
        warnings.append(
            f"{len(differing)} of the {len(tasks)} tasks in {TASKS} aren't those of the pinned commit "
            f"(first: {differing[0]})"
        )
    return tuple(warnings)


def _commit_of(checkout: Path) -> str | None:
    """The commit that a checkout is at, read from its files; None where that takes more than two of them."""
    git = checkout / ".git"
    try:
        head = (git / "HEAD").read_text(encoding="ascii").strip()
        reference = head.removeprefix("ref: ")
        if reference != head:
            head = (git / reference).read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return None
    return head if re.fullmatch(r"[0-9a-f]{40}", head) else None
