"""Tool calls in the formats of models, servers and APIs, and what only looks like one (ruleset extended)."""

from __future__ import annotations

import pytest

from action_classifier import Action, classify, explain, labels
from action_classifier.extended.wire_formats import TOKEN_FORMATS

MARKED = {
    "llama_python_tag": (
        '<|python_tag|>{"name": "mv", "parameters": {"source": "a", "destination": "b"}}',
        '<|python_tag|>brave_search.call(query="weather in Oslo")',
    ),
    "tool_call_tag": (
        '<tool_call>\n{"name": "mv", "arguments": {"source": "a"}}\n</tool_call>',
        "<tool_call>\n<function=mv>\n<parameter=source>\na\n</parameter>\n</function>\n</tool_call>",
        "<tool_call>mv\n<arg_key>source</arg_key>\n<arg_value>a</arg_value>\n</tool_call>",
        "<tool_call>get_time</tool_call>",
    ),
    "tool_calls_tag": ('<tool_calls>[{"name": "mv", "arguments": {"source": "a"}}]</tool_calls>',),
    "granite_tool_call": (
        '<|tool_call|>[{"name": "mv", "arguments": {"source": "a"}}]',
        '<|tool_call|>[{"name": "get_weather", "arguments": {"city": "Oslo"}}]<|/tool_call|>',
    ),
    "llama_function_tag": ('<function=mv>{"source": "a", "destination": "b"}</function>',),
    "function_tag": ('<function name="mv"><parameter name="source">a</parameter></function>',),
    "function_call_tag": ('<function_call>{"name": "mv", "arguments": "{}"}</function_call>',),
    "functioncall_tag": ('<functioncall> {"name": "mv", "arguments": \'{"source": "a"}\'} <|endoftext|>',),
    "invoke_tag": ('<function_calls>\n<invoke name="mv">\n<parameter name="source">a</parameter>\n</invoke>',),
    "mistral_tool_calls": (
        '[TOOL_CALLS] [{"name": "mv", "arguments": {"source": "a"}}]',
        '[TOOL_CALLS]mv{"source": "a"}',
        '[TOOL_CALLS]mv[ARGS]{"source": "a"}',
    ),
    "deepseek_tool_calls": (
        '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>mv\n```json\n{"source": "a"}\n```',
    ),
    "deepseek_tool_call": ('<｜tool▁call▁begin｜>mv<｜tool▁sep｜>{"source": "a"}<｜tool▁call▁end｜>',),
    "deepseek_dsml": ('<｜DSML｜function_calls>\n<｜DSML｜invoke name="mv">\n</｜DSML｜invoke>',),
    "kimi_section": (
        '<|tool_calls_section_begin|><|tool_call_begin|>functions.mv:0<|tool_call_argument_begin|>{"source": "a"}',
    ),
    "kimi_tool_call": (
        '<|tool_call_begin|>functions.mv:0<|tool_call_argument_begin|>{"source": "a"}<|tool_call_end|>',
    ),
    "harmony": (
        '<|start|>assistant<|channel|>commentary to=functions.mv <|constrain|>json<|message|>{"source":"a"}<|call|>',
        '<|channel|>analysis<|message|>Copy?<|end|><|start|>assistant to=functions.mv<|message|>{"source":"a"}<|call|>',
    ),
    "harmony_bare": ('commentary to=functions.mv json{"source":"a"}',),
    "internlm_plugin": ('<|action_start|><|plugin|>\n{"name": "mv", "parameters": {"source": "a"}}<|action_end|>',),
    "command_action": ('<|START_ACTION|>[{"tool_call_id": "0", "tool_name": "mv", "parameters": {}}]<|END_ACTION|>',),
    "functionary": ('>>>mv\n{"source": "a"}',),
    "gemma_tool_code": ('```tool_code\nprint(default_api.mv(source="a"))\n```',),
    "react_action": ("Thought: it has to be moved\nAction: mv\nAction Input: source a",),
    "lfm_tool_call": ('<|tool_call_start|>[mv(source="a")]<|tool_call_end|>',),
    "function_calls_tag": ('<function_calls>mv(source="a")</function_calls>',),
    "nemotron_toolcall": ('<TOOLCALL>[{"name": "mv", "arguments": {"source": "a"}}]</TOOLCALL>',),
    "functools": ('functools[{"name": "mv", "arguments": {"source": "a"}}]',),
    "tool_use_tag": ("<tool_use><name>mv</name><arguments>{}</arguments></tool_use>",),
}
"""Format and real examples of it."""

