"""Corners of the formats by their shape, what is refused and how."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from typing import TYPE_CHECKING, Any

import pytest

from action_classifier import RULESETS, adapters, classify
from action_classifier.cli import main

if TYPE_CHECKING:
    from pathlib import Path

USER = {"role": "user", "content": "Move it."}


def _chat_call(arguments: object) -> dict[str, object]:
    function = {"name": "mv", "arguments": arguments}
    return {"role": "assistant", "content": "Shall I?", "tool_calls": [{"type": "function", "function": function}]}


@pytest.mark.parametrize(
    ("stored", "arguments"),
    [
        ('{"a": true}', {"a": True}),
        ({"a": 1}, {"a": 1}),
        ("{'a': True}", {"a": True}),
        ("", {}),
        (None, {}),
        ("{}", {}),
        ('{"a": ', {"input": '{"a": '}),
        ("[1]", {"input": "[1]"}),
        ([1], {"input": [1]}),
    ],
)
def test_arguments(stored: object, arguments: object) -> None:
    """However arguments were stored, the emission has an object, and every ruleset sees the call."""
    (emitted,) = adapters.openai_chat([_chat_call(stored)])
    assert emitted.emission == [{"name": "mv", "arguments": arguments}]
    assert [classify(emitted.emission, ruleset) for ruleset in RULESETS] == ["tool_call"] * len(RULESETS)


CHATS: list[tuple[str, list[Any], list[tuple[int, int, Any]]]] = [
    (
        "the assistant opens",
        [{"role": "assistant", "content": "Hello."}, USER, {"role": "assistant", "content": "Ok."}],
        [(0, 0, "Hello."), (0, 1, "Ok.")],
    ),
    (
        "user messages in a row are one turn",
        [USER, USER, {"role": "assistant", "content": "A"}, USER, USER, {"role": "assistant", "content": "B"}],
        [(0, 0, "A"), (1, 0, "B")],
    ),
    (
        "parts, and none that speak",
        [
            {"role": "assistant", "content": ["Which", {"type": "text", "text": "file?"}, {"type": "image_url"}]},
            {"role": "assistant", "content": [{"type": "input_audio"}, {"type": "text", "text": None}]},
            {"role": "assistant", "content": [{"type": "refusal", "refusal": "I can't."}], "refusal": "No."},
        ],
        [(0, 0, "Which\nfile?"), (0, 1, ""), (0, 2, "I can't.")],
    ),
    (
        "an old function call, and a custom tool",
        [
            {"role": "assistant", "content": None, "function_call": {"name": "mv", "arguments": "{}"}},
            {"role": "assistant", "tool_calls": [{"type": "custom", "custom": {"name": "sh", "input": "ls -l"}}]},
        ],
        [(0, 0, [{"name": "mv", "arguments": {}}]), (0, 1, [{"name": "sh", "arguments": {"input": "ls -l"}}])],
    ),
    (
        "completions in a transcript, one of them empty",
        [USER, {"choices": [{"message": {"content": "A"}}, {"message": {"content": "B"}}]}, USER, {"choices": []}],
        [(0, 0, "A"), (1, 0, "")],
    ),
]


@pytest.mark.parametrize(("messages", "expected"), [case[1:] for case in CHATS], ids=[case[0] for case in CHATS])
def test_chats(messages: list[Any], expected: list[Any]) -> None:
    """Chats of OpenAI's as servers and people really keep them."""
    assert [e[1:] for e in adapters.openai_chat({"messages": messages})] == expected


def test_flat_response_items() -> None:
    """Items between the user's and the tools' are one reply; an unknown kind of item neither makes nor ends one."""
    items = [
        {"role": "user", "content": "Move it."},
        {"type": "reasoning", "summary": []},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Moving."}]},
        {"type": "news", "role": "robot"},
        {"type": "function_call", "name": "mv", "arguments": '{"a": 1}'},
        {"type": "function_call", "name": "ls", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "1", "output": "ok"},
        {"type": "local_shell_call", "action": {"command": ["ls"]}},
        {"type": "local_shell_call_output", "output": "a"},
        {"type": "mcp_call", "name": "find", "arguments": "{}", "output": "a"},
        {"type": "file_search_call", "queries": ["a"]},
        {"type": "code_interpreter_call", "code": "1 + 1"},
        {"role": "assistant", "content": "Which one?"},
        {"output": [{"type": "custom_tool_call", "name": "sh", "input": "ls"}]},
    ]
    assert [e[1:] for e in adapters.openai_responses(items)] == [
        (0, 0, [{"name": "mv", "arguments": {"a": 1}}, {"name": "ls", "arguments": {}}]),
        (0, 1, [{"name": "local_shell", "arguments": {"command": ["ls"]}}]),
        (
            0,
            2,
            [
                {"name": "find", "arguments": {}},
                {"name": "file_search", "arguments": {"input": ["a"]}},
                {"name": "code_interpreter", "arguments": {"input": "1 + 1"}},
            ],
        ),
        (0, 3, "Which one?"),
        (0, 4, [{"name": "sh", "arguments": {"input": "ls"}}]),
    ]


