"""``gar table``: GAR, Acc and the masked passes of each category."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from gar_metrics.commands.inputs import add_input, input_runs, rulesets
from gar_metrics.errors import GarError
from gar_metrics.export import render_csv, render_json
from gar_metrics.grids import page_latex, page_markdown, page_text
from gar_metrics.render import render_markdown, render_text
from gar_metrics.render_latex import render_latex

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable

    from gar_metrics.commands.inputs import Subparsers
    from gar_metrics.confusion import Confusion
    from gar_metrics.records import Run

FORMATS = {
    "text": render_text, "json": render_json, "csv": render_csv, "md": render_markdown, "latex": render_latex,
}  # fmt: skip
PAGES = {"text": page_text, "md": page_markdown, "latex": page_latex}
"""For several rulesets at once; the other formats have a record for each run and ruleset."""


def add_to(commands: Subparsers) -> None:
    """Adds the command."""
    parser = commands.add_parser("table", help="GAR, Acc and the masked passes of each category")
    add_input(parser, several_rulesets=True)
    parser.add_argument(
        "--gold-turn",
        action="store_true",
        help="add GAR at the turn that calls for the gold class (--gold-turns implies it)",
    )
    parser.add_argument(
        "--corrected", metavar="FILE",
        help="add the rate at the gold turn corrected for the classifier's errors, by the confusion table in FILE",
    )  # fmt: skip
    parser.add_argument("--format", choices=FORMATS, default="text", help="default: text")
    parser.set_defaults(output=_output)


def _output(args: argparse.Namespace) -> Iterable[str]:
    from gar_metrics.gold_turns import require_gold_turns

    gold_turn = args.gold_turn or args.gold_turns is not None
    named = rulesets(args)
    if args.corrected is not None and not gold_turn:
        what = "needs --gold-turn: any-turn GAR is a maximum over emissions, which errors per turn can't correct"
        raise GarError(what, field="--corrected")
    if args.corrected is not None and len(named) > 1:
        what = "a confusion table is of one ruleset; name one"
        raise GarError(what, field="--corrected")
    runs = {ruleset: input_runs(args, ruleset) for ruleset in named}
    confusion = None if args.corrected is None else _confusion(args.corrected, runs[named[0]])
    if gold_turn:
        require_gold_turns(runs[named[0]])
    if len(named) > 1 and args.format in PAGES:
        from gar_metrics.render_rulesets import rulesets_page

        return [PAGES[args.format](rulesets_page(runs, gold_turn=gold_turn))]
    # One after the other for each run, in the order of the rulesets.
    in_turn = tuple(run for versions in zip(*runs.values(), strict=True) for run in versions)
    return [FORMATS[args.format](in_turn, gold_turn=gold_turn, confusion=confusion)]


def _confusion(path: str, runs: tuple[Run, ...]) -> Confusion:
    from gar_metrics.confusion import read_confusion
    from gar_metrics.corrected import require_same_ruleset

    confusion = read_confusion(Path(path))
    require_same_ruleset(runs, confusion)
    return confusion
