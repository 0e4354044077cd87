"""``confirm-judge collect``: the write events of tau2 runs, one a line."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from confirm_judge.commands.inputs import add_write_tools, chosen_write_tools

if TYPE_CHECKING:
    import argparse

    from confirm_judge.commands.inputs import Subparsers


def add_to(commands: Subparsers) -> None:
    """Adds the command."""
    parser = commands.add_parser("collect", help="list write events as JSON lines, with what came before them")
    parser.add_argument(
        "runs", metavar="RUN", nargs="+", help="a results.json, its folder, or a folder of such folders"
    )
    add_write_tools(parser)
    parser.set_defaults(execute=_execute)


def _execute(args: argparse.Namespace) -> int:
    import json

    from confirm_judge.events import write_events
    from confirm_judge.write_tools import tools_of
    from gar_metrics.tau2 import find_runs, read_run

    tools = chosen_write_tools(args)
    for path in find_runs(args.runs):
        run = read_run(path)
        for event in write_events(run, tools_of(run.domain, tools, path)):
            sys.stdout.write(json.dumps(event.record()) + "\n")
    return 0
