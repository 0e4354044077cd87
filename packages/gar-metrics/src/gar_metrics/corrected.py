"""Gold-turn GAR corrected for the errors of the classifier."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gar_metrics.errors import GarError
from gar_metrics.stats.prevalence import rogan_gladen

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gar_metrics.confusion import Confusion
    from gar_metrics.records import Cell, Run


@dataclass(frozen=True, slots=True)
class Corrected:
    """A corrected rate in percent with its 95% interval; both None where it isn't defined, and why in ``note``."""

    rate: float | None
    ci95: tuple[float, float] | None
    note: str | None


def corrected_gold_turn_gar(cell: Cell, confusion: Confusion) -> Corrected:
    """The share of the cases whose gold turn truly has the gold class, by `rogan_gladen`.

    Error rows are misses whatever the classifier does: the rate is that of the other cases, times their share.

    Raises:
        GarError: The gold turns of the cell aren't known.
    """
    if cell.gold_turn_hits is None:
        what = f"the gold turns of {cell.category} aren't known"
        raise GarError(what, path=cell.results)
    classified = cell.n - cell.error_rows
    sensitivity, specificity = confusion.sensitivity(cell.gold), confusion.specificity(cell.gold)
    if not classified:
        return _undefined("every row is an error row")
    for (_, trials), what in ((sensitivity, cell.gold.name), (specificity, f"a class other than {cell.gold.name}")):
        if not trials:
            return _undefined(f"the confusion table holds no true example of {what}")
    found = rogan_gladen(cell.gold_turn_hits, classified, sensitivity, specificity)
    if found is None:
        shares = " and ".join(f"{name} {k}/{n}" for name, (k, n) in (("Se", sensitivity), ("Sp", specificity)))
        return _undefined(f"Se + Sp of {cell.gold.name} is at most 1 in the confusion table ({shares})")
    share = 100 * classified / cell.n
    return Corrected(share * found.rate, (share * found.low, share * found.high), None)


def require_same_ruleset(runs: Iterable[Run], confusion: Confusion) -> None:
    """Nothing, if the table is about the ruleset that classified every run.

    Raises:
        GarError: It is about another.
    """
    for run in runs:
        if run.ruleset != confusion.ruleset:
            what = f"{confusion.ruleset!r} isn't the ruleset of the run, {run.ruleset}"
            raise GarError(what, path=confusion.path, field="ruleset")


def _undefined(why: str) -> Corrected:
    return Corrected(None, None, f"the corrected gold-turn rate isn't defined: {why}")
