"""Properties that hold for every conversation, and for cases that run at the same time."""

from __future__ import annotations

import json
import random
import sys
import threading
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibration_probes import Abstain, Call, Case, EventLog, Proceed, Reply, Retry, State, read_calls

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from calibration_probes import Conversation, Decision, ProbeStack

    Play = Callable[..., list[list[Decision]]]
    MakeStack = Callable[..., ProbeStack]

VALUES = ("a.txt", "box", "cellar", "report")
CALLS = (
    *(f"mv(source={one!r}, destination={two!r})" for one in VALUES for two in VALUES),
    "ls()", "fly(x=1)", "mv('positional')", "send_message(receiver_id='R1', message='hello')", "startEngine()",
)  # fmt: skip
RESULTS = ("{}", '{"error": "no"}', "done", "not found")
TEXTS = ("", "Done.", "Could you say which?", "I cannot do that.")
PROBES = (
    ("sri",), ("sri:ablation_no_history",), ("sri:decision_routed_v1",), ("sri:decision_routed_v2_a", "cri"),
    ("cri",), ("cri:bypass",), ("cri:bypass", "sri"), ("sri:ablation_no_recon", "cri"),
)  # fmt: skip

steps = st.sampled_from(TEXTS) | st.lists(st.sampled_from(CALLS), min_size=1, max_size=3).flatmap(
    lambda calls: st.tuples(
        st.just(calls), st.lists(st.sampled_from(RESULTS), min_size=len(calls), max_size=len(calls))
    )
)
scripts = st.lists(
    st.tuples(st.sampled_from(("move a.txt to box", "", "and the report")), st.lists(steps, max_size=6)), max_size=5
)
cases = st.sampled_from([("multi_turn_miss_func_1", 1), ("multi_turn_miss_param_2", 0), ("multi_turn_base_3", None)])
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=700),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
names = st.sampled_from(("mv", "MV", "send_message", "lockDoors", "startEngine", "ls"))
keys = st.sampled_from(("source", "destination", "receiver_id", "recipient", "message", "unlock", "ignitionMode"))
calls = st.builds(Call, names, st.dictionaries(keys, anything))


@given(script=scripts, case=cases, probes=st.sampled_from(PROBES))
def test_bounds(
    play: Play, make_stack: MakeStack, script: list[Any], case: tuple[str, int | None], probes: tuple[str, ...]
) -> None:
    """At most one SRI retry a turn, CRI fires at most once a case, and the log agrees with the decisions."""
    events: list[dict[str, Any]] = []
    turns = play(make_stack(*probes, emit=events.append), script, *case)
    acted = [[decision for decision in turn if not isinstance(decision, Proceed)] for turn in turns]
    for turn in acted:
        assert sum(decision.reason == "sri_halt" for decision in turn) <= 1
    fired = [decision for turn in acted for decision in turn if decision.reason == "over_action_suspect"]
    assert len(fired) <= 1
    assert len(fired) == sum(event.get("triggered", False) for event in events)
    retried = sum(event.get("retry", False) and not event["suppressed_by_gate"] for event in events)
    assert retried == sum(decision.reason == "sri_halt" for turn in acted for decision in turn)
    assert all(isinstance(decision, Abstain) for decision in fired if "cri:bypass" in probes)


@given(script=scripts, case=cases, probes=st.sampled_from(PROBES))
def test_passive_probes_change_nothing(
    play: Play, make_stack: MakeStack, script: list[Any], case: tuple[str, int | None], probes: tuple[str, ...]
) -> None:
    """Under passive probes a conversation goes as it goes without any."""
    passive = play(make_stack(*probes, mode="passive_log", emit=[].append), script, *case)
    assert passive == play(make_stack(), script, *case)


@given(st.lists(calls, max_size=8), st.integers(min_value=1, max_value=3000))
def test_snapshots_keep_to_their_bound(observed: list[Call], limit: int) -> None:
    """No snapshot is longer than its limit, no value in it longer than 500 characters."""
    state = State()
    for call in observed:
        state = state.after(call)
        assert len(state.text(limit)) <= limit
        assert all(len(line.partition(": ")[2]) <= 500 for line in state.key_lines())
    assert (len(state.text()) > limit) is (state.text(limit) != state.text())


