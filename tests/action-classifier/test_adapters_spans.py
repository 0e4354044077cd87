"""Spans that OpenTelemetry's SDK really exported, in each of the forms in which messages were put on them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from action_classifier import adapters

if TYPE_CHECKING:
    from collections.abc import Callable

CALL = [{"name": "mv", "arguments": {"source": "a.txt"}}]
Attributes = dict[str, Any]
Recorded = tuple[Attributes, list[tuple[str, Attributes]]]
"""A span's attributes, and its events' names and attributes."""


def _text(role: str, text: str) -> dict[str, Any]:
    return {"role": role, "parts": [{"type": "text", "content": text}]}


ASKED = _text("user", "Move a.txt.")
CALLED = {
    "role": "assistant",
    "parts": [
        {"type": "reasoning", "content": "Which tool?"},
        {"type": "tool_call", "id": "1", "name": "mv", "arguments": {"source": "a.txt"}},
    ],
    "finish_reason": "tool_call",
}
ANSWERED = {"role": "tool", "parts": [{"type": "tool_call_response", "id": "1", "response": "ok"}]}
DONE = _text("assistant", "All done.")
REQUESTS = [
    ([ASKED], CALLED),
    ([ASKED, CALLED, ANSWERED], DONE),
    ([ASKED, CALLED, ANSWERED, DONE, _text("user", "And now?")], _text("assistant", "Which file?")),
]
EMISSIONS = [(0, 0, CALL), (0, 1, "All done."), (1, 0, "Which file?")]


def _chat_message(message: dict[str, Any]) -> dict[str, Any]:
    """A message of the newer form in OpenAI's, which the older events carry."""
    parts = message["parts"]
    texts = [part["content"] for part in parts if part["type"] == "text"]
    calls = [
        {"id": "1", "type": "function", "function": {"name": part["name"], "arguments": json.dumps(part["arguments"])}}
        for part in parts
        if part["type"] == "tool_call"
    ]
    return {"role": message["role"], "content": "".join(texts) or None, **({"tool_calls": calls} if calls else {})}


def _new_attributes(inputs: list[Any], output: Any) -> Attributes:
    return {"gen_ai.input.messages": json.dumps(inputs), "gen_ai.output.messages": json.dumps([output])}


def _on_the_span(inputs: list[Any], output: Any) -> Recorded:
    return _new_attributes(inputs, output), []


def _on_an_event(inputs: list[Any], output: Any) -> Recorded:
    return {}, [("gen_ai.client.inference.operation.details", _new_attributes(inputs, output))]


def _event_per_message(inputs: list[Any], output: Any) -> Recorded:
    events = [(f"gen_ai.{message['role']}.message", {"content": "..."}) for message in inputs]
    return {}, [*events, ("gen_ai.choice", {"index": 0, "message": json.dumps(_chat_message(output))})]


def _event_with_body(inputs: list[Any], output: Any) -> Recorded:
    attributes, events = _event_per_message(inputs, output)
    body = json.dumps({"index": 0, "message": _chat_message(output)})
    return attributes, [*events[:-1], ("gen_ai.choice", {"gen_ai.event.content": body})]


def _prompt_and_completion(inputs: list[Any], output: Any) -> Recorded:
    return {}, [
        ("gen_ai.content.prompt", {"gen_ai.prompt": json.dumps([_chat_message(message) for message in inputs])}),
        ("gen_ai.content.completion", {"gen_ai.completion": json.dumps([_chat_message(output)])}),
    ]


FORMS = (_on_the_span, _on_an_event, _event_per_message, _event_with_body, _prompt_and_completion)


