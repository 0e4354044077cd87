"""What a program takes: seconds, CPU seconds and memory, measured from outside."""

from __future__ import annotations

import math
import os
import subprocess
import sys
import threading
import time
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

RUNNER = (sys.executable, "-m", "bfcl_runner")

TIMEOUT = 600.0
"""Seconds after which a program counts as hung and is killed."""

RSS_UNIT = 1 if sys.platform == "darwin" else 1024
"""Bytes in the unit of `ru_maxrss`."""


@dataclass(frozen=True, slots=True)
class Usage:
    """What one run of a program took.

    Attributes:
        wall: Seconds from its start to its end.
        cpu: CPU seconds, user and system, of it and of the processes that it started.
        peak: The most memory that one of these held at a time, in MB.
        marked: When it wrote the line that was asked for, by `time.time`; NaN if none was.
    """

    wall: float
    cpu: float
    peak: float
    marked: float


def run_program(command: Sequence[str], mark: str | None = None) -> Usage:
    """What a program took; its output is thrown away.

    Args:
        command: The program and its arguments.
        mark: What the line holds, on standard error, whose moment is noted.

    Raises:
        SystemExit: It failed, hung or never wrote the line; what it wrote last is shown.
    """
    started = time.perf_counter()
    marked = float("nan")
    last_lines: deque[str] = deque(maxlen=20)
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        watchdog = threading.Timer(TIMEOUT, process.kill)
        watchdog.start()
        for line in process.stderr or ():
            if mark and mark in line:
                marked = time.time()
            last_lines.append(line)
        _, status, usage = os.wait4(process.pid, 0)
        watchdog.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
    wall = time.perf_counter() - started
    if process.returncode or (mark and math.isnan(marked)):
        sys.exit(f"{' '.join(command)}: status {process.returncode}, last lines:\n{''.join(last_lines)}")
    return Usage(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * RSS_UNIT / 1e6, marked)


def in_turns(rounds: int, *programs: Callable[[], Usage]) -> list[tuple[Usage, ...]]:
    """What the programs took in each round, one after another: what else the machine does hits them alike."""
    return [tuple(program() for program in programs) for _ in range(rounds)]


def load() -> str:
    """How busy the machine is."""
    return f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors"
