"""The command line ``gar``: tables, and the cases behind them."""

from __future__ import annotations

import argparse
import io
import os
import sys
from typing import TYPE_CHECKING, NoReturn, TextIO

from action_classifier import RULESETS
from gar_metrics.__about__ import __version__
from gar_metrics.cases import select_cases
from gar_metrics.errors import GarError
from gar_metrics.export import cases_csv, cases_jsonl, render_csv, render_json
from gar_metrics.load import load_runs
from gar_metrics.outcomes import Outcome
from gar_metrics.records import CATEGORIES
from gar_metrics.render import render_markdown, render_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

FAULT = 2
INTERRUPTED = 130
CLOSED_PIPE = 141
"""What a shell reports for a program that SIGINT or SIGPIPE ended: 128 and the signal's number."""

TABLE_FORMATS = {"text": render_text, "json": render_json, "csv": render_csv, "md": render_markdown}
CASE_FORMATS = {"jsonl": cases_jsonl, "csv": cases_csv}


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
    for text in _output(args):
        sys.stdout.write(text)
    sys.stdout.flush()


def _output(args: argparse.Namespace) -> Iterable[str]:
    runs = load_runs(args.paths, results=args.results, scores=args.scores, ruleset=args.ruleset)
    if args.command == "table":
        return [TABLE_FORMATS[args.format](runs)]
    outcome = Outcome(args.outcome) if args.outcome else None
    return CASE_FORMATS[args.format](select_cases(runs, category=args.category, outcome=outcome))


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
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)

    table = commands.add_parser("table", help="GAR, Acc and the masked passes of each category")
    _add_input(table)
    table.add_argument("--format", choices=TABLE_FORMATS, default="text", help="default: text")

    cases = commands.add_parser("cases", help="the cases behind a cell, one a line")
    _add_input(cases)
    cases.add_argument("--category", choices=CATEGORIES, help="only this category")
    cases.add_argument("--outcome", choices=[o.value for o in Outcome], help="only this outcome (needs score files)")
    cases.add_argument("--format", choices=CASE_FORMATS, default="jsonl", help="default: jsonl")
    return parser


def _add_input(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "paths", metavar="PATH", nargs="*",
        help="a run directory, a results root, a model's folder, a folder of run directories, or a result file",
    )  # fmt: skip
    parser.add_argument("--results", metavar="DIR", help="results whose scores lie in the folder --scores names")
    parser.add_argument("--scores", metavar="DIR", help="the scores that belong to --results")
    parser.add_argument(
        "--ruleset", choices=RULESETS, default="paper", help="how emissions are classified; default: paper"
    )
