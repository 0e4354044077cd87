"""Scripted agents: known behaviour to test a grader, a metric or a harness with, no model needed.

An agent says for every turn of a case what it emits in it, step by step: calls first, text last.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from bfcl_runner.environment import parameter_names, public_methods
from bfcl_runner.errors import RunnerError
from bfcl_runner.literal_calls import parse_call
from bfcl_runner.single_turn import SingleTurnCase
from bfcl_runner.single_turn_calls import accepted_calls, placeholder_calls

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bfcl_runner.backends.base import Emission
    from bfcl_runner.dataset import Case

NEUTRAL_TEXT = "That is where things stand for this request."
ASKING_TEXT = "Could you tell me the value that is missing here?"
REFUSING_TEXT = "I am unable to do this: none of my functions fits the request."

STATE_NEUTRAL_CALLS: dict[str, tuple[str, dict[str, object]]] = {
    "GorillaFileSystem": ("pwd", {}),
    "MessageAPI": ("message_get_login_status", {}),
    "TwitterAPI": ("posting_get_login_status", {}),
    "TicketAPI": ("ticket_get_login_status", {}),
    "TradingBot": ("trading_get_login_status", {}),
    "TravelAPI": ("travel_get_login_status", {}),
    "VehicleControlAPI": ("get_outside_temperature_from_google", {}),
    "MathAPI": ("add", {"a": 1, "b": 1}),
}
"""By backend class, a call that leaves the state as it is."""

Turn = list["Emission"]


@dataclass(frozen=True, slots=True)
class Moment:
    """What an agent sees of its conversation when it plans what to say next.

    Attributes:
        turn: Index of the turn.
        told: Whether a probe has asked again in this turn.
        ran: By turn, how many of the agent's steps with calls have run; calls that were retracted haven't.
    """

    turn: int
    told: bool = False
    ran: Mapping[int, int] = field(default_factory=dict)


Rule = Callable[["Case", Moment], Turn]
"""How an agent plays: the emissions from this moment to the end of the turn."""


class Agent(Protocol):
    """Something that knows what it will say and do at every moment of a case."""

    def play(self, case: Case, moment: Moment) -> Turn:
        """The emissions from this moment to the end of the turn."""


class SteadyAgent:
    """Plays every turn of every case by the same rule."""

    def __init__(self, rule: Rule) -> None:
        self._rule = rule

    def play(self, case: Case, moment: Moment) -> Turn:
        """What the rule says."""
        return self._rule(case, moment)


class NoisyAgent:
    """The oracle, but in each turn with a given probability another agent, drawn evenly.

    The draws depend on the seed and the case id only, so neither the order of cases nor the number of
    processes changes them.
    """

    def __init__(self, probability: float, seed: int) -> None:
        self._probability = probability
        self._seed = seed

    def play(self, case: Case, moment: Moment) -> Turn:
        """What the agent that was drawn for the turn says."""
        draws = random.Random(f"{self._seed}:{case.id}")  # noqa: S311 (a simulation, no secret)
        rule = RULES["oracle"]
        for _ in range(moment.turn + 1):
            rule = RULES[draws.choice(NOISES)] if draws.random() < self._probability else RULES["oracle"]
        return rule(case, moment)


def play_oracle(case: Case, turn: int) -> Turn:
    """The ground truth; at the gold turn of miss_param a question, at that of miss_func a refusal.

    In a single turn the first accepted calls, or a refusal where none is right.
    """
    if isinstance(case, SingleTurnCase):
        return [accepted_calls(case) or REFUSING_TEXT]
    if turn == case.gold_turn and case.category == "miss_param":
        return [ASKING_TEXT]
    if turn == case.gold_turn and case.category == "miss_func":
        return [REFUSING_TEXT]
    return _calls_then_text(case, case.ground_truth[turn])


def play_overcaller(case: Case, moment: Moment) -> Turn:
    """The oracle, but where it should ask or refuse it already makes the next turn's calls.

    At that next turn it makes one call that leaves the state alone: upstream fails a turn without calls where
    the ground truth has some, and making the same calls again would change the state. Calls that were retracted
    are made then after all. Told not to call it neither asks nor refuses. In a single turn where no call is right
    it makes one nevertheless.
    """
    if isinstance(case, SingleTurnCase):
        return [accepted_calls(case) or placeholder_calls(case)]
    if moment.told:
        return [NEUTRAL_TEXT]
    if case.category not in ("miss_func", "miss_param"):
        return play_oracle(case, moment.turn)
    if moment.turn == case.gold_turn:
        return _calls_then_text(case, case.ground_truth[moment.turn + 1])
    if moment.turn == case.gold_turn + 1 and moment.ran.get(case.gold_turn):
        function, arguments = STATE_NEUTRAL_CALLS[case.involved_classes[0]]
        return [[{function: json.dumps(arguments)}], NEUTRAL_TEXT]
    return play_oracle(case, moment.turn)


def play_heeding(case: Case, moment: Moment) -> Turn:
    """The overcaller, but told not to call it answers as the oracle would."""
    return play_oracle(case, moment.turn) if moment.told else play_overcaller(case, moment)


def play_halting(case: Case, moment: Moment) -> Turn:
    """The oracle, but it stops after the first call of a turn, unless it is told to go on."""
    if isinstance(case, SingleTurnCase) or not case.ground_truth[moment.turn]:
        return _told_or_oracle(case, moment)
    first, *others = case.ground_truth[moment.turn]
    if moment.told:
        return _calls_then_text(case, tuple(others))
    return _calls_then_text(case, (first,))


def _told_or_oracle(case: Case, moment: Moment) -> Turn:
    """The oracle's turn; asked again, it has nothing to add to it."""
    turn = play_oracle(case, moment.turn)
    return turn[-1:] if moment.told else turn


