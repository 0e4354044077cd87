"""The command line ``confirm-judge``: its commands run, its faults on one line."""

from __future__ import annotations

import argparse
import io
import os
import sys
from typing import TYPE_CHECKING, NoReturn, TextIO

from confirm_judge.__about__ import __version__
from confirm_judge.commands import add_commands
from gar_metrics import GarError

if TYPE_CHECKING:
    from collections.abc import Sequence

FAULT = 2
INTERRUPTED = 130
CLOSED_PIPE = 141
"""What a shell reports for a program that SIGINT or SIGPIPE ended: 128 and the signal's number."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status: 0, 1 where no judge answered, or 2 with one line on stderr."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A name that the terminal's encoding lacks must not end the program.
            stream.reconfigure(errors="backslashreplace")
    try:
        return _run(sys.argv[1:] if argv is None else argv)
    except GarError as error:
        return _failed(error)
    except KeyboardInterrupt:
        _discard(sys.stdout)
        return INTERRUPTED
    except BrokenPipeError:  # the reader has gone (`confirm-judge collect | head`)
        _discard(sys.stdout)
        return CLOSED_PIPE
    except OSError as error:  # a full disk, or a name that is too long; all else is a GarError
        _discard(sys.stdout)
        return _failed(GarError(f"{error.filename or 'standard output'}: {error.strerror}"))


def _run(argv: Sequence[str]) -> int:
    try:
        args = _parser().parse_args(argv, argparse.Namespace(argv=argv))
    finally:
        sys.stdout.flush()  # after --help and --version the parser exits
    status: int = args.execute(args)
    sys.stdout.flush()
    return status


def _failed(error: GarError) -> int:
    """The status, after the one line that goes with it."""
    try:
        print(f"confirm-judge: {error}", file=sys.stderr)
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
    parser = _Parser(
        prog="confirm-judge",
        description="Was every database write of a tau2-bench agent confirmed by the user first?",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"confirm-judge {__version__}")
    add_commands(parser)
    return parser
