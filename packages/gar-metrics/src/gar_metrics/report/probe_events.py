"""The events that probes logged in a run directory, by case."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gar_metrics.discover import RESULT_ROOTS, SUBFOLDER
from gar_metrics.errors import GarError, one_line
from gar_metrics.jsonl import numbered_objects
from gar_metrics.report.texts import as_json

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

LOG_NAMES = "*event_log*.jsonl"
_PLACED = ("case_id", "test_entry_id", "event", "turn_idx", "step_idx", "mode", "variant")
"""Fields that say which event it is, where and whose; the others are its details."""


@dataclass(frozen=True, slots=True)
class ProbeEvent:
    """One event.

    Attributes:
        name: The kind of event and the variant and mode of its probe.
        turn: Index of the turn, -1 where the event doesn't say.
        details: Its other fields, one a line.
    """

    name: str
    turn: int
    details: str


def read_events(folder: Path) -> tuple[dict[str, list[ProbeEvent]], str | None]:
    """Case id -> events in the order of the log, and what is to say about the log in a note, if anything.

    A log lies in the run directory, above the results root that holds the model's folder. It names no model: where
    the root holds several, nobody can tell whose event it is, and none is shown.

    Args:
        folder: The model's folder.
    """
    root = folder.parent
    try:
        logs = sorted(root.parent.glob(LOG_NAMES)) if root.name in RESULT_ROOTS else []
        alone = sum(entry.is_dir() and entry.name != SUBFOLDER for entry in root.iterdir()) == 1 if logs else True
        if not alone:
            return {}, "probe events aren't shown: the log beside these results doesn't say which model it is about"
        return _by_case(logs), None
    except GarError as error:
        return {}, f"probe events aren't shown: {error}"
    except OSError as error:
        return {}, one_line(f"probe events aren't shown: {error.strerror or error}")


def _by_case(logs: Iterable[Path]) -> dict[str, list[ProbeEvent]]:
    events: dict[str, list[ProbeEvent]] = {}
    for log in logs:
        for _, record in numbered_objects(log):
            events.setdefault(str(record.get("case_id")), []).append(_event(record))
    return events


def _event(record: dict[str, object]) -> ProbeEvent:
    turn = record.get("turn_idx")
    labels = [str(record[field]) for field in ("variant", "mode") if field in record]
    name = str(record.get("event", "event"))
    return ProbeEvent(
        name=f"{name} ({', '.join(labels)})" if labels else name,
        turn=turn if isinstance(turn, int) else -1,
        details="\n".join(
            f"{field}: {value if isinstance(value, str) else as_json(value)}"
            for field, value in record.items()
            if field not in _PLACED
        ),
    )
