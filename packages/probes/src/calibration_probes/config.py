"""The probes of a run: from flags and environment variables to a configuration, from that to a stack."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from calibration_probes.errors import ProbeError
from calibration_probes.records import Mode
from calibration_probes.registry import find_probe
from calibration_probes.settings import Emit, Limits, Settings
from calibration_probes.stack import ProbeStack
from calibration_probes.templates import read_template

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from calibration_probes.templates import Template

MODES: Mapping[str, Mode] = MappingProxyType({mode.value: mode for mode in Mode})
"""Values of ``--probe-mode``."""


class ProbeVariables(NamedTuple):
    """The paper's environment variables of one probe.

    Attributes:
        mode: Name of the variable that says whether it acts.
        modes: Values of that variable.
        variant: Name of the variable that says which variant it is.
    """

    mode: str
    modes: Mapping[str, Mode]
    variant: str


VARIABLES: Mapping[str, ProbeVariables] = MappingProxyType(
    {
        name: ProbeVariables(
            f"BFCL_{name.upper()}_MODE",
            MappingProxyType({"off": Mode.OFF, "passive_log": Mode.PASSIVE_LOG, f"{name}_only": Mode.ACTIVE}),
            f"BFCL_{name.upper()}_VARIANT",
        )
        for name in ("sri", "cri")
    }
)
"""By probe."""

LOG_PATH_VARIABLE = "BFCL_SRI_LOG_PATH"
_LIMIT_VARIABLES: Mapping[str, str] = MappingProxyType(
    {"SRI_MAX_STATE_CHARS": "state_chars", "SRI_MAX_USER_TURNS": "user_turns", "SRI_MAX_USER_CHARS": "user_chars"}
)


@dataclass(frozen=True, slots=True)
class ProbeChoice:
    """One probe that a run is to have.

    Attributes:
        name: The name it is found by.
        variant: Its variant, or None for its default.
        mode: Whether it acts.
        template: A user's wording, in place of the probe's own.
    """

    name: str
    variant: str | None = None
    mode: Mode = Mode.ACTIVE
    template: Template | None = None


@dataclass(frozen=True, slots=True)
class Configuration:
    """The probes of a run. It can be sent to other processes; each builds its own stack of it.

    Attributes:
        probes: In the order in which they are asked at a seam; some may be off. Empty for a run without.
        limits: Bounds of what their instructions show.
        log_path: Where the event log goes, or None for the runner's default.
    """

    probes: tuple[ProbeChoice, ...] = ()
    limits: Limits = field(default_factory=Limits)
    log_path: Path | None = None


def configure(
    environment: Mapping[str, str],
    *,
    probes: Sequence[str] = (),
    mode: str | None = None,
    templates: Sequence[str] = (),
) -> Configuration:
    """The configuration that flags and environment variables ask for.

    A flag wins over its variable, each for itself: ``--probe`` says which probes there are, and a variant that it
    doesn't name, or a mode that ``--probe-mode`` doesn't, is still that of the probe's variables.

    Args:
        environment: Of its variables the paper's are read: ``BFCL_SRI_MODE``, ``BFCL_SRI_VARIANT``, ``BFCL_CRI_MODE``,
            ``BFCL_CRI_VARIANT``, ``BFCL_SRI_LOG_PATH``, ``SRI_MAX_STATE_CHARS``, ``SRI_MAX_USER_TURNS`` and
            ``SRI_MAX_USER_CHARS``. Empty ones count as unset.
        probes: Values of ``--probe``: ``NAME`` or ``NAME:VARIANT``.
        mode: The value of ``--probe-mode``, for all probes.
        templates: Values of ``--probe-template``: ``FILE``, or ``NAME=FILE`` where there is more than one probe.

    Raises:
        ProbeError: A value is none of those that are known, or a template can't be read. Whether a probe and its
            variant exist is left to `build_stack`.
    """
    variables = {name: value.strip() for name, value in environment.items() if value.strip()}
    asked = _asked_by_variables(variables)
    choices = [_asked_by_flag(flag, asked) for flag in probes] or [c for c in asked.values() if c.mode is not Mode.OFF]
    if mode is not None:
        chosen_mode = _one_of("--probe-mode", mode, MODES)
        choices = [replace(choice, mode=chosen_mode) for choice in choices]
    _check(choices, mode, templates)
    log_path = variables.get(LOG_PATH_VARIABLE)
    return Configuration(
        probes=tuple(_with_templates(choices, templates)),
        limits=_limits(variables),
        log_path=None if log_path is None else Path(log_path),
    )


def build_stack(configuration: Configuration, emit: Emit | None = None) -> ProbeStack:
    """The probes of a configuration that aren't off, found by their names and ready for cases.

    Args:
        configuration: What `configure` gives.
        emit: Takes the events of the log, such as `EventLog.write`, or None.

    Raises:
        ProbeError: There is no probe of that name or no such variant (off or not), a probe can't be loaded, or a
            template has a placeholder that the probe doesn't know.
    """
    probes = [
        find_probe(choice.name)(Settings(choice.variant, choice.mode, choice.template, configuration.limits, emit))
        for choice in configuration.probes
    ]
    return ProbeStack([probe for probe in probes if probe.mode is not Mode.OFF], emit)


def _asked_by_variables(variables: Mapping[str, str]) -> dict[str, ProbeChoice]:
    """Each probe that has variables, off if they say nothing else."""
    return {
        name: ProbeChoice(
            name,
            variables.get(own.variant),
            _one_of(own.mode, variables.get(own.mode, Mode.OFF.value), own.modes),
        )
        for name, own in VARIABLES.items()
    }


def _asked_by_flag(flag: str, by_variables: Mapping[str, ProbeChoice]) -> ProbeChoice:
    name, colon, variant = flag.partition(":")
    asked = by_variables.get(name, ProbeChoice(name))
    # A variable that says off doesn't take back what a flag names.
    mode = Mode.ACTIVE if asked.mode is Mode.OFF else asked.mode
    return replace(asked, variant=variant if colon else asked.variant, mode=mode)


def _check(choices: Sequence[ProbeChoice], mode: str | None, templates: Sequence[str]) -> None:
    """Refuses what can't be meant: a probe twice, and flags about probes where there is none."""
    names = [choice.name for choice in choices]
    for name in names:
        if names.count(name) > 1:
            what = f"--probe: {name} is named twice"
            raise ProbeError(what)
    for flag, given in (("--probe-mode", mode not in (None, Mode.OFF.value)), ("--probe-template", bool(templates))):
        if given and not names:
            what = f"{flag}: there is no probe; name one with --probe"
            raise ProbeError(what)


