"""What a probe gets to see: frozen records of the case, its turns, its steps, and the results of calls."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from action_classifier import category_of
from calibration_probes.texts import content_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from calibration_probes.state import State


class Mode(str, Enum):
    """Whether a probe acts."""

    OFF = "off"
    """It neither acts nor logs."""
    PASSIVE_LOG = "passive_log"
    """It observes and logs, but never acts, and nothing counts as fired."""
    ACTIVE = "active"


@dataclass(frozen=True, slots=True)
class Case:
    """One conversation of a benchmark.

    Attributes:
        id: In BFCL ``multi_turn_<category>_<n>``.
        functions: The tools offered as the case begins, as BFCL describes them (``name``, ``parameters``); a turn that
            offers more is one after a held-out function was handed over.
        gold_turn: Index of the turn that calls for the gold class, or None for a case without such a marker: in BFCL
            the smallest key of ``missed_function`` less one (miss_func), the first turn with an empty ground truth
            (miss_param), and None for every other category. It may decide when a probe acts; a model never sees it.
    """

    id: str
    functions: Sequence[Mapping[str, object]]
    gold_turn: int | None = None

    def __post_init__(self) -> None:
        # Hosts extend their list of tools in place when they hand over a held-out one.
        object.__setattr__(self, "functions", tuple(self.functions))

    @property
    def category(self) -> str | None:
        """The BFCL category in the id, or None for any other id."""
        return category_of(self.id)


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn, as it begins.

    Attributes:
        case: The case it belongs to.
        index: Counted from 0.
        user_texts: The text of every user turn so far, this one's last.
        functions: The tools offered now.
    """

    case: Case
    index: int
    user_texts: tuple[str, ...]
    functions: tuple[Mapping[str, object], ...]


@dataclass(frozen=True, slots=True)
class Call:
    """A call that a reply holds, by name, with keyword arguments."""

    name: str
    arguments: Mapping[str, object]
    id: str | None = None

    def as_dict(self) -> dict[str, object]:
        """``{"name", "arguments"}``, and ``"id"`` where it has one."""
        plain: dict[str, object] = {"name": self.name, "arguments": dict(self.arguments)}
        return plain if self.id is None else plain | {"id": self.id}


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model returned in one step, as BFCL's handlers hold it.

    Attributes:
        response: The emission (``model_responses``): a text, a list of texts, or calls ``[{name: arguments}]``.
        decoded: The handler's execution strings, ``name(key=literal, ...)``; those are what runs, in this order.
        message: The message that entered the chat history, a dictionary or an object of an SDK.
        decode_error: Whether decoding failed, as opposed to finding no call.
    """

    response: object
    decoded: tuple[str, ...] = ()
    message: object = None
    decode_error: bool = False

    @property
    def text(self) -> str:
        """The text of the response, empty where it holds none."""
        return content_text(self.response)


@dataclass(frozen=True, slots=True)
class Step:
    """One reply at a seam, with what was observed before it.

    Attributes:
        turn: The turn it belongs to.
        index: The state updates and halts of this turn before it: the ``step_idx`` of the event log.
        reply: The reply itself.
        calls: Its calls as far as they can be read; empty at the halt seam.
        state: The runtime-observed state.
    """

    turn: Turn
    index: int
    reply: Reply
    calls: tuple[Call, ...]
    state: State


@dataclass(frozen=True, slots=True)
class Result:
    """What a call returned, and what is known after it.

    Attributes:
        value: The result as the host gave it, a text in BFCL.
        is_error: Whether it reports an error, so that the call left no trace in the state.
        state: The runtime-observed state after it.
        index: The ``step_idx`` of its state update in the event log.
    """

    value: object
    is_error: bool
    state: State
    index: int
