"""Whether a run may go on in a directory: tau2 itself merges runs of different agents without a word."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from gar_metrics import one_line
from tau2_runner.errors import RunnerError
from tau2_runner.running.records import FILE_NAME, read_record, role
from tau2_runner.running.secrets import Vault, is_placeholder

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tau2_runner.running.records import Configuration

RESULTS_NAME = "results.json"

_UNCOMPARED = ("endpoint_host",)
"""A server may move while a run stands still."""


def is_started(folder: Path) -> bool:
    """Whether the folder holds results that a run would add to."""
    return (folder / RESULTS_NAME).exists()


def require_same(folder: Path, wanted: Configuration) -> None:
    """Nothing, if the folder holds no results yet, or results of the same configuration.

    Raises:
        RunnerError: They were made by another agent, user or judge, or with other settings; the message shows what
            differs. Or they can't be read.
    """
    if not is_started(folder):
        return
    path = folder / RESULTS_NAME
    record = read_record(folder / FILE_NAME)
    # What tau2 wrote is what the simulations were made with; the record knows of the judge and the probe as well.
    earlier = (_flat(record.configuration.model_dump()) if record else {}) | recorded(path)
    differences = different(earlier, _flat(wanted.model_dump()))
    if differences:
        message = f"{path}: was made with another setup ({'; '.join(differences)}); give another --save-to"
        raise RunnerError(one_line(message))


def different(earlier: Mapping[str, object], wanted: Mapping[str, object]) -> list[str]:
    """What differs, one ``field: earlier -> wanted`` each. A configuration that lacks a whole part doesn't know it."""
    known = {name.partition(".")[0] for name in earlier}
    names = [
        name
        for name in dict.fromkeys([*earlier, *wanted])
        if name.partition(".")[0] in known and name.rpartition(".")[2] not in _UNCOMPARED
    ]
    pairs = [(name, earlier.get(name), wanted.get(name)) for name in names]
    return [
        f"{name}: {_shown(before)} -> {_shown(now)}"
        for name, before, now in pairs
        if before != now and not (is_placeholder(before) or is_placeholder(now))
    ]


def recorded(path: Path) -> dict[str, object]:
    """What tau2's results say of their configuration, flat, with keys hidden.

    Raises:
        RunnerError: The file is no results file of tau2.
    """
    try:
        info: Any = json.loads(path.read_bytes())["info"]
        vault = Vault()
        roles = {
            part: role(
                info[f"{part}_info"]["implementation"],
                info[f"{part}_info"]["llm"],
                vault.hide(info[f"{part}_info"]["llm_args"] or {}, f"{part}_llm_args"),
            )
            for part in ("agent", "user")
        }
        found = {
            "domain": info["environment_info"]["domain_name"],
            **{part: known.model_dump() for part, known in roles.items()},
            **{name: info[name] for name in ("seed", "max_steps", "max_errors")},
        }
    except OSError as error:
        message = f"{path}: {error.strerror}"
        raise RunnerError(one_line(message)) from None
    except KeyError as error:
        message = f"{path}: {error.args[0]}: missing"
        raise RunnerError(one_line(message)) from None
    except (ValueError, TypeError, AttributeError, RecursionError):
        message = f"{path}: no results of tau2 (cut off?); delete it to start anew"
        raise RunnerError(one_line(message)) from None
    return _flat(found)


def _flat(values: Mapping[str, Any], prefix: str = "") -> dict[str, object]:
    """Nested dicts as one, with dotted names; an empty one stays, to say that the part is known."""
    flat: dict[str, object] = {}
    for name, value in values.items():
        if isinstance(value, dict):
            flat |= _flat(value, f"{prefix}{name}.")
        else:
            flat[f"{prefix}{name}"] = value
    return flat


def _shown(value: object) -> str:
    return json.dumps(value) if isinstance(value, (dict, list, str)) else str(value)
