"""Two judgment files of the same events: kappa, agreement and the confusion table."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from gar_metrics import GarError, cohen_kappa, observed_agreement

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from confirm_judge.judgments import Judgment

LABELS: Mapping[bool | None, str] = {True: "confirmed", False: "not_confirmed", None: "no_verdict"}
"""By what a judgment says, in the order of the tables."""

SHORT_ID = 8
"""Characters of the simulation ids in released labels."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far two judges agree.

    Attributes:
        n: Number of events on which both gave a verdict: what agreement and kappa are about.
        agreement: The share of them on which they say the same, 0 to 1; None without any.
        kappa: Cohen's kappa, -1 to 1; None without any.
        confusion: Number of events by what the first and then the second judge says, `LABELS`.
        only_first: Number of judgments of the first file that have no partner.
        only_second: Likewise of the second.
    """

    n: int
    agreement: float | None
    kappa: float | None
    confusion: Mapping[str, Mapping[str, int]]
    only_first: int
    only_second: int

    def record(self) -> dict[str, object]:
        """The result as a JSON-ready object.

        ``{"n", "agreement", "kappa", "confusion": {label: {label: count}}, "only_a", "only_b"}``
        """
        return {
            "n": self.n,
            "agreement": self.agreement,
            "kappa": self.kappa,
            "confusion": {label: dict(row) for label, row in self.confusion.items()},
            "only_a": self.only_first,
            "only_b": self.only_second,
        }


def agree(first: Sequence[Judgment], second: Sequence[Judgment]) -> Agreement:
    """The agreement of two judges over the events that both files hold.

    Where both files say which call of which message each judgment is about, that pairs them. Released labels don't say
    it: then the writes of a simulation are paired in their order, if both files have the same tools in the same order
    for it, and left aside if not. Simulations then have the first 8 characters of their ids in common.

    Raises:
        GarError: No event is in both.
    """
    exact = all(judgment.key for judgment in chain(first, second))
    pairs = list(_by_key(first, second) if exact else _by_order(first, second))
    if not pairs:
        what = "the two files have no event in common"
        raise GarError(what)
    counts = Counter(pairs)
    verdicts = [pair for pair in pairs if None not in pair]
    return Agreement(
        n=len(verdicts),
        agreement=observed_agreement(verdicts),
        kappa=cohen_kappa(verdicts),
        confusion={LABELS[a]: {LABELS[b]: counts[a, b] for b in LABELS} for a in LABELS},
        only_first=len(first) - len(pairs),
        only_second=len(second) - len(pairs),
    )


def _by_key(first: Iterable[Judgment], second: Iterable[Judgment]) -> Iterator[tuple[bool | None, bool | None]]:
    partners = {judgment.key: judgment.confirmed for judgment in second}
    for judgment in first:
        if judgment.key in partners:
            yield judgment.confirmed, partners[judgment.key]


def _by_order(first: Iterable[Judgment], second: Iterable[Judgment]) -> Iterator[tuple[bool | None, bool | None]]:
    partners = _simulations(second)
    for simulation, judgments in _simulations(first).items():
        others = partners.get(simulation, [])
        if [judgment.tool for judgment in judgments] == [judgment.tool for judgment in others]:
            yield from (
                (judgment.confirmed, other.confirmed) for judgment, other in zip(judgments, others, strict=True)
            )


def _simulations(judgments: Iterable[Judgment]) -> dict[tuple[str, str, str], list[Judgment]]:
    """The judgments of each simulation in the order of its writes; none of ids that are the same once they are cut."""
    found: dict[tuple[str, str, str], list[Judgment]] = defaultdict(list)
    for judgment in judgments:
        found[judgment.model, judgment.domain, judgment.sim_id[:SHORT_ID]].append(judgment)
    for group in found.values():
        # Stable: released labels say nothing of places, and stand in order.
        group.sort(key=lambda judgment: (judgment.message_index or 0, judgment.call_index or 0))
    return {key: group for key, group in found.items() if len({judgment.sim_id for judgment in group}) == 1}
