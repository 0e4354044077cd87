"""The command `action-classifier`: JSON lines in, JSON lines with the class of each emission out."""

from __future__ import annotations

import argparse
import json
import os
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING

from action_classifier.__about__ import __version__
from action_classifier.calls import CALL_TEXT_PATTERNS
from action_classifier.classify import RULESETS, explain
from action_classifier.cues import CUES
from action_classifier.evidence import Evidence
from action_classifier.lines import LineError, emissions_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

USAGE_ERROR = 2


def main(argv: Sequence[str] | None = None) -> int:
    """The exit status: 0, or 2 for input that can't be used (one line on stderr says what and where)."""
    options = _parser().parse_args(argv)
    try:
        if options.command == "rules":
            _print_rules(options.format)
        else:
            _classify(options.file, options.field, options.ruleset, with_evidence=options.explain)
        sys.stdout.flush()
    except LineError as error:
        sys.stdout.flush()
        print(f"action-classifier: {error}", file=sys.stderr)
        return USAGE_ERROR
    except BrokenPipeError:
        # The reader (`head`, a pager) has enough. Point stdout elsewhere: Python flushes it again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="action-classifier", description=__doc__)
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    commands = parser.add_subparsers(dest="command", required=True)

    classify = commands.add_parser(
        "classify",
        help="label the emissions of a JSON-lines file",
        description=(
            "Reads JSON lines: strings, lists of calls, objects that hold an emission under --field, and "
            "(without --field) whole BFCL result rows and OpenAI messages. Writes one line an emission."
        ),
    )
    classify.add_argument("file", nargs="?", default="-", metavar="FILE", help="input file, - for stdin")
    classify.add_argument("--field", help="key of the emission in each object")
    classify.add_argument("--ruleset", choices=RULESETS, default="paper", help="default: %(default)s")
    classify.add_argument("--explain", action="store_true", help="add the rule, the cue and its span")

    rules = commands.add_parser("rules", help="print the tables of ruleset paper")
    rules.add_argument("--format", choices=("text", "json"), default="text", help="default: %(default)s")
    return parser


def _classify(file: str, field: str | None, ruleset: str, *, with_evidence: bool) -> None:
    with _opened(file) as (name, lines):
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            for place, emission in emissions_of(line, field, where=f"{name}:{number}"):
                answer = _answer(explain(emission, ruleset), with_evidence=with_evidence)
                print(json.dumps(place | answer))


def _answer(evidence: Evidence | None, *, with_evidence: bool) -> dict[str, object]:
    """The fields of one output line; null for an emission that carries nothing."""
    answer: dict[str, object] = evidence._asdict() if evidence else dict.fromkeys(Evidence._fields)
    return answer if with_evidence else {"action": answer["action"]}


@contextmanager
def _opened(file: str) -> Iterator[tuple[str, IO[bytes]]]:
    """The name to show in messages and the binary lines of a file, or of standard input for ``-``."""
    if file == "-":
        yield "<stdin>", sys.stdin.buffer
        return
    try:
        stream = Path(file).open("rb")  # noqa: SIM115 (closed below; an error in reading is no error in opening)
    except OSError as error:
        message = f"{file}: {error.strerror}"
        raise LineError(message) from None
    with stream:
        yield file, stream


def _print_rules(output_format: str) -> None:
    if output_format == "json":
        tables: dict[str, object] = {"tool_call": [rule for rule, _ in CALL_TEXT_PATTERNS]}
        tables |= {action.value: list(cues) for action, cues in CUES.items()}
        print(json.dumps(tables, indent=2))
        return
    print("Ruleset paper: the first class that fires wins. Quotes are folded, case is ignored.\n")
    print("TOOL_CALL, by the shape of the text:")
    for rule, _ in CALL_TEXT_PATTERNS:
        print(f"  {rule}")
    for action, cues in CUES.items():
        print(f"\n{action}, by any of these in the text:")
        for cue in cues:
            print(f"  {cue}")
    print("\nOTHER, if none of them fires.")


if __name__ == "__main__":
    sys.exit(main())
