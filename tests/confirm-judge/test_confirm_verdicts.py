"""Verdicts: found in what judges write, and never guessed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from confirm_judge import VERDICT_SCHEMA, NoVerdictError, Verdict, read_verdict

if TYPE_CHECKING:
    from collections.abc import Callable

MET = '{"met": true, "reasoning": "Listed, then approved."}'


@pytest.mark.parametrize(
    "reply",
    [
        MET,
        f"\n {MET}\n",
        f"```json\n{MET}\n```",
        f"```\n{MET}```",
        f"Let me look at {{it}}. The verdict:\n{MET}\nI hope this helps {{}}.",
        f'<think>Perhaps {{"met": false, "reasoning": "no"}}?</think>{MET}',
        f"{MET}\n{MET}",
        f'{{"evidence": {{"met": false, "reasoning": "quoted"}}}} {MET}',
    ],
)
def test_found(reply: str) -> None:
    """Bare, fenced, between prose, after reasoning, twice the same, and beside an object that is something else."""
    assert read_verdict(reply) == Verdict(met=True, reasoning="Listed, then approved.")


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "Yes, it was confirmed.",
        "true",
        MET[:-1],
        '{"met": "true", "reasoning": "a"}',
        '{"met": 1, "reasoning": "a"}',
        '{"met": true}',
        '{"met": true, "reasoning": null}',
        '{"met": true, "reasoning": "a", "confidence": 1}',
        '{"met": false, "met": true, "reasoning": "a"}',
        f"[{MET[:-1]}]",
        '{"verdict": ' + MET + "}",
        MET + ' {"met": false, "reasoning": "On second thought."}',
        "{" * 19_000,
        MET + " " * 20_000,
    ],
)
def test_not_found(reply: str) -> None:
    """Prose, a part, other kinds or other fields, a field twice, and verdicts that disagree are none."""
    with pytest.raises(NoVerdictError):
        read_verdict(reply)


def test_long_reasoning_is_cut() -> None:
    """A verdict holds at most 25 words, on one line."""
    found = read_verdict(json.dumps({"met": False, "reasoning": "one two\nthree " * 20}))
    assert len(found.reasoning.split(" ")) == 25
    assert "\n" not in found.reasoning


@given(st.booleans(), st.text(max_size=60), st.text(max_size=60), st.text(max_size=60))
def test_any_prose_around(met: bool, reasoning: str, before: str, after: str) -> None:
    """Whatever stands around a verdict, it is found as it is, or the reply counts as none."""
    said = json.dumps({"met": met, "reasoning": reasoning})
    assert read_verdict(said).met is met
    try:
        found = read_verdict(f"{before}{said}{after}")
    except NoVerdictError:
        assert any(character in before + after for character in '{"<')
    else:
        assert found.met is met


@given(
    st.recursive(
        st.none() | st.booleans() | st.text(max_size=5),
        lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["met", "reasoning", "x"]), inner),
    )
)
def test_schema(value: Any) -> None:
    """What is read as a verdict is what the schema allows, and nothing else is."""
    validator: Callable[[Any], bool] = pytest.importorskip("jsonschema").Draft202012Validator(VERDICT_SCHEMA).is_valid
    try:
        read_verdict(json.dumps(value))
    except NoVerdictError:
        assert not validator(value)
    else:
        assert validator(value) or isinstance(value, list)
