"""JSON lines with fields that are checked as they are read: what is wrong names file, line and field."""

from __future__ import annotations

import codecs
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from calibration_probes.errors import ProbeError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from pathlib import Path

T = TypeVar("T")

_NAMES = {
    bool: "a boolean",
    int: "a whole number",
    float: "a number",
    str: "a string",
    list: "a list",
    dict: "an object",
}
_REQUIRED: Any = object()


@dataclass(frozen=True, slots=True)
class Record:
    """A JSON object of a file.

    Attributes:
        values: The object.
        path: Its file.
        line: Its line in the file, counted from 1.
        prefix: Where it stands in the object of that line: empty, or like ``turns[0].``.
    """

    values: dict[str, object]
    path: Path
    line: int
    prefix: str = ""

    def get(self, field: str, kind: type[T], default: T = _REQUIRED) -> T:
        """The field's value.

        Raises:
            ProbeError: It is missing (and there is no default), or of another kind.
        """
        if field not in self.values:
            if default is not _REQUIRED:
                return default
            raise self.error(field, "missing")
        value = self.values[field]
        # A bool is an int in Python, and none in JSON.
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            found = "null" if value is None else _NAMES[type(value)]
            raise self.error(field, f"expected {_NAMES[kind]}, found {found}")
        return value

    def one_of(self, field: str, choices: Collection[str]) -> str:
        """The field's string, one of the choices.

        Raises:
            ProbeError: It is missing or something else.
        """
        value = self.get(field, str)
        if value not in choices:
            raise self.error(field, f"{value!r} is none of {', '.join(choices)}")
        return value

    def inner(self, field: str) -> Record:
        """The object under a field.

        Raises:
            ProbeError: It is missing, or no object.
        """
        return Record(self.get(field, dict), self.path, self.line, f"{self.prefix}{field}.")

    def each(self, field: str) -> Iterator[Record]:
        """The objects in the list under a field.

        Raises:
            ProbeError: It is missing or no list, or an element is no object.
        """
        for index, value in enumerate(self.get(field, list)):
            place = f"{field}[{index}]"
            element = Record({place: value}, self.path, self.line, self.prefix)
            yield element.inner(place)

    def error(self, field: str, what: str) -> ProbeError:
        """An error about a field."""
        return ProbeError(what, path=self.path, line=self.line, field=f"{self.prefix}{field}")


def records(path: Path) -> Iterator[Record]:
    """The objects of a file of JSON lines, one at a time; blank lines and a byte order mark are skipped.

    Raises:
        ProbeError: The file can't be read, or a line isn't a JSON object in UTF-8.
    """
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                text = line.removeprefix(codecs.BOM_UTF8) if number == 1 else line
                if text.strip():
                    yield Record(_object(text, path, number), path, number)
    except OSError as error:
        what = f"can't be read: {error.strerror or error}"
        raise ProbeError(what, path=path) from error


def _object(line: bytes, path: Path, number: int) -> dict[str, object]:
    try:
        value: object = json.loads(line.decode("utf-8"))
    except UnicodeDecodeError as error:
        what = f"not UTF-8 (byte {error.start})"
        raise ProbeError(what, path=path, line=number) from error
    except ValueError as error:
        # A file that was cut off ends without a line end, in the middle of an object.
        cut_off = "" if line.endswith(b"\n") else " (is the file cut off?)"
        what = f"not JSON: {error}{cut_off}"
        raise ProbeError(what, path=path, line=number) from error
    except RecursionError as error:
        what = "JSON nested too deeply"
        raise ProbeError(what, path=path, line=number) from error
    if not isinstance(value, dict):
        what = f"expected an object, found {'null' if value is None else _NAMES[type(value)]}"
        raise ProbeError(what, path=path, line=number)
    return value
