"""What is read from replies, messages and results, and the state that follows from them."""

from __future__ import annotations

import ast
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from calibration_probes import Bystander, Call, Case, Mode, ProbeStack, Reply, State, is_error, read_calls

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from calibration_probes import Result


ONE = '{"name": "f", "arguments": {"x": 1}}'


def calls_of(response: object = "", decoded: tuple[str, ...] = (), message: object = None) -> list[tuple[str, object]]:
    """Name and arguments of each call that is read."""
    return [(call.name, dict(call.arguments)) for _, call in read_calls(Reply(response, decoded, message))]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("f()", [("f", {})]),
        (" a.b.f(x=-1) ", [("f", {"x": -1})]),
        ("f(x={'k': [1, 'a;b']})", [("f", {"x": {"k": [1, "a;b"]}})]),
        (r"f(x='\d\n\\d')", [("f", {"x": "\\d\n\\d"})]),
        ("f(x=1, **{})", []),
        ("f(x=__import__('os'))", []),
        ("f(x=1)(y=2)", []),
        ("'a'.f(x=1)", []),
        ("f(x={[]: 1})", []),
        ("f(x=1); g()", []),
        ("f(x='\x00')", []),
        ("(" * 10_000, []),
    ],
)
def test_execution_strings(source: str, expected: list[tuple[str, object]]) -> None:
    """Literal keyword calls only; nothing is evaluated, and odd escapes don't warn."""
    assert expected == calls_of(decoded=(source,))


def test_parsing_in_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python 3.11 can fail to parse in one thread because of another; that doesn't make a call no call."""
    parse, failures = ast.parse, [SystemError("AST constructor recursion depth mismatch (before=15, after=12)")] * 3

    def flaky(*args: object, **kwargs: object) -> ast.AST:
        if failures:
            raise failures.pop()
        return parse(*args, **kwargs)  # type: ignore[call-overload,no-any-return]

    monkeypatch.setattr(ast, "parse", flaky)
    assert calls_of(decoded=("f(x=1)",)) == [("f", {"x": 1})]
    assert failures == []


def test_execution_string_that_is_none() -> None:
    """Whatever a handler puts in the list, it is no call if it isn't text."""
    assert calls_of(decoded=({"f": {}}, "g()")) == [("g", {})]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"name": "f", "arguments": {"x": "a;b"}}; {"name": "g"};', [("f", {"x": "a;b"}), ("g", {})]),
        ('[{"name": "f", "arguments": [1]}, {"name": "f"}]', [("f", {})]),
        (f"{ONE};{ONE.replace('1', 'true')};{ONE}", [("f", {"x": 1}), ("f", {"x": True})]),
        ('[{"name": "f"}, {"name": "f"}]', [("f", {})]),
        ('{"name": "f"} and more', []),
        ('{"name": "f"} {"name": "g"}', []),
        ('{"function": {"name": "f", "arguments": "null"}}', []),
        ('<tool_call>{"name": "f"}</tool_call> then <tool_call>{"name": "f"}</tool_call>', [("f", {}), ("f", {})]),
        ('<tool_call>[{"name": "f"}, 7]</tool_call><tool_call>no</tool_call><tool_call>{"name": "g"}', [("f", {})]),
        ("</tool_call><tool_call>", []),
        ("[" * 100_000, []),
        ('{"name": "f", "arguments": ' + '{"a":' * 100_000, []),
        ("<tool_call>" * 200_000, []),
        ('{"name": "f"};' * 20_000, [("f", {})]),
        ("", []),
    ],
)  # fmt: skip
def test_texts(text: str, expected: list[tuple[str, object]]) -> None:
    """JSON and tags, whole or not at all; text made to break parsers holds no call and takes no time."""
    assert expected == calls_of(text)


def test_messages_of_an_sdk() -> None:
    """The history message and what it holds may be objects as well as dictionaries."""
    function = SimpleNamespace(name="f", arguments='{"x": 1}')
    message = SimpleNamespace(content="", tool_calls=[SimpleNamespace(id="c1", type="function", function=function)])
    ((position, call),) = read_calls(Reply("", message=message))
    assert (position, call) == (0, Call("f", {"x": 1}, "c1"))
    assert calls_of(message={"tool_calls": (SimpleNamespace(function=SimpleNamespace(name="g")),)}) == [("g", {})]
    assert calls_of(message=SimpleNamespace(tool_calls=None)) == []
    assert calls_of(message=object()) == []


@pytest.mark.parametrize(
    ("messages", "text"),
    [
        ([{"role": "system", "content": "S"}, {"role": "user", "content": "U\n"}], "S\nU"),
        ([SimpleNamespace(role="user", content="U")], "U"),
        ([{"content": [{"type": "text", "text": "a"}, SimpleNamespace(text="b"), {"type": "image"}, "c"]}], "a\nb\nc"),
        ([{"content": None}, {}], ""),
        ([], ""),
    ],
)
def test_user_text(messages: list[object], text: str, make_stack: Callable[..., ProbeStack]) -> None:
    """All messages of a turn, in whatever form, joined and stripped."""
    events: list[dict[str, object]] = []
    conversation = make_stack("sri", emit=events.append).start_case(Case("c", []))
    conversation.start_turn(messages, [])
    assert [(event["event"], event["user_text_excerpt"]) for event in events] == [("sri_start_turn", text)]