def test_hosted_tools() -> None:
    """What a model says after the result of a tool that its provider ran is the next emission."""
    searched = {"type": "server_tool_use", "name": "web_search", "input": {"query": "a"}}
    found = {"type": "web_search_tool_result", "content": []}
    content = [{"type": "text", "text": "I'll look."}, searched, found, {"type": "text", "text": "Which one?"}]
    search = [{"name": "web_search", "arguments": {"query": "a"}}]
    assert [e[2:] for e in adapters.anthropic_messages({"role": "assistant", "content": content})] == [
        (0, search),
        (1, "Which one?"),
    ]
    parts = [{"executableCode": {"code": "1"}}, {"codeExecutionResult": {"output": "1"}}, {"text": "Done."}]
    assert [e[2:] for e in adapters.gemini_contents([{"role": "model", "parts": parts}])] == [
        (0, [{"name": "code_execution", "arguments": {"code": "1"}}]),
        (1, "Done."),
    ]


def test_texts_of_a_reply() -> None:
    """Texts that citations cut out of a sentence make up that sentence again; others keep lines of their own."""
    texts = ["Refunds are", " not allowed ", "after a day.", "Which day was it?\n", "I can't see."]
    content = [{"type": "text", "text": text} for text in texts]
    expected = "Refunds are not allowed after a day.\nWhich day was it?\nI can't see."
    assert [e.emission for e in adapters.anthropic_messages({"role": "assistant", "content": content})] == [expected]


def test_older_langchain_dumps() -> None:
    """Calls that stand only among the additional arguments, in OpenAI's form, or only in the content, are calls."""
    raw = {"tool_calls": [{"function": {"name": "mv", "arguments": '{"a": 1}'}}]}
    block = {"type": "tool_use", "name": "mv", "input": {"a": 1}}
    messages = [
        {"type": "ai", "data": {"type": "ai", "content": "", "additional_kwargs": raw}},
        {"type": "ai", "content": [block]},
        {"type": "chat", "role": "critic", "content": "Why?"},
    ]
    emission = [{"name": "mv", "arguments": {"a": 1}}]
    assert [e[2:] for e in adapters.langchain_messages(messages)] == [(0, emission), (1, emission)]


def test_langchain_refusals() -> None:
    """OpenAI's refusals, which stand among the additional arguments, are the text of a message without any."""
    kept = {"refusal": "I can't help with that."}
    messages = [
        {"type": "ai", "content": "", "additional_kwargs": kept},
        {"type": "ai", "content": "Which file?", "additional_kwargs": kept},
        {"type": "ai", "content": "", "additional_kwargs": {"refusal": None}},
    ]
    said = [e.emission for e in adapters.langchain_messages(messages)]
    assert said == ["I can't help with that.", "Which file?", ""]


def test_inspect_attachments() -> None:
    """Texts that Inspect keeps apart are put back; one that is missing stays a reference."""
    held = "0123456789abcdef" * 2
    texts = [f"attachment://{held}", f"attachment://{held[::-1]}"]
    messages = [{"role": "assistant", "content": text} for text in texts]
    sample = {"id": 1, "epoch": 1, "messages": messages, "attachments": {held: "Which file?"}}
    assert [e.emission for e in adapters.inspect_log({"samples": [sample]})] == ["Which file?", texts[1]]


