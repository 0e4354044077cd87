"""``gar audit``: how far the raters of a mechanism audit agree, and what their labels say."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable

    from gar_metrics.commands.inputs import Subparsers

FORMATS = ("text", "json", "md", "latex")


def add_to(commands: Subparsers) -> None:
    """Adds the command."""
    parser = commands.add_parser("audit", help="agreement of the raters of audit labels, and the rates they give")
    parser.add_argument("file", metavar="FILE", help="audit labels, one case a line (data/audit_labels.jsonl)")
    parser.add_argument("--format", choices=FORMATS, default="text", help="default: text")
    parser.set_defaults(output=_output)


def _output(args: argparse.Namespace) -> Iterable[str]:
    from gar_metrics.audit import audit_cases
    from gar_metrics.audit_reading import read_audit
    from gar_metrics.export_audit import render_audit_json
    from gar_metrics.render_audit import render_audit_latex, render_audit_markdown, render_audit_text

    renderers = (render_audit_text, render_audit_json, render_audit_markdown, render_audit_latex)
    render = dict(zip(FORMATS, renderers, strict=True))[args.format]
    return [render(audit_cases(read_audit(Path(args.file))))]
