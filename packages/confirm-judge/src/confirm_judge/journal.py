"""The file of a run's judgments: opened again after any interruption, one line more at a time."""

from __future__ import annotations

import json
import os
import stat
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from confirm_judge.jsonl import object_of
from confirm_judge.judgments import judgment_in
from confirm_judge.locking import try_lock
from confirm_judge.sidecar import sidecar_path
from gar_metrics import GarError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from confirm_judge.judgments import Judgment


class Journal:
    """The lines of a file, to which each judgment is added in one write; nothing that is whole is ever changed.

    Attributes:
        path: The file.
        judgments: All that it held when it was opened, in order.
    """

    def __init__(self, path: Path, descriptor: int) -> None:
        """Reads an open file of this package's, and takes a last line away that was cut off.

        Raises:
            GarError: A line isn't a judgment.
        """
        self.path = path
        self._descriptor = descriptor
        self.judgments = tuple(self._read())

    def append(self, judgment: Judgment) -> None:
        """Adds a judgment; either all of it is in the file or nothing.

        Raises:
            GarError: The disk is full or the file can't be written.
        """
        self._write(f"{json.dumps(judgment.record())}\n".encode())

    def _read(self) -> Iterator[Judgment]:
        content = self._content()
        end = content.rfind(b"\n") + 1
        for number, line in enumerate(content[:end].split(b"\n"), start=1):
            if line.strip():
                yield judgment_in(object_of(line, self.path, number), self.path, number)
        rest = content[end:]
        if rest:
            try:
                record = object_of(rest, self.path)
            except GarError:
                os.ftruncate(self._descriptor, end)
                return
            # No part of an object but the whole is an object: only the line end was lost.
            yield judgment_in(record, self.path, content.count(b"\n") + 1)
            self._write(b"\n")

    def _content(self) -> bytes:
        os.lseek(self._descriptor, 0, os.SEEK_SET)
        pieces = []
        while piece := os.read(self._descriptor, 1 << 20):
            pieces.append(piece)
        return b"".join(pieces)

    def _write(self, line: bytes) -> None:
        end = os.lseek(self._descriptor, 0, os.SEEK_END)
        try:
            if os.write(self._descriptor, line) != len(line):
                raise OSError(None, "only part of a line could be written")  # noqa: TRY301 (same cleaning)
        except OSError as error:
            with suppress(OSError):
                os.ftruncate(self._descriptor, end)
            what = f"can't be written: {error.strerror}; the judgments before this one are safe"
            raise GarError(what, path=self.path) from error


@contextmanager
def open_journal(path: Path) -> Iterator[Journal]:
    """The journal of a file, which is made if it isn't there; no other run can have it meanwhile.

    Raises:
        GarError: The file can't be written or is a device or a pipe, another run has it, something stands in it that
            no record beside it speaks of, or a line isn't a judgment.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0), 0o666)
    except OSError as error:
        what = f"can't be written: {error.strerror}"
        raise GarError(what, path=path) from error
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            what = "is no ordinary file"
            raise GarError(what, path=path)
        if not try_lock(descriptor):
            what = "another run is writing this file"
            raise GarError(what, path=path)
        if os.fstat(descriptor).st_size and not sidecar_path(path).exists():
            what = f"holds something else, or judgments without their {sidecar_path(path).name}; choose another file"
            raise GarError(what, path=path)
        yield Journal(path, descriptor)
    finally:
        os.close(descriptor)
