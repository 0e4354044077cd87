"""The event log: one JSON object a line, for every decision to act or not to act and every state update."""

from __future__ import annotations

import json
import os
import threading
from typing import TYPE_CHECKING

from calibration_probes.errors import ProbeError
from calibration_probes.texts import cut

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from calibration_probes.interface import Probe
    from calibration_probes.records import Call, Step, Turn
    from calibration_probes.state import State

DEFAULT_LOG_NAME = "sri_event_log.jsonl"
"""Name of the log in a run directory, where no other path is given."""

STATE_CHARS = 1200
RESPONSE_CHARS = 500
USER_CHARS = 500


class EventLog:
    """A file that events are appended to, from any number of threads and processes.

    Args:
        path: The file; its folder must exist. Opened at once, so that a run doesn't find out at its first event.

    Raises:
        ProbeError: The file can't be opened.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        try:
            # Unbuffered and in append mode: the system puts each write whole at the end, whoever else writes.
            self._file = path.open("ab", buffering=0)
        except OSError as error:
            raise self._error(error) from error

    def write(self, event: Mapping[str, object]) -> None:
        """Appends an event as one line of ASCII; values that JSON doesn't know are written as Python shows them.

        Raises:
            ProbeError: The file can't be written to.
        """
        rest = memoryview(json.dumps(event, default=str, skipkeys=True).encode("ascii") + b"\n")
        with self._lock:
            try:
                while rest:
                    rest = rest[self._file.write(rest) :]
            except OSError as error:
                raise self._error(error) from error

    def close(self) -> None:
        """Closes the file."""
        self._file.close()

    def _error(self, error: OSError) -> ProbeError:
        what = f"the event log can't be written: {error.strerror or os.fspath(self._path)}"
        return ProbeError(what, path=self._path)


def event(kind: str, probe: Probe, turn: Turn, step_index: int, details: Mapping[str, object]) -> dict[str, object]:
    """An event with the fields that all have: case, kind, turn and step, mode and variant of the probe."""
    return {
        "case_id": turn.case.id,
        "test_entry_id": turn.case.id,
        "event": kind,
        "turn_idx": turn.index,
        "step_idx": step_index,
        "mode": probe.mode.value,
        "variant": probe.variant,
        **details,
    }


def user_excerpt(turn: Turn) -> dict[str, object]:
    """The start of what the user said in this turn."""
    return {"user_text_excerpt": cut(turn.user_texts[-1], USER_CHARS)}


def state_excerpt(state: State) -> dict[str, object]:
    """The start of the state snapshot."""
    return {"state_excerpt": state.text(STATE_CHARS)}


def step_excerpts(step: Step) -> dict[str, object]:
    """The start of the user's text, of the state and of the reply."""
    response = step.reply.response
    text = cut(response if isinstance(response, str) else str(response), RESPONSE_CHARS)
    return {**user_excerpt(step.turn), **state_excerpt(step.state), "response_excerpt": text}


def short_call(call: Call) -> dict[str, object]:
    """The call as an object, its texts cut like a response."""
    return {
        "name": call.name,
        "arguments": {
            name: cut(value, RESPONSE_CHARS) if isinstance(value, str) else value
            for name, value in call.arguments.items()
        },
    }
