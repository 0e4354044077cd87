"""``gar compare``: one run against another on the same cases, or several against one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gar_metrics.commands.inputs import add_gold_turns, add_ruleset
from gar_metrics.errors import GarError, shown

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable

    from gar_metrics.commands.inputs import Subparsers
    from gar_metrics.comparing import Comparison, Family
    from gar_metrics.records import Run

FORMATS = ("text", "json", "csv", "md", "latex")
FOR_PROGRAMS = ("json", "csv")


def add_to(commands: Subparsers) -> None:
    """Adds the command."""
    parser = commands.add_parser("compare", help="a run against another on the same cases, with paired statistics")
    parser.add_argument(
        "paths", metavar="PATH", nargs="*",
        help="the baseline and the treatment, each as for gar table, each leading to one run",
    )  # fmt: skip
    parser.add_argument("--many", action="store_true", help="the first PATH is the baseline of all others, a family")
    parser.add_argument("--model", metavar="NAME", help="of several models below a PATH, the one with this name")
    parser.add_argument("--flips", action="store_true", help="list every case that flipped (json and csv always do)")
    add_gold_turns(parser)
    add_ruleset(parser)
    parser.add_argument("--format", choices=FORMATS, default="text", help="default: text")
    parser.set_defaults(output=_output)


def _output(args: argparse.Namespace) -> Iterable[str]:
    from gar_metrics.comparing import compare_many, compare_runs

    if args.many and len(args.paths) < 2:
        what = f"--many takes a baseline and at least one run, {_given(args.paths)}"
        raise GarError(what)
    if not args.many and len(args.paths) != 2:
        what = f"compare takes two paths, a baseline and a treatment, {_given(args.paths)} (--many takes more)"
        raise GarError(what)
    if args.flips and args.format in FOR_PROGRAMS:
        what = f"--flips is for people's formats: {args.format} lists every flipped case anyway"
        raise GarError(what)
    render = _renderer(args)
    baseline, *treatments = (_one_run(path, args) for path in args.paths)
    return [render(compare_many(baseline, treatments) if args.many else compare_runs(baseline, *treatments))]


def _renderer(args: argparse.Namespace) -> Callable[[Comparison | Family], str]:
    from functools import partial

    from gar_metrics import export_comparison, render_comparison

    renderers: dict[str, Callable[[Comparison | Family], str]] = {
        "text": partial(render_comparison.render_comparison_text, all_flips=args.flips),
        "json": export_comparison.render_comparison_json,
        "csv": export_comparison.render_comparison_csv,
        "md": partial(render_comparison.render_comparison_markdown, all_flips=args.flips),
        "latex": partial(render_comparison.render_comparison_latex, all_flips=args.flips),
    }
    return renderers[args.format]


def _one_run(path: str, args: argparse.Namespace) -> Run:
    """The only run that the path leads to, of the model if --model names one (by its name or its folder's).

    Raises:
        GarError: It leads to none or several, or can't be read right.
    """
    from pathlib import Path

    from gar_metrics.load import load_runs

    runs = load_runs([path], ruleset=args.ruleset, gold_turns=args.gold_turns)
    chosen = [run for run in runs if args.model is None or args.model in (run.model, run.folder.name)]
    if len(chosen) == 1:
        return chosen[0]
    if not chosen:
        what = f"no run of model {args.model!r}; found: {', '.join(dict.fromkeys(run.model for run in runs))}"
    else:
        found = ", ".join(f"{run.model} ({shown(run.folder)})" for run in chosen)
        what = f"leads to {len(chosen)} runs, name one of them, by its folder or with --model: {found}"
    raise GarError(what, path=Path(path))


def _given(paths: list[str]) -> str:
    return "none is given" if not paths else f"{len(paths)} {'is' if len(paths) == 1 else 'are'} given"
