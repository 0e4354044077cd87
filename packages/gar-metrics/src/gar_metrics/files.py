"""A file written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from gar_metrics.errors import GarError

NEW_FILE = 0o666


def write_whole(path: Path, content: bytes) -> None:
    """Puts the content where the path leads, in the place of a file that is there.

    It is written beside it under another name first, so that a reader or a crash never meets half a file. What is no
    regular file, a pipe or a device, is written to directly.

    Raises:
        GarError: The file can't be written.
    """
    try:
        target = path.resolve()
        if target.exists() and not target.is_file():
            target.write_bytes(content)
        else:
            _replace(target, content)
    except OSError as error:
        what = f"can't be written: {error.strerror or error}"
        raise GarError(what, path=path) from error


def _replace(target: Path, content: bytes) -> None:
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:40]}.")
    beside = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        beside.chmod(target.stat().st_mode if target.exists() else NEW_FILE & ~_umask())
        beside.replace(target)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def _umask() -> int:
    """The process's mask for new files, which can only be read by setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
