"""Programs started in process groups of their own, so that they can be ended with everything they started."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
from typing import IO, TYPE_CHECKING

from bfcl_runner.errors import RunnerError

if TYPE_CHECKING:
    from collections.abc import Sequence


def split_arguments(line: str, where: str) -> list[str]:
    """The words of a line, split as a shell splits it; nothing is expanded.

    Raises:
        RunnerError: A quotation is not closed; `where` says in the message who wrote the line.
    """
    try:
        return shlex.split(line)
    except ValueError as error:
        message = f"{where}: {line!r}: {error}"
        raise RunnerError(message) from None


def split_command(line: str, where: str) -> list[str]:
    """The words of a line that begins with a program which is there.

    Raises:
        RunnerError: It doesn't, or can't be split.
    """
    words = split_arguments(line, where)
    if not words:
        message = f"{where}: names no program"
        raise RunnerError(message)
    if shutil.which(words[0]) is None:
        message = f"{where}: no program {words[0]!r} is on PATH"
        raise RunnerError(message)
    return words


def start(
    argv: Sequence[str], *, stdin: IO[bytes] | int, stdout: IO[bytes], stderr: IO[bytes] | int
) -> subprocess.Popen[bytes]:
    """The program under way, leader of a new session: Ctrl-C in the terminal doesn't reach it."""
    return subprocess.Popen(  # noqa: S603 (what the user asked for; no shell reads it)
        argv, stdin=stdin, stdout=stdout, stderr=stderr, start_new_session=True
    )


def signal_group(process: subprocess.Popen[bytes], number: int) -> bool:
    """Whether somebody of the process's group is there to get the signal; 0 only asks."""
    try:
        os.killpg(process.pid, number)
    except (ProcessLookupError, PermissionError):  # macOS refuses where only zombies are left
        return False
    return True


def kill_group(process: subprocess.Popen[bytes]) -> None:
    """Kills whoever of the process's group is left, and waits for the process itself."""
    signal_group(process, signal.SIGKILL)
    process.wait()
