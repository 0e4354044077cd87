"""The arguments that name runs, shared by the commands that read some."""

from __future__ import annotations

from typing import TYPE_CHECKING

from action_classifier import RULESETS
from gar_metrics.errors import GarError

if TYPE_CHECKING:
    import argparse

    from gar_metrics.records import Run

    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]  # noqa: SLF001 (argparse gives it no public name)


def add_input(parser: argparse.ArgumentParser, *, several_rulesets: bool = False) -> None:
    """Adds PATH..., --results, --scores, --gold-turns and --ruleset, which may name several if so asked for."""
    parser.add_argument(
        "paths", metavar="PATH", nargs="*",
        help="a run directory, a results root, a model's folder, a folder of run directories, or a result file",
    )  # fmt: skip
    parser.add_argument("--results", metavar="DIR", help="results whose scores lie in the folder --scores names")
    parser.add_argument("--scores", metavar="DIR", help="the scores that belong to --results")
    add_gold_turns(parser)
    if several_rulesets:
        parser.add_argument(
            "--ruleset", metavar="RULESETS", default="paper",
            help=f"how emissions are classified, several side by side: of {', '.join(RULESETS)}; default: paper",
        )  # fmt: skip
    else:
        add_ruleset(parser)


def add_gold_turns(parser: argparse.ArgumentParser) -> None:
    """Adds --gold-turns."""
    parser.add_argument(
        "--gold-turns", metavar="FILE", help="the gold turn of each case, for runs that don't hold a gold_turns.json"
    )


def add_ruleset(parser: argparse.ArgumentParser) -> None:
    """Adds --ruleset."""
    parser.add_argument(
        "--ruleset", choices=RULESETS, default="paper", help="how emissions are classified; default: paper"
    )


def rulesets(args: argparse.Namespace) -> tuple[str, ...]:
    """The rulesets that ``--ruleset paper,extended`` names, each once.

    Raises:
        GarError: One is unknown.
    """
    named = tuple(dict.fromkeys(name.strip() for name in args.ruleset.split(",")))
    for name in named:
        if name not in RULESETS:
            what = f"unknown ruleset {name!r}; known: {', '.join(RULESETS)}"
            raise GarError(what, field="--ruleset")
    return named


def input_runs(args: argparse.Namespace, ruleset: str | None = None) -> tuple[Run, ...]:
    """The runs that the arguments of `add_input` name, under the ruleset given here or else there.

    Raises:
        GarError: As `gar_metrics.load_runs`.
    """
    from gar_metrics.load import load_runs

    return load_runs(
        args.paths,
        results=args.results,
        scores=args.scores,
        ruleset=args.ruleset if ruleset is None else ruleset,
        gold_turns=args.gold_turns,
    )
