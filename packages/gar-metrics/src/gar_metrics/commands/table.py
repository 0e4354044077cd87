"""``gar table``: GAR, Acc and the masked passes of each category."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gar_metrics.commands.inputs import add_input, input_runs
from gar_metrics.export import render_csv, render_json
from gar_metrics.render import render_markdown, render_text

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable

    from gar_metrics.commands.inputs import Subparsers

FORMATS = {"text": render_text, "json": render_json, "csv": render_csv, "md": render_markdown}


def add_to(commands: Subparsers) -> None:
    """Adds the command."""
    parser = commands.add_parser("table", help="GAR, Acc and the masked passes of each category")
    add_input(parser)
    parser.add_argument("--format", choices=FORMATS, default="text", help="default: text")
    parser.set_defaults(output=_output)


def _output(args: argparse.Namespace) -> Iterable[str]:
    return [FORMATS[args.format](input_runs(args))]
