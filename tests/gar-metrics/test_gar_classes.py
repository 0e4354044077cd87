"""Emissions that are remembered have the class that they would be given."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import example, given
from hypothesis import strategies as st

from action_classifier import classify
from gar_metrics import classes
from gar_metrics.classes import CLASSES, Reader

if TYPE_CHECKING:
    import pytest

PARTS = st.sampled_from(["", "Which?", "I can't.", "[ls()]", "[{'ls': '{}'}]", "ok", "1", "None"])
LEAVES = PARTS | st.none() | st.booleans() | st.integers(0, 2) | st.floats(0, 1)
EMISSIONS = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(PARTS, inner, max_size=2), max_leaves=5
)


@given(st.lists(EMISSIONS, max_size=20))
@example(["[{'ls': '{}'}]", [{"ls": "{}"}], "None", None, "1", 1, True, [["1"], [1]]])
def test_remembered(emissions: list[object]) -> None:
    """However often and in whatever order emissions come, texts that look like structures included."""
    reader = Reader("paper")
    for emission in emissions * 2:
        assert CLASSES[reader.read(emission).rank] == classify(emission)


def test_forgetting(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is remembered is bounded, in number and in length, and forgetting changes no class."""
    monkeypatch.setattr(classes, "REMEMBERED", 3)
    asked: list[object] = []

    def counting(emission: object, ruleset: str) -> object:
        asked.append(emission)
        return classify(emission, ruleset)

    monkeypatch.setattr(classes, "classify", counting)
    reader = Reader("paper")
    first = [reader.read(text) for text in ("a?", "b?", "a?", "b?")]
    assert asked == ["a?", "b?"]
    assert [reader.read(f"{number}?") for number in range(9)] == [first[0]] * 9
    assert [reader.read("a?"), reader.read("b?")] == first[:2]
    asked.clear()
    long = "long " * 100
    assert reader.read(long) == reader.read(long)
    assert asked == [long, long]


def test_too_deep_to_remember() -> None:
    """A structure that is too deep to be written down carries nothing, as the classifier says."""
    emission: list[object] = []
    for _ in range(100_000):
        emission = [emission]
    assert Reader("paper").read(emission) == (CLASSES.index(None), False, False)
