"""The limits on data that is read as calls hold in any thread, under any caller, for every form of the data."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from action_classifier import RULESETS, Action, classify, normalize
from action_classifier.literals import MAX_DEPTH, is_shallow
from action_classifier.stack import with_room

if TYPE_CHECKING:
    from collections.abc import Callable

HOSTILE = (
    "{" + "-" * 65_000 + "1:1}",
    '{"f":{"a":' + "[" * 60_000,
    '{"f":{"a":' + "[" * 1_000_000,
    '{"f":{"a":' + "[" * 30_000 + "]" * 30_000 + "}}",
    '{"f":{"a":' + "[" * 190 + "]" * 190 + "}}",
    '{"f":' * 10_000 + "{}" + "}" * 10_000,
    "[{" + "'a':[" * 12_000,
    "{1" + "+1" * 30_000 + "}",
    "{1" + " - 1" * 16_000 + "}",
    "{():" + "()" * 30_000 + "}",
    '{"a"' + "[0]" * 20_000 + ":1}",
    "{1" + " .real" * 10_000 + ":1}",
    "{" + "not " * 16_000 + "1:1}",
    "{1" + " if 1 else 1" * 5_000 + ":1}",
    "{" + "lambda:" * 9_000 + "1}",
    "{" + "-(" * 30_000,
    "{# '\r" + "[" * 30_000,
    "{'''a''b''' : " + "[" * 30_000,
    "{'a\\\r\n' : " + "[" * 30_000,
    '{"\\\\": ' + "[" * 100_000,
    '{"\\\\\\"": ' + "[" * 100_000,
    "{" + "'a' " * 16_000 + ":1}",
    "{" + "'\\" * 30_000,
)
IN_A_SMALL_THREAD = """
import json, sys, threading
from action_classifier import classify
texts, ruleset = json.load(sys.stdin)
threading.stack_size(512 * 1024)  # what macOS gives to threads
thread = threading.Thread(target=lambda: print(json.dumps([classify(text, ruleset) for text in texts])))
thread.start()
thread.join()
"""


def _nested(depth: int) -> object:
    """A call of that depth, lists and dicts in turn."""
    value: object = 0
    for level in range(depth - 2):
        value = {"k": value} if level % 2 else [value]
    return {"f": {"a": value}}


FORMS: dict[str, Callable[[object], object]] = {
    "data": lambda call: call,
    "JSON": json.dumps,
    "literal": repr,
    "fenced": lambda call: f"```json\n{json.dumps(call)}\n```",
    "tuples": lambda call: repr(call).replace("[", "(").replace("]", ",)"),
    "long JSON": lambda call: json.dumps(call).replace("0", json.dumps("x" * 70_000)),
    "comment": lambda call: repr(call).replace("0", "0 # [ \r"),
}
every_form = pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)


@pytest.mark.parametrize("ruleset", RULESETS)
def test_hostile_text_in_a_small_thread(ruleset: str) -> None:
    """Text made to overflow the stack is classified where the stack is small; so is what is just deep enough."""
    deepest = [form(_nested(MAX_DEPTH)) for form in FORMS.values()]
    texts = [*HOSTILE, *(f"```\n{text}\n```" for text in HOSTILE), *deepest]
    done = subprocess.run(
        [sys.executable, "-c", IN_A_SMALL_THREAD],
        input=json.dumps([texts, ruleset]),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout) == ["other"] * 2 * len(HOSTILE) + ["tool_call"] * len(deepest)


@every_form
def test_the_limit_is_the_same_for_every_form(form: Callable[[object], object]) -> None:
    """100 levels are read as a call, 101 are not, whether handed over as data, as JSON or as a Python literal."""
    deepest, too_deep = form(_nested(MAX_DEPTH)), form(_nested(MAX_DEPTH + 1))
    assert str(normalize(deepest)).startswith('[{"name":"f","arguments":{"a":')
    assert normalize(too_deep) is too_deep


@every_form
def test_the_limit_of_ruleset_extended(form: Callable[[object], object]) -> None:
    """So does ruleset extended: what is nested deeper carries nothing as data, and is a text without a call as text."""
    assert classify(form(_nested(MAX_DEPTH)), "extended") is Action.TOOL_CALL
    assert classify(form(_nested(MAX_DEPTH + 1)), "extended") in (None, Action.OTHER)


@every_form
def test_the_caller_does_not_matter(form: Callable[[object], object]) -> None:
    """The normal form is the same under a caller whose frames nearly use up the recursion limit."""

    def under(frames: int) -> object:
        return under(frames - 1) if frames else normalize(emission)

    emission = form(_nested(MAX_DEPTH))
    used, frame = 0, sys._getframe()
    while frame.f_back:
        used, frame = used + 1, frame.f_back
    free = sys.getrecursionlimit() - used
    assert {normalize(emission)} == {under(free - left) for left in (50, 100, 150, 200, 250, 300, 400)}


def test_a_comment_ends_at_a_carriage_return() -> None:
    """To Python it ends the line, so that what follows is no comment and its brackets count."""
    text = "{'f': {'a': # x\r" + "[" * MAX_DEPTH + "]" * MAX_DEPTH + "}}"
    assert normalize(text) is text


def test_no_room_at_all() -> None:
    """What recurses without end has no answer; it doesn't raise either."""

    def bottomless(value: int) -> int:
        return bottomless(value + 1)

    assert with_room(bottomless, 0) is None


@pytest.mark.parametrize(
    "text",
    [
        '{"f": {"a": "' + "[" * 1000 + '"}}',
        "{'f': {'a': '" + "[" * 1000 + "'}}",
        '{"f": {"a": "\\"' + "[" * 1000 + '\\\\"}}',
        "{'f': {'a': r'\\'" + "[" * 1000 + "'}}",
        "{'f': {'a': '''\n'" + "[" * 1000 + "'''}}",
        "{'f': {'a': 1}} # " + "[" * 1000,
        '{"f": {"a": [' + "[]," * 1000 + "[]]}}",
        '{"f": {"a": "' + "[" * 100_000 + '"}}',
    ],
)
def test_only_nesting_counts(text: str) -> None:
    """Brackets in strings and comments, and brackets side by side, are no nesting."""
    assert classify(text) is Action.TOOL_CALL
    assert normalize(text) is not text


def test_shared_and_circular_structures() -> None:
    """Of many paths to a part the longest counts, without walking all of them; a circle has no end."""
    part: list[object] = []
    parts = [part]
    for _ in range(MAX_DEPTH - 1):
        part = [part, part]
        parts.append(part)
    assert is_shallow(part)
    assert not is_shallow([part])
    assert not is_shallow(parts)
    part.append({"k": (part,)})
    assert not is_shallow(part)
    assert is_shallow(7)
