"""Conversions to and from the Responses API, and calls read from text: nothing is evaluated, nothing is lost."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from action_classifier import Action, classify
from bfcl_runner import DecodeError
from bfcl_runner.decoding import call_string, decoder
from bfcl_runner.literal_calls import RejectedCallError, parse_call
from bfcl_runner.responses_api import Call, input_items, read_output, response_tools, text_calls, tool_call_text
from bfcl_runner.tag_decoding import DEEPEST, as_call, decode_tool_call_tags, tagged_calls

if TYPE_CHECKING:
    from pathlib import Path

JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)
# Texts that look like the formats themselves are the ones that could break a reader.
PIECES = st.sampled_from(
    ["<tool_call>", "</tool_call>", "\n", "{", "}", '"', "\\", "to=functions.", "f", " ", "<|message|>", "<|call|>",
     "<|start|>", '{"name": "f", "arguments": {}}', '{"x": 1}', "[", "]", ",", ":"]
)  # fmt: skip
TEXTS = st.text() | st.lists(PIECES, max_size=30).map("".join)
CALLS = st.lists(
    st.builds(Call, TEXTS, st.dictionaries(TEXTS, JSON_VALUES | TEXTS, max_size=3), st.none() | st.text(min_size=1)),
    max_size=4,
)


def _as_dict(call: Call) -> dict[str, Any]:
    return {"name": call.name, "arguments": call.arguments} | ({} if call.id is None else {"id": call.id})


def _nested(levels: int) -> str:
    """The JSON of an object that is so many levels deep."""
    return '{"x":' * (levels - 1) + "{}" + "}" * (levels - 1)


def test_parity(shared_data: Path) -> None:
    """Histories, tools, texts and outputs convert as in the file of expected results."""
    examples = json.loads((shared_data / "parity/responses_api.json").read_text(encoding="utf-8"))
    kinds = [example["kind"] for example in examples]
    assert {kind: kinds.count(kind) for kind in kinds} == {"history": 5, "tools": 1, "text": 6, "output": 4}
    for example in examples:
        if example["kind"] == "history":
            assert example["input"] == input_items(example["messages"])
        elif example["kind"] == "tools":
            assert example["tools"] == response_tools(example["functions"])
        elif example["kind"] == "text":
            calls = text_calls(example["text"])
            assert (example["calls"], example["stored"]) == ([*map(_as_dict, calls)], tool_call_text(calls))
        else:
            output = read_output(example["output"])
            expected = (example["reasoning"], example["content"], example["calls"])
            assert expected == (output.reasoning, output.content, [*map(_as_dict, output.calls)])


def test_conversions_leave_their_input_alone(shared_data: Path) -> None:
    """Functions are shared between cases, and histories go on."""
    examples = json.loads((shared_data / "parity/responses_api.json").read_text(encoding="utf-8"))
    before = json.dumps(examples)
    for example in examples:
        input_items(example.get("messages", []))
        response_tools(example.get("functions", []))
    assert before == json.dumps(examples)


@given(CALLS)
def test_stored_calls_come_back(calls: list[Call]) -> None:
    """Whatever names and arguments hold, tags and line breaks included, stored text reads back as the same calls."""
    stored = tool_call_text(calls)
    assert [(call.name, call.arguments) for call in calls] == tagged_calls(stored)
    assert [(call.name, call.arguments) for call in calls] == [(c.name, c.arguments) for c in text_calls(stored)]
    if calls:
        assert [call_string(call.name, call.arguments) for call in calls] == decode_tool_call_tags(stored)


@given(TEXTS)
def test_what_runs_is_what_is_scored(text: str) -> None:
    """The calls of a reply's text are those that its stored form is decoded to, and a text without calls has none."""
    calls = text_calls(text)
    stored = tool_call_text(calls) if calls else text
    try:
        decoded = decode_tool_call_tags(stored)
    except DecodeError:
        decoded = []
    assert [call_string(call.name, call.arguments) for call in calls] == decoded


@given(st.lists(CALLS.filter(bool), max_size=4))
def test_every_result_finds_its_call(steps: list[list[Call]]) -> None:
    """Results without ids are paired with calls in order, whether or not the calls have ids of their own."""
    steps = [[Call(call.name, call.arguments) for call in calls] for calls in steps]
    messages: list[dict[str, Any]] = []
    for calls in steps:
        functions = [{"function": {"name": call.name, "arguments": call.arguments}} for call in calls]
        messages.append({"role": "assistant", "content": "aside", "tool_calls": functions})
        messages += [{"role": "tool", "content": f"{place}"} for place, _ in enumerate(calls)]
    items = input_items(messages)
    made = [item["call_id"] for item in items if item["type"] == "function_call"]
    answered = [(item["call_id"], item["output"]) for item in items if item["type"] == "function_call_output"]
    assert made == [f"call_{place + 1}" for place in range(sum(map(len, steps)))]
    assert answered == list(zip(made, (f"{place}" for calls in steps for place, _ in enumerate(calls)), strict=True))


