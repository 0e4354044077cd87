"""What SRI and CRI decide at their seams, and what they say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from calibration_probes import (
    CRI,
    SRI,
    Abstain,
    Bystander,
    Call,
    Case,
    Limits,
    Mode,
    ProbeError,
    ProbeStack,
    Proceed,
    Reply,
    Retry,
    Settings,
    State,
    Template,
    antecedents,
    detect,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from calibration_probes import Decision, Probe, Step

    Play = Callable[..., list[list[Decision]]]
    MakeStack = Callable[..., ProbeStack]

MOVE = (["mv(source='a.txt', destination='box')"], ["{}"])
INVENTED = (["mv(source='a.txt', destination='cellar')"], ["{}"])
MISSING = (["fly()"], ["{}"])
ASKING, DONE = "Could you say which file?", "All set."
ABSTENTION = "I can't proceed with this yet, because a function or a piece of information that it needs is missing."
HEADINGS = ("[State reconciliation]", "Earlier requests", "current request", "State observed", "How to go on")


def kinds(turns: list[list[Decision]]) -> list[list[str]]:
    """The kind of each decision."""
    return [[type(decision).__name__ for decision in turn] for turn in turns]


def instruction(decision: Decision) -> str:
    """What a retry tells the model."""
    assert isinstance(decision, Retry)
    return decision.instruction


def asked_once(*settings: Any, turns: int = 1, **more: Any) -> str:
    """SRI's instruction at the halt of the last of some turns."""
    conversation = ProbeStack([SRI(Settings(*settings, **more))]).start_case(Case("c", []))
    for number in range(turns):
        conversation.start_turn([{"content": f"request {number}"}], [])
    return instruction(conversation.on_halt(Reply("")))


def test_sri_retries_once_a_turn(play: Play, make_stack: MakeStack) -> None:
    """The first halt of a turn is retried, the second ends it; calls in between don't matter."""
    script = [("move a.txt to box", [DONE, MOVE, DONE, DONE]), ("and now?", ["", ""]), ("thanks", [MOVE])]
    turns = play(make_stack("sri"), script)
    assert kinds(turns) == [["Retry", "Proceed", "Proceed"], ["Retry", "Proceed"], ["Proceed"]]


@pytest.mark.parametrize(
    ("variant", "category", "expected"),
    [
        ("v1", "miss_param", ["Retry", "Retry"]),
        ("decision_routed_v1", "miss_param", ["Proceed", "Retry"]),
        ("decision_routed_v1", "base", ["Proceed", "Retry"]),
        ("decision_routed_v2_a", "miss_param", ["Proceed", "Retry"]),
        ("decision_routed_v2_a", "miss_func", ["Retry", "Retry"]),
    ],
)
def test_gate(play: Play, make_stack: MakeStack, variant: str, category: str, expected: list[str]) -> None:
    """A gate lets a reply through that asks, whatever else it does; v2_a on miss_param only."""
    stack = make_stack(f"sri:{variant}")
    turns = play(stack, [("u", [ASKING]), ("u", [DONE])], f"multi_turn_{category}_1")
    assert expected == [type(turn[0]).__name__ for turn in turns]


def test_gate_uses_up_the_retry() -> None:
    """A turn whose retry was suppressed has none left, should it go on all the same."""
    conversation = ProbeStack([SRI(Settings("decision_routed_v1"))]).start_case(Case("c", []))
    conversation.start_turn([], [])
    reasons = [conversation.on_halt(Reply(text)).reason for text in (ASKING, DONE)]
    assert reasons == ["sri_suppressed_by_gate", "sri_retry_used"]


@pytest.mark.parametrize(
    ("variant", "headings", "drop_reply"),
    [
        ("v1", HEADINGS, True),
        ("ablation_no_history", HEADINGS, False),
        ("ablation_no_state", (*HEADINGS[:3], HEADINGS[4]), True),
        ("ablation_no_recon", (HEADINGS[3],), True),
        ("decision_routed_v1", HEADINGS, True),
        ("decision_routed_v2_a", HEADINGS, True),
    ],
)
def test_sections_of_the_instruction(variant: str, headings: tuple[str, ...], drop_reply: bool) -> None:
    """Which sections a variant's instruction has, in which order, and what becomes of the reply."""
    conversation = ProbeStack([SRI(Settings(variant))]).start_case(Case("c", []))
    conversation.start_turn([{"content": "u"}], [])
    decision = conversation.on_halt(Reply(DONE))
    assert isinstance(decision, Retry)
    assert drop_reply is decision.drop_reply
    places = {decision.instruction.find(heading): heading for heading in HEADINGS}
    assert list(headings) == [heading for place, heading in sorted(places.items()) if place >= 0]