@given(st.text() | anything, st.lists(st.text(max_size=30), max_size=3), anything)
def test_no_reply_raises(response: object, decoded: list[str], message: object) -> None:
    """Whatever a model writes, reading its calls gives some or none."""
    for _, call in read_calls(Reply(response, tuple(decoded), message)):
        assert isinstance(call.name, str)


def _script(seed: int) -> list[Any]:
    """A conversation of some turns, drawn by its seed."""
    draw = random.Random(seed)  # noqa: S311 (a simulation, no secret)
    turns = []
    for _ in range(draw.randint(1, 4)):
        drawn: list[Any] = []
        for _ in range(draw.randint(1, 6)):
            chosen = draw.choices(CALLS, k=draw.randint(1, 3))
            drawn.append(draw.choice(TEXTS) if draw.random() < 0.4 else (chosen, draw.choices(RESULTS, k=len(chosen))))
        turns.append((f"move a.txt to {draw.choice(VALUES)}", drawn))
    return turns


@pytest.mark.parametrize("probes", [("sri:decision_routed_v1", "cri"), ("cri:bypass",)])
def test_cases_do_not_know_of_each_other(
    tmp_path: Path, play: Play, make_stack: MakeStack, probes: tuple[str, ...]
) -> None:
    """A hundred cases in threads give the decisions and events that they give one by one."""
    numbers = range(100)
    scripts_by_case = [_script(number) for number in numbers]

    def run(log: EventLog, *, together: bool) -> list[list[list[Decision]]]:
        stack = make_stack(*probes, emit=log.write)
        decisions: list[list[list[Decision]]] = [[] for _ in numbers]

        def work(number: int) -> None:
            decisions[number] = play(stack, scripts_by_case[number], f"multi_turn_miss_func_{number}", number % 3)

        if not together:
            for number in numbers:
                work(number)
            return decisions
        threads = [threading.Thread(target=work, args=(number,)) for number in numbers]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return decisions

    with closing(EventLog(tmp_path / "alone")) as log:
        alone = run(log, together=False)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with closing(EventLog(tmp_path / "together")) as log:
            together = run(log, together=True)
    finally:
        sys.setswitchinterval(interval)
    assert alone == together
    assert _by_case(tmp_path / "alone") == _by_case(tmp_path / "together")
    assert {type(decision) for case in alone for turn in case for decision in turn} > {Proceed}


def test_cases_taken_step_by_step_in_turn(make_stack: MakeStack) -> None:
    """The same with every possible switch: each case makes one step, then the next case does."""

    def steps_of(conversation: Conversation, script: list[Any]) -> Iterator[Decision]:
        for text, drawn in script:
            conversation.start_turn([{"content": text}], [])
            for step in drawn:
                if isinstance(step, str):
                    yield conversation.on_halt(Reply(step))
                else:
                    yield conversation.on_call(Reply("", tuple(step[0])))
                    conversation.on_results(step[1])

    def conversations(events: list[dict[str, Any]]) -> list[Iterator[Decision]]:
        stack = make_stack("sri", "cri", emit=events.append)
        return [steps_of(stack.start_case(Case(f"case {number}", [])), _script(number)) for number in range(100)]

    alone: list[dict[str, Any]] = []
    decisions = [list(conversation) for conversation in conversations(alone)]
    mixed: list[dict[str, Any]] = []
    running = dict(enumerate(conversations(mixed)))
    taken: list[list[Decision]] = [[] for _ in running]
    while running:
        for number, conversation in list(running.items()):
            decision = next(conversation, None)
            if decision is None:
                del running[number]
            else:
                taken[number].append(decision)
    assert decisions == taken
    for number in range(100):
        case = f"case {number}"
        assert [event for event in alone if event["case_id"] == case] == [
            event for event in mixed if event["case_id"] == case
        ]
    assert any(isinstance(decision, Retry) for case in taken for decision in case)


def _by_case(path: Path) -> dict[str, list[Any]]:
    """The events of each case, in their order."""
    events: dict[str, list[Any]] = {}
    for line in path.read_bytes().splitlines():
        event = json.loads(line)
        events.setdefault(event["case_id"], []).append(event)
    return events
