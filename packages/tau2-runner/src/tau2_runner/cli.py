"""The command `tau2-runner`: its parts put together, its faults on one line."""

# No postponed annotations in this module: typer reads them.

import io
import os
import signal
import sys
from typing import Annotated

import typer

from gar_metrics import GarError, one_line
from tau2_runner import analysis_commands, running_commands
from tau2_runner.__about__ import __version__
from tau2_runner.errors import RunnerError

USAGE_ERROR = 2
SIGNALLED = 128
"""Added to a signal's number, as shells report it."""

_UsageError: type[typer.BadParameter] = typer.BadParameter.__bases__[0]
"""Click's, which typer brings along under changing names."""

# Plain help: drawing it with rich takes half of the time that `--help` may take.
app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)


def _show_version(asked: bool) -> None:
    if asked:
        print(f"tau2-runner {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Run tau2-bench, and read its results by action class."""


running_commands.add_to(app)
analysis_commands.add_to(app)


def main() -> None:
    """Runs the command; what a user can mend ends as one line and status 2."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A name that the terminal's encoding lacks must not end the program.
            stream.reconfigure(errors="backslashreplace")
    try:
        status = app(sys.argv[1:] or ["--help"], prog_name="tau2-runner", standalone_mode=False) or 0
        sys.stdout.flush()
    except typer.Exit as end:
        status = end.exit_code
    except (typer.Abort, KeyboardInterrupt):
        status = _complain("interrupted", SIGNALLED + signal.SIGINT)
    except _UsageError as error:
        status = _complain(error.format_message(), USAGE_ERROR)
    except (RunnerError, GarError) as error:
        status = _complain(str(error), USAGE_ERROR)
    except BrokenPipeError:
        status = SIGNALLED + signal.SIGPIPE
        _abandon_output()
    except OSError as error:
        status = _complain(f"output: {error.strerror}", USAGE_ERROR)
        _abandon_output()
    sys.exit(status)


def _complain(message: str, status: int) -> int:
    print(f"tau2-runner: {one_line(' '.join(message.split()))}", file=sys.stderr)
    return status


def _abandon_output() -> None:
    """Keeps Python from failing at exit on output that nobody takes."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
