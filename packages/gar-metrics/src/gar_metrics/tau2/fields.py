"""Fields of a JSON document: their values, or an error that names the file and the field's whole path."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from gar_metrics.errors import GarError
from gar_metrics.jsonl import described

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

T = TypeVar("T")

LARGEST = int(sys.float_info.max)

KINDS = {str: "a string", int: "a whole number", float: "a number", dict: "an object", list: "a list"}


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a document, such as ``simulations[3].reward_info``."""

    path: Path
    field: str = ""

    def at(self, key: str | int) -> Place:
        """The place of a key or of an item below this one."""
        step = f"[{key}]" if isinstance(key, int) else f".{key}" if self.field else key
        return Place(self.path, self.field + step)

    def fault(self, what: str) -> GarError:
        """An error about this place."""
        return GarError(what, path=self.path, field=self.field or None)


def checked(value: object, kind: type[T], place: Place) -> T:
    """The value, if it is of the kind; a whole number is a number too, a boolean is neither, nor is NaN or infinity.

    Raises:
        GarError: It isn't.
    """
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        value = float(value) if abs(value) <= LARGEST else math.inf
    if not isinstance(value, kind) or isinstance(value, bool):
        what = f"expected {KINDS[kind]}, found {described(value)}"
        raise place.fault(what)
    if isinstance(value, float) and not math.isfinite(value):
        what = "expected a number, found one that is infinite, too large or none"
        raise place.fault(what)
    return value


def required(record: Mapping[str, object], key: str, kind: type[T], place: Place) -> T:
    """The key's value.

    Raises:
        GarError: It is missing, or of another kind.
    """
    if key not in record:
        what = "missing"
        raise place.at(key).fault(what)
    return checked(record[key], kind, place.at(key))


def optional(record: Mapping[str, object], key: str, kind: type[T], place: Place) -> T | None:
    """The key's value, or None where it is missing or null.

    Raises:
        GarError: It is of another kind.
    """
    value = record.get(key)
    return None if value is None else checked(value, kind, place.at(key))


def objects(values: list[object], place: Place) -> Iterator[tuple[Place, dict[str, object]]]:
    """Each item's place, and the object that it is.

    Raises:
        GarError: An item isn't an object.
    """
    for number, value in enumerate(values):
        here = place.at(number)
        yield here, checked(value, dict, here)


def identifier(record: Mapping[str, object], key: str, place: Place) -> str:
    """An id as text: tau-bench numbers its tasks, tau2 names them.

    Raises:
        GarError: It is missing, or neither a string nor a whole number.
    """
    value = record.get(key)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return required(record, key, str, place)
