"""The command line ``gar``: its commands run, its faults on one line."""

from __future__ import annotations

import argparse
import io
import os
import sys
from typing import TYPE_CHECKING, NoReturn, TextIO

from gar_metrics.__about__ import __version__
from gar_metrics.commands import add_commands
from gar_metrics.errors import GarError

if TYPE_CHECKING:
    from collections.abc import Sequence

FAULT = 2
INTERRUPTED = 130
CLOSED_PIPE = 141
"""What a shell reports for a program that SIGINT or SIGPIPE ended: 128 and the signal's number."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status: 0, or 2 with one line on stderr when the input is at fault."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A name that the terminal's encoding lacks must not end the program.
            stream.reconfigure(errors="backslashreplace")
    try:
        _run(argv)
    except GarError as error:
        return _failed(error)
    except KeyboardInterrupt:
        _discard(sys.stdout)
        return INTERRUPTED
    except BrokenPipeError:  # the reader has gone (`gar cases | head`)
        _discard(sys.stdout)
        return CLOSED_PIPE
    except OSError as error:  # a full disk; what can't be read is a GarError
        _discard(sys.stdout)
        return _failed(GarError(f"standard output: {error.strerror}"))
    return 0


def _run(argv: Sequence[str] | None) -> None:
    try:
        args = _parser().parse_args(argv)
    finally:
        sys.stdout.flush()  # after --help and --version the parser exits
    for text in args.output(args):
        sys.stdout.write(text)
    sys.stdout.flush()


def _failed(error: GarError) -> int:
    """The status, after the one line that goes with it."""
    try:
        print(f"gar: {error}", file=sys.stderr)
    except OSError:  # standard error is on the full disk too
        _discard(sys.stderr)
    return FAULT


def _discard(stream: TextIO) -> None:
    """Points a stream elsewhere: Python writes out what is left in it at exit, and would complain once more."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


class _Parser(argparse.ArgumentParser):
    """A parser whose complaints are one line, like every other error."""

    def error(self, message: str) -> NoReturn:
        what = f"{message} (see {self.prog} --help)"
        raise GarError(what)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="gar", description="Gold Action Recall next to accuracy, from BFCL multi-turn results.")
    parser.add_argument("--version", action="version", version=f"gar-metrics {__version__}")
    add_commands(parser)
    return parser
