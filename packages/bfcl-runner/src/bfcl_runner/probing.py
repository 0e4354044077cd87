"""The probes of a run: from the command line and the environment to a stack with its event log."""

from __future__ import annotations

import hashlib
import json
import os
from contextlib import closing, contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING

from bfcl_runner.errors import RunnerError
from bfcl_runner.files import replace_file
from calibration_probes import DEFAULT_LOG_NAME, Configuration, EventLog, ProbeError, ProbeStack, build_stack, configure

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from pathlib import Path

NO_PROBES = Configuration()


def chosen_probes(probes: Sequence[str], mode: str | None, templates: Sequence[str]) -> Configuration:
    """The probes that flags and the paper's environment variables ask for.

    Raises:
        RunnerError: A flag or a variable says something unknown, or a template can't be used.
    """
    try:
        configuration = configure(os.environ, probes=probes, mode=mode, templates=templates)
        build_stack(configuration)
    except ProbeError as error:
        raise RunnerError(str(error)) from None
    return configuration


@contextmanager
def probe_stack(configuration: Configuration, directory: Path) -> Iterator[ProbeStack]:
    """The probes, writing their events into the run's directory while the context lasts, if any of them is on.

    Raises:
        RunnerError: The event log can't be written.
    """
    if not build_stack(configuration).probes:
        yield ProbeStack(())
        return
    try:
        log = EventLog(configuration.log_path or directory / DEFAULT_LOG_NAME)
        with closing(log):
            yield build_stack(configuration, log.write)
    except ProbeError as error:
        raise RunnerError(str(error)) from None


def forget_events(directory: Path, case_ids: Collection[str]) -> None:
    """Drops from the run's own log the events of cases that are about to run (again): each case counts once.

    Raises:
        RunnerError: The log can't be read or written.
    """
    path = directory / DEFAULT_LOG_NAME
    if not path.exists():
        return
    again = frozenset(case_ids)
    try:
        lines = path.read_bytes().splitlines(keepends=True)
    except OSError as error:
        message = f"{path}: {error.strerror}"
        raise RunnerError(message) from None
    kept = [line for line in lines if line.endswith(b"\n") and _case_id(line) not in again]
    if len(kept) != len(lines):
        replace_file(path, kept)


def _case_id(line: bytes) -> object:
    try:
        event = json.loads(line)
    except ValueError:
        return None
    return event.get("case_id") if isinstance(event, dict) else None


def probe_settings(configuration: Configuration) -> dict[str, object]:
    """What else decides what the probes that are on say: their limits, and a digest of a user's wording."""
    if not build_stack(configuration).probes:
        return {}
    templates = {
        choice.name: hashlib.sha256(repr(choice.template).encode()).hexdigest()[:16]
        for choice in configuration.probes
        if choice.template is not None
    }
    return asdict(configuration.limits) | ({"templates": templates} if templates else {})


def probe_names(configuration: Configuration) -> str | None:
    """The probes that are on, as a record names them (``sri:v1``, ``cri:bypass passive_log``), or None."""
    names = [
        f"{probe.name}:{probe.variant}" + ("" if probe.mode.value == "active" else f" {probe.mode.value}")
        for probe in build_stack(configuration).probes
    ]
    return " + ".join(names) or None
