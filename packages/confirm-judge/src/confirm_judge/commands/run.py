"""``confirm-judge run``: the write events of tau2 runs judged, into a file that can be gone on with."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from confirm_judge.commands.inputs import add_write_tools, chosen_write_tools

if TYPE_CHECKING:
    from collections.abc import Sequence

    from confirm_judge.commands.inputs import Subparsers
    from confirm_judge.display import Prices
    from confirm_judge.judgments import Judgment
    from confirm_judge.running import JudgeOptions

MODEL, RULES = "model", "rules"
DEFAULT_CONCURRENCY = 8
DEFAULT_TIMEOUT = 120.0

NOBODY_ANSWERED = 1
"""The exit status where there were writes to judge, and no verdict for any."""


def add_to(commands: Subparsers) -> None:
    """Adds the command."""
    parser = commands.add_parser("run", help="judge the write events of runs; the same command goes on with a file")
    parser.add_argument(
        "--run", nargs=3, metavar=("MODEL", "DOMAIN", "RESULTS_JSON"), action="append", required=True, dest="runs",
        type=_given, help="a run to judge, and the names under which it is to stand; may be given several times",
    )  # fmt: skip
    parser.add_argument("--out", metavar="FILE", type=Path, required=True, help="the judgments, one a line")
    parser.add_argument(
        "--judge", choices=(MODEL, RULES), default=MODEL, help="a model, or rules that need none; default: model"
    )
    parser.add_argument("--judge-model", metavar="M", type=_sendable, help="default: gpt-5.4-2026-03-05")
    parser.add_argument(
        "--base-url", metavar="URL", type=_given, help="the judge's server; default: OPENAI_BASE_URL, or OpenAI's"
    )
    parser.add_argument("--prompt", metavar="FILE", type=Path, help="a template in place of the project's own prompt")
    parser.add_argument(
        "--concurrency", metavar="N", type=_positive, default=DEFAULT_CONCURRENCY, help="requests under way; default: 8"
    )
    parser.add_argument(
        "--timeout", metavar="SECONDS", type=_seconds, default=DEFAULT_TIMEOUT, help="for one request; default: 120"
    )
    parser.add_argument("--price-in", metavar="P", type=_price, help="of a million tokens that the judge reads")
    parser.add_argument("--price-out", metavar="P", type=_price, help="of a million tokens that it writes")
    add_write_tools(parser)
    parser.set_defaults(execute=_execute)


def _execute(args: argparse.Namespace) -> int:
    from rich.console import Console

    from confirm_judge.display import Display
    from confirm_judge.running import Source, run_judge
    from confirm_judge.secrets import safe_arguments

    prices = _prices(args)
    judgments = run_judge(
        [Source(model, domain, Path(path)) for model, domain, path in args.runs],
        args.out,
        _options(args),
        tools=chosen_write_tools(args),
        concurrency=args.concurrency,
        display=Display(Console(stderr=True), prices),
        argv=safe_arguments(args.argv),
    )
    sys.stdout.write(_summary(judgments, prices))
    failed = judgments and all(judgment.confirmed is None for judgment in judgments)
    return NOBODY_ANSWERED if failed else 0


def _options(args: argparse.Namespace) -> JudgeOptions:
    from confirm_judge.model_judge import DEFAULT_MODEL
    from confirm_judge.prompt import own_prompt, read_prompt
    from confirm_judge.running import JudgeOptions
    from confirm_judge.server import require_server
    from gar_metrics import GarError

    if args.judge == RULES:
        given = [name for name in ("judge_model", "base_url", "prompt") if getattr(args, name) is not None]
        if given:
            what = f"--{given[0].replace('_', '-')} says nothing to --judge rules"
            raise GarError(what)
        return JudgeOptions(None, None)
    require_server(args.base_url)
    prompt = read_prompt(args.prompt) if args.prompt else own_prompt()
    return JudgeOptions(args.judge_model or DEFAULT_MODEL, prompt, args.base_url, args.timeout)


def _prices(args: argparse.Namespace) -> Prices | None:
    from confirm_judge.display import Prices
    from gar_metrics import GarError

    if args.price_in is None and args.price_out is None:
        return None
    if args.price_in is None or args.price_out is None:
        what = "--price-in and --price-out go together"
        raise GarError(what)
    return Prices(args.price_in, args.price_out)


def _summary(judgments: Sequence[Judgment], prices: Prices | None) -> str:
    """What the file now says of the runs that were named, in one or two lines."""
    from confirm_judge.display import spent

    verdicts = [judgment.confirmed for judgment in judgments]
    confirmed, refused, failed = (verdicts.count(value) for value in (True, False, None))
    input_tokens = sum(judgment.input_tokens for judgment in judgments)
    output_tokens = sum(judgment.output_tokens for judgment in judgments)
    tokens = spent(input_tokens, output_tokens, prices)
    parts = (f"{len(verdicts)} writes: {confirmed} confirmed first, {refused} not", tokens)
    lines = ["; ".join(part for part in parts if part)]
    if failed:
        lines.append(f"{failed} without a verdict: the same command asks again")
    return "\n".join(lines) + "\n"


def _given(text: str) -> str:
    """The text, which a variable that isn't set leaves empty."""
    if not text.strip():
        message = "must not be empty"
        raise argparse.ArgumentTypeError(message)
    return text


def _sendable(text: str) -> str:
    if any("\ud800" <= character <= "\udfff" for character in text):
        message = "must be UTF-8"
        raise argparse.ArgumentTypeError(message)
    return _given(text)


def _positive(text: str) -> int:
    return int(_number(text, lowest=1, whole=True))


def _seconds(text: str) -> float:
    return _number(text, lowest=0.001)


def _price(text: str) -> float:
    return _number(text, lowest=0.0)


def _number(text: str, lowest: float, *, whole: bool = False) -> float:
    try:
        number = int(text) if whole else float(text)
    except ValueError:
        number = float("nan")  # within no bounds either
    if not lowest <= number < float("inf"):
        message = f"must be a {'whole ' if whole else ''}number of at least {lowest:g}, got {text}"
        raise argparse.ArgumentTypeError(message)
    return number
