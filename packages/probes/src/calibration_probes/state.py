"""What is known to have happened: the state that the results of executed calls show, by domain."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from calibration_probes.texts import cut

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from calibration_probes.records import Call

    Arguments = Mapping[str, object]

MAX_VALUE_CHARS = 500
"""Longest value that a snapshot shows, and that a later argument can find its antecedent in."""

GENERIC_DOMAIN = "generic"
NOTHING_OBSERVED = "No successful tool result has been observed yet."


class Effect(NamedTuple):
    """What a successful call of some tool changes: the value under a key of a domain."""

    domain: str
    key: str
    value: Callable[[Arguments], object]


def _text(arguments: Arguments, name: str) -> str:
    """An argument as Python shows it, empty where it is left out (a null is ``None``)."""
    return str(arguments.get(name, ""))


def _engine_state(arguments: Arguments) -> str:
    return "running" if _text(arguments, "ignitionMode").upper() == "START" else "stopped"


def _doors_locked(arguments: Arguments) -> bool:
    return not arguments.get("unlock")


def _path_transition(arguments: Arguments) -> dict[str, str]:
    return {"op": "mv", "source": _text(arguments, "source"), "destination": _text(arguments, "destination")}


def _messages_sent(arguments: Arguments) -> list[dict[str, str]]:
    receiver = arguments.get("receiver_id") or arguments.get("recipient") or ""
    return [{"receiver_id": str(receiver), "message": _text(arguments, "message")}]


_EFFECTS: Mapping[str, Effect] = MappingProxyType(
    {
        "startengine": Effect("vehicle", "engine_state", _engine_state),
        "lockdoors": Effect("vehicle", "doors_locked", _doors_locked),
        "mv": Effect("filesystem", "last_path_transition", _path_transition),
        "send_message": Effect("message", "messages_sent", _messages_sent),
    }
)
"""By tool name in lower case. The value replaces the one before it; a list is appended to it."""


@dataclass(frozen=True, slots=True)
class State:
    """The runtime-observed state: values by domain and key. Never changed; `after` gives the next one."""

    domains: Mapping[str, Mapping[str, object]] = field(default_factory=dict)

    def after(self, call: Call) -> State:
        """The state once the call has succeeded; a tool without a known effect marks the generic domain as seen."""
        effect = _EFFECTS.get(call.name.lower())
        if effect is None:
            return State({GENERIC_DOMAIN: {}, **self.domains})
        values = self.domains.get(effect.domain, {})
        value, before = effect.value(call.arguments), values.get(effect.key)
        if isinstance(value, list) and isinstance(before, list):
            value = before + value
        return State({**self.domains, effect.domain: {**values, effect.key: value}})

    def key_lines(self) -> list[str]:
        """``domain.key: value`` lines sorted by domain and key, ``domain.key.subkey: value`` for each in a dict."""
        lines = []
        for domain, values in sorted(self.domains.items()):
            for key, value in sorted(values.items()):
                parts = sorted(value.items()) if isinstance(value, dict) else [("", value)]
                lines += [f"{'.'.join(filter(None, (domain, key, sub)))}: {_shown(part)}" for sub, part in parts]
        return lines

    def text(self, limit: int = 0) -> str:
        """The snapshot that a model is shown, in at most `limit` characters (0 or less: all of it)."""
        if not self.domains:
            return cut(NOTHING_OBSERVED, limit)
        return cut("\n".join(self.key_lines()) or json.dumps(self.domains, sort_keys=True), limit)


def domain_of(call: Call) -> str:
    """The domain that the call's tool acts in."""
    effect = _EFFECTS.get(call.name.lower())
    return effect.domain if effect else GENERIC_DOMAIN


def _shown(value: object) -> str:
    text = json.dumps(value, sort_keys=True, ensure_ascii=False) if isinstance(value, list) else str(value)
    return cut(text, MAX_VALUE_CHARS)
