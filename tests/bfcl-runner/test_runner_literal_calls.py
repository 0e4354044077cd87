"""Call strings are parsed, never evaluated: what is a literal call, and what is said of everything else."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bfcl_runner.literal_calls import LiteralCall, RejectedCallError, parse_call

FUNCTIONS = {"f", "cd", "sort"}
LITERALS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("f()", LiteralCall("f", (), {})),
        (" \tf(x=1)", LiteralCall("f", (), {"x": 1})),
        ("f (1, -2.5, x='a')", LiteralCall("f", (1, -2.5), {"x": "a"})),
        ("f(x=[1, {'k': None}], y=(True, False))", LiteralCall("f", (), {"x": [1, {"k": None}], "y": (True, False)})),
        ("f(x='word (of) text')", LiteralCall("f", (), {"x": "word(of) text"})),
        (r"f(x='a\n (b)')", LiteralCall("f", (), {"x": "a\n(b)"})),
        ("f(x='1 (b)')", LiteralCall("f", (), {"x": "1 (b)"})),
        (r"f(x='\d')", LiteralCall("f", (), {"x": r"\d"})),
    ],
)
def test_literal_calls(source: str, expected: LiteralCall) -> None:
    """Plain names with literals; white space before a parenthesis goes, inside strings too, as upstream."""
    assert expected == parse_call(source, FUNCTIONS)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("g()", "name 'g' is not defined"),
        ("open('x', 'w')", "name 'open' is not defined"),
        ("__import__('os').system('x')", "name '__import__' is not defined"),
        ("ns.f(x=1)", "name 'ns' is not defined"),
        ("g(x=inf)", "name 'g' is not defined"),
        ("f(x=inf)", "name 'inf' is not defined"),
        ("f(x=g(1).y[0])", "name 'g' is not defined"),
        ("f(x=f())", "name 'f' is not defined"),
        ("f", "name 'f' is not defined"),
        ("'f'", "only function calls are executed"),
        ("(lambda: 1)()", "only functions called by a plain name are executed"),
        ("f(x='a'+str(1))", "only literal arguments are executed"),
        ("f(x=f'{1}')", "only literal arguments are executed"),
        ("f(x=[1 for _ in 'a'])", "only literal arguments are executed"),
        ("f(x=lambda: 1)", "only literal arguments are executed"),
        ("f(**{'x': 1})", "only literal arguments are executed"),
        ("f(*[1])", "only literal arguments are executed"),
        ("f(x=1, x=2)", "keyword argument repeated: x (<string>, line 1)"),
        ("f(x={[]: 1})", "unhashable type: 'list'"),
        ("ls<|channel|>commentary(a=True)", "invalid syntax (<string>, line 1)"),
        ("", "invalid syntax (<string>, line 0)"),
        ("f(x=1); f(x=2)", "invalid syntax (<string>, line 1)"),
        ("kill(1)", "Function call kill is not allowed."),
        ("a.run (1)", "Function call run is not allowed."),
        ("exit", "Function call exit is not allowed."),
    ],
)
def test_rejected_calls(source: str, message: str) -> None:
    """Everything else is rejected in the words in which Python would complain, where it would."""
    with pytest.raises(RejectedCallError) as rejection:
        parse_call(source, FUNCTIONS)
    assert message == str(rejection.value)


@pytest.mark.parametrize(
    "source",
    [
        "f(x='\x00')",
        "f(x='\ud800')",
        "f(" * 10_000,
        "f(x=" + "[" * 150 + "]" * 150 + ")",
        "f(x=" + "-" * 100_000 + "1)",
        "f(x=1" + "+1" * 100_000 + ")",
        "f" + ".a" * 100_000 + "()",
        "f" + "()" * 100_000,
        "not " * 100_000 + "f()",
    ],
    ids=range(9),
)
def test_source_made_to_break_a_parser(source: str) -> None:
    """Parsing such source gives a call or a rejection, no other error and no crash."""
    with contextlib.suppress(RejectedCallError):
        parse_call(source, FUNCTIONS)


@given(args=st.lists(LITERALS, max_size=3), kwargs=st.dictionaries(st.sampled_from(["x", "y"]), LITERALS))
def test_rendering_round_trips(args: list[object], kwargs: dict[str, object]) -> None:
    """What a call renders to is the same call, once the habit of upstream has been at its strings."""
    once = parse_call(LiteralCall("f", tuple(args), kwargs).render(), FUNCTIONS)
    assert once == parse_call(once.render(), FUNCTIONS)


@given(st.text())
def test_any_text_is_a_call_or_rejected(source: str) -> None:
    """No text makes the parser raise anything else."""
    with contextlib.suppress(RejectedCallError):
        assert parse_call(source, FUNCTIONS).name in FUNCTIONS
