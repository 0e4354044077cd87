"""The command `action-classifier`: JSON lines in, JSON lines with the class of each emission out."""

from __future__ import annotations

import argparse
import json
import os
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, TextIO

from action_classifier.__about__ import __version__
from action_classifier.adapters import ADAPTERS, AdapterError, read_inspect_log
from action_classifier.calls import CALL_TEXT_PATTERNS
from action_classifier.classify import RULESETS, explain
from action_classifier.cues import CUES
from action_classifier.evidence import Evidence
from action_classifier.lines import LineError, Place, emissions_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

FAULT = 2
INTERRUPTED = 130
CLOSED_PIPE = 141
"""What a shell reports for a program that SIGINT or SIGPIPE ended: 128 and the signal's number."""

EXPORTED_IN_LINES = frozenset({"opentelemetry"})
"""Harnesses whose exporters put parts of one document on each line."""


def main(argv: Sequence[str] | None = None) -> int:
    """The exit status: 0, or 2 for input that can't be used (one line on stderr says what and where)."""
    try:
        _run(argv)
    except LineError as error:
        return _failed(str(error))
    except KeyboardInterrupt:
        _discard(sys.stdout)
        return INTERRUPTED
    except BrokenPipeError:  # the reader (`head`, a pager) has enough
        _discard(sys.stdout)
        return CLOSED_PIPE
    except OSError as error:  # a full disk; what can't be read is a LineError
        _discard(sys.stdout)
        return _failed(f"standard output: {error.strerror}")
    return 0


def _run(argv: Sequence[str] | None) -> None:
    try:
        options = _parser().parse_args(argv)
        if options.command == "rules":
            _print_rules(options.format)
        else:
            found = (
                _in_lines(options.file, options.field)
                if options.harness is None
                else _in_document(options.file, options.harness)
            )
            _classify(found, options.ruleset, with_evidence=options.explain)
    finally:
        # Whatever ends the command, what was answered before stays valid.
        sys.stdout.flush()


def _failed(what: str) -> int:
    """The status, after the one line that goes with it; characters that would break the line are escaped."""
    line = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in what)
    try:
        print(f"action-classifier: {line}", file=sys.stderr)
    except OSError:  # standard error is on the full disk too
        _discard(sys.stderr)
    return FAULT


def _discard(stream: TextIO) -> None:
    """Points a stream elsewhere: Python writes out what is left in it at exit, and would complain once more."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


class _Parser(argparse.ArgumentParser):
    """A parser whose complaints are one line, like every other error."""

    def error(self, message: str) -> NoReturn:
        raise SystemExit(_failed(f"{message} (see {self.prog} --help)"))


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="action-classifier", description=__doc__)
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)

    classify = commands.add_parser(
        "classify",
        help="label the emissions of a JSON-lines file",
        description=(
            "Reads JSON lines: strings, lists of calls, objects that hold an emission under --field, and "
            "(without --field) whole BFCL result rows and OpenAI messages. Writes one line an emission."
        ),
    )
    classify.add_argument("file", nargs="?", default="-", metavar="FILE", help="input file, - for stdin")
    shape = classify.add_mutually_exclusive_group()
    shape.add_argument("--field", help="key of the emission in each object")
    shape.add_argument(
        "--from",
        dest="harness",
        choices=tuple(ADAPTERS),
        metavar="FORMAT",
        help=f"read a document of another harness, or one on each line: {', '.join(ADAPTERS)}",
    )
    classify.add_argument("--ruleset", choices=RULESETS, default="paper", help="default: %(default)s")
    classify.add_argument("--explain", action="store_true", help="add the rule, the cue and its span")

    rules = commands.add_parser("rules", help="print the tables of ruleset paper")
    rules.add_argument("--format", choices=("text", "json"), default="text", help="default: %(default)s")
    return parser


def _classify(found: Iterator[tuple[Place, object]], ruleset: str, *, with_evidence: bool) -> None:
    for place, emission in found:
        answer = _answer(explain(emission, ruleset), with_evidence=with_evidence)
        print(json.dumps(place | answer))


def _answer(evidence: Evidence | None, *, with_evidence: bool) -> dict[str, object]:
    """The fields of one output line; null for an emission that carries nothing."""
    answer: dict[str, object] = evidence._asdict() if evidence else dict.fromkeys(Evidence._fields)
    return answer if with_evidence else {"action": answer["action"]}


def _in_lines(file: str, field: str | None) -> Iterator[tuple[Place, object]]:
    for where, line in _lines(file):
        yield from emissions_of(line, field, where=where)


def _in_document(file: str, harness: str) -> Iterator[tuple[Place, object]]:
    """The emissions in a document of another harness, or in those on the lines of a file, each with its place."""
    for where, line, document in _documents(file, harness):
        try:
            for case_id, turn, step, emission in ADAPTERS[harness](document):
                yield line | {"id": case_id, "turn": turn, "step": step}, emission
        except AdapterError as error:
            message = f"{where}: {error}"
            raise LineError(message) from None


def _documents(file: str, harness: str) -> Iterator[tuple[str, Place, object]]:
    """Each document after the place that messages name and the one that answers name: its line, if it has one."""
    name = "<stdin>" if file == "-" else file
    try:
        if harness == "inspect" and file != "-":
            yield name, {}, read_inspect_log(file)
            return
        text = (sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()).decode("utf-8-sig")
    except AdapterError as error:
        message = f"{name}: {error}"
        raise LineError(message) from None
    except UnicodeDecodeError as error:
        raise _no_json(name, error) from None
    except OSError as error:
        message = f"{name}: {error.strerror}"
        raise LineError(message) from None
    documents: list[tuple[str, Place, object]]
    try:
        documents = [(name, {}, json.loads(text))]
    except json.JSONDecodeError as error:
        # Whole documents may follow each other, one a line.
        if error.msg != "Extra data" or "\n" not in text[: error.pos]:
            raise _no_json(name, error) from None
        documents = _on_lines(text, name, together=harness in EXPORTED_IN_LINES)
    except (ValueError, RecursionError) as error:
        raise _no_json(name, error) from None
    yield from documents


def _on_lines(text: str, name: str, *, together: bool) -> list[tuple[str, Place, object]]:
    """The documents on the lines of a text, or all of them as one list."""
    documents: list[tuple[str, Place, object]] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            where = f"{name}:{number}"
            try:
                documents.append((where, {"line": number}, json.loads(line)))
            except (ValueError, RecursionError) as error:
                raise _no_json(where, error) from None
    return [(name, {}, [document for _, _, document in documents])] if together else documents


def _no_json(where: str, error: Exception) -> LineError:
    return LineError(f"{where}: not JSON: {error}")


def _lines(file: str) -> Iterator[tuple[str, bytes]]:
    """The lines of a file (``-``: standard input) that aren't blank, each after the place that messages name."""
    name = "<stdin>" if file == "-" else file
    try:
        with nullcontext(sys.stdin.buffer) if file == "-" else Path(file).open("rb") as stream:
            for number, line in enumerate(stream, start=1):
                if line.strip():
                    yield f"{name}:{number}", line
    except OSError as error:
        message = f"{name}: {error.strerror}"
        raise LineError(message) from None


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
