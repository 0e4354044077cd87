"""Prompting mode: prompts, tools and decoding are upstream's, but nothing of a reply is evaluated."""

from __future__ import annotations

import contextlib
import warnings
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bfcl_runner import CATEGORIES, DecodeError, load_cases
from bfcl_runner.benchmark import upstream
from bfcl_runner.prompt_decoding import decode_prompting
from bfcl_runner.prompting import announcement, results_message, with_system_prompt
from bfcl_runner.tool_schemas import chat_tools

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture(scope="module")
def peer(benchmark: None) -> Any:
    """Upstream's module of prompts and decoders; it imports tree-sitter 0.21, which Python 3.13 has no wheel of."""
    for module in ("tree_sitter", "overrides"):
        pytest.importorskip(module, reason=f"upstream's own decoder needs {module}")
    return upstream("model_handler.utils")


REPLIES = (
    "[f(x=1)]",
    "f(x=1)",
    "`f(x=1)`",
    "[f(x=1)",
    "f(x=1)]",
    "'[f(x=1)]'",
    "[f(x=1), g()]",
    "[a.b.c(x=1)]",
    "[]",
    "",
    "hello",
    "[hello]",
    "Sure: [f(x=1)]",
    "[f(x=1)]\n[g()]",
    "```python\n[f(x=1)]\n```",
    "[f(1, 2, x=3)]",
    "[f()()]",
    "[f(x=-1, y=+2, z=~3)]",
    "[f(x=not True)]",
    '[f(x=-"a")]',
    "[f(x=-a)]",
    "[f(x=-1.5)]",
    "[f(x=1j)]",
    '[f(x=[1, {"a": 1}])]',
    '[f(x={"a": {"b": 1}})]',
    "[f(x={})]",
    '[f(x={"a": {}})]',
    '[f(x={"a": 1, "b": {"c": 2}})]',
    "[f(x=foo)]",
    "[f(x=foo.bar)]",
    "[f(x=a[0])]",
    "[f(x=true, y=None)]",
    "[f(x=...)]",
    "[f(x=(1, 2))]",
    "[f(x={1, 2})]",
    "[f(x=g(1))]",
    "[f(x=g(y=1))]",
    "[f(x=[g(y=1)])]",
    '[f(x={"k": g(y=1)})]',
    "[f(x={1: 2})]",
    '[f(x="it\'s")]',
    "[f(x=1+2)]",
    '[f(x="a"+"b")]',
    "[f(x=2*3.5-1)]",
    "[f(x=2**10)]",
    "[f(x=7//2)]",
    "[f(x=7%3)]",
    "[f(x=1/0)]",
    "[f(x=(1+2)*3)]",
    "[f(x=-(1+2))]",
    "[f(x=a-b)]",
    "[f(x=1-b)]",
    '[f(x=5-"a")]',
    "[f(x=2024-1-1)]",
    "[f(x=2024-01-01)]",
    "[f(x=lambda: 1)]",
    '[f(x=f"{1}")]',
    "[f(x=1 if True else 2)]",
    "[f(x=[i for i in y])]",
    "[f(x=[*a])]",
    "[f(x=1, x=2)]",
    '[f(**{"a": 1})]',
    '[f(x={**{"a": 1}})]',
    '[f(x=b"x")]',
    '[f(x="\\d")]',
    "[f(x='a (b)')]",
)


def _decoded(decode: Callable[[str], list[str]], reply: str) -> list[str] | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return decode(reply)
    except Exception:  # noqa: BLE001 (upstream's decoder raises whatever it runs into)
        return None


@pytest.mark.parametrize("reply", REPLIES)
def test_replies_decode_as_upstream(peer: Any, reply: str) -> None:
    """Well-formed, odd and broken replies give upstream's call strings, or none where upstream gives none."""
    assert _decoded(peer.default_decode_execute_prompting, reply) == _decoded(decode_prompting, reply)


@pytest.mark.parametrize("category", CATEGORIES)
def test_ground_truth_decodes_as_upstream(peer: Any, category: str) -> None:
    """So does the ground truth of all 800 cases, written as a reply."""
    for case in load_cases(category):
        for turn in case.ground_truth:
            reply = f"[{', '.join(turn)}]"
            assert peer.default_decode_execute_prompting(reply) == decode_prompting(reply)


@pytest.mark.parametrize("category", CATEGORIES)
def test_prompts_and_tools_are_upstreams(peer: Any, category: str) -> None:
    """System prompt and tool schemas of every tenth case are upstream's, to the letter."""
    types = upstream("constants.type_mappings").GORILLA_TO_OPENAPI
    style = upstream("constants.enums").ModelStyle.OPENAI_COMPLETIONS
    for case in load_cases(category)[::10]:
        functions = case.entry["function"]
        question = case.entry["question"][0]
        expected = peer.system_prompt_pre_processing_chat_model([dict(m) for m in question], functions, case.id)
        assert expected == with_system_prompt(question, functions)
        assert peer.convert_to_tool(functions, types, style) == chat_tools(functions)


@pytest.mark.usefixtures("benchmark")
def test_messages_of_the_loop() -> None:
    """A system message of the data stays behind ours; results and announcements read as upstream writes them."""
    messages = with_system_prompt([{"role": "system", "content": "Be kind."}, {"role": "user", "content": "Hi"}], [])
    assert [message["role"] for message in messages] == ["system", "user"]
    assert messages[0]["content"].endswith("\n\nBe kind.")
    assert announcement([{"name": "f"}])["content"].startswith("[{'name': 'f'}]\n")
    assert results_message(["f(x=1)"], ["ok"]) == {
        "role": "user",
        "content": "[{'role': 'tool', 'name': 'f(x=1)', 'content': 'ok'}]",
    }


def test_no_payload_is_evaluated(tmp_path: Path) -> None:
    """Expressions that upstream's decoder would evaluate come out as source text, or not at all."""
    path = str(tmp_path / "canary")
    payload = f"open({path!r}, 'w').name"
    for reply in (
        f"[cd(folder='a'+{payload})]",
        f"[cd(folder={payload}+'a')]",
        f"[cd(folder=-{payload})]",
        f"[cd(folder=(lambda: {payload})())]",
        f"[cd(folder=lambda: {payload})]",
        f"[cd(folder={{{payload!r}: {payload}}})]",
        f"[cd(folder=[{payload}])]",
        f"[{payload}]",
        "[f(x=9**9**9)]",
        "[f(x='a'*10**10)]",
        "[f(x='%9999999999d' % 1)]",
    ):
        with contextlib.suppress(DecodeError):
            assert all(isinstance(call, str) for call in decode_prompting(reply))
        assert list(tmp_path.iterdir()) == [], reply


@given(st.text() | st.none() | st.integers() | st.lists(st.text()))
def test_any_reply_decodes_or_is_refused(reply: object) -> None:
    """No reply makes the decoder raise anything else."""
    with contextlib.suppress(DecodeError):
        assert isinstance(decode_prompting(reply), list)


@pytest.mark.parametrize(
    "reply", ["[" * 10_000, "f(" * 10_000, "[f(x=" + "-" * 100_000 + "1)]", "[f(x=1" + "+1" * 50_000 + ")]"]
)
def test_replies_made_to_break_a_parser(reply: str) -> None:
    """Nor does one that is nested beyond all measure."""
    with contextlib.suppress(DecodeError):
        assert isinstance(decode_prompting(reply), list)
