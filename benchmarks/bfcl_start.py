"""How long `bfcl-runner --help` takes: seconds, beside those of Python alone and of the command-line library alone.

The best of some rounds counts, the one that the rest of the machine disturbed least. Exit status 1 if the target is
missed.
"""

from __future__ import annotations

import argparse
import sys
from functools import partial
from statistics import median

from figures import Figure, report
from measuring import RUNNER, in_turns, load, run_program

HELP = (*RUNNER, "--help")
PYTHON = (sys.executable, "-c", "pass")
TYPER = (sys.executable, "-c", "import typer")

MOST_SECONDS = 0.3


def main() -> int:
    """The exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15, help="measurements of each, default: %(default)s")
    rounds = parser.parse_args().rounds
    taken = in_turns(rounds, *(partial(run_program, command) for command in (HELP, PYTHON, TYPER)))
    ours, python, typer = ([usage.wall for usage in usages] for usages in zip(*taken, strict=True))
    status = report(
        f"bfcl-runner --help, best of {rounds}",
        [
            Figure(min(ours), "s", f"bfcl-runner --help; median {median(ours):.3f} s", most=MOST_SECONDS),
            Figure(min(python), "s", f"python -c pass; median {median(python):.3f} s"),
            Figure(min(typer), "s", f"python -c 'import typer'; median {median(typer):.3f} s"),
            Figure(min(ours) / min(python), "x", "the seconds of Python alone"),
            Figure(min(ours) / min(typer), "x", "the seconds of importing typer"),
        ],
    )
    print(f"       {load()}")
    return status


if __name__ == "__main__":
    sys.exit(main())
