"""The probes of a run: from the command line and the environment to a stack with its event log."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

from bfcl_runner.errors import RunnerError
from calibration_probes import DEFAULT_LOG_NAME, Configuration, EventLog, ProbeError, ProbeStack, build_stack, configure

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
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
    except ProbeError as error:
        raise RunnerError(str(error)) from None
    try:
        yield build_stack(configuration, log.write)
    finally:
        log.close()


def probe_names(configuration: Configuration) -> str | None:
    """The probes that are on, as a record names them (``sri:v1``, ``cri:bypass passive_log``), or None."""
    names = [
        f"{probe.name}:{probe.variant}" + ("" if probe.mode.value == "active" else f" {probe.mode.value}")
        for probe in build_stack(configuration).probes
    ]
    return " + ".join(names) or None
