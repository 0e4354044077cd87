"""An event log counted: per probe, variant, mode and category, how often it was asked and how often it acted."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

from action_classifier import GOLD_ACTIONS, category_of
from calibration_probes.cri import LOGGED_REASONS
from calibration_probes.lines import records

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from calibration_probes.lines import Record

NO_CATEGORY = "other"
ALL_CATEGORIES = "all"
_CATEGORIES = (*GOLD_ACTIONS, NO_CATEGORY)
_HEAD = ("probe", "variant", "mode", "category")


def _halt_counts(record: Record) -> Counter[str]:
    retry, suppressed = record.get("retry", bool), record.get("suppressed_by_gate", bool, False)
    return Counter(halts=1, retries=int(retry and not suppressed), suppressions=int(suppressed))


def _evaluation_counts(record: Record) -> Counter[str]:
    triggered = record.get("triggered", bool)
    return Counter({"evaluations": 1, "triggers": int(triggered), record.one_of("reason", LOGGED_REASONS): 1})


def _no_counts(_record: Record) -> Counter[str]:
    return Counter()


_EVENTS: Mapping[str, tuple[str, Callable[[Record], Counter[str]]]] = MappingProxyType(
    {
        "sri_start_turn": ("sri", _no_counts),
        "sri_state_update": ("sri", _no_counts),
        "sri_halt_candidate": ("sri", _halt_counts),
        "cri_evaluate": ("cri", _evaluation_counts),
    }
)
"""By event: whose it is, and what it adds."""

COLUMNS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {"sri": ("halts", "retries", "suppressions"), "cri": ("evaluations", "triggers", *LOGGED_REASONS)}
)
"""What is counted, by probe: retries are those that the gate let be; evaluations are also counted by reason."""


@dataclass
class Row:
    """The counts of one probe in one variant and mode, over the cases of one category.

    Attributes:
        probe: ``sri`` or ``cri``.
        variant: Its variant.
        mode: Its mode.
        category: A BFCL category, or ``other``.
        cases: Ids of the cases with an event.
        counts: By the names in `COLUMNS`.
    """

    probe: str
    variant: str
    mode: str
    category: str
    cases: set[str] = field(default_factory=set)
    counts: Counter[str] = field(default_factory=Counter)

    def as_dict(self) -> dict[str, object]:
        """Head, number of cases and counts, in the order of a table."""
        head = {name: getattr(self, name) for name in _HEAD}
        return {**head, "cases": len(self.cases), **{name: self.counts[name] for name in COLUMNS[self.probe]}}


def summarize(path: Path) -> list[Row]:
    """The rows of a log: SRI before CRI, categories in the usual order. Other probes' events aren't counted.

    Raises:
        ProbeError: The log can't be read, or an event lacks one of the fields that are counted.
    """
    rows: dict[tuple[str, ...], Row] = {}
    for record in records(path):
        probe, counts = _EVENTS.get(record.get("event", str), (None, _no_counts))
        if probe is None:
            continue
        case_id = record.get("case_id", str)
        head = (probe, record.get("variant", str), record.get("mode", str), category_of(case_id) or NO_CATEGORY)
        row = rows.setdefault(head, Row(*head))
        row.cases.add(case_id)
        row.counts.update(counts(record))
    probes = list(COLUMNS)
    return sorted(
        rows.values(),
        key=lambda row: (probes.index(row.probe), row.variant, row.mode, _CATEGORIES.index(row.category)),
    )


def summary_json(rows: Sequence[Row]) -> str:
    """A JSON list of the rows; for CRI the evaluations by reason lie under ``reasons``."""
    return json.dumps([_nested(row) for row in rows], indent=2) + "\n"


def summary_csv(rows: Sequence[Row]) -> str:
    """One CSV row each, with the columns of both probes; those that a row hasn't are empty."""
    text = io.StringIO()
    columns = [*_HEAD, "cases", *(name for names in COLUMNS.values() for name in names)]
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(row.as_dict() for row in rows)
    return text.getvalue()


def summary_text(rows: Sequence[Row]) -> str:
    """A table for each probe, variant and mode, its categories and all of them together."""
    groups: dict[tuple[str, str, str], list[Row]] = {}
    for row in rows:
        groups.setdefault((row.probe, row.variant, row.mode), []).append(row)
    return "\n".join(_table(*head, members) for head, members in groups.items()) or "no events of sri or cri\n"


def _nested(row: Row) -> dict[str, object]:
    flat = row.as_dict()
    reasons = {name: flat.pop(name) for name in LOGGED_REASONS if name in flat}
    return flat | {"reasons": reasons} if reasons else flat


def _table(probe: str, variant: str, mode: str, rows: Sequence[Row]) -> str:
    total = Row(
        probe, variant, mode, ALL_CATEGORIES,
        set().union(*(row.cases for row in rows)), sum((row.counts for row in rows), Counter()),
    )  # fmt: skip
    dicts = [row.as_dict() for row in (*rows, total)]
    # A line for each count and a column for each category: the reasons' names are too long to stand above numbers.
    lines = [["", *(str(row["category"]) for row in dicts)]]
    lines += [[name, *(str(row[name]) for row in dicts)] for name in ("cases", *COLUMNS[probe])]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    aligned = ("  ".join([name.ljust(widths[0]), *map(str.rjust, numbers, widths[1:])]) for name, *numbers in lines)
    return "\n".join([f"{probe}:{variant}, {mode} (numbers of cases and of events)", *aligned]) + "\n"