FAULTS: list[tuple[str, Any, str]] = [
    ("openai-chat", 3, "messages: expected a list, got a number"),
    ("openai-chat", [USER, "hm\n"], r"messages[1]: expected an object, got 'hm\n'"),
    ("openai-chat", [{}], "messages[0].role: expected a text, got nothing"),
    ("openai-chat", {"messages": None}, "messages: expected a list, got nothing"),
    (
        "openai-chat",
        [USER, {"role": "robot\n\x1b"}],
        r"messages[1].role: expected one of user, assistant, system, developer, tool, function, got 'robot\n\x1b'",
    ),
    (
        "openai-chat",
        [USER, {"role": "assistant", "tool_calls": [{"function": "mv"}]}],
        "messages[1].tool_calls[0].function: expected an object, got 'mv'",
    ),
    (
        "openai-chat",
        [{"role": "assistant", "tool_calls": [{"function": {"arguments": "{}"}}]}],
        "messages[0].tool_calls[0].function.name: expected a text, got nothing",
    ),
    ("openai-chat", {"choices": [{"text": "a"}]}, "choices[0].message: expected an object, got nothing"),
    ("openai-responses", {"output": [{"type": 1}]}, "output[0].type: expected a text, got a number"),
    ("openai-responses", {"error": {"code": 500}}, "role: expected a text, got nothing"),
    ("anthropic", {"type": "error", "error": {}}, "role: expected a text, got nothing"),
    (
        "anthropic",
        [{"role": "assistant", "content": [{"type": "text", "text": {}}]}],
        "messages[0].content[0].text: expected a text, got an object",
    ),
    ("gemini", [{"role": "model", "parts": "a"}], "contents[0].parts: expected a list, got 'a'"),
    ("gemini", [{"role": "user"}], "contents[0].parts: expected a list, got nothing"),
    ("inspect", {"status": "error"}, "samples: expected a list, got nothing"),
    ("inspect", {"samples": [{"id": True}]}, "samples[0].id: expected a text or a number, got a truth value"),
    ("inspect", {"samples": [{"id": 1, "epoch": "2"}]}, "samples[0].epoch: expected a whole number, got '2'"),
    ("tau2", [], "document: expected an object, got a list"),
    (
        "tau2",
        {"simulations": []},
        "simulations: expected simulations (are they in files of their own?), got a list",
    ),
    ("tau2", {"simulations": [{}]}, "simulations[0].task_id: expected a text or a number, got nothing"),
    ("tau-bench", [{"task_id": 1}], "rows[0].traj: expected a list, got nothing"),
    (
        "tau-bench",
        [{"task_id": 1, "trial": True, "traj": []}],
        "rows[0].trial: expected a whole number, got a truth value",
    ),
    (
        "langchain",
        [{"type": "constructor", "kwargs": {"type": "alien"}}],
        "messages[0].kwargs.type: expected one of human, ai, system, tool, function, remove, got 'alien'",
    ),
    ("opentelemetry", {"spans": []}, "resourceSpans: expected a list, got nothing"),
    (
        "opentelemetry",
        {"resourceSpans": [{"scopeSpans": [{"spans": [{"traceId": "1", "startTimeUnixNano": "soon"}]}]}]},
        "resourceSpans[0].scopeSpans[0].spans[0].startTimeUnixNano: expected nanoseconds, got 'soon'",
    ),
]


@pytest.mark.parametrize(("name", "document", "message"), FAULTS)
def test_faults(name: str, document: Any, message: str) -> None:
    """A document of another kind is refused with one line that names the place."""
    with pytest.raises(adapters.AdapterError) as fault:
        list(adapters.ADAPTERS[name](document))
    assert str(fault.value) == message