def test_lone_surrogates_can_be_sent() -> None:
    """A model's JSON can spell characters that no request can carry; they become question marks."""
    items = input_items(
        [
            {"role": "user", "content": "\ud800"},
            {"role": "assistant", "tool_calls": [{"function": {"name": "\ud800", "arguments": {"x": "\ud800"}}}]},
            {"role": "tool", "content": "\ud800é"},
        ]
    )
    json.dumps(items, ensure_ascii=False).encode()
    assert [items[0]["content"], items[1]["name"], items[2]["output"]] == ["?", "?", "?é"]


def test_names_have_no_dots() -> None:
    """As upstream: the API takes none."""
    parameters = {"type": "dict", "properties": {}}
    (tool,) = response_tools([{"name": "math.hypot", "parameters": parameters}])
    assert tool["name"] == "math_hypot"


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        ('<|channel|>commentary to=functions.mv <|constrain|>json<|message|>{"a": 1}<|call|>', [("mv", {"a": 1})]),
        ('thinkingassistantcommentary to=functions.mv json{"a": 1}', [("mv", {"a": 1})]),
        (
            'to=functions.f<|message|>{"a": 1}<|call|><|start|>assistant to=functions.g<|message|>{}<|call|>',
            [("f", {"a": 1}), ("g", {})],
        ),
        ('to=functions.f<|message|>{"a": 1} and so on', [("f", {"a": 1})]),
        ('to=functions.f<|message|>{"x": "to=functions.g {}"}<|call|>', [("f", {"x": "to=functions.g {}"})]),
        ('to=functions.f<|message|>{"name": "g", "arguments": "{}"}', [("g", {})]),
        ('to=functions.f<|message|>{"name": "g", "arguments": "x"}', [("f", {"name": "g", "arguments": "x"})]),
        ("<|channel|>analysis<|message|>Is it to=functions.rm {}?<|end|>", []),
        ('to=functions.f, which wants {"a": 1}', []),
        ("to=functions.f<|message|>[1]", []),
        ("to=functions.f<|message|>{", []),
        ("to=functions.f<|message|>{}<|call|><tool_call>{}</tool_call>", [("f", {})]),
        ('to=functions.f<|message|>{}<|call|><tool_call>{"name":"g","arguments":{}}</tool_call>', [("g", {})]),
    ],
)  # fmt: skip
def test_calls_in_text(text: str, calls: list[tuple[str, dict[str, Any]]]) -> None:
    """Harmony with or without its special tokens; tags win, since stored text is read by them."""
    assert calls == [(call.name, call.arguments) for call in text_calls(text)]


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        ('I call <tool_call>\n{"name": "f", "arguments": {"x": null}}\n</tool_call> now', ["f(x=None)"]),
        ('<tool_call>\n{\n"name": "f",\n"arguments": {}\n}\n</tool_call>', ["f()"]),
        ('<tool_call>\n{"name": "f", "arguments": {"x": "</tool_call><tool_call>"}}\n</tool_call>',
         ["f(x='</tool_call><tool_call>')"]),
        ('<tool_call>{"name": "f", "arguments": "{\\"x\\": 1}"}</tool_call>', ["f(x=1)"]),
        ('<tool_call><tool_call>{"name": "f", "arguments": {}}</tool_call>', ["f()"]),
        ('</tool_call><tool_call>{bad}</tool_call><tool_call>{"name": "f", "arguments": {}}</tool_call>', ["f()"]),
    ],
)  # fmt: skip
def test_decoded(text: str, calls: list[str]) -> None:
    """Blocks count wherever they stand, in one line or several; broken ones are passed over."""
    assert calls == decoder("tool_call_tags")(text)


@pytest.mark.parametrize(
    "emission",
    [
        None,
        7,
        [{"f": "{}"}],
        "",
        "Which folder?",
        "<tool_call>",
        "<tool_call></tool_call>",
        '<tool_call>{"name": "f"}</tool_call>',
        '<tool_call>{"name": 1, "arguments": {}}</tool_call>',
        '<tool_call>{"name": "f", "arguments": "f(1)"}</tool_call>',
        '<tool_call>{"name": "f", "arguments": {}}',
        '{"name": "f", "arguments": {}}',
    ],
)
def test_not_decoded(emission: object) -> None:
    """What holds no block with a call is a decode error."""
    with pytest.raises(DecodeError):
        decoder("tool_call_tags")(emission)