def test_text_of_a_reply() -> None:
    """Some handlers keep the text as a list of strings."""
    assert Reply(["Which", "one?"]).text == "Which\none?"
    assert Reply([{"f": "{}"}]).text == ""
    assert Reply(None).text == ""


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        (r'{"\u0065rror": null}', True),
        (r'[{"\u0065rror": null}]', False),
        (r'{"\u0065rror": ', False),
        (r'{"a": "\u0065rror"}', False),
        ({"a": "it failed"}, True),
        ({"a": 1}, False),
        ("error" + " " * 100_000, False),
        ("{" * 100_000 + "\\u0065", False),
        (7, False),
    ],
)
def test_errors(result: object, expected: bool) -> None:
    """A key spelled with escapes is found, results that aren't text are read too."""
    assert expected is is_error(result)


@pytest.mark.parametrize(
    ("call", "line"),
    [
        (Call("startEngine", {"ignitionMode": "start"}), "vehicle.engine_state: running"),
        (Call("STARTENGINE", {"ignitionMode": "STOP"}), "vehicle.engine_state: stopped"),
        (Call("startEngine", {}), "vehicle.engine_state: stopped"),
        (Call("lockDoors", {"unlock": True}), "vehicle.doors_locked: False"),
        (Call("lockDoors", {}), "vehicle.doors_locked: True"),
        (Call("send_message", {"message": "ä"}), 'message.messages_sent: [{"message": "ä", "receiver_id": ""}]'),
        (Call("ls", {}), '{"generic": {}}'),
    ],
)
def test_state_after_one_call(call: Call, line: str) -> None:
    """What each tool leaves behind."""
    assert line == State().after(call).text()


def test_state_over_several_calls() -> None:
    """Values replace, lists grow, domains stay, and the state before is what it was."""
    first = State().after(Call("send_message", {"receiver_id": "A", "message": None}))
    second = first.after(Call("ls", {})).after(Call("send_message", {"recipient": "B", "message": 1}))
    third = second.after(Call("startEngine", {"ignitionMode": "START"})).after(Call("startEngine", {}))
    assert first.text() == 'message.messages_sent: [{"message": "None", "receiver_id": "A"}]'
    assert third.key_lines() == [
        'message.messages_sent: [{"message": "None", "receiver_id": "A"}, {"message": "1", "receiver_id": "B"}]',
        "vehicle.engine_state: stopped",
    ]
    assert sorted(third.domains) == ["generic", "message", "vehicle"]


def test_snapshot_is_cut() -> None:
    """Each value to 500 characters and the whole to the limit, dots included; 0 and less is no limit."""
    state = State().after(Call("mv", {"source": "s" * 600, "destination": "d"}))
    (line,) = [line for line in state.key_lines() if line.startswith("filesystem.last_path_transition.source: ")]
    assert line.partition(": ")[2] == "s" * 497 + "..."
    assert state.text(60) == state.text()[:57] + "..."
    assert state.text(2) == ".."
    assert state.text(-1) == state.text(0) == "\n".join(state.key_lines())
    assert State().text(10) == "No succ..."


class Recorder(Bystander):
    """A probe that keeps what it is told about results, over all cases."""

    name, variant, mode = "recorder", "v1", Mode.ACTIVE

    def __init__(self) -> None:
        self.seen: list[tuple[str, object, bool]] = []

    def start_case(self, _case: Case) -> Recorder:
        """Itself."""
        return self

    def on_results(self, calls: Sequence[Call], results: Sequence[Result]) -> None:
        """Remembers them."""
        self.seen += [(call.name, result.value, result.is_error) for call, result in zip(calls, results, strict=True)]


@pytest.mark.parametrize(
    ("reply", "results", "pairs"),
    [
        (Reply("", ("f(1)", "g()", "h(x=y)", "i()")), ["1", "failed", "3", "4"], [("g", "failed"), ("i", "4")]),
        (Reply("", ("f()", "g()")), ["1"], [("f", "1")]),
        (Reply('[{"name": "f"}, {"name": "f"}, {"name": "g"}]', ("f(1)",) * 3), list("abc"), [("f", "a"), ("g", "c")]),
        (Reply([{"f": "{}"}, {}, {"g": "{}"}]), list("abc"), [("f", "a"), ("g", "c")]),
        (Reply("text", ("f(1)",)), ["1"], []),
    ],
)  # fmt: skip
def test_results_are_paired_by_position(reply: Reply, results: list[str], pairs: list[tuple[str, str]]) -> None:
    """A call that can't be read takes its result with it."""
    recorder = Recorder()
    conversation = ProbeStack([recorder]).start_case(Case("c", []))
    conversation.start_turn([], [])
    conversation.on_call(reply)
    conversation.on_results(results)
    assert pairs == [(name, value) for name, value, _ in recorder.seen]
    assert [is_error(value) for _, value in pairs] == [failed for *_, failed in recorder.seen]


def test_tools_offered_at_the_start_are_kept() -> None:
    """A host that extends its list of tools in place doesn't change what the case began with."""
    offered = [{"name": "f"}]
    case = Case("c", offered)
    offered.append({"name": "g"})
    assert list(case.functions) == [{"name": "f"}]
