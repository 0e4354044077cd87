"""BFCL's function documents as tool schemas of the OpenAI APIs."""

from __future__ import annotations

import json
from functools import cached_property, lru_cache
from typing import Any

from bfcl_runner.benchmark import upstream

Function = dict[str, Any]


class Tools(list[dict[str, Any]]):
    """Tool schemas. They go out with every request of many cases: nobody may change them, and their JSON is kept."""

    @cached_property
    def encoded(self) -> str:
        """The schemas as compact JSON."""
        return compact_json(self)


def compact_json(value: object) -> str:
    """The value as JSON without spaces, its characters as they are."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def chat_tools(functions: list[Function]) -> Tools:
    """Tools of the chat-completions API, with the types of JSON schema, as upstream makes them."""
    return _chat_tools(json.dumps(functions))


@lru_cache(maxsize=64)
def _chat_tools(functions: str) -> Tools:
    types: dict[str, str] = upstream("constants.type_mappings").GORILLA_TO_OPENAPI
    tools = Tools()
    for function in json.loads(functions):
        # The API takes no dots in names.
        function["name"] = function["name"].replace(".", "_")
        function["parameters"]["type"] = "object"
        _convert_properties(function["parameters"]["properties"], types)
        tools.append({"type": "function", "function": function})
    return tools


def _convert_properties(properties: dict[str, Any], types: dict[str, str]) -> None:
    """Replaces the dialect's types in place, as deep as upstream goes: properties, items, items of items."""
    for schema in properties.values():
        if schema.get("type") == "float":
            schema["format"] = "float"
            schema["description"] = schema.get("description", "") + " This is a float type value."
        schema["type"] = types.get(schema.get("type", "string"), "string")
        if schema["type"] not in ("array", "object"):
            continue
        if "properties" in schema:
            _convert_properties(schema["properties"], types)
        elif "items" in schema:
            _convert_items(schema["items"], types)


def _convert_items(items: dict[str, Any], types: dict[str, str]) -> None:
    items["type"] = types[items["type"]]
    if items["type"] == "array" and "items" in items:
        items["items"]["type"] = types[items["items"]["type"]]
    elif items["type"] == "object" and "properties" in items:
        _convert_properties(items["properties"], types)
