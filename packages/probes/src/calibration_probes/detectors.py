"""The detectors of the call seam: is the function offered, and does every required value come from somewhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from calibration_probes.records import Call
    from calibration_probes.state import State

MIN_REFERENT_CHARS = 2
"""Shorter texts occur in nearly everything, so they count as having an antecedent."""


@dataclass(frozen=True, slots=True)
class Detection:
    """What the detectors say of one call.

    Attributes:
        mc: Missing capability: the function isn't among the tools offered.
        ur_param: The first required parameter, in the order of the declaration, whose value is an unresolved
            referent; None if there is none.
    """

    mc: bool
    ur_param: str | None = None

    @property
    def ur(self) -> bool:
        """Whether a required parameter holds an unresolved referent."""
        return self.ur_param is not None

    @property
    def suspect(self) -> bool:
        """Whether either detector fires."""
        return self.mc or self.ur

    def as_dict(self) -> dict[str, object]:
        """``{"mc", "ur", "ur_param", "suspect"}``."""
        return {"mc": self.mc, "ur": self.ur, "ur_param": self.ur_param, "suspect": self.suspect}


def antecedents(user_texts: Iterable[str], state: State) -> str:
    """The lower-case text in which values are looked for: every user turn so far, and the state's lines."""
    return " ".join([*user_texts, "\n".join(state.key_lines())]).lower()


def detect(call: Call, functions: Iterable[Mapping[str, object]], known: str) -> Detection:
    """What the detectors say of a call.

    Args:
        call: The call.
        functions: The tools now offered, each with ``name`` and ``parameters`` (``properties``, ``required``).
        known: What `antecedents` gives.
    """
    function = next((function for function in functions if function.get("name") == call.name), None)
    if function is None:
        return Detection(mc=True)
    parameters = _mapping(function.get("parameters"))
    properties = _mapping(parameters.get("properties"))
    unresolved = (
        name
        for name in _sequence(parameters.get("required"))
        if name in call.arguments and not _has_antecedent(call.arguments[name], _mapping(properties.get(name)), known)
    )
    return Detection(mc=False, ur_param=next(unresolved, None))


def _has_antecedent(value: object, declaration: Mapping[str, object], known: str) -> bool:
    """Whether a value is given, observed, declared, or of a kind that isn't checked."""
    if value is None or isinstance(value, (bool, list, tuple, set, dict)):
        return True
    referent = str(value).strip()
    return (
        len(referent) < MIN_REFERENT_CHARS
        or referent.lower() in known
        or value in _sequence(declaration.get("enum"))
        or ("default" in declaration and value == declaration["default"])
    )


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


def _sequence(value: object) -> Sequence[str]:
    return value if isinstance(value, (list, tuple)) else ()
