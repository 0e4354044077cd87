"""JSON that other people wrote: objects and fields of the right kind, or an error that says where they aren't."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, TypeVar

from gar_metrics import GarError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

T = TypeVar("T")

KINDS = {str: "a string", int: "a whole number", bool: "true or false", list: "a list", dict: "an object"}


def content_of(path: Path) -> bytes:
    """All bytes of a file.

    Raises:
        GarError: It can't be read.
    """
    try:
        return path.read_bytes()
    except OSError as error:
        what = f"can't be read: {error.strerror or error}"
        raise GarError(what, path=path) from error


def _value_of(content: bytes, path: Path, line: int | None = None) -> object:
    """The JSON value of a line, or of a whole file if no line is named; a byte order mark is skipped.

    Raises:
        GarError: It is no JSON in UTF-8.
    """
    try:
        value: object = json.loads(content.decode("utf-8-sig"))
    except json.JSONDecodeError as error:
        what = f"invalid JSON at column {error.colno}: {error.msg}"
        raise GarError(what, path=path, line=line or error.lineno) from error
    except (ValueError, RecursionError) as error:  # no UTF-8, a number of too many digits, nested too deeply
        what = f"invalid JSON: {error}"
        raise GarError(what, path=path, line=line) from error
    return value


def object_of(content: bytes, path: Path, line: int | None = None) -> dict[str, object]:
    """The JSON object of a line or a file.

    Raises:
        GarError: It is something else.
    """
    value = _value_of(content, path, line)
    if not isinstance(value, dict):
        what = f"expected an object, found {described(value)}"
        raise GarError(what, path=path, line=line)
    return value


def numbered_objects(path: Path) -> Iterator[tuple[int, dict[str, object]]]:
    """Each line's number, counted from 1, and its object; blank lines are skipped.

    Raises:
        GarError: The file can't be read, or a line is no JSON object.
    """
    for number, line in enumerate(content_of(path).split(b"\n"), start=1):
        if line.strip():
            yield number, object_of(line, path, number)


def field_of(record: Mapping[str, object], name: str, kind: type[T], path: Path, line: int | None = None) -> T:
    """A field's value.

    Raises:
        GarError: It is missing, or of another kind.
    """
    if name not in record:
        what = "missing"
        raise GarError(what, path=path, line=line, field=name)
    value = record[name]
    # A boolean is an int to Python, and no number to anybody else.
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        what = f"expected {KINDS[kind]}, found {described(value)}"
        raise GarError(what, path=path, line=line, field=name)
    return value


def nullable_field(
    record: Mapping[str, object], name: str, kind: type[T], path: Path, line: int | None = None
) -> T | None:
    """A field's value, or None where it is null.

    Raises:
        GarError: It is missing, or of another kind.
    """
    return None if record.get(name, 0) is None else field_of(record, name, kind, path, line)


def optional_field(
    record: Mapping[str, object], name: str, kind: type[T], path: Path, line: int | None = None
) -> T | None:
    """A field's value, or None where it is missing or null.

    Raises:
        GarError: It is of another kind.
    """
    return None if record.get(name) is None else field_of(record, name, kind, path, line)


def described(value: object) -> str:
    """What a JSON value is, in words for an error message."""
    if value is None:
        return "null"
    names = {bool: "true or false", int: "a number", float: "a decimal number", str: "a string", list: "a list"}
    return names.get(type(value), "an object")