def _calls_then_text(case: Case, calls: tuple[str, ...]) -> Turn:
    """One step with the calls, if there are any, and a step that ends the turn."""
    return [*([[_structured(case, call) for call in calls]] if calls else []), NEUTRAL_TEXT]


def _structured(case: Case, call: str) -> dict[str, str]:
    """A ground-truth call as an API stores it: name and JSON arguments, positional ones by their parameter."""
    functions = {name for class_name in case.involved_classes for name in public_methods(class_name)}
    parsed = parse_call(call, functions)
    positional = dict(zip(parameter_names(case.involved_classes, parsed.name), parsed.args, strict=False))
    return {parsed.name: json.dumps(positional | parsed.kwargs)}


RULES: dict[str, Rule] = {
    "oracle": _told_or_oracle,
    "overcaller": play_overcaller,
    "refuser": lambda case, moment: [REFUSING_TEXT],  # noqa: ARG005
    "asker": lambda case, moment: [ASKING_TEXT],  # noqa: ARG005
    "silent": lambda case, moment: [""],  # noqa: ARG005
    "halting": play_halting,
    "heeding": play_heeding,
}
"""The agents that play by one rule, by name."""

NOISES = ("overcaller", "refuser", "asker", "silent")
"""What a noisy agent acts as."""

AGENT_NAMES = (*RULES, "noisy:P:SEED")


def make_agent(spec: str) -> Agent:
    """The agent of a name, or of ``noisy:P:SEED`` with a probability and a whole number.

    Raises:
        RunnerError: There is no such agent.
    """
    if spec in RULES:
        return SteadyAgent(RULES[spec])
    name, _, parameters = spec.partition(":")
    if name == "noisy":
        return _noisy_agent(spec, parameters)
    message = f"--agent: {spec!r} is none of {', '.join(AGENT_NAMES)}"
    raise RunnerError(message)


def _noisy_agent(spec: str, parameters: str) -> NoisyAgent:
    probability_text, _, seed_text = parameters.partition(":")
    try:
        probability, seed = float(probability_text), int(seed_text)
    except ValueError:
        message = f"--agent: {spec!r}: expected noisy:P:SEED, a number and a whole number"
        raise RunnerError(message) from None
    if not 0 <= probability <= 1:
        message = f"--agent: {spec!r}: the probability must lie between 0 and 1"
        raise RunnerError(message)
    return NoisyAgent(probability, seed)