def test_requests_in_the_instruction() -> None:
    """Earlier requests come most recent first, as many and as long as the limits say."""
    text = asked_once(turns=7)
    assert "1. request 5\n2. request 4\n3. request 3\n4. request 2\n\n" in text
    assert "current request:\nrequest 6\n" in text
    assert "request 1" not in text
    short = asked_once(limits=Limits(state_chars=10, user_turns=1, user_chars=6), turns=3)
    assert "first:\n1. req...\n\n" in short
    assert "current request:\nreq...\n" in short
    assert "results:\nNo succ...\n" in short
    assert "first:\nnone\n" in asked_once(turns=1)
    assert "first:\nnone\n" in asked_once(limits=Limits(user_turns=0), turns=3)
    assert "request 1\n" in asked_once(limits=Limits(user_chars=0, state_chars=0), turns=3)


def test_empty_request() -> None:
    """A turn without text is marked as such."""
    conversation = ProbeStack([SRI(Settings())]).start_case(Case("c", []))
    conversation.start_turn([], [])
    assert "current request:\n(no text)\n" in instruction(conversation.on_halt(Reply("")))


def test_cri_retries_once_a_case(play: Play, make_stack: MakeStack) -> None:
    """The first suspect step of a case is taken back; nothing after it is, suspect or not."""
    script = [("move a.txt to box", [MOVE, INVENTED, INVENTED, DONE]), ("go on", [INVENTED, MISSING, DONE])]
    turns = play(make_stack("cri"), script)
    assert [[decision.reason for decision in turn] for turn in turns] == [
        ["not_suspect", "over_action_suspect", "cri_already_fired", ""],
        ["not_suspect", "cri_already_fired_in_case", ""],
    ]
    assert isinstance(turns[0][1], Retry)
    assert turns[0][1].drop_reply
    assert [line for line in ("[Call reconciliation]", "last_path_transition.destination: box", "Do not call any tool")
            if line not in instruction(turns[0][1])] == []  # fmt: skip


def test_values_that_were_seen_are_no_longer_suspect(play: Play, make_stack: MakeStack) -> None:
    """A call that ran leaves its values in the state, where later calls find them."""
    script = [("move a.txt to box", [MOVE]), ("to the cellar", [INVENTED]), ("again", [INVENTED, DONE])]
    turns = play(make_stack("cri"), script)
    assert kinds(turns) == [["Proceed"], ["Proceed"], ["Proceed", "Proceed"]]


@pytest.mark.parametrize(
    ("gold_turn", "reasons"),
    [
        (None, ["cri_bypass_no_gold_turn_marker"] * 2),
        (0, ["over_action_suspect", "cri_already_fired_in_case"]),
        (1, ["cri_bypass_non_gold_turn", "over_action_suspect"]),
        (5, ["cri_bypass_non_gold_turn"] * 2),
    ],
)
def test_bypass(play: Play, make_stack: MakeStack, gold_turn: int | None, reasons: list[str]) -> None:
    """It acts in the gold turn only, with a fixed text that ends the turn."""
    script = [("u", [MISSING]), ("u", [MISSING])]
    turns = play(make_stack("cri:bypass"), script, "multi_turn_miss_func_1", gold_turn)
    assert reasons == [turn[0].reason for turn in turns]
    for turn in turns:
        if turn[0].reason == "over_action_suspect":
            assert turn == [Abstain(ABSTENTION)]


def test_a_grown_list_of_tools_silences_cri() -> None:
    """In function-calling mode a held-out function joins the list; in prompting mode it doesn't, and CRI goes on."""
    tools: list[dict[str, object]] = [{"name": "ls"}]
    for grown, reasons in (
        (True, ["cri_post_injection_suppressed", "not_suspect"]),
        (False, ["over_action_suspect"] * 2),
    ):
        made = []
        for call in ("other()", "fly()"):
            conversation = ProbeStack([CRI(Settings())]).start_case(Case("c", tools))
            conversation.start_turn([], [*tools, {"name": "fly"}] if grown else tools)
            made.append(conversation.on_call(Reply("", (call,))).reason)
        assert reasons == made


def test_no_readable_call_is_no_suspect() -> None:
    """A step whose calls can't be read is left to the runner."""
    conversation = ProbeStack([CRI(Settings())]).start_case(Case("c", []))
    conversation.start_turn([], [])
    assert conversation.on_call(Reply("", ("fly('positional')",))) == Proceed()
    assert conversation.on_call(Reply("", ("fly('positional')",))).reason == "no_tool_call"


def test_one_suspect_call_makes_the_step_suspect() -> None:
    """All calls of a step are looked at."""
    events: list[dict[str, Any]] = []
    conversation = ProbeStack([CRI(Settings(emit=events.append))]).start_case(Case("c", [{"name": "ls"}]))
    conversation.start_turn([], [{"name": "ls"}])
    assert isinstance(conversation.on_call(Reply("", ("ls()", "fly()"))), Retry)
    assert [verdict["suspect"] for verdict in events[0]["detector"]] == [False, True]


def test_stacked_probes_act_each_at_its_seam(play: Play, make_stack: MakeStack) -> None:
    """SRI and CRI don't get into each other's way, in either order."""
    script = [("u", [DONE, MISSING, DONE]), ("u", [MISSING, DONE, DONE])]
    for names in (("sri", "cri"), ("cri", "sri")):
        turns = play(make_stack(*names), script)
        assert kinds(turns) == [["Retry", "Retry", "Proceed"], ["Proceed", "Retry", "Proceed"]]