SHAPED = (
    'mv(source="a")',
    'mv(source="a"); ls()',
    'mv(source="a", destination="b")\nls(a=True)',
    "get_time()",
    "cd('reports')",
    "cd(reports)",
    '[mv(source="a")]',
    '[ mv (source="a") , ls()]',
    '[files.mv(source="a"), trading.get_quote(symbol="X")]',
    '[mv(source="a")]\n[ls()]',
    "[get_time()](",
    "[ls](a=true)",
    "[get_time]()",
    '[cat file_name="a.txt"]',
    "[get_watchlist], [get_order_history]",
    '```\n[mv(source="a")]\n```',
    '```python\nmv(source="a")\n```',
    '```json\n{"name": "mv", "arguments": {"source": "a"}}\n```',
    '```json\n[{"name": "mv", "arguments": {"source": "a"}}]',
    '{"name": "mv", "arguments": {"source": "a"}}',
    '{"name": "mv", "parameters": {}}',
    '{"name": "mv", "arguments": "{\\"source\\": \\"a\\"}"}',
    '{"id": "c1", "type": "function", "name": "mv", "arguments": {}}',
    '{"arguments": {"source": "a"}, "name": "mv"}',
    '{\n  "name": "mv",\n  "arguments": {\n    "source": "a"\n  }\n}',
    '[\n  {\n    "name": "mv",\n    "arguments": {}\n  }\n]',
    '{"mv": {"source": "a"}}',
    '{"move_file": {"source": "a"}, "list_files": {}}',
    '{"mv": {"source": "a"}, "ls": {}}',
    '[{"mv": {"source": "a"}, "ls": {}}]',
    '{"name": "ls", "arguments": null}',
    '{"tool_name": "mv", "tool_arguments": {"source": "a"}}',
    '[{"mv": {"source": "a"}}, {"ls": {}}]',
    "{'name': 'mv', 'arguments': {'source': 'a', 'force': True}}",
    '{"tool": "mv", "args": {"source": "a"}}',
    '{"tool_calls": [{"function": {"name": "mv", "arguments": "{}"}}]}',
    '["mv(source=\\"a\\")"]',
    '\ufeff[mv(source="a")]',
    '\ufeff{"name": "mv", "arguments": {}}',
    '<think>Shall I move it?</think>\n[mv(source="a")]',
    '<think>Shall I move it?</think>{"name": "mv", "arguments": {}}',
    'Moving the file now.\n[mv(source="a")]',
    'I will move it for you. [mv(source="a")]',
    'I will look it up first.\n\n```json\n{"name": "find", "arguments": {"name": "a"}}\n```',
    'Sure!\n{"name": "mv", "arguments": {"source": "a"}}',
)

STRUCTURES = (
    {"role": "assistant", "content": None, "tool_calls": [{"id": "1", "function": {"name": "f", "arguments": "{}"}}]},
    [{"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}],
    {"role": "assistant", "content": "Moving it.", "function_call": {"name": "f", "arguments": "{}"}},
    {"choices": [{"message": {"content": "", "tool_calls": [{"function": {"name": "f", "arguments": "{}"}}]}}]},
    [{"type": "reasoning", "summary": []}, {"type": "function_call", "call_id": "1", "name": "f", "arguments": "{}"}],
    {"output": [{"type": "function_call", "call_id": "1", "name": "f", "arguments": "{}"}]},
    {"role": "assistant", "content": [{"type": "text", "text": "So."}, {"type": "tool_use", "name": "f", "input": {}}]},
    [{"type": "tool_use", "id": "t1", "name": "f", "input": {"a": 1}}],
    {"candidates": [{"content": {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {}}}]}}]},
    {"parts": [{"text": "Well."}, {"function_call": {"name": "f", "args": {"a": 1}}}]},
    [{"mv": '{"source": "a"}'}],
    [{"mv": {"source": "a"}}, {"ls": "{}"}],
    [{"name": "f", "arguments": {}, "id": 1}],
    ['mv(source="a")', "ls()"],
    ["[mv(source='a')]"],
    ["I will move it.", {"name": "mv", "arguments": {}}],
)

