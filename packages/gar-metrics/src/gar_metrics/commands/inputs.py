"""The arguments that name runs, shared by the commands that read some."""

from __future__ import annotations

from typing import TYPE_CHECKING

from action_classifier import RULESETS

if TYPE_CHECKING:
    import argparse

    from gar_metrics.records import Run

    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]  # noqa: SLF001 (argparse gives it no public name)


def add_input(parser: argparse.ArgumentParser) -> None:
    """Adds PATH..., --results, --scores and --ruleset."""
    parser.add_argument(
        "paths", metavar="PATH", nargs="*",
        help="a run directory, a results root, a model's folder, a folder of run directories, or a result file",
    )  # fmt: skip
    parser.add_argument("--results", metavar="DIR", help="results whose scores lie in the folder --scores names")
    parser.add_argument("--scores", metavar="DIR", help="the scores that belong to --results")
    add_ruleset(parser)


def add_ruleset(parser: argparse.ArgumentParser) -> None:
    """Adds --ruleset."""
    parser.add_argument(
        "--ruleset", choices=RULESETS, default="paper", help="how emissions are classified; default: paper"
    )


def input_runs(args: argparse.Namespace) -> tuple[Run, ...]:
    """The runs that the arguments of `add_input` name.

    Raises:
        GarError: As `gar_metrics.load_runs`.
    """
    from gar_metrics.load import load_runs

    return load_runs(args.paths, results=args.results, scores=args.scores, ruleset=args.ruleset)
