"""The command line ``calibration-probes``: the installed probes, what they say, what they did, what they should do."""

from __future__ import annotations

import argparse
import io
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from calibration_probes.__about__ import __version__
from calibration_probes.errors import ProbeError, one_line
from calibration_probes.registry import find_probe, installed_probes
from calibration_probes.replay import replay
from calibration_probes.sample import said_in_sample
from calibration_probes.settings import Settings
from calibration_probes.summary import summarize, summary_csv, summary_json, summary_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

DISTRIBUTION = "calibration-probes"

DECISIONS_DIFFER = 1
BAD_INPUT = 2
CLOSED_PIPE = 141
"""What a shell reports for a program that writing to a closed pipe ended: 128 + SIGPIPE."""

EVENT_FORMATS = {"text": summary_text, "json": summary_json, "csv": summary_csv}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status.

    0, 1 if a replayed decision differs, or 2 with one line on stderr when the input is at fault.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A character that the terminal's encoding lacks must not end the program.
            stream.reconfigure(errors="backslashreplace")
    try:
        args = _parser().parse_args(argv)
        status: int = args.run(args)
        sys.stdout.flush()
    except ProbeError as error:
        sys.stdout.flush()
        print(f"calibration-probes: {error}", file=sys.stderr)
        return BAD_INPUT
    except BrokenPipeError:
        # The reader has gone (`| head`). Python flushes stdout once more at exit: give it a place to go.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return CLOSED_PIPE
    return status


class _Parser(argparse.ArgumentParser):
    """A parser whose complaints are one line, like every other error."""

    def error(self, message: str) -> NoReturn:
        what = f"{message} (see {self.prog} --help)"
        raise ProbeError(what)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="calibration-probes", description="Probes at the halt and call seams of a tool-calling loop.")
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)

    listing = commands.add_parser("list", help="the installed probes and their variants")
    listing.set_defaults(run=_list)

    show = commands.add_parser("show", help="what a probe tells the model, in a sample conversation")
    show.add_argument("probe", metavar="NAME[:VARIANT]", help="a probe, in its first variant if none is named")
    show.set_defaults(run=_show)

    events = commands.add_parser("events", help="an event log counted by probe, variant and category")
    events.add_argument("log", metavar="LOG", type=Path, help="an event log, such as RUN/sri_event_log.jsonl")
    events.add_argument("--format", choices=EVENT_FORMATS, default="text", help="default: text")
    events.set_defaults(run=_events)

    replaying = commands.add_parser("replay", help="scripted conversations, and every decision that differs")
    replaying.add_argument("file", metavar="FILE", type=Path, help="conversations with the decisions expected")
    replaying.set_defaults(run=_replay)
    return parser


def _list(_args: argparse.Namespace) -> int:
    lines = list(_listed())
    width = max((len(name) for name, _ in lines), default=0)
    for name, summary in lines:
        print(f"{name.ljust(width)}  {one_line(summary)}")
    return 0


def _listed() -> Iterator[tuple[str, str]]:
    """Each installed variant and what it does, or why a probe can't be used."""
    for probe in installed_probes():
        try:
            variants = probe.load().variants
        except ProbeError as error:
            yield probe.name, str(error)
            continue
        source = "" if probe.distribution == DISTRIBUTION else f" (from {probe.distribution})"
        yield from ((f"{probe.name}:{variant}", f"{summary}{source}") for variant, summary in variants.items())


def _show(args: argparse.Namespace) -> int:
    name, colon, variant = args.probe.partition(":")
    said = said_in_sample(find_probe(name)(Settings(variant if colon else None)))
    print("\n\n".join(said) or f"{args.probe} says nothing in the sample conversation")
    return 0


def _events(args: argparse.Namespace) -> int:
    sys.stdout.write(EVENT_FORMATS[args.format](summarize(args.log)))
    return 0


def _replay(args: argparse.Namespace) -> int:
    equal = total = 0
    for decision in replay(args.file):
        differences = decision.differences()
        total += 1
        equal += not differences
        for line in differences:
            print(one_line(line))
    print(f"{equal}/{total} decisions equal")
    return 0 if equal == total else DECISIONS_DIFFER


if __name__ == "__main__":
    sys.exit(main())
