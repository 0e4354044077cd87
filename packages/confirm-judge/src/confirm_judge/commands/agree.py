"""``confirm-judge agree``: how far two judges of the same events agree."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from confirm_judge.commands.inputs import Subparsers

FORMATS = ("text", "json", "md")


def add_to(commands: Subparsers) -> None:
    """Adds the command."""
    parser = commands.add_parser("agree", help="kappa, agreement and confusion of two judgment files")
    parser.add_argument("first", metavar="A", type=Path, help="judgments of one judge, or released labels")
    parser.add_argument("second", metavar="B", type=Path, help="another judge's, of the same events")
    parser.add_argument("--format", choices=FORMATS, default="text", help="default: text")
    parser.set_defaults(execute=_execute)


def _execute(args: argparse.Namespace) -> int:
    from confirm_judge.agreement import agree
    from confirm_judge.export import render_agreement_json
    from confirm_judge.judgments import read_judgments
    from confirm_judge.render import render_agreement_markdown, render_agreement_text

    renderers = (render_agreement_text, render_agreement_json, render_agreement_markdown)
    render = dict(zip(FORMATS, renderers, strict=True))[args.format]
    sys.stdout.write(render(agree(read_judgments(args.first), read_judgments(args.second))))
    return 0
