"""What the clients of OpenAI, Anthropic, Google and LangChain really hand out, read by the adapters."""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

import pytest

from action_classifier import adapters, classify

if TYPE_CHECKING:
    from collections.abc import Iterator

TOOL = {"name": "mv", "description": "Moves a file."}
SCHEMA = {"type": "object", "properties": {"source": {"type": "string"}}}
CALL = [{"name": "mv", "arguments": {"source": "a.txt"}}]
ARGUMENTS = '{"source": "a.txt"}'


@contextmanager
def _serving(*replies: dict[str, Any]) -> Iterator[str]:
    """The address of a server on the loopback interface that gives these replies, one a request."""
    left = iter(replies)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            body = json.dumps(next(left)).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Says nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


def _completion(message: dict[str, Any], finish: str) -> dict[str, Any]:
    choice = {"index": 0, "finish_reason": finish, "message": {"role": "assistant", **message}}
    return {"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}


def test_openai_chat() -> None:
    """A dialogue over chat completions: the transcript, and each completion alone, give calls and texts."""
    openai = pytest.importorskip("openai", reason="openai is not installed")
    call = {"id": "1", "type": "function", "function": {"name": "mv", "arguments": ARGUMENTS}}
    replies = (
        _completion({"content": "Shall I?", "tool_calls": [call]}, "tool_calls"),
        _completion({"content": "All done."}, "stop"),
        _completion({"content": None, "refusal": "I can't help with that."}, "stop"),
    )
    messages: list[Any] = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Move a.txt."}]
    completions = []
    tools = [{"type": "function", "function": {**TOOL, "parameters": SCHEMA}}]
    with _serving(*replies) as address, openai.OpenAI(base_url=address, api_key="none", max_retries=0) as client:
        for answer in (
            {"role": "tool", "tool_call_id": "1", "content": "ok"},
            {"role": "user", "content": "Hm."},
            None,
        ):
            completion = client.chat.completions.create(model="m", messages=messages, tools=tools)
            completions.append(completion.model_dump())
            messages += [completion.choices[0].message.model_dump(), answer]
    assert [*adapters.openai_chat(messages[:-1], "7")] == [
        ("7", 0, 0, CALL),
        ("7", 0, 1, "All done."),
        ("7", 1, 0, "I can't help with that."),
    ]
    assert [e.emission for each in completions for e in adapters.openai_chat(each)] == [
        CALL,
        "All done.",
        "I can't help with that.",
    ]


def _response(*output: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": "r",
        "object": "response",
        "created_at": 1,
        "model": "m",
        "output": output,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
    }


def _spoken(text: str) -> dict[str, Any]:
    content = [{"type": "output_text", "text": text, "annotations": []}]
    return {"type": "message", "id": "m", "role": "assistant", "status": "completed", "content": content}


def test_openai_responses() -> None:
    """Responses, alone and as the items of a dialogue, without reasoning; what follows a hosted search is a step."""
    openai = pytest.importorskip("openai", reason="openai is not installed")
    thought = {"type": "reasoning", "id": "t", "summary": [{"type": "summary_text", "text": "Which tool?"}]}
    call = {"type": "function_call", "id": "f", "call_id": "1", "name": "mv", "arguments": ARGUMENTS}
    search = {
        "type": "web_search_call",
        "id": "w",
        "status": "completed",
        "action": {"type": "search", "query": "mv"},
    }
    replies = (_response(thought, call), _response(thought, search, _spoken("Which folder?")))
    items: list[Any] = [{"role": "user", "content": "Move a.txt."}]
    responses = []
    with _serving(*replies) as address, openai.OpenAI(base_url=address, api_key="none", max_retries=0) as client:
        for answer in ({"type": "function_call_output", "call_id": "1", "output": "Which?"}, None):
            response = client.responses.create(model="m", input=items)
            responses.append(response.model_dump())
            items += [*(item.model_dump() for item in response.output), answer]
    searched = [{"name": "web_search", "arguments": search["action"]}]
    emissions = [e.emission for each in responses for e in adapters.openai_responses(each)]
    assert emissions[0] == CALL
    assert emissions[1][0]["name"] == "web_search"
    assert emissions[1][0]["arguments"].items() >= searched[0]["arguments"].items()
    assert emissions[2:] == ["Which folder?"]
    places = [("9", 0, step) for step in range(3)]
    assert [*adapters.openai_responses(items[:-1], "9")] == [
        (*place, emission) for place, emission in zip(places, emissions, strict=True)
    ]


def _message(stop: str, *content: dict[str, Any]) -> dict[str, Any]:
    usage = {"input_tokens": 1, "output_tokens": 1}
    head = {"id": "m", "type": "message", "role": "assistant", "model": "m", "stop_sequence": None, "usage": usage}
    return {**head, "stop_reason": stop, "content": content}


def test_anthropic_messages() -> None:
    """A dialogue with tool results in user messages, which begin no turn."""
    anthropic = pytest.importorskip("anthropic", reason="anthropic is not installed")
    thought = {"type": "thinking", "thinking": "Which?", "signature": "s"}
    replies = (
        _message("tool_use", thought, {"type": "tool_use", "id": "1", "name": "mv", "input": {"source": "a.txt"}}),
        _message("end_turn", {"type": "text", "text": "All"}, {"type": "text", "text": "done."}),
        _message("end_turn", {"type": "text", "text": "Which file?"}),
    )
    messages: list[Any] = [{"role": "user", "content": "Move a.txt."}]
    results = [{"type": "tool_result", "tool_use_id": "1", "content": "ok"}]
    tools = [{**TOOL, "input_schema": SCHEMA}]
    with _serving(*replies) as address, anthropic.Anthropic(base_url=address, api_key="none", max_retries=0) as client:
        for answer in (results, "And the other.", ""):
            reply = client.messages.create(model="m", max_tokens=9, messages=messages, tools=tools)
            alone = [*adapters.anthropic_messages(reply.model_dump())]
            messages += [{"role": "assistant", "content": reply.model_dump()["content"]}]
            messages += [{"role": "user", "content": answer}]
    assert [*adapters.anthropic_messages(messages, "3")] == [
        ("3", 0, 0, CALL),
        ("3", 0, 1, "All\ndone."),
        ("3", 1, 0, "Which file?"),
    ]
    assert alone == [("", 0, 0, "Which file?")]


@pytest.mark.parametrize("by_alias", [True, False])
def test_gemini_contents(by_alias: bool) -> None:
    """Contents and responses of Google's types, in both spellings, without thoughts."""
    genai = pytest.importorskip("google.genai", reason="google-genai is not installed")
    types = genai.types
    called = types.Content(
        role="model",
        parts=[
            types.Part(text="Which tool?", thought=True),
            types.Part(function_call=types.FunctionCall(name="mv", args={"source": "a.txt"})),
        ],
    )
    answered = types.Part(function_response=types.FunctionResponse(name="mv", response={"ok": True}))
    contents = [
        types.Content(role="user", parts=[types.Part(text="Move a.txt.")]),
        called,
        types.Content(role="user", parts=[answered]),
        types.Content(role="model", parts=[types.Part(text="All done.")]),
        types.Content(role="user", parts=[types.Part(text="And now?")]),
        types.Content(role="model", parts=[types.Part(text="Which file?")]),
    ]
    dumped = [content.model_dump(by_alias=by_alias) for content in contents]
    assert [*adapters.gemini_contents({"contents": dumped}, "5")] == [
        ("5", 0, 0, CALL),
        ("5", 0, 1, "All done."),
        ("5", 1, 0, "Which file?"),
    ]
    response = types.GenerateContentResponse(candidates=[types.Candidate(content=called)])
    assert [*adapters.gemini_contents(response.model_dump(by_alias=by_alias))] == [("", 0, 0, CALL)]
    blocked = types.GenerateContentResponse(prompt_feedback={"block_reason": "SAFETY"})
    assert [*adapters.gemini_contents(blocked.model_dump(by_alias=by_alias, exclude_none=True))] == [("", 0, 0, "")]


@pytest.mark.parametrize("form", ["dumpd", "messages_to_dict", "model_dump"])
def test_langchain_messages(form: str) -> None:
    """Messages in each of LangChain's three dumps; calls that it couldn't parse are calls."""
    lc = pytest.importorskip("langchain_core.messages", reason="langchain-core is not installed")
    load = pytest.importorskip("langchain_core.load", reason="langchain-core is not installed")
    used = {"type": "tool_use", "id": "1", "name": "mv", "input": {"source": "a.txt"}}
    thought = {"type": "thinking", "thinking": "Which?"}
    parsed = {"name": "mv", "args": {"source": "a.txt"}, "id": "1"}
    messages = [
        lc.SystemMessage("Be brief."),
        lc.HumanMessage("Move a.txt."),
        lc.AIMessage([thought, {"type": "text", "text": "Now?"}, used], tool_calls=[parsed]),
        lc.ToolMessage("ok", tool_call_id="1"),
        lc.AIMessage("", invalid_tool_calls=[{"name": "mv", "args": "{source", "id": "2", "error": "not JSON"}]),
        lc.AIMessageChunk("All done."),
        lc.HumanMessage("And now?"),
        lc.ChatMessage("Which file?", role="assistant"),
    ]
    dumps = {
        "dumpd": lambda: load.dumpd(messages),
        "messages_to_dict": lambda: lc.messages_to_dict(messages),
        "model_dump": lambda: [message.model_dump() for message in messages],
    }
    emitted = [*adapters.langchain_messages({"messages": dumps[form]()}, "1")]
    assert emitted == [
        ("1", 0, 0, CALL),
        ("1", 0, 1, [{"name": "mv", "arguments": {"input": "{source"}}]),
        ("1", 0, 2, "All done."),
        ("1", 1, 0, "Which file?"),
    ]
    actions = ["TOOL_CALL", "TOOL_CALL", "CONFIRM", "ASK"]
    assert [str(classify(each.emission, "extended")) for each in emitted] == actions
