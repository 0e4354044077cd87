"""``gar cases``: the cases behind a cell, one a line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gar_metrics.cases import select_cases
from gar_metrics.commands.inputs import add_input, input_runs
from gar_metrics.export import cases_csv, cases_jsonl
from gar_metrics.outcomes import Outcome
from gar_metrics.records import CATEGORIES

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable

    from gar_metrics.commands.inputs import Subparsers

FORMATS = {"jsonl": cases_jsonl, "csv": cases_csv}


def add_to(commands: Subparsers) -> None:
    """Adds the command."""
    parser = commands.add_parser("cases", help="the cases behind a cell, one a line")
    add_input(parser)
    parser.add_argument("--category", choices=CATEGORIES, help="only this category")
    parser.add_argument("--outcome", choices=[o.value for o in Outcome], help="only this outcome (needs score files)")
    parser.add_argument("--format", choices=FORMATS, default="jsonl", help="default: jsonl")
    parser.set_defaults(output=_output)


def _output(args: argparse.Namespace) -> Iterable[str]:
    outcome = Outcome(args.outcome) if args.outcome else None
    return FORMATS[args.format](select_cases(input_runs(args), category=args.category, outcome=outcome))
