"""SRI-lite, SRI for service agents: what to do about a message without calls, given the latest tool results."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from calibration_probes import NO_CALL_NOTICE, SRI_RULE, Proceed, Retry, cut
from tau2_runner.errors import RunnerError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from calibration_probes import Decision

NAME = "sri_lite"
"""The agent's name for ``--agent``, and its default variant's."""

VARIANT_VARIABLE = "SRI_LITE_VARIANT"

RECONCILE = f"{NO_CALL_NOTICE} Before you answer, reconcile the user's latest request with the recent tool results."
NO_RESULTS = "There are no tool results yet."

Message = TypeVar("Message")


class Variant(NamedTuple):
    """What is special about a variant.

    Attributes:
        retries: Whether a message without calls is asked for again.
        shows_results: Whether the instruction holds the latest tool results.
    """

    retries: bool
    shows_results: bool


VARIANTS: Mapping[str, Variant] = MappingProxyType(
    {
        NAME: Variant(retries=True, shows_results=True),
        "ablation_no_state": Variant(retries=True, shows_results=False),
        "baseline": Variant(retries=False, shows_results=False),
    }
)


class Bound(NamedTuple):
    """A limit's variable, its default, and the least that it may be."""

    variable: str
    default: int
    least: int


MESSAGES = Bound("SRI_LITE_RETRY_MAX_MESSAGES", 12, 4)
TOOLS = Bound("SRI_LITE_MAX_RECENT_TOOLS", 3, 0)
CHARACTERS = Bound("SRI_LITE_MAX_TOOL_RESULT_CHARS", 1200, 200)


class ToolResult(NamedTuple):
    """What a tool returned.

    Attributes:
        tool: Its name, empty where it isn't known.
        text: The result.
    """

    tool: str
    text: str


@dataclass(frozen=True, slots=True)
class SRILite:
    """The probe of one run; it keeps nothing between messages.

    Attributes:
        variant: One of `VARIANTS`.
        messages: The latest messages that a retry shows the model, the instruction included.
        tools: The latest tool results that the instruction shows.
        characters: Characters of each.
    """

    variant: str = NAME
    messages: int = MESSAGES.default
    tools: int = TOOLS.default
    characters: int = CHARACTERS.default

    def on_halt(self, results: Sequence[ToolResult]) -> Decision:
        """What to do about a message without calls: once a generation, drop it and ask again.

        Args:
            results: The tool results of the conversation so far, oldest first.
        """
        variant = VARIANTS[self.variant]
        if not variant.retries:
            return Proceed("sri_lite_baseline")
        sections = [RECONCILE, self._observed(results), SRI_RULE] if variant.shows_results else [RECONCILE, SRI_RULE]
        return Retry("\n\n".join(sections), drop_reply=True, reason="sri_lite_halt")

    def _observed(self, results: Sequence[ToolResult]) -> str:
        latest = results[len(results) - min(self.tools, len(results)) :]
        if not latest:
            return NO_RESULTS
        shown = [
            f"{number}. {result.tool or 'tool'}: {cut(result.text, self.characters)}"
            for number, result in enumerate(latest, start=1)
        ]
        return "\n".join(["Recent tool results, oldest first:", *shown])


def chosen_sri_lite(environment: Mapping[str, str]) -> SRILite:
    """SRI-lite as the variables ask for it.

    Raises:
        RunnerError: There is no such variant, or a limit is no whole number.
    """
    variant = environment.get(VARIANT_VARIABLE, "").strip() or NAME
    if variant not in VARIANTS:
        message = f"{VARIANT_VARIABLE}: {variant!r} is none of {', '.join(VARIANTS)}"
        raise RunnerError(message)
    messages, tools, characters = (_limit(environment, bound) for bound in (MESSAGES, TOOLS, CHARACTERS))
    return SRILite(variant, messages, tools, characters)


def window(messages: Sequence[Message], latest: int) -> list[Message]:
    """The first message and the latest ones, each once, in their order."""
    return [*messages[:1], *messages[max(1, len(messages) - latest) :]]


def _limit(environment: Mapping[str, str], bound: Bound) -> int:
    text = environment.get(bound.variable, "").strip() or str(bound.default)
    try:
        return max(bound.least, int(text))
    except ValueError:
        message = f"{bound.variable}: {text!r} is no whole number"
        raise RunnerError(message) from None
