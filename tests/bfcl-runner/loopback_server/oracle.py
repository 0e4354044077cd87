"""The ground truth: whose turn a history asks for, and what to say in it."""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property
from typing import TYPE_CHECKING, Any

from bfcl_runner.agents import play_oracle
from bfcl_runner.benchmark import upstream
from bfcl_runner.dataset import CATEGORIES, load_cases
from bfcl_runner.decoding import decode_structured
from bfcl_runner.environment import Environment
from bfcl_runner.prompting import announcement, system_prompt

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bfcl_runner.backends.base import Emission
    from bfcl_runner.dataset import Case
    from loopback_server.conversation import Conversation


class Oracle:
    """Knows the ground truth of the cases of some categories."""

    def __init__(self, categories: Iterable[str] = CATEGORIES) -> None:
        self._cases = {case.id: case for category in categories for case in load_cases(category)}
        self._scripts: dict[tuple[str, int], list[Emission]] = {}
        self._prompts: dict[str, str] = {}
        self._results: dict[str, list[tuple[str, ...]]] = {}

    def emission(self, case_id: str, turn: int, step: int) -> Emission:
        """What to say in a step; beyond the last of a turn, the words that end the turn.

        Raises:
            LookupError: There is no such case or turn.
        """
        script = self._scripts.get((case_id, turn))
        if script is None:
            case = self._cases.get(case_id)
            if case is None or not 0 <= turn < len(case.ground_truth):
                message = f"no case {case_id!r} with a turn {turn}"
                raise LookupError(message)
            script = self._scripts[case_id, turn] = play_oracle(case, turn)
        return script[min(step, len(script) - 1)]

    def find(self, conversation: Conversation) -> tuple[str, bool]:
        """The id of the case that a history belongs to, and whether no other case could be meant.

        User texts come first; where they leave cases that go on differently, the functions offered, then the
        results so far decide. Of the 6260 requests of all cases this leaves 21 undecided, all between
        categories: a case and its twin with long context or a missing parameter, before any result could tell
        them apart. The first in the order of the categories is taken.

        Raises:
            LookupError: No case has this history.
        """
        found = list(self._by_users.get(conversation.users, {}).values())
        if not found:
            message = "no case has these user turns"
            raise LookupError(message)
        for agrees in (self._offers, self._has_results):
            if not self._agreed(found, conversation):
                found = [case for case in found if agrees(case, conversation)] or found
        return found[0].id, self._agreed(found, conversation)

    def _agreed(self, cases: list[Case], conversation: Conversation) -> bool:
        """Whether all the cases go on in the same way."""
        first, *others = (self.emission(case.id, conversation.turn, conversation.step) for case in cases)
        return all(other == first for other in others)

    @cached_property
    def _by_users(self) -> dict[tuple[str, ...], dict[str, Case]]:
        """The cases, by id, that start with some user turns."""
        index: dict[tuple[str, ...], dict[str, Case]] = defaultdict(dict)
        for case in self._cases.values():
            for users in _user_turns(case):
                for count in range(1, len(users) + 1):
                    index[users[:count]][case.id] = case
        return index

    def _offers(self, case: Case, conversation: Conversation) -> bool:
        """Whether the functions offered are the case's, with or without those handed over so far."""
        offered = conversation.offered()
        if isinstance(offered, str):
            if case.id not in self._prompts:
                self._prompts[case.id] = system_prompt(case.entry["function"])
            return self._prompts[case.id] in offered
        names = [function["name"].replace(".", "_") for function in case.entry["function"]]
        handed_over = [functions for turn, functions in _held_out(case).items() if turn <= conversation.turn]
        return offered in (names, names + [function["name"] for functions in handed_over for function in functions])

    def _has_results(self, case: Case, conversation: Conversation) -> bool:
        """Whether the history holds what the case's ground truth results in."""
        if case.id not in self._results:
            environment = Environment(case)
            self._results[case.id] = [
                tuple(environment.execute(call) for call in self._calls(case, turn))
                for turn in range(len(case.ground_truth))
            ]
        turns = self._results[case.id][: conversation.turn + bool(conversation.step)]
        return conversation.result_texts() == [result for turn in turns for result in turn]

    def _calls(self, case: Case, turn: int) -> list[str]:
        first = self.emission(case.id, turn, 0)
        return decode_structured(first) if isinstance(first, list) else []


def _held_out(case: Case) -> dict[int, list[dict[str, Any]]]:
    """The functions that a case hands over, by turn."""
    return {int(turn): functions for turn, functions in case.entry.get("missed_function", {}).items()}


def _user_turns(case: Case) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The text of each user turn, where functions are handed over in one sentence, and where they are printed."""
    sentence: str = upstream("constants.default_prompts").DEFAULT_USER_PROMPT_FOR_ADDITIONAL_FUNCTION_FC
    printed = {turn: announcement(functions)["content"] for turn, functions in _held_out(case).items()}
    texts = ["".join(message["content"] for message in question) for question in case.entry["question"]]
    return (
        tuple(sentence if turn in printed else text for turn, text in enumerate(texts)),
        tuple(printed.get(turn, text) for turn, text in enumerate(texts)),
    )
