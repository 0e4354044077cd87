"""Properties of ruleset extended that hold for whatever a model writes, and its agreement with labels."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from action_classifier import RULESETS, Action, classify, classify_text, explain, labels
from action_classifier.extended import deciding, reasoning, sentences
from action_classifier.extended.completions import COMPLETION_CUES
from action_classifier.extended.masking import plain
from action_classifier.extended.refusal_cues import REFUSAL_CUES
from action_classifier.extended.request_cues import QUESTION_CUES, REQUEST_CUES
from action_classifier.extended.signs import CueIndex

if TYPE_CHECKING:
    from pathlib import Path
    from types import ModuleType

TEXT = st.text(st.characters(), max_size=80)  # lone surrogates included
SENTENCES = st.sampled_from(
    [
        "I can't sort it.",
        "Which folder?",
        "The file has been moved.",
        "Please provide the id.",
        "Would you like me to add one?",
        "It has 3 lines.",
        "Anything else?",
        "No such file exists.",
        "I'll try again.",
        "- a 'b' `c?`\n",
        "<think>",
        "</think>",
        '{"message": "Done."}',
        "请提供订单号。",
        "\u0130\u2019?",
    ]
)
PROSE = st.lists(SENTENCES | TEXT, max_size=6).map(" ".join)
CALLS = st.sampled_from(
    [
        '<tool_call>{"name": "f"',
        '<function=f>{"a": 1}',
        '[TOOL_CALLS][{"name": "f"',
        "<｜tool▁calls▁begin｜>",
        '<|python_tag|>{"name": "f"}',
    ]
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXT | st.binary(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["role", "content", "type", "text", "name", "arguments", "tool_calls", "error", "parts"])
            | TEXT
            | st.integers(),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(PROSE | VALUES)
def test_answers_agree(emission: object) -> None:
    """No input raises; the class is the first label, the evidence's class, and None where there is no label."""
    action = classify(emission, "extended")
    found = labels(emission, "extended")
    evidence = explain(emission, "extended")
    assert (found[0] if found else None) is action
    assert (evidence.action if evidence else None) is action
    assert len(set(found)) == len(found)
    assert found == (Action.OTHER,) or Action.OTHER not in found


@given(PROSE)
def test_evidence_is_in_the_text(text: str) -> None:
    """A span lies in the text, and where it isn't the whole of it, the cue is what stands there."""
    evidence = explain(text, "extended")
    if evidence and evidence.span and evidence.cue is not None:
        start, end = evidence.span
        assert 0 <= start < end <= len(text)
        assert (start, end) == (0, len(text)) or text[start:end].strip() == evidence.cue.strip()


@given(
    before=st.lists(SENTENCES.filter(lambda one: "think" not in one), max_size=4).map(" ".join), call=CALLS, after=TEXT
)
def test_a_call_always_wins(before: str, call: str, after: str) -> None:
    """A marked call is a TOOL_CALL, whatever stands before or after it, a reasoning block aside."""
    assert classify(f"{before}\n{call}{after}", "extended") is Action.TOOL_CALL


@given(demand=st.sampled_from(["Which folder?", "Please provide the id."]), others=st.lists(SENTENCES, max_size=4))
def test_a_demand_outranks_all_but_calls(demand: str, others: list[str]) -> None:
    """A text that ends in a demand asks, whatever it declines or reports before."""
    spoken = [one for one in others if one.isascii() and "{" not in one and "think" not in one]
    assert classify(" ".join([*spoken, demand]), "extended") is Action.ASK


@given(st.lists(SENTENCES, max_size=4).map(" ".join))
def test_reasoning_changes_nothing(text: str) -> None:
    """Reasoning before a text leaves its class as it is."""
    if "think" not in text:
        assert classify(f"<think>Which? I can't. Done.</think>{text}", "extended") is (
            classify(text, "extended") or Action.OTHER
        )


