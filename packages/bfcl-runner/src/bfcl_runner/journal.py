"""The result file of one category while a run goes on: what is there already, one row more, the final order."""

from __future__ import annotations

import json
from contextlib import suppress
from types import NoneType
from typing import TYPE_CHECKING, Any

from bfcl_runner.error_rows import is_error
from bfcl_runner.errors import RunnerError
from bfcl_runner.files import replace_file

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from pathlib import Path

    from bfcl_runner.loop import Row


class Journal:
    """Appends rows to a result file, each in one write, and can be opened again after any interruption."""

    def __init__(self, path: Path, case_ids: Collection[str]) -> None:
        """A journal of a category's result file.

        Args:
            path: The result file; it need not exist.
            case_ids: Ids of every case of the category, in their order.
        """
        self._path = path
        self._order = {case_id: place for place, case_id in enumerate(case_ids)}

    def finished(self, *, keep_errors: bool) -> frozenset[str]:
        """The cases that need not run again. The file is left with exactly their rows.

        A last line that was cut off is dropped, and so are repeated rows; error rows are dropped to be tried
        again, unless `keep_errors`.

        Raises:
            RunnerError: A line is no row of this category, or two rows of one case differ.
        """
        rows, lines = self._kept(keep_errors=keep_errors)
        kept = [line for _, line, _ in rows.values()]
        whole = all(line.endswith(b"\n") for line in kept)
        if lines != len(kept) or not whole:
            replace_file(self._path, (line.rstrip(b"\n") + b"\n" for line in kept))
        return frozenset(rows)

    def peek(self, *, keep_errors: bool) -> frozenset[str]:
        """The cases that need not run again, as `finished` says; the file stays as it is.

        Raises:
            RunnerError: As `finished`.
        """
        return frozenset(self._kept(keep_errors=keep_errors)[0])

    def _kept(self, *, keep_errors: bool) -> tuple[dict[str, tuple[int, bytes, bool]], int]:
        """By case the line number, the line and whether it is an error row; and the number of lines in the file."""
        rows: dict[str, tuple[int, bytes, bool]] = {}
        lines = 0
        for number, line in self._lines():
            lines += 1
            row = self._row(number, line)
            if row is None:
                continue
            case_id, failed = row["id"], is_error(row["result"])
            if failed and not keep_errors:
                continue
            earlier = rows.get(case_id)
            if earlier is None or earlier[2]:
                rows[case_id] = (number, line, failed)
            elif not failed and _result(earlier[1]) != row["result"]:
                message = f"{self._path}:{number}: id: {case_id} has another result in line {earlier[0]}"
                raise RunnerError(message)
        return rows, lines

    def append(self, row: Row) -> None:
        """Adds a row; either all of it is in the file or nothing.

        Raises:
            RunnerError: The disk is full or the file can't be written.
        """
        line = f"{json.dumps(row, default=str)}\n".encode()
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("ab", buffering=0) as stream:
                end = stream.seek(0, 2)
                try:
                    written = stream.write(line)
                    if written != len(line):
                        raise OSError(None, "only part of a row could be written")  # noqa: TRY301 (same cleaning)
                except OSError:
                    with suppress(OSError):
                        stream.truncate(end)
                    raise
        except OSError as error:
            message = f"{self._path}: {error.strerror}; the rows before this one are safe"
            raise RunnerError(message) from error

    def sort(self) -> None:
        """Puts the rows into the order of the cases, in one step."""
        lines = [line for _, line in self._lines()]
        ordered = sorted(lines, key=lambda line: self._order[json.loads(line)["id"]])
        if lines != ordered:
            replace_file(self._path, ordered)

    def rows(self) -> Iterator[Row]:
        """The rows as they stand in the file."""
        return (json.loads(line) for _, line in self._lines())

    def _lines(self) -> Iterator[tuple[int, bytes]]:
        """The numbered lines that are not blank, each with its end of line."""
        try:
            with self._path.open("rb") as stream:
                yield from ((number, line) for number, line in enumerate(stream, start=1) if line.strip())
        except FileNotFoundError:
            return
        except OSError as error:
            message = f"{self._path}: {error.strerror}"
            raise RunnerError(message) from error

    def _row(self, number: int, line: bytes) -> dict[str, Any] | None:
        """The row of a line, or None for a last line that was cut off."""
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            if not line.endswith(b"\n"):
                return None
            row = None
        if not isinstance(row, dict) or not isinstance(row.get("result", 0), (str, list, NoneType)):
            message = f"{self._path}:{number}: not a result row"
            raise RunnerError(message)
        if not isinstance(row.get("id"), str) or row["id"] not in self._order:
            message = f"{self._path}:{number}: id: {row.get('id')!r} is no case of this file"
            raise RunnerError(message)
        return row


def _result(line: bytes) -> object:
    return json.loads(line)["result"]
