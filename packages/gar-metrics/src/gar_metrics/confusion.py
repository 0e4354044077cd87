"""How well a classifier tells the classes of a turn apart: a confusion table, from a file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from action_classifier import PRIORITY
from gar_metrics.errors import GarError
from gar_metrics.jsonl import LARGEST_COUNT, described, read_document

if TYPE_CHECKING:
    from pathlib import Path

    from action_classifier import Action

NOTHING = "none"
"""The class of a turn that emitted nothing."""

TURN_CLASSES = (*(action.value for action in PRIORITY), NOTHING)
FIELDS = ("ruleset", "classes", "counts", "source")


@dataclass(frozen=True, slots=True)
class Confusion:
    """Turns by their true class and the one that they were given.

    Attributes:
        path: The file.
        ruleset: The classifier's ruleset.
        classes: Names of classes, each once, some or all of `TURN_CLASSES`.
        counts: Numbers of turns, ``counts[true][given]``, both in the order of ``classes``.
        source: Where the true classes come from.
    """

    path: Path
    ruleset: str
    classes: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]
    source: str

    def sensitivity(self, action: Action) -> tuple[int, int]:
        """Of how many turns of a class how many were given it: (number given it, number in all)."""
        if action.value not in self.classes:
            return 0, 0
        place = self.classes.index(action.value)
        return self.counts[place][place], sum(self.counts[place])

    def specificity(self, action: Action) -> tuple[int, int]:
        """Of how many turns of the other classes how many weren't given this one, as in `sensitivity`."""
        others = [row for name, row in zip(self.classes, self.counts, strict=True) if name != action.value]
        trials = sum(map(sum, others))
        if action.value not in self.classes:
            return trials, trials
        place = self.classes.index(action.value)
        return trials - sum(row[place] for row in others), trials


def read_confusion(path: Path) -> Confusion:
    """The confusion table in a file of one JSON object with the fields `FIELDS`.

    Raises:
        GarError: The file can't be read, or isn't such a table; the message names the field.
    """
    table = read_document(path)
    if not isinstance(table, dict):
        what = f"expected an object, found {described(table)}"
        raise GarError(what, path=path)
    for name in FIELDS:
        if name not in table:
            what = "missing"
            raise GarError(what, path=path, field=name)
    if strangers := [name for name in table if name not in FIELDS]:
        what = f"no field of a confusion table; they are {', '.join(FIELDS)}"
        raise GarError(what, path=path, field=strangers[0])
    classes = _classes(table["classes"], path)
    return Confusion(
        path=path,
        ruleset=_text(table["ruleset"], "ruleset", path),
        classes=classes,
        counts=_counts(table["counts"], len(classes), path),
        source=_text(table["source"], "source", path),
    )


def _text(value: object, field: str, path: Path) -> str:
    if not isinstance(value, str) or not value.strip():
        what = f"expected a text, found {'an empty one' if isinstance(value, str) else described(value)}"
        raise GarError(what, path=path, field=field)
    return value


def _classes(value: object, path: Path) -> tuple[str, ...]:
    if not isinstance(value, list) or len(value) < 2:
        what = "expected a list of at least two classes"
        raise GarError(what, path=path, field="classes")
    for place, name in enumerate(value):
        if name not in TURN_CLASSES:
            what = f"expected one of {', '.join(TURN_CLASSES)}"
            raise GarError(what, path=path, field=f"classes[{place}]")
        if name in value[:place]:
            what = f"{name} stands there twice"
            raise GarError(what, path=path, field="classes")
    return tuple(value)


def _counts(value: object, size: int, path: Path) -> tuple[tuple[int, ...], ...]:
    if not isinstance(value, list) or len(value) != size:
        what = f"expected a list of {size} rows, one for each class"
        raise GarError(what, path=path, field="counts")
    for number, row in enumerate(value):
        if not isinstance(row, list) or len(row) != size:
            what = f"expected a list of {size} numbers, one for each class"
            raise GarError(what, path=path, field=f"counts[{number}]")
        for place, count in enumerate(row):
            if not isinstance(count, int) or isinstance(count, bool) or count < 0:
                found = count if isinstance(count, int) and not isinstance(count, bool) else described(count)
                what = f"expected a whole number, 0 or more, found {found}"
                raise GarError(what, path=path, field=f"counts[{number}][{place}]")
            if count > LARGEST_COUNT:
                what = f"expected at most {LARGEST_COUNT}"
                raise GarError(what, path=path, field=f"counts[{number}][{place}]")
    return tuple(map(tuple, value))
