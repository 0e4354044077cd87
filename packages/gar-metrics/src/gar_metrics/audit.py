"""The statistics of a mechanism audit: how far two raters agree, and what the adjudicated labels say.

A case has seven labels. Adjudicated or not, each is 0, 1 or ``n.a.`` (doesn't apply), but for B7, which names a cause:

- B1a: the gold class came at the gold turn; B1b: at that turn or later.
- B3: the held-out tool was called at or after its injection (``miss_func`` only).
- B4: a clarifying question came before acting.
- B5: the grader passed the case although B1a is 0.
- B6: the claim of completion agrees with the state.
- B7: how the probe SRI broke the case.

All shares are 0 to 1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gar_metrics.stats.agreement import cohen_kappa, observed_agreement
from gar_metrics.stats.intervals import wilson

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

NOT_APPLICABLE = "n.a."
CAUSES = ("state_inject_misuse", "recon_prompt_overfit", "unclassified", "history_edit_artifact")
LABELS: dict[str, tuple[int | str, ...]] = {
    **dict.fromkeys(("B1a", "B1b", "B3", "B4", "B5", "B6"), (0, 1, NOT_APPLICABLE)),
    "B7": (*CAUSES, NOT_APPLICABLE),
}
"""Every label with the values it can have."""

PRIMARY = ("B1a", "B1b", "B3", "B4", "B5")
"""The labels whose kappas are summed up."""

Z95 = 1.959963984540054
"""The 97.5% quantile of the normal distribution, in full: the audit's intervals are made with it, not with 1.96."""


@dataclass(frozen=True, slots=True)
class AuditCase:
    """One audited case: what both raters said, and the adjudicated labels.

    Attributes:
        split: ``main`` or ``pilot``.
        category: The BFCL category; B3 is about ``miss_func``.
        stratum: The group that the case was drawn from.
        rater_a: The value of every label of `LABELS`, by rater A.
        rater_b: The same by rater B.
        final: The same after adjudication; None for a pilot case without.
        line: Line of the file, counted from 1.
    """

    split: str
    case_id: str
    model: str
    category: str
    stratum: str
    rater_a: Mapping[str, int | str]
    rater_b: Mapping[str, int | str]
    final: Mapping[str, int | str] | None
    line: int


@dataclass(frozen=True, slots=True)
class LabelAgreement:
    """Agreement on one label over the n cases to which both raters say it applies; None where n is 0."""

    n: int
    agreement: float | None
    kappa: float | None


@dataclass(frozen=True, slots=True)
class LabelRate:
    """The share k / n of the cases with label 1, and its Wilson 95% interval; both None where n is 0."""

    k: int
    n: int

    @property
    def rate(self) -> float | None:
        """The share."""
        return self.k / self.n if self.n else None

    @property
    def ci95(self) -> tuple[float, float] | None:
        """The interval of the share, with the quantile `Z95`."""
        return wilson(self.k, self.n, Z95) if self.n else None


@dataclass(frozen=True, slots=True)
class StratumAgreement:
    """One stratum: its number of main cases, and the agreement per label over all of them (``n.a.`` is a value)."""

    n: int
    agreement: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Audit:
    """All statistics of an audit, about its main split.

    Attributes:
        cases: Number of main cases.
        pilot: Number of pilot cases, which enter nothing else.
        labels: Agreement per label of `LABELS`.
        rates: After adjudication, over the cases to which the label applies: B1a, B1b, B3 (in
            ``miss_func``), B3|B1a=0 (of those, the ones without the gold class at the gold turn), B4, B5, B6.
        strata: By name, in alphabetical order.
        b7: Number of cases per cause of `CAUSES`, after adjudication.
    """

    cases: int
    pilot: int
    labels: Mapping[str, LabelAgreement]
    rates: Mapping[str, LabelRate]
    strata: Mapping[str, StratumAgreement]
    b7: Mapping[str, int]

    @property
    def primary_macro_kappa(self) -> float | None:
        """Unweighted mean of the kappas of `PRIMARY`; None unless each has one."""
        kappas = self._primary_kappas()
        return math.fsum(kappas) / len(kappas) if kappas else None

    @property
    def primary_min_kappa(self) -> float | None:
        """The smallest of the kappas of `PRIMARY`; None unless each has one."""
        return min(self._primary_kappas(), default=None)

    def _primary_kappas(self) -> list[float]:
        """All five, or none: a mean over other labels couldn't be compared with the audit's."""
        kappas = [self.labels[label].kappa for label in PRIMARY]
        known = [kappa for kappa in kappas if kappa is not None]
        return known if len(known) == len(kappas) else []


def audit_cases(cases: Iterable[AuditCase]) -> Audit:
    """The statistics of an audit; with no main case all counts are 0 and all shares None."""
    listed = list(cases)
    main = [case for case in listed if case.split == "main"]
    finals = [(case.category, case.final) for case in main if case.final is not None]
    strata = sorted({case.stratum for case in main})
    return Audit(
        cases=len(main),
        pilot=len(listed) - len(main),
        labels={label: _agreement(_pairs(main, label)) for label in LABELS},
        rates=_rates(finals),
        strata={name: _stratum([case for case in main if case.stratum == name]) for name in strata},
        b7={cause: sum(final["B7"] == cause for _, final in finals) for cause in CAUSES},
    )


def _agreement(pairs: Iterable[tuple[int | str, int | str]]) -> LabelAgreement:
    """Agreement over the pairs of which neither label is ``n.a.``."""
    both = [pair for pair in pairs if NOT_APPLICABLE not in pair]
    return LabelAgreement(len(both), observed_agreement(both), cohen_kappa(both))


def _pairs(cases: Iterable[AuditCase], label: str) -> list[tuple[int | str, int | str]]:
    return [(case.rater_a[label], case.rater_b[label]) for case in cases]


def _stratum(cases: Sequence[AuditCase]) -> StratumAgreement:
    agreement = {label: observed_agreement(_pairs(cases, label)) for label in LABELS}
    return StratumAgreement(len(cases), {label: share for label, share in agreement.items() if share is not None})


def _rates(finals: Sequence[tuple[str, Mapping[str, int | str]]]) -> dict[str, LabelRate]:
    everywhere = [final for _, final in finals]
    miss_func = [final for category, final in finals if category == "miss_func"]
    without_gold = [final for final in miss_func if final["B1a"] == 0]
    chosen = {
        "B1a": ("B1a", everywhere),
        "B1b": ("B1b", everywhere),
        "B3": ("B3", miss_func),
        "B3|B1a=0": ("B3", without_gold),
        "B4": ("B4", everywhere),
        "B5": ("B5", everywhere),
        "B6": ("B6", everywhere),
    }
    return {name: _rate(final[label] for final in some) for name, (label, some) in chosen.items()}


def _rate(values: Iterable[int | str]) -> LabelRate:
    applicable = [value for value in values if value != NOT_APPLICABLE]
    return LabelRate(applicable.count(1), len(applicable))
