"""Results for machines: JSON and CSV, nothing rounded, null or nothing where a value can't be measured."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import asdict, fields
from typing import TYPE_CHECKING

from confirm_judge.table import TableRow

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from confirm_judge.agreement import Agreement

INTERVALS = ("gar_ci95", "acc_ci95", "gar_ci95_cluster", "acc_ci95_cluster", "delta_ci95_cluster")


def table_record(rows: Sequence[TableRow]) -> dict[str, object]:
    """The table as one JSON-ready object, ``{"rows": [...]}``: rows with the fields of `TableRow`."""
    return {"rows": [asdict(row) for row in rows]}


def render_table_json(rows: Sequence[TableRow]) -> str:
    """`table_record` as indented JSON in ASCII."""
    return json.dumps(table_record(rows), indent=2) + "\n"


def render_table_csv(rows: Sequence[TableRow]) -> str:
    """A CSV line per row under a head line; an interval is two columns, ``_low`` and ``_high``."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    names = [field.name for field in fields(TableRow)]
    writer.writerow(column for name in names for column in _columns(name))
    for row in rows:
        writer.writerow(value for name in names for value in _values(name, getattr(row, name)))
    return text.getvalue()


def render_agreement_json(agreement: Agreement) -> str:
    """The agreement's record as indented JSON in ASCII."""
    return json.dumps(agreement.record(), indent=2) + "\n"


def _columns(name: str) -> tuple[str, ...]:
    return (f"{name}_low", f"{name}_high") if name in INTERVALS else (name,)


def _values(name: str, value: object) -> Iterator[object]:
    if name not in INTERVALS:
        yield value
    elif isinstance(value, tuple):
        yield from value
    else:
        yield from (None, None)
