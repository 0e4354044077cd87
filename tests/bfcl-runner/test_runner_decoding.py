"""Structured replies become call strings, or say that they hold none."""

from __future__ import annotations

import pytest

from bfcl_runner import DecodeError, decode_structured
from bfcl_runner.decoding import is_empty


@pytest.mark.parametrize(
    ("emission", "calls"),
    [
        ([{"mv": '{"source": "a", "n": 1}'}], ["mv(source='a',n=1)"]),
        ([{"mv": {"source": None}}], ["mv(source=None)"]),
        ({"ls": "{}", "pwd": "{}"}, ["ls()", "pwd()"]),
        ([{"ls": "{}"}, {"pwd": "{}"}], ["ls()", "pwd()"]),
        ([], []),
        ([{}], []),
        ("", []),
        ([{"f": '{"x": NaN}'}], ["f(x=nan)"]),
    ],
)
def test_calls(emission: object, calls: list[str]) -> None:
    """Each entry of each dict is one call; arguments are JSON text or a dict."""
    assert calls == decode_structured(emission)


@pytest.mark.parametrize(
    "emission",
    [
        "Which folder?",
        None,
        7,
        ["text"],
        [{"f": "{}"}, "text"],
        [{"f": "no json"}],
        [{"f": ""}],
        [{"f": "[1]"}],
        [{"f": "1"}],
        [{"f": None}],
        [{"f": "[" * 100_000}],
    ],
    ids=repr,
)
def test_no_calls(emission: object) -> None:
    """Text, and arguments that are no JSON object, fail the whole step."""
    with pytest.raises(DecodeError):
        decode_structured(emission)


def test_empty_by_upstreams_reading() -> None:
    """No call, or one empty string, ends a turn; an empty string among others does not."""
    assert is_empty([])
    assert is_empty([""])
    assert not is_empty(["f()"])
    assert not is_empty(["", ""])