@pytest.mark.parametrize(
    ("item", "calls"),
    [
        ({"name": "f", "arguments": None}, [Call("f", {})]),
        ({"name": "f"}, [Call("f", {})]),
        ({"name": "f", "arguments": {"x": 1}, "call_id": 7}, [Call("f", {"x": 1})]),
        ({"name": "f", "arguments": "null"}, []),
        ({"name": None, "arguments": "{}"}, []),
        ({"arguments": "{}"}, []),
    ],
)
def test_odd_call_items(item: dict[str, Any], calls: list[Call]) -> None:
    """No arguments are none; arguments that are JSON but no object, or a missing name, make no call."""
    assert (*calls,) == read_output([{"type": "function_call", **item}]).calls


@given(st.lists(st.dictionaries(st.sampled_from(["type", "name", "arguments", "content", "summary"]), JSON_VALUES)))
def test_any_output_is_read(output: list[dict[str, Any]]) -> None:
    """Whatever a server returns as items, reading it doesn't fail."""
    for kind in ("reasoning", "message", "function_call"):
        read_output([{**item, "type": kind} for item in output])


def test_calls_in_message_text() -> None:
    """A message's text is searched only where there are no call items."""
    message = {"type": "message", "content": [{"text": '<tool_call>{"name": "f", "arguments": {}}</tool_call>'}]}
    item = {"type": "function_call", "name": "g", "arguments": "{}", "call_id": "c"}
    assert read_output([message]).calls == (Call("f", {}),)
    assert read_output([message, item]).calls == (Call("g", {}, "c"),)


@pytest.mark.parametrize("levels", [DEEPEST, DEEPEST + 1, 100_000])
def test_deep_nesting(levels: int) -> None:
    """Arguments are read to the same depth wherever they stand; deeper ones are no arguments."""
    text = _nested(levels)
    readable = levels <= DEEPEST
    (call,) = read_output([{"type": "function_call", "name": "f", "arguments": text}]).calls
    assert bool(call.arguments) is readable
    assert len(tagged_calls(tool_call_text([call]))) == 1
    for written in (
        f'<tool_call>{{"name": "f", "arguments": {text}}}</tool_call>',
        f"to=functions.f<|message|>{text}<|call|>",
        f'to=functions.f<|message|>{{"name": "f", "arguments": {text}}}<|call|>',
    ):
        assert bool(text_calls(written)) is readable
    if levels <= DEEPEST + 1:
        assert bool(as_call({"name": "f", "arguments": json.loads(text)})) is readable


@pytest.mark.parametrize(
    "call",
    [
        Call("__import__('pathlib').Path('evaluated').touch", {}),
        Call("f(open('evaluated','w')) or f", {}),
        Call("f", {"x=open('evaluated','w'),y": 1}),
        Call("f", {"**open('evaluated','w')": 1}),
        Call("f\x00", {}),
    ],
)
def test_nothing_is_evaluated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: Call) -> None:
    """Code in names stays text through reading and decoding, and what decoding gives is refused."""
    monkeypatch.chdir(tmp_path)
    (decoded,) = decode_tool_call_tags(tool_call_text([call]))
    with pytest.raises(RejectedCallError):
        parse_call(decoded, {"f"})
    assert list(tmp_path.iterdir()) == []


def test_code_in_values_stays_a_value() -> None:
    """A value is a literal, whatever it spells."""
    (decoded,) = decode_tool_call_tags(tool_call_text([Call("f", {"x": "'+str(open('evaluated','w'))+'"})]))
    assert parse_call(decoded, {"f"}).kwargs == {"x": "'+str(open('evaluated','w'))+'"}


@pytest.mark.parametrize(
    "unit",
    [
        "<tool_call>",
        '<tool_call>{"',
        "<tool_call>\n",
        "<tool_call>{bad}</tool_call>\n",
        "</tool_call>",
        "to=functions.f",
        "to=functions.f{",
        "<|start|>to=functions.f<|message|>{<|call|>",
        "f",
        " ",
        "<",
        '{"a":',
    ],
)
def test_two_megabytes(unit: str) -> None:
    """Text that makes a careless reader start over at every character: in quadratic time this would take hours."""
    text = f"to=functions.f{unit * (2_000_000 // len(unit))}"
    assert text_calls(text) == ()
    with pytest.raises(DecodeError):
        decode_tool_call_tags(text)


def test_ten_thousand_calls() -> None:
    """All of them count, in text of either kind."""
    block = '<tool_call>{"name": "f", "arguments": {}}</tool_call>'
    assert len(decode_tool_call_tags(block * 10_000)) == 10_000
    assert len(text_calls("to=functions.f<|message|>{}<|call|>" * 10_000)) == 10_000


def test_class_of_stored_calls() -> None:
    """Stored calls are a call in the eyes of the classifier too."""
    assert classify(tool_call_text([Call("ls", {"a": True})])) == Action.TOOL_CALL
