"""The sub-commands of ``gar``, one module each.

A module's ``add_to`` adds its parser and sets ``output`` on it: a function of the parsed arguments that returns the
texts to print. What only one command needs is imported inside that function, so that ``gar --help`` answers at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gar_metrics.commands import audit, cases, compare, plot, report, table

if TYPE_CHECKING:
    import argparse

COMMANDS = (table, cases, compare, audit, report, plot)
"""In the order of the help text."""


def add_commands(parser: argparse.ArgumentParser) -> None:
    """Gives the parser every command."""
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for command in COMMANDS:
        command.add_to(commands)
