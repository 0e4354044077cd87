"""Dialogues that a handler of upstream drives: its steps behind the runner's interface."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any, NamedTuple

from bfcl_runner.backends.base import Emission, Message, Reply
from bfcl_runner.benchmark import upstream
from bfcl_runner.errors import TransientError
from bfcl_runner.handlers import decode, is_local, uses_tools
from bfcl_runner.prompting import announcement
from bfcl_runner.sdk_failures import meaning

if TYPE_CHECKING:
    from bfcl_runner.dataset import Case
    from bfcl_runner.patience import Patience

Functions = list[dict[str, Any]]


class HandlerBackend:
    """A handler and the model that it speaks to; as upstream has it, one handler serves all threads."""

    def __init__(self, handler: Any, decoder: str, patience: Patience, seed: int | None = None) -> None:
        """A handler that is ready to ask, the name of its decoder, and the seed that it was connected with."""
        self.sampling: dict[str, Any] = {"temperature": handler.temperature}
        if seed is not None:
            self.sampling["seed"] = seed
        self._handler = handler
        self._patience = patience
        self._dialogue = _ToolDialogue if uses_tools(handler) else _PromptDialogue
        self.decoder = decoder

    def open(self, case: Case) -> _PromptDialogue:
        """A dialogue in the handler's own mode."""
        return self._dialogue(self._handler, case, self._patience)


class _Answer(NamedTuple):
    """What a handler made of a response.

    Attributes:
        parsed: Upstream's record of it, ``model_responses`` and the rest.
        seconds: How long it took.
        understood: False where the handler stumbled over the text, and `parsed` holds just that.
    """

    parsed: dict[str, Any]
    seconds: float
    understood: bool = True


class _PromptDialogue:
    """Upstream's prompting steps. Its handlers for local checkpoints take them in function-calling mode too."""

    mode = "prompting"

    def __init__(self, handler: Any, case: Case, patience: Patience) -> None:
        self._handler = handler
        self._patience = patience
        self._asked = case.entry["question"]
        self._entry = copy.deepcopy(case.entry)  # handlers rewrite questions and functions in place
        self._turn = -1
        self._before_reply = 0
        self._data: dict[str, Any] = {}
        self._parsed: dict[str, Any] = {}

    @property
    def offered(self) -> Functions:
        """The functions that the handler works with."""
        functions: Functions = self._entry["function"]
        return functions

    @property
    def last_message(self) -> Any:
        """What the handler put into the history last, a dict or an object of an SDK."""
        return self._data["message"][-1]

    def hand_over(self, functions: Functions) -> list[Message]:
        """The functions' documents, in a user message."""
        return [announcement(functions)]

    def add_user_turn(self, messages: list[Message]) -> list[Message]:
        """The messages in the form that the handler gives them."""
        self._turn += 1
        questions = self._entry["question"]
        if self._turn == 0:
            questions[0] = copy.deepcopy(messages)
            self._begin()
            return self._enter("add_first_turn_message", questions[0])
        # The handler went through all questions at the beginning; other messages upstream doesn't show it before.
        known = messages == self._asked[self._turn]
        return self._enter("_add_next_turn_user_message", questions[self._turn] if known else copy.deepcopy(messages))

    def query(self) -> Reply:
        """The next step of the model, as the handler reads it."""
        answer = self._patience.call(self._attempt)
        parsed = self._parsed = answer.parsed
        self._before_reply = len(self._data["message"])
        self._remember(answer)
        emission: Emission = upstream("utils").make_json_serializable(parsed["model_responses"])
        reasoning = parsed.get("reasoning_content")
        return Reply(
            emission=emission,
            input_tokens=parsed["input_token"] or 0,
            output_tokens=parsed["output_token"] or 0,
            latency=answer.seconds,
            reasoning=reasoning if isinstance(reasoning, str) else "",
        )

    def decode(self, emission: Emission) -> list[str]:
        """The handler's own reading, without evaluation (see `bfcl_runner.handler_code`)."""
        return decode(self._handler, emission)

    def add_results(self, calls: list[str], results: list[str]) -> None:
        """The results, as the handler words them."""
        self._parsed["model_responses_decoded"] = calls
        self._data = self._step("_add_execution_results", self._data, results, self._parsed)

    def drop_reply(self) -> None:
        """All that the handler made of the reply goes."""
        del self._data["message"][self._before_reply :]

    def add_message(self, message: Message) -> None:
        """The message as it is."""
        self._data["message"].append(message)

    def _begin(self) -> None:
        self._data = self._step("_pre_query_processing", self._entry)

    def _remember(self, answer: _Answer) -> None:
        """Puts a reply into the history: as the handler does it, or as text where the handler couldn't go on."""
        if answer.understood:
            self._data = self._step("_add_assistant_message", self._data, answer.parsed)
            if not is_local(self._handler) or self._can_go_on():
                return
            self._data["message"].pop()
        said = answer.parsed["model_responses"]
        text = said if isinstance(said, str) else json.dumps(said)
        self._data["message"].append({"role": "assistant", "content": text})

    def _can_go_on(self) -> bool:
        """Whether the handler makes a prompt of the history.

        It may not where calls in it are malformed, and upstream gives the whole case up then; but that is the
        model's doing, and no failure to get a reply.
        """
        history = self._data["message"]
        if history[-1].keys() == {"role", "content"}:
            return True
        functions = copy.deepcopy(self._data["function"])  # some handlers rewrite them at every prompt
        try:
            self._handler._format_prompt(history, functions)  # noqa: SLF001 (one of upstream's steps)
        except Exception:  # noqa: BLE001 (whatever it stumbles over)
            return False
        return True

    def _enter(self, step: str, messages: list[Message]) -> list[Message]:
        self._data = self._step(step, self._data, messages)
        return messages

    def _step(self, name: str, *parts: Any) -> Any:
        return getattr(self._handler, f"{name}_{self.mode}")(*parts)

    def _attempt(self) -> _Answer:
        try:
            answer, seconds = self._step("_query", self._data)
        except Exception as error:
            raise meaning(error) from error
        try:
            return _Answer(self._step("_parse_query_response", answer), seconds)
        except Exception as error:
            text = _completion_text(answer) if is_local(self._handler) else None
            if text is None:
                reason = " ".join(str(error).split())
                raise TransientError("malformed_body", f"{type(error).__name__}: {reason}") from error
        # The model's own doing, which no other try mends: a reply without calls.
        tokens = {"input_token": answer.usage.prompt_tokens, "output_token": answer.usage.completion_tokens}
        return _Answer({"model_responses": text, **tokens}, seconds, understood=False)


class _ToolDialogue(_PromptDialogue):
    """Upstream's function-calling steps."""

    mode = "FC"

    def hand_over(self, functions: Functions) -> list[Message]:
        """Upstream's sentence; the functions join the tools."""
        self._entry["function"].extend(copy.deepcopy(functions))
        self._offer()
        prompts = upstream("constants.default_prompts")
        return [{"role": "user", "content": prompts.DEFAULT_USER_PROMPT_FOR_ADDITIONAL_FUNCTION_FC}]

    def _begin(self) -> None:
        self._data = self._step("_pre_query_processing", self._data, self._entry)
        self._offer()

    def _offer(self) -> None:
        self._data = self._handler._compile_tools(self._data, self._entry)  # noqa: SLF001 (one of upstream's steps)


def _completion_text(answer: Any) -> str | None:
    """The text of a completion, or None if it has none or counts no tokens."""
    choices = getattr(answer, "choices", None)
    text = getattr(choices[0], "text", None) if choices else None
    return text if isinstance(text, str) and getattr(answer, "usage", None) else None
