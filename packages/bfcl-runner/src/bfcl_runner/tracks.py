"""The kinds of categories a run can hold, and for each how its cases are loaded, run and judged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bfcl_runner import dataset, scoring, single_turn
from bfcl_runner.decoding import decoder
from bfcl_runner.errors import RunnerError
from bfcl_runner.loop import run_case

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from bfcl_runner.backends.base import Backend
    from bfcl_runner.dataset import Case
    from bfcl_runner.loop import Row
    from bfcl_runner.scoring import Verdict
    from calibration_probes import ProbeStack


@dataclass(frozen=True, slots=True)
class Track:
    """Categories that are run and judged alike.

    Attributes:
        folder: Name of their folder below the model's, as upstream groups them.
        prefix: What their names begin with in files and case ids, and not on our tables.
        categories: Their names, in the order in which they run.
        load: Category -> its cases in numeric order.
        run: Case, backend and probes -> result row.
        judge: Case, result of a row and name of the decoder -> verdict.
        describe: Case, result of a row and verdict -> what the score file says of a failing case.
        spread: Whether judging takes so long that several processes help.
    """

    folder: str
    prefix: str
    categories: tuple[str, ...]
    load: Callable[[str], tuple[Case, ...]]
    run: Callable[[Case, Backend, ProbeStack], Row]
    judge: Callable[[Case, object, str], Verdict]
    describe: Callable[[Case, object, Verdict], Row]
    spread: bool


MULTI_TURN = Track(
    folder="multi_turn",
    prefix=dataset.ID_PREFIX,
    categories=dataset.CATEGORIES,
    load=dataset.load_cases,
    run=run_case,
    judge=lambda case, result, name: scoring.judge(case, result, decoder(name)),
    describe=scoring.describe,
    spread=True,
)

SINGLE_TURN = Track(
    folder="non_live",
    prefix="",
    categories=single_turn.SINGLE_TURN_CATEGORIES,
    load=single_turn.load_single_turn_cases,
    run=lambda case, backend, _: single_turn.run_single_turn(case, backend),  # a single turn has no seam
    judge=single_turn.judge_single_turn,
    describe=single_turn.describe_single_turn,
    spread=False,
)

TRACKS: tuple[Track, ...] = (MULTI_TURN, SINGLE_TURN)


def known_categories() -> tuple[str, ...]:
    """Every category that can be run."""
    return tuple(category for track in TRACKS for category in track.categories)


def track_of(category: str) -> Track:
    """The track that a category belongs to; `KeyError` for an unknown one."""
    for track in TRACKS:
        if category in track.categories:
            return track
    raise KeyError(category)


def file_category(category: str) -> str:
    """A category's name in files and case ids (``multi_turn_base``)."""
    return track_of(category).prefix + category


def parse_category(name: str, where: str) -> str:
    """The category of a name, with or without the prefix of its track.

    Raises:
        RunnerError: There is none; `where` says in the message who named it.
    """
    for track in TRACKS:
        category = name.removeprefix(track.prefix)
        if category in track.categories:
            return category
    message = f"{where}: {name!r} is none of {', '.join(known_categories())}"
    raise RunnerError(message)


def parse_categories(names: Iterable[str]) -> tuple[str, ...]:
    """The categories that a user names, each once and in their own order; the multi-turn ones if none is named.

    Names may be separated by commas or spaces.

    Raises:
        RunnerError: A name is no category.
    """
    words = [word for text in names for word in text.replace(",", " ").split()]
    wanted = {parse_category(word, "--categories") for word in words} or set(MULTI_TURN.categories)
    return tuple(category for category in known_categories() if category in wanted)
