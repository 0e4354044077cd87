"""Emissions of OpenTelemetry spans of generative AI calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from action_classifier.adapters.nodes import Node
from action_classifier.adapters.openai import chat_pieces
from action_classifier.adapters.replies import CallFields, emissions, pieces_of
from action_classifier.adapters.spans import Span, decoded, spans_of
from action_classifier.adapters.turns import Emitted, Speaker, speaker_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from action_classifier.adapters.replies import Emission

OPERATIONS = frozenset({"chat", "generate_content", "text_completion"})
"""Operations in which a model is asked. Spans of agents and tools repeat what stands in these."""

TEXTS = {"text": "content"}
CALLS = {
    "tool_call": CallFields("name", "arguments"),
    "server_tool_call": CallFields("name", "server_tool_call", hosted=True),
}
TOOL_RESULTS = frozenset({"tool_call_response", "server_tool_call_response"})

DETAILS_EVENT = "gen_ai.client.inference.operation.details"
CHOICE_EVENT = "gen_ai.choice"
USER_EVENT = "gen_ai.user.message"
MODEL_EVENT = "gen_ai.assistant.message"
PROMPT_EVENT = "gen_ai.content.prompt"
OLD_EVENTS = {PROMPT_EVENT: "gen_ai.prompt", "gen_ai.content.completion": "gen_ai.completion"}


class _Exchange(NamedTuple):
    """What a span says of one request: the speakers of its messages, if recorded, and the emissions of its reply."""

    speakers: list[Speaker]
    emissions: list[Emission] | None


def opentelemetry_spans(document: object) -> Iterator[Emitted]:
    """The emissions of exported spans, in the order in which they started.

    Read are the attributes ``gen_ai.output.messages`` and ``gen_ai.input.messages``, on the span or on its event, and
    the older events of one message each. The case is ``gen_ai.conversation.id``, else the trace. The turn comes from
    the user messages among a request's input; without that it stays the one before.

    Args:
        document: An OTLP JSON export (``resourceSpans``), a span as the SDK's ``to_json`` writes it, or a list of such.

    Raises:
        AdapterError: It is something else, or a span of a request that succeeded doesn't record its reply.
    """
    turns: dict[str, int] = {}
    steps: dict[tuple[str, int], int] = {}
    for span in sorted(spans_of(document), key=lambda span: span.start):
        operation = span.attributes["gen_ai.operation.name"]
        if operation.value is not None and operation.text() not in OPERATIONS:
            continue
        exchange = _exchange(span)
        if exchange.emissions is None:
            if operation.value is None or span.failed:
                continue
            span.attributes["gen_ai.output.messages"].reject("the reply (is content captured?)")
        conversation = span.attributes["gen_ai.conversation.id"]
        case_id = span.trace if conversation.value is None else conversation.identifier()
        turn = turns[case_id] = _turn(exchange.speakers, turns.get(case_id, 0))
        for emission in exchange.emissions:
            step = steps.get((case_id, turn), 0)
            steps[case_id, turn] = step + 1
            yield Emitted(case_id, turn, step, emission)


def _turn(speakers: list[Speaker], before: int) -> int:
    """The turn that a request belongs to, by the runs of user messages in its input."""
    talk = [speaker for speaker in speakers if speaker is not Speaker.OTHER]
    runs = sum(
        speaker is Speaker.USER and previous is not Speaker.USER
        for previous, speaker in zip([None, *talk], talk, strict=False)
    )
    return runs - 1 if runs else before


def _exchange(span: Span) -> _Exchange:
    """What the newer attributes say, on the span or its event, else what the older events say."""
    holders = [span.attributes, *(attributes for name, attributes in span.events if name == DETAILS_EVENT)]
    for holder in holders:
        replies = decoded(holder["gen_ai.output.messages"])
        if replies.value is not None:
            reply = next(replies.elements(), None)  # of several choices the first
            pieces = pieces_of(reply["parts"], TEXTS, CALLS) if reply else iter(())
            inputs = decoded(holder["gen_ai.input.messages"])
            return _Exchange([_speaker(message) for message in inputs.optional_elements()], [*emissions(pieces)])
    return _exchange_of_events(span)


def _speaker(message: Node) -> Speaker:
    """Whose message it is; one that only brings tool results is nobody's turn, whatever its role."""
    parts = [*message["parts"].optional_elements()]
    brings_results = bool(parts) and all(part["type"].text() in TOOL_RESULTS for part in parts)
    return Speaker.OTHER if brings_results else speaker_of(message["role"])


def _exchange_of_events(span: Span) -> _Exchange:
    speakers: list[Speaker] = []
    said: list[Emission] | None = None
    for name, attributes in span.events:
        if name == USER_EVENT:
            speakers.append(Speaker.USER)
        elif name == MODEL_EVENT:
            speakers.append(Speaker.MODEL)
        elif name == CHOICE_EVENT and said is None:
            said = [*emissions(chat_pieces(_choice(attributes)))]
        elif name in OLD_EVENTS:
            messages = _old_messages(decoded(attributes[OLD_EVENTS[name]]))
            if name == PROMPT_EVENT:
                speakers += [speaker_of(message["role"]) for message in messages]
            elif said is None and messages:
                said = [*emissions(chat_pieces(messages[0]))]
    return _Exchange(speakers, said)


def _old_messages(recorded: Node) -> list[Node]:
    """The messages of a prompt or a completion, which may be a bare text too."""
    if isinstance(recorded.value, str):
        return [Node({"role": "user", "content": recorded.value}, recorded.path)]
    return [*recorded.elements()]


def _choice(attributes: Node) -> Node:
    """The message of a choice: under ``message``, in a body kept as JSON, or spread over the attributes themselves."""
    body = decoded(attributes["gen_ai.event.content"])
    message = decoded((attributes if body.value is None else body)["message"])
    if message.value is None:
        message = attributes if body.value is None else body
    if isinstance(message.value, dict):
        return Node({**message.value, "tool_calls": decoded(message["tool_calls"]).value}, message.path)
    return Node({"content": message.value}, message.path)
