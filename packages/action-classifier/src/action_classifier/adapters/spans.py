"""Spans of OpenTelemetry exports with their attributes as plain values."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from action_classifier.adapters.nodes import Node
from action_classifier.literals import MAX_DEPTH, is_shallow, parse
from action_classifier.stack import with_room

if TYPE_CHECKING:
    from collections.abc import Iterator

_NUMBERS = ("intValue", "doubleValue")
_VALUES = ("stringValue", "boolValue", *_NUMBERS)
ERROR_CODES = (2, "STATUS_CODE_ERROR", "ERROR")


class Span(NamedTuple):
    """One span.

    Attributes:
        trace: Id of its trace.
        start: When it started, comparable with other spans of the same export.
        failed: Whether it ended with an error.
        attributes: An object of its attributes.
        events: Name and attributes of its events, in order.
    """

    trace: str
    start: tuple[int, str]
    failed: bool
    attributes: Node
    events: tuple[tuple[str, Node], ...]


def spans_of(document: object) -> Iterator[Span]:
    """The spans of an OTLP JSON export, of a span that the SDK wrote, or of a list of such. Raises AdapterError."""
    root = Node(document, "" if isinstance(document, dict) else "exports")
    for export in iter([root]) if isinstance(document, dict) else root.elements():
        if "resourceSpans" in export:
            for resource in export["resourceSpans"].elements():
                for scope in resource["scopeSpans"].optional_elements():
                    yield from map(_otlp_span, scope["spans"].optional_elements())
        elif "context" in export:
            yield _sdk_span(export)
        else:
            export["resourceSpans"].reject("a list")


def decoded(node: Node) -> Node:
    """The node with JSON text replaced by what it says; text that is no JSON object or list stays text."""
    if isinstance(node.value, str) and node.value.lstrip().startswith(("{", "[")):
        value = with_room(parse, node.value)
        return node if value is None else Node(value, node.path)
    return node


def _otlp_span(span: Node) -> Span:
    status = span["status"]
    return Span(
        span["traceId"].identifier(),
        (_nanoseconds(span["startTimeUnixNano"]), ""),
        failed=status.value is not None and status["code"].value in ERROR_CODES,
        attributes=_attributes(span["attributes"]),
        events=tuple(
            (event["name"].text(), _attributes(event["attributes"])) for event in span["events"].optional_elements()
        ),
    )


def _sdk_span(span: Node) -> Span:
    return Span(
        span["context"]["trace_id"].identifier(),
        (0, span["start_time"].text()),
        failed=span["status"]["status_code"].value in ERROR_CODES,
        attributes=_plain(span["attributes"]),
        events=tuple(
            (event["name"].text(), _plain(event["attributes"])) for event in span["events"].optional_elements()
        ),
    )


def _plain(attributes: Node) -> Node:
    return Node({}, attributes.path) if attributes.value is None else attributes


def _nanoseconds(node: Node) -> int:
    """A time, which OTLP writes as a text of digits, for JSON's numbers are too short for it."""
    text = node.identifier()
    if not (text.isascii() and text.isdigit() and len(text) <= len(str(2**64))):
        node.reject("nanoseconds")
    return int(text)


def _attributes(attributes: Node) -> Node:
    """An object of attributes that OTLP keeps in a list of keys and typed values."""
    if not is_shallow(attributes.value):
        attributes.reject(f"values nested at most {MAX_DEPTH} deep")
    pairs = {pair["key"].text(): _value(pair["value"]) for pair in attributes.optional_elements()}
    return Node(pairs, attributes.path)


def _value(node: Node) -> object:
    """The value in a typed one, ``{"stringValue": "chat"}``; None for one of no known type."""
    if "arrayValue" in node:
        return [_value(element) for element in node["arrayValue"]["values"].optional_elements()]
    if "kvlistValue" in node:
        return {pair["key"].text(): _value(pair["value"]) for pair in node["kvlistValue"]["values"].optional_elements()}
    return node.first_of(*_VALUES).value
