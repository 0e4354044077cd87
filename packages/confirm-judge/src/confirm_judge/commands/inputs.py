"""Arguments that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]  # noqa: SLF001 (argparse gives it no public name)


def add_write_tools(parser: argparse.ArgumentParser) -> None:
    """Adds --write-tools."""
    parser.add_argument(
        "--write-tools", metavar="FILE", type=Path,
        help="JSON that adds domains and their WRITE tools to the table: a list of names by domain",
    )  # fmt: skip


def chosen_write_tools(args: argparse.Namespace) -> Mapping[str, frozenset[str]]:
    """The WRITE tools by domain that the arguments of `add_write_tools` ask for.

    Raises:
        GarError: As `extended_write_tools`.
    """
    from confirm_judge.write_tools import extended_write_tools
    from gar_metrics.tau2 import WRITE_TOOLS

    return extended_write_tools(args.write_tools) if args.write_tools else WRITE_TOOLS
