"""Calls for single-turn cases without a model: those that are accepted, and one that has no business there."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bfcl_runner.single_turn import SingleTurnCase

    Emission = list[dict[str, Any]]

LEFT_OUT = ""
"""Among the accepted values of an argument: it need not be given."""

PLACEHOLDERS: dict[str, object] = {
    "integer": 1,
    "float": 1.0,
    "boolean": True,
    "array": [],
    "tuple": [],
    "dict": {},
}
"""By type, the value of an argument that nobody asked for; for any other type it is a text."""


def accepted_calls(case: SingleTurnCase) -> Emission:
    """The first of the accepted calls, as an API would return them; nothing where no call is right."""
    parameters = {function["name"]: function["parameters"] for function in case.entry["function"]}
    return [
        _structured(name, _accepted_arguments(parameters[name], accepted))
        for answer in case.possible_answers
        for name, accepted in answer.items()
    ]


def placeholder_calls(case: SingleTurnCase) -> Emission:
    """A call of the first function on offer, with made-up values for the arguments that it needs."""
    function = case.entry["function"][0]
    parameters = function["parameters"]
    types = {name: parameters["properties"][name]["type"] for name in parameters["required"]}
    arguments = {name: PLACEHOLDERS.get(kind, "placeholder") for name, kind in types.items()}
    return [_structured(function["name"], arguments)]


def _structured(name: str, arguments: dict[str, Any]) -> dict[str, str]:
    return {name.replace(".", "_"): json.dumps(arguments)}


def _accepted_arguments(parameters: dict[str, Any], accepted: dict[str, list[Any]]) -> dict[str, Any]:
    """The first accepted value of each argument.

    The data disagree with themselves here and there: an argument that the function requires may be left out, and one
    that it doesn't have is accepted.
    """
    known = {name: values for name, values in accepted.items() if name in parameters["properties"]}
    needed = {name: [value for value in known.get(name, []) if value != LEFT_OUT] for name in parameters["required"]}
    return _first_values(known | {name: values for name, values in needed.items() if values})


def _first_values(accepted: dict[str, list[Any]]) -> dict[str, Any]:
    """The first accepted value under each name; a name whose first value is none is left out."""
    return {name: _plain(values[0]) for name, values in accepted.items() if values[0] != LEFT_OUT}


def _plain(value: Any) -> Any:
    """An accepted value. A dict holds lists of accepted values in its turn."""
    if isinstance(value, dict):
        return _first_values(value)
    return [_plain(item) for item in value] if isinstance(value, list) else value