def _with_templates(choices: Sequence[ProbeChoice], flags: Sequence[str]) -> list[ProbeChoice]:
    """The choices, each with the template that is meant for it."""
    paths: dict[str, Path] = {}
    names = [choice.name for choice in choices]
    for flag in flags:
        name, equals, path = flag.partition("=")
        if not equals or name not in names:
            # The whole value is a file name, which may hold an equals sign itself.
            if len(names) != 1:
                what = f"--probe-template: write NAME=FILE, where NAME is one of {', '.join(names)}"
                raise ProbeError(what)
            name, path = names[0], flag
        if name in paths:
            what = f"--probe-template: {name} is given two"
            raise ProbeError(what)
        paths[name] = Path(path)
    return [
        replace(choice, template=read_template(paths[choice.name])) if choice.name in paths else choice
        for choice in choices
    ]


def _limits(variables: Mapping[str, str]) -> Limits:
    limits = {}
    for variable, limit in _LIMIT_VARIABLES.items():
        if variable in variables:
            try:
                limits[limit] = int(variables[variable])
            except ValueError as error:
                what = f"{variable}: {variables[variable]!r} is no whole number"
                raise ProbeError(what) from error
    return Limits(**limits)


def _one_of(where: str, value: str, known: Mapping[str, Mode]) -> Mode:
    if value not in known:
        what = f"{where}: {value!r} is none of {', '.join(known)}"
        raise ProbeError(what)
    return known[value]