def _exported(record: Callable[[list[Any], Any], Recorded], **extra: Any) -> tuple[Any, ...]:
    """The finished spans of an agent that makes three requests and runs a tool."""
    trace = pytest.importorskip("opentelemetry.sdk.trace", reason="opentelemetry-sdk is not installed")
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    exporter = InMemorySpanExporter()
    provider = trace.TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    tracer = provider.get_tracer("agent")
    repeated = json.dumps([REQUESTS[-1][1]])
    agent = {"gen_ai.operation.name": "invoke_agent", "gen_ai.output.messages": repeated}
    with tracer.start_as_current_span("invoke_agent", attributes=agent):
        for inputs, output in REQUESTS:
            attributes, events = record(inputs, output)
            chat = {"gen_ai.operation.name": "chat", **extra, **attributes}
            with tracer.start_as_current_span("chat m", attributes=chat) as span:
                for name, values in events:
                    span.add_event(name, values)
            with tracer.start_as_current_span("execute_tool", attributes={"gen_ai.operation.name": "execute_tool"}):
                pass
    spans: tuple[Any, ...] = exporter.get_finished_spans()
    provider.shutdown()
    return spans


def _otlp(spans: tuple[Any, ...]) -> Any:
    """The spans as an OTLP exporter sends them, in JSON."""
    encoder = pytest.importorskip(
        "opentelemetry.exporter.otlp.proto.common.trace_encoder",
        reason="opentelemetry-exporter-otlp-proto-common is not installed",
    )
    from google.protobuf.json_format import MessageToDict

    return MessageToDict(encoder.encode_spans(spans))


@pytest.mark.parametrize("record", FORMS)
def test_otlp_export(record: Callable[[list[Any], Any], Recorded]) -> None:
    """Each form in an OTLP export gives the same emissions; spans of agents and tools repeat nothing."""
    emitted = [*adapters.opentelemetry_spans(_otlp(_exported(record, **{"gen_ai.conversation.id": "4"})))]
    assert emitted == [("4", *emission) for emission in EMISSIONS]


@pytest.mark.parametrize("record", FORMS)
def test_spans_of_the_sdk(record: Callable[[list[Any], Any], Recorded]) -> None:
    """So do the spans that the SDK's exporter to the console writes; without a conversation the trace is the case."""
    spans = [json.loads(span.to_json()) for span in _exported(record)]
    emitted = [*adapters.opentelemetry_spans(spans)]
    assert [tuple(e[1:]) for e in emitted] == EMISSIONS
    assert {e.case_id for e in emitted} == {spans[0]["context"]["trace_id"]}


def _span(attributes: Attributes, **fields: Any) -> dict[str, Any]:
    """One span of an OTLP export, by shape."""
    values = [{"key": key, "value": value} for key, value in attributes.items()]
    head = {"traceId": "t", "startTimeUnixNano": "1", "attributes": values}
    return {"resourceSpans": [{"scopeSpans": [{"spans": [head | fields]}]}]}


CHAT = {"gen_ai.operation.name": {"stringValue": "chat"}}


def test_structured_attributes() -> None:
    """Messages may be structured values too; of several choices the first counts."""
    texts = [
        {"key": "role", "value": {"stringValue": "assistant"}},
        {
            "key": "parts",
            "value": {
                "arrayValue": {
                    "values": [
                        {
                            "kvlistValue": {
                                "values": [
                                    {"key": "type", "value": {"stringValue": "text"}},
                                    {"key": "content", "value": {"stringValue": "Which file?"}},
                                ]
                            }
                        }
                    ]
                }
            },
        },
    ]
    messages = {"arrayValue": {"values": [{"kvlistValue": {"values": texts}}, {"kvlistValue": {}}]}}
    span = _span({**CHAT, "gen_ai.output.messages": messages})
    assert [*adapters.opentelemetry_spans(span)] == [("t", 0, 0, "Which file?")]


def test_missing_replies() -> None:
    """A request that failed says nothing; one that succeeded and doesn't record its reply isn't passed over."""
    failed = _span(CHAT, status={"code": 2})
    assert [*adapters.opentelemetry_spans([failed, _span({"http.method": {"stringValue": "GET"}})])] == []
    with pytest.raises(adapters.AdapterError, match=r"is content captured\?"):
        list(adapters.opentelemetry_spans(_span(CHAT)))
