"""The record beside a file of judgments: how they were made, and of which runs."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING

from confirm_judge.jsonl import content_of, described, field_of, object_of, optional_field
from gar_metrics import GarError

if TYPE_CHECKING:
    from pathlib import Path

SUFFIX = ".meta.json"


@dataclass(frozen=True, slots=True)
class Configuration:
    """What judgments depend on, and what therefore can't change within one file.

    Attributes:
        judge: The judge's model, or ``rules``.
        endpoint_host: The host that was asked, None without a model.
        prompt_sha256: The digest of the prompt, None without a model.
        window: The most messages that the judge saw.
        temperature: As it was asked for, None without a model.
    """

    judge: str
    endpoint_host: str | None
    prompt_sha256: str | None
    window: int
    temperature: int | None

    def differences(self, now: Configuration) -> list[str]:
        """What is another now, in words."""
        pairs = ((item.name, getattr(self, item.name), getattr(now, item.name)) for item in fields(self))
        return [f"{name}: {_short(before)}, now {_short(after)}" for name, before, after in pairs if before != after]


@dataclass(frozen=True, slots=True)
class JudgedRun:
    """A run whose writes were to be judged.

    Attributes:
        model: The agent's model, as it was named.
        domain: Its domain.
        run: The name of its folder.
        simulations: Number of its simulations.
        events: Number of its write events.
    """

    model: str
    domain: str
    run: str
    simulations: int
    events: int


@dataclass(frozen=True, slots=True)
class Sidecar:
    """What stands beside a file of judgments.

    Attributes:
        configuration: How they were made.
        runs: The runs that they are about, in the order in which they were first named.
        versions: Versions of the packages that made them, by distribution.
        argv: The arguments of the last command, without secrets.
        started: When the first command began, as ISO 8601.
        ended: When the last one ended; None while it goes on, or where it was killed.
        temperature_refused: Whether the judge's server took no temperature, so that its model's default held.
    """

    configuration: Configuration
    runs: tuple[JudgedRun, ...]
    versions: dict[str, str]
    argv: tuple[str, ...]
    started: str
    ended: str | None = None
    temperature_refused: bool = False

    def record(self) -> dict[str, object]:
        """The record as a JSON-ready object, its fields in the order of the attributes."""
        return asdict(self)


def sidecar_path(judgments: Path) -> Path:
    """Where the record of a file of judgments is."""
    return judgments.with_name(judgments.name + SUFFIX)


def read_sidecar(judgments: Path) -> Sidecar | None:
    """The record beside a file of judgments; None where there is none, as beside released labels.

    Raises:
        GarError: It can't be read, or isn't such a record.
    """
    path = sidecar_path(judgments)
    if not path.exists():
        return None
    record = object_of(content_of(path), path)
    made = field_of(record, "configuration", dict, path)
    return Sidecar(
        configuration=Configuration(
            judge=field_of(made, "judge", str, path),
            endpoint_host=optional_field(made, "endpoint_host", str, path),
            prompt_sha256=optional_field(made, "prompt_sha256", str, path),
            window=field_of(made, "window", int, path),
            temperature=optional_field(made, "temperature", int, path),
        ),
        runs=tuple(_run(item, path) for item in field_of(record, "runs", list, path)),
        versions={name: str(version) for name, version in field_of(record, "versions", dict, path).items()},
        argv=tuple(map(str, field_of(record, "argv", list, path))),
        started=field_of(record, "started", str, path),
        ended=optional_field(record, "ended", str, path),
        temperature_refused=bool(optional_field(record, "temperature_refused", bool, path)),
    )


def write_sidecar(judgments: Path, sidecar: Sidecar) -> None:
    """Puts the record in place, whole or not at all.

    Raises:
        GarError: It can't be written; what was there before stays.
    """
    path = sidecar_path(judgments)
    unfinished = path.with_name(f"{path.name}.partial")
    try:
        unfinished.write_text(json.dumps(sidecar.record(), indent=2) + "\n", encoding="utf-8")
        unfinished.replace(path)
    except OSError as error:
        with suppress(OSError):
            unfinished.unlink()
        what = f"can't be written: {error.strerror}"
        raise GarError(what, path=path) from error


def _run(item: object, path: Path) -> JudgedRun:
    if not isinstance(item, dict):
        what = f"expected objects, found {described(item)}"
        raise GarError(what, path=path, field="runs")
    return JudgedRun(
        model=field_of(item, "model", str, path),
        domain=field_of(item, "domain", str, path),
        run=field_of(item, "run", str, path),
        simulations=field_of(item, "simulations", int, path),
        events=field_of(item, "events", int, path),
    )


def _short(value: object) -> str:
    """A value in a message: digests by their beginning."""
    return "none" if value is None else str(value)[:40]