@given(TEXT | PROSE)
def test_blanking_keeps_offsets(text: str) -> None:
    """Texts without reasoning and with quotes blanked are as long as the text; sentences lie in it, in order."""
    assert len(reasoning.without_reasoning(text)) == len(text)
    masked = plain(text)
    assert len(masked) == len(sentences.spaced(masked)) == len(text)
    places = [place for _, start, end, _, _ in sentences.split(masked) for place in (start, end)]
    assert places == sorted(places)
    assert all(0 <= place <= len(text) for place in places)


def test_words_of_cues_are_enough(written_emissions: list[dict[str, str]]) -> None:
    """Whatever cue a sentence shows, one of its words leads to it: looking up words misses nothing."""
    for table in (QUESTION_CUES, REQUEST_CUES, REFUSAL_CUES, COMPLETION_CUES):
        index = CueIndex(table)
        for row in written_emissions:
            masked = plain(row["text"])
            for text, *_ in sentences.split(masked):
                bits = index.look_up(sentences.spaced(text).split())
                assert [one for one, _ in table.found(text, bits)] == [one for one in table if one.search(text)], text


def test_a_long_text_is_read_at_both_ends() -> None:
    """The ends of a text of millions of characters count, with spans in the whole of it."""
    filler = "It holds 3 lines. " * 100_000
    text = f"{filler}Which folder?"
    evidence = explain(text, "extended")
    assert evidence is not None
    assert (evidence.action, evidence.cue) == (Action.ASK, "Which folder")
    assert evidence.span == (len(filler), len(filler) + len("Which folder"))
    assert classify(f"I can't sort it. {filler}", "extended") is Action.REFUSE
    assert deciding.acts(filler, every=True) == ()


def test_bare_texts() -> None:
    """`classify_text` has a class for None and for empty text too."""
    assert classify_text(None, "extended") is classify_text("", "extended") is Action.OTHER
    assert classify_text("Which?", "extended") is Action.ASK
    assert RULESETS == ("paper", "extended")


@pytest.fixture(scope="session")
def quality(repository: Path) -> ModuleType:
    """The script that writes docs/classifier-quality.md."""
    folder = repository / "benchmarks"
    sys.path.insert(0, str(folder))
    try:
        spec = importlib.util.spec_from_file_location("classifier_quality", folder / "classifier_quality.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules["classifier_quality"] = module
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(folder))
    return module


def test_agreement_with_labels(shared_data: Path, quality: Any) -> None:
    """On the labelled file macro-F1 is at least 0.95, ASK and REFUSE at least 0.93, the unread source at least 0.90."""
    rows = quality.read_rows(shared_data / "labels/dev.jsonl")
    by_class = quality.scores([row.pair("extended") for row in rows])
    assert quality.macro_f1([row.pair("extended") for row in rows]) >= 0.95
    assert min(by_class[Action.ASK].f1, by_class[Action.REFUSE].f1) >= 0.93
    assert quality.macro_f1([row.pair("extended") for row in rows if row.source == quality.UNREAD]) >= 0.90


def test_quality_page_is_current(shared_data: Path, quality: Any) -> None:
    """The page and the confusion tables in docs are what the script writes, and each table counts every label."""
    rows = quality.read_rows(shared_data / "labels/dev.jsonl")
    written = quality.outputs(rows)
    assert {path: path.read_text(encoding="utf-8") for path in written} == written
    for ruleset in RULESETS:
        counts = json.loads(quality.PAGE.with_name(f"confusion-{ruleset}.json").read_bytes())["counts"]
        assert sum(map(sum, counts)) == len(rows)


def test_the_module_of_a_ruleset_is_imported_when_asked_for() -> None:
    """Importing the package, as every command does, leaves the tables of ruleset extended alone."""
    program = (
        "import sys, action_classifier as a; assert a.classify('Which?').name == 'ASK'\n"
        "assert 'action_classifier.extended' not in sys.modules and 'extended' in a.RULESETS\n"
        "assert a.classify('Which?', 'extended').name == 'ASK' and 'action_classifier.extended' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