@pytest.mark.parametrize("mode", ["passive_log", "off"])
def test_only_active_probes_act(play: Play, make_stack: MakeStack, mode: str) -> None:
    """Passive probes and those that are off let everything pass, and nothing counts as fired."""
    script = [("u", [MISSING, INVENTED, DONE])] * 3
    stack = make_stack("sri", "cri", mode=mode)
    assert kinds(play(stack, script)) == [["Proceed"] * 3] * 3
    assert [probe.name for probe in stack.probes] == ([] if mode == "off" else ["sri", "cri"])


class Eager(Bystander):
    """A probe that acts whenever it is asked."""

    name, variant = "eager", "v1"

    def __init__(self, mode: Mode) -> None:
        self.mode = mode

    def start_case(self, _case: Case) -> Eager:
        """Itself."""
        return self

    def on_halt(self, _step: Step) -> Decision:
        """A retry."""
        return Retry("eager", drop_reply=False)


def test_first_probe_to_act_decides() -> None:
    """At a seam that two probes act at, the later one isn't asked, and a passive one is never heeded."""
    stacks: tuple[tuple[list[Probe], list[str | None]], ...] = (
        ([Eager(Mode.ACTIVE), SRI(Settings("ablation_no_recon"))], ["eager", "eager"]),
        ([Eager(Mode.PASSIVE_LOG), SRI(Settings(template=Template("sri")))], ["sri", None]),
        ([SRI(Settings(template=Template("sri"))), Eager(Mode.ACTIVE)], ["sri", "eager"]),
    )
    for probes, said in stacks:
        conversation = ProbeStack(probes).start_case(Case("c", []))
        conversation.start_turn([], [])
        decisions = [conversation.on_halt(Reply("")) for _ in range(2)]
        assert said == [decision.instruction if isinstance(decision, Retry) else None for decision in decisions]


def test_templates_replace_the_wording() -> None:
    """All of it, in any variant; values aren't filled in again, and other braces are left alone."""
    template = Template('{"state": {state}} {current_request} / {prior_requests} {}')
    assert asked_once("ablation_no_recon", template=template, turns=2) == (
        '{"state": No successful tool result has been observed yet.} request 1 / 1. request 0 {}'
    )
    conversation = ProbeStack([CRI(Settings("bypass", template=Template("No: {current_request}")))]).start_case(
        Case("c", [], gold_turn=0)
    )
    conversation.start_turn([{"content": "say {state}"}], [])
    assert conversation.on_call(Reply("", ("fly()",))) == Abstain("No: say {state}")


@pytest.mark.parametrize("probe", [SRI, CRI])
def test_unknown_settings(probe: type[SRI | CRI]) -> None:
    """A variant or a placeholder that isn't known is an error that lists those that are."""
    with pytest.raises(ProbeError, match=rf"^probe {probe.name} has no variant 'v9'; it has v1, "):
        probe(Settings("v9"))
    with pytest.raises(ProbeError, match=r"^\{stat\}: unknown placeholder; known: \{prior_requests\}, "):
        probe(Settings(template=Template("a\n{stat}")))


def test_decisions_are_compared_without_their_reasons() -> None:
    """A reason is for logs."""
    assert Proceed("a") == Proceed()
    assert Retry("x", drop_reply=True, reason="a") == Retry("x", drop_reply=True)
    assert Retry("x", drop_reply=True) != Retry("x", drop_reply=False)
    assert Abstain("x", "a") == Abstain("x")


@pytest.mark.parametrize(
    ("value", "declaration", "unresolved"),
    [
        ("  Box\n", {}, False),
        (" b ", {}, False),
        ("crate", {}, True),
        ((1, 2), {}, False),
        ({"crate"}, {}, False),
        (b"crate", {}, True),
        (77, {"enum": [77, 78]}, False),
        ("77", {"enum": [77, 78]}, True),
        ("crate", {"enum": "crates"}, True),
        ("crate", {"default": "crate"}, False),
        ("crate", {"default": None}, True),
        ("crate", None, True),
    ],
)
def test_antecedents(value: object, declaration: object, unresolved: bool) -> None:
    """A value counts as given, declared or unresolved by its stripped text, whatever the declaration looks like."""
    function = {"name": "f", "parameters": {"properties": {"x": declaration}, "required": ["x"]}}
    known = antecedents(["into the box"], State())
    assert unresolved is detect(Call("f", {"x": value}), [function], known).ur


def test_odd_declarations() -> None:
    """A declaration without the parts that are looked for requires nothing."""
    functions: list[dict[str, object]] = [
        {},
        {"name": "f"},
        {"name": "g", "parameters": None},
        {"name": "h", "parameters": {"required": "x"}},
    ]
    assert [detect(Call(name, {"x": "crate"}), functions, "").suspect for name in "fgh"] == [False] * 3
    assert detect(Call("i", {}), functions, "").as_dict() == {
        "mc": True, "ur": False, "ur_param": None, "suspect": True,
    }  # fmt: skip
