"""``confirm-judge table``: confirmed writes next to passed trajectories, by model and domain."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from confirm_judge.commands.inputs import Subparsers
    from confirm_judge.judgments import Judgment
    from confirm_judge.sidecar import Sidecar
    from confirm_judge.table import TableRow

FORMATS = ("text", "json", "csv", "md", "latex")


def add_to(commands: Subparsers) -> None:
    """Adds the command."""
    parser = commands.add_parser("table", help="GAR, Acc and n of a judgment file, by model and domain")
    parser.add_argument("file", metavar="FILE", type=Path, help="judgments, of this program or released")
    parser.add_argument("--models", metavar="MODEL", nargs="+", default=[], help="these models only, in this order")
    parser.add_argument("--format", choices=FORMATS, default="text", help="default: text")
    parser.set_defaults(execute=_execute)


def _execute(args: argparse.Namespace) -> int:
    from confirm_judge.export import render_table_csv, render_table_json
    from confirm_judge.judgments import read_judgments
    from confirm_judge.render import render_table_latex, render_table_markdown, render_table_text
    from confirm_judge.sidecar import read_sidecar
    from confirm_judge.table import build_table
    from gar_metrics import GarError, one_line

    judgments, sidecar = read_judgments(args.file), read_sidecar(args.file)
    looked_at = [(run.model, run.domain) for run in sidecar.runs] if sidecar else []
    rows = build_table(judgments, models=args.models, looked_at=looked_at)
    if not rows:
        what = "holds no judgments"
        raise GarError(what, path=args.file)
    notes = _notes(rows, judgments, sidecar)
    for_machines = {"json": render_table_json, "csv": render_table_csv}
    if args.format in for_machines:
        sys.stdout.write(for_machines[args.format](rows))
        sys.stderr.writelines(f"note: {one_line(note)}\n" for note in notes)
    else:
        for_people = {"text": render_table_text, "md": render_table_markdown, "latex": render_table_latex}
        sys.stdout.write(for_people[args.format](rows, notes))
    return 0


def _notes(rows: Sequence[TableRow], judgments: Sequence[Judgment], sidecar: Sidecar | None) -> list[str]:
    """What is missing from the table."""
    notes = [
        f"{row.model}, {row.domain}: writes without a verdict, left out: {row.unjudged}" for row in rows if row.unjudged
    ]
    missing = sum(run.events for run in sidecar.runs) - len(judgments) if sidecar else 0
    if missing > 0:
        notes.append(f"writes not judged yet: {missing}; go on with confirm-judge run")
    if sidecar and sidecar.temperature_refused:
        notes.append("the judge's server took no temperature: its model's default held")
    return notes
