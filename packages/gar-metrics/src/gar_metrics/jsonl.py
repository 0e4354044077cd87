"""JSON from files: numbered objects of JSON lines, one at a time, or an error that names the line."""

from __future__ import annotations

import codecs
import json
from typing import TYPE_CHECKING

from gar_metrics.errors import GarError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from gar_metrics.leading import Leading

TOO_DEEP = "nested too deeply to be read"

LARGEST_COUNT = 10**12
"""The most that a file may count. JSON has whole numbers of any length, which statistics in floats can't take."""

_BUFFER = 1 << 18
"""Bytes read at once: lines are long, and putting them together from small pieces costs as much as decoding them."""


def numbered_objects(
    path: Path, leading: Leading | None = None, *, must_end: bool = False
) -> Iterator[tuple[int, dict[str, object]]]:
    """Each line's number, counted from 1, and its object; blank lines and a byte order mark are skipped.

    Only one line is in memory at a time: result files carry logs that are many times larger than the results. Where
    the fields of ``leading`` come first in a line, the object holds nothing else and the rest isn't decoded: it ends in
    ``}``, and whatever else is wrong in it goes unseen. Any other line is decoded whole.

    Args:
        path: The file.
        leading: The fields that are needed; without it every line is decoded whole.
        must_end: Whether a last line without a line end is a fault: the file may have been cut off between two rows.

    Raises:
        GarError: The file can't be read, a line isn't a JSON object in UTF-8, or the last line lacks its end.
    """
    try:
        # As bytes: text mode would end lines at a lone carriage return too, and lose count of bad bytes.
        with path.open("rb", buffering=_BUFFER) as file:
            for number, line in enumerate(file, start=1):
                text = line.removeprefix(codecs.BOM_UTF8) if number == 1 else line
                if not text or text.isspace():
                    continue
                found = leading.of(text) if leading else None
                yield number, _object(text, path, number) if found is None else found
                if must_end and not line.endswith(b"\n"):
                    what = "lacks its line end: the file may be cut off"
                    raise GarError(what, path=path, line=number)
    except OSError as error:
        raise _unreadable(error, path) from error


def read_document(path: Path) -> object:
    """The value of a file that holds one JSON document; a byte order mark is skipped.

    Raises:
        GarError: The file can't be read, or isn't JSON in UTF-8.
    """
    try:
        content = path.read_bytes().removeprefix(codecs.BOM_UTF8)
    except OSError as error:
        raise _unreadable(error, path) from error
    return _value(content, path, None)


def _object(line: bytes, path: Path, number: int) -> dict[str, object]:
    value = _value(line, path, number)
    if not isinstance(value, dict):
        what = f"expected an object, found {described(value)}"
        raise GarError(what, path=path, line=number)
    return value


def _value(content: bytes, path: Path, line: int | None) -> object:
    """The value of a line, or of a whole file if no line is named."""
    try:
        value: object = json.loads(content.decode("utf-8"))
    except UnicodeDecodeError as error:
        what = f"invalid UTF-8 at byte {error.start + 1} of the {'file' if line is None else 'line'}"
        raise GarError(what, path=path, line=line) from error
    except RecursionError as error:
        raise GarError(TOO_DEEP, path=path, line=line) from error
    except json.JSONDecodeError as error:
        # A file that was cut off ends without a line end, in the middle of an object.
        cut_off = "" if content.endswith(b"\n") else " (is the file cut off?)"
        what = f"invalid JSON at column {error.colno}: {error.msg}{cut_off}"
        raise GarError(what, path=path, line=error.lineno if line is None else line) from error
    except ValueError as error:  # an integer of more digits than Python converts
        what = f"invalid JSON: {error}"
        raise GarError(what, path=path, line=line) from error
    return value


def _unreadable(error: OSError, path: Path) -> GarError:
    return GarError(f"can't be read: {error.strerror or error}", path=path)


def described(value: object) -> str:
    """What a JSON value is, in words for an error message."""
    if value is None:
        return "null"
    names = {bool: "a boolean", int: "a number", float: "a decimal number", str: "a string", list: "a list"}
    return names.get(type(value), "an object")


def text_field(record: dict[str, object], field: str, path: Path, line: int) -> str:
    """The field's string.

    Raises:
        GarError: The field is missing, or isn't a string.
    """
    value = present(record, field, path, line)
    if not isinstance(value, str):
        what = f"expected a string, found {described(value)}"
        raise GarError(what, path=path, line=line, field=field)
    return value


def present(record: dict[str, object], field: str, path: Path, line: int) -> object:
    """The field's value, whatever its type.

    Raises:
        GarError: The field is missing.
    """
    if field not in record:
        what = "missing"
        raise GarError(what, path=path, line=line, field=field)
    return record[field]
