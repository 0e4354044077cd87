"""``gar report``: one HTML page with tables, charts and every trajectory, or its tables for a paper."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from gar_metrics.commands.inputs import add_input, input_runs

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Sequence

    from gar_metrics.commands.inputs import Subparsers
    from gar_metrics.records import Run

STANDARD_OUTPUT = "-"


def add_to(commands: Subparsers) -> None:
    """Adds the command."""
    parser = commands.add_parser("report", help="an HTML page to read runs in, down to every trajectory")
    add_input(parser)
    parser.add_argument("--format", choices=FORMATS, default="html", help="default: html; md and latex: the tables")
    parser.add_argument(
        "-o", "--output", dest="file", metavar="FILE", default=STANDARD_OUTPUT,
        help="where to write it, in the place of what is there; default: -, standard output",
    )  # fmt: skip
    parser.set_defaults(output=_output)


def _output(args: argparse.Namespace) -> Iterable[str]:
    page = FORMATS[args.format](input_runs(args))
    if args.file == STANDARD_OUTPUT:
        return [page]
    from gar_metrics.files import write_whole

    write_whole(Path(args.file), page.encode("utf-8", "backslashreplace"))
    return []


def _html(runs: Sequence[Run]) -> str:
    from gar_metrics.report import render_report

    return render_report(runs)


def _markdown(runs: Sequence[Run]) -> str:
    from gar_metrics.render import render_markdown

    return render_markdown(runs, gold_turn=_gold_turn_known(runs))


def _latex(runs: Sequence[Run]) -> str:
    from gar_metrics.render_latex import render_latex

    return render_latex(runs, gold_turn=_gold_turn_known(runs))


def _gold_turn_known(runs: Sequence[Run]) -> bool:
    return any(cell.gold_turn_gar is not None for run in runs for cell in run.cells)


FORMATS = {"html": _html, "md": _markdown, "latex": _latex}
