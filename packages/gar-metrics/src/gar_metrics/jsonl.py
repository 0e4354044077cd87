"""JSON lines from a file: numbered objects, one at a time, or an error that names the line."""

from __future__ import annotations

import codecs
import json
from typing import TYPE_CHECKING

from gar_metrics.errors import GarError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

TOO_DEEP = "nested too deeply to be read"


def numbered_objects(path: Path) -> Iterator[tuple[int, dict[str, object]]]:
    """Each line's number, counted from 1, and its object; blank lines and a byte order mark are skipped.

    Only one line is in memory at a time: result files carry logs that are many times larger than the results.

    Raises:
        GarError: The file can't be read, or a line isn't a JSON object in UTF-8.
    """
    try:
        # As bytes: text mode would end lines at a lone carriage return too, and lose count of bad bytes.
        with path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                text = line.removeprefix(codecs.BOM_UTF8) if number == 1 else line
                if text.strip():
                    yield number, _object(text, path, number)
    except OSError as error:
        what = f"can't be read: {error.strerror or error}"
        raise GarError(what, path=path) from error


def _object(line: bytes, path: Path, number: int) -> dict[str, object]:
    try:
        value: object = json.loads(line.decode("utf-8"))
    except UnicodeDecodeError as error:
        what = f"invalid UTF-8 at byte {error.start + 1} of the line"
        raise GarError(what, path=path, line=number) from error
    except RecursionError as error:
        raise GarError(TOO_DEEP, path=path, line=number) from error
    except json.JSONDecodeError as error:
        # A file that was cut off ends without a line end, in the middle of an object.
        cut_off = "" if line.endswith(b"\n") else " (is the file cut off?)"
        what = f"invalid JSON at column {error.colno}: {error.msg}{cut_off}"
        raise GarError(what, path=path, line=number) from error
    except ValueError as error:  # an integer of more digits than Python converts
        what = f"invalid JSON: {error}"
        raise GarError(what, path=path, line=number) from error
    if not isinstance(value, dict):
        what = f"expected an object, found {described(value)}"
        raise GarError(what, path=path, line=number)
    return value


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