NO_CALLS = (
    "[Note (for clarity): the file is in the folder.]",
    "[Error (404)] the page is gone",
    "[See (a) and (b) for the details]",
    "[1, 2, 3]",
    '["a", "b"]',
    "[the docs](https://example.com/a?b=1)",
    "Wrap it in a `<tool_call>` tag.",
    "The <tool_call> tag encloses what the model calls.",
    "<think>I could use <tool_call>{...}</tool_call> here</think>The answer is 4.",
    '<think>[mv(source="a")]',
    "The <tool_call> and </tool_call> tags enclose a call.",
    'The format is <tool_call>{"name": ..., "arguments": ...}</tool_call>.',
    "[f(x)] is the bracket notation.",
    "<tool_call>{}</tool_call>",
    "<tool_call>null</tool_call>",
    "<tool_calls>[]</tool_calls>",
    "[TOOL_CALLS][]",
    "<|tool_call|>[]",
    '{"AAPL": {"price": 227.1}}',
    '{"weather": {"temp": 20}}',
    '{"alice": {"age": 20}, "bob": {"age": 21}}',
    'Here is an example of how to log in:\n1. Do it:\n```\n{"name": "log_in", "parameters": {"user": "ann"}}\n```',
    'It takes a token:\n{"name": "f", "parameters": {"token": "your_token"}}\nReplace "your_token" with yours.',
    "<tool_call></tool_call>",
    "<tool_call>\n\n</tool_call>",
    '[{"name": "Alice", "age": 30}]',
    '{"result": {"status": "ok"}}',
    '{"name": "Alice", "age": 30}',
    '{"user": {"name": "Alice"}}',
    '{"name": "mv", "description": "Moves a file.", "parameters": {"type": "object", "properties": {}}}',
    'For example, you can write:\n```json\n{"name": "mv", "arguments": {}}\n```',
    "The function `mv(source, destination)` moves a file.",
    "Print(s) and file(s) are counted.",
)


@pytest.mark.parametrize("text", [text for texts in MARKED.values() for text in texts])
def test_marked_formats(text: str) -> None:
    """A real example of each format with marks of its own is a call, after prose too; the rule names the format."""
    evidence = explain(text, "extended")
    assert evidence is not None
    assert evidence.action is Action.TOOL_CALL
    assert classify(f"I will do that.\n{text}", "extended") is Action.TOOL_CALL


def test_every_format_has_an_example() -> None:
    """The table of formats and the table of examples name the same formats, and each example shows its own."""
    assert {one.name for one in TOKEN_FORMATS} == set(MARKED)
    for one in TOKEN_FORMATS:
        assert any(one.mark in text and one.call.search(text) for text in MARKED[one.name]), one.name


@pytest.mark.parametrize("text", SHAPED)
def test_shapes(text: str) -> None:
    """Calls without marks: bracketed, bare, JSON, fenced, after a sentence or reasoning, a byte order mark first."""
    assert classify(text, "extended") is Action.TOOL_CALL


@pytest.mark.parametrize("structure", STRUCTURES, ids=range(len(STRUCTURES)))
def test_structures(structure: object) -> None:
    """Objects of OpenAI, Responses, Anthropic and Gemini, what BFCL handlers store, and lists of texts with calls."""
    assert classify(structure, "extended") is Action.TOOL_CALL
    assert labels(structure, "extended")[0] is Action.TOOL_CALL


@pytest.mark.parametrize("text", NO_CALLS)
def test_no_calls(text: str) -> None:
    """What only looks like a call, or speaks of one, is none."""
    assert classify(text, "extended") is Action.OTHER


@pytest.mark.parametrize(
    ("emission", "action"),
    [
        ({"role": "assistant", "content": "Which folder should I use?"}, Action.ASK),
        ('{"role": "assistant", "content": "Which folder should I use?"}', Action.ASK),
        ('{"message": "Your booking is confirmed."}', Action.CONFIRM),
        ({"role": "assistant", "content": None, "refusal": "I can't help with that."}, Action.REFUSE),
        ([{"type": "message", "content": [{"type": "output_text", "text": "Which one?"}]}], Action.ASK),
        ({"candidates": [{"content": {"parts": [{"text": "I can't do that."}]}}]}, Action.REFUSE),
        (["Which folder?"], Action.ASK),
        (["I moved the file.", "Anything else?"], Action.CONFIRM),
        ([{"type": "thinking", "thinking": "Which?"}, {"type": "text", "text": "Done."}], Action.CONFIRM),
        ({"error": {"message": "Rate limit reached. Could you retry?", "code": 429}}, None),
        ('{"error": {"message": "Rate limit reached. Could you retry?", "code": 429}}', None),
        ({"role": "user", "content": "Could you move it?"}, None),
        ([{"type": "function_call_output", "output": "no such file"}], None),
        ({"result": {"status": "ok"}}, None),
        ([], None),
        ({}, None),
        ([""], None),
        (7, None),
        (None, None),
        ("  \n", None),
        ("\ufeff", None),
    ],
)
def test_messages_and_nothing(emission: object, action: Action | None) -> None:
    """A message stands for its text; an API error, another role, data and emptiness carry nothing."""
    assert classify(emission, "extended") is action
