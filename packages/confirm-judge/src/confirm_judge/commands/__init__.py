"""The sub-commands of ``confirm-judge``, one module each.

A module's ``add_to`` adds its parser and sets ``execute`` on it: a function of the parsed arguments that writes to
standard output and returns the exit status. What only one command needs is imported inside that function, so that
``confirm-judge --help`` answers at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from confirm_judge.commands import agree, collect, run, table

if TYPE_CHECKING:
    import argparse

COMMANDS = (collect, run, agree, table)
"""In the order of the help text."""


def add_commands(parser: argparse.ArgumentParser) -> None:
    """Gives the parser every command."""
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for command in COMMANDS:
        command.add_to(commands)