def test_deep_documents() -> None:
    """Nesting that no format has, but a hostile file may, is refused or carried along, never a crash."""
    deep: Any = {"arrayValue": {"values": []}}
    for _ in range(100_000):
        deep = {"arrayValue": {"values": [deep]}}
    span = {"traceId": "t", "startTimeUnixNano": "1", "attributes": [{"key": "a", "value": deep}]}
    with pytest.raises(adapters.AdapterError, match="nested at most 100 deep"):
        list(adapters.opentelemetry_spans({"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}))
    text = "[" * 100_000
    (emitted,) = adapters.openai_chat([_chat_call(text)])
    assert emitted.emission == [{"name": "mv", "arguments": {"input": text}}]


def test_files_that_are_no_logs(tmp_path: Path) -> None:
    """What can't be read as a log is refused: no JSON, no object, a broken or unknown archive, one without samples."""
    contents = {
        "a.json": (b"{", "not JSON: "),
        "b.json": (b"[]", "document: expected an object, got a list"),
        "c.json": (b"\xff", "not JSON: "),
        "d.eval": (b"PK\x03\x04", "File is not a zip file"),
        "e.eval": (_archive(tmp_path, b"[1]"), "samples/1.json: expected an object, got a list"),
        "e2.eval": (
            _archive(tmp_path, b"[1]", "samples/1\n.json"),
            r"'samples/1\n.json': expected an object, got a list",
        ),
        "e3.eval": (_archive(tmp_path, b"{}", "notes.json"), "samples: expected files of samples, got nothing"),
        "f.eval": (_with_method(_archive(tmp_path, b"{}"), 97), "samples/1.json: compressed with zstd, which Python"),
    }
    for name, (content, message) in contents.items():
        (tmp_path / name).write_bytes(content)
        with pytest.raises(adapters.AdapterError) as fault:
            adapters.read_inspect_log(tmp_path / name)
        assert str(fault.value).startswith(message)
    assert adapters.read_inspect_log(_written(tmp_path / "g.eval", _archive(tmp_path, b'{"id": 1, "events": []}'))) == {
        "samples": [{"id": 1}]
    }


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_sample_that_was_written_twice(tmp_path: Path) -> None:
    """The last of several files of one name is the sample, and is read once."""
    path = tmp_path / "log.eval"
    with zipfile.ZipFile(path, "w") as archive:
        for epoch in (1, 2):
            archive.writestr("samples/1.json", json.dumps({"id": 1, "epoch": epoch}))
    assert adapters.read_inspect_log(path) == {"samples": [{"id": 1, "epoch": 2}]}


def _archive(folder: Path, content: bytes, name: str = "samples/1.json") -> bytes:
    path = folder / "archive.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("header.json", b"{}")
        archive.writestr(name, content)
    return path.read_bytes()


def _with_method(archive: bytes, method: int) -> bytes:
    """The archive with another compression method in all its headers."""
    changed = bytearray(archive)
    for signature, offset in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
        at = archive.find(signature)
        while at >= 0:
            changed[at + offset] = method
            at = archive.find(signature, at + 1)
    return bytes(changed)


def _written(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{", "not JSON: "),
        (b"\xff", "not JSON: "),
        (b"[" * 200_000, "not JSON: "),
        (b'[{"role": "robot\\n"}]', "messages[0].role: expected one of "),
    ],
)
def test_command_line_faults(content: bytes, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A document that can't be used ends the command with status 2 and one line that names the file."""
    path = _written(tmp_path / "chat.json", content)
    assert main(["classify", "--from", "openai-chat", str(path)]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith(f"action-classifier: {path}: {message}")
    assert captured.err.count("\n") == 1


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "No such file or directory"),
        (b"[]", "document: expected an object, got a list"),
        (b"PK\x05\x06" + bytes(18), "samples: expected files of samples, got nothing"),
    ],
)
def test_command_line_faults_of_logs(
    content: bytes | None, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file that is no log of Inspect's ends it too, named once; an archive of something else is no empty log."""
    path = tmp_path / "log.eval"
    if content is not None:
        path.write_bytes(content)
    assert main(["classify", "--from", "inspect", str(path)]) == 2
    assert capsys.readouterr() == ("", f"action-classifier: {path}: {message}\n")


def test_command_line_reads_standard_input() -> None:
    """A transcript may come through a pipe, with a byte order mark."""
    command = [sys.executable, "-m", "action_classifier", "classify", "--from", "openai-chat"]
    chat = "\ufeff" + json.dumps([USER, {"role": "assistant", "content": "Which file?"}])
    result = subprocess.run(command, input=chat.encode(), capture_output=True, timeout=60, check=True)
    assert json.loads(result.stdout) == {"id": "", "turn": 0, "step": 0, "action": "ask"}


def test_a_document_on_each_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Chat logs hold one conversation a line: the answers say which, and so do complaints."""
    path = tmp_path / "chats.jsonl"
    chats = [
        [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": text}] for text in ("Which?", "Done.")
    ]
    path.write_text("".join(f"{json.dumps(chat)}\n" for chat in chats), encoding="utf-8")
    assert main(["classify", "--from", "openai-chat", "--ruleset", "extended", str(path)]) == 0
    answers = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(answer["line"], answer["action"]) for answer in answers] == [(1, "ask"), (2, "confirm")]
    for bad, complaint in [("[{]", ":3: not JSON: "), ('[{"role": "judge"}]', ":3: messages[0].role")]:
        path.write_text("".join(f"{json.dumps(chat)}\n" for chat in chats) + bad + "\n", encoding="utf-8")
        assert main(["classify", "--from", "openai-chat", str(path)]) == 2
        assert f"{path}{complaint}" in capsys.readouterr().err


def test_spans_exported_in_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """OpenTelemetry's file exporter writes a part of the export on each line: together they are one."""

    def export(start: int, text: str) -> str:
        message = json.dumps([{"role": "assistant", "parts": [{"type": "text", "content": text}]}])
        attributes = [
            {"key": "gen_ai.operation.name", "value": {"stringValue": "chat"}},
            {"key": "gen_ai.output.messages", "value": {"stringValue": message}},
        ]
        span = {"traceId": "t", "startTimeUnixNano": str(start), "attributes": attributes}
        return json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]})

    path = tmp_path / "spans.jsonl"
    path.write_text(f"{export(2, 'Which?')}\n{export(1, 'I cannot do that.')}\n", encoding="utf-8")
    assert main(["classify", "--from", "opentelemetry", str(path)]) == 0
    answers = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(answer["id"], answer["step"], answer["action"]) for answer in answers] == [
        ("t", 0, "refuse"),
        ("t", 1, "ask"),
    ]
