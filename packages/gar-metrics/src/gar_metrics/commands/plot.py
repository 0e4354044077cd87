"""``gar plot``: a chart of the runs as an SVG or PNG file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from gar_metrics.commands.inputs import add_input, input_runs
from gar_metrics.errors import GarError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable

    from gar_metrics.commands.inputs import Subparsers

KINDS = ("scatter", "bars", "mosaic")
"""The keys of ``plotting.KINDS``, which takes matplotlib to import."""

FORMATS = {".svg": "svg", ".png": "png"}


def add_to(commands: Subparsers) -> None:
    """Adds the command."""
    parser = commands.add_parser("plot", help="a chart of the runs as an SVG or PNG file")
    add_input(parser)
    parser.add_argument("--kind", choices=KINDS, default="scatter", help="default: scatter")
    parser.add_argument(
        "-o", "--output", dest="file", metavar="FILE", required=True,
        help="where to write it, in the place of what is there; the name ends with .svg or .png",
    )  # fmt: skip
    parser.set_defaults(output=_output)


def _output(args: argparse.Namespace) -> Iterable[str]:
    path = Path(args.file)
    if path.suffix.lower() not in FORMATS:
        what = f"the name must end with {' or '.join(FORMATS)}"
        raise GarError(what, path=path)
    runs = input_runs(args)
    try:
        from gar_metrics.plotting import draw
    except ModuleNotFoundError as error:
        if error.name != "matplotlib":
            raise
        what = "a plot needs matplotlib: pip install 'gar-metrics[plot]'"
        raise GarError(what) from error
    from gar_metrics.files import write_whole

    write_whole(path, draw(runs, args.kind, FORMATS[path.suffix.lower()]))
    return []
