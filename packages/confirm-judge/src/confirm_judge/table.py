"""Table 3: how many writes were confirmed first, next to how many of their trajectories passed."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gar_metrics import cluster_bootstrap, wilson

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from confirm_judge.judgments import Judgment

    Interval = tuple[float, float]
    Pair = tuple[str, str]

PUBLISHED_MODELS = (
    "Qwen3-8B",
    "Qwen3-14B",
    "gpt-oss-20b",
    "xLAM-2-8b",
    "Hammer-2.1-7B",
    "ToolACE-2-8B",
    "gpt-5",
    "gpt-5.4",
    "gpt-5-mini",
    "Gemini 3 Pro",
    "Doubao-Seed-1.8",
)
"""The rows of the published table, in its order."""

WITHOUT_WRITES = frozenset({"xLAM-2-8b", "Hammer-2.1-7B"})
"""Those that wrote nothing: no judgment can tell of them."""

PUBLISHED_DOMAINS = ("airline", "retail")


@dataclass(frozen=True, slots=True)
class TableRow:
    """A model in a domain; rates and intervals in percent, None where nothing was judged.

    Attributes:
        model: The agent's model.
        domain: The domain.
        n: Number of writes with a verdict; all that follows but `unjudged` is about them.
        confirmed: How many of them the user confirmed first.
        passed: How many belong to a trajectory that passed; one without a reward counts as failed.
        unjudged: Number of writes whose judge gave no verdict.
        simulations: Number of simulations that the n writes belong to.
        gar: Share confirmed.
        acc: Share whose trajectory passed.
        delta: GAR less Acc, in percent points.
        gar_ci95: Wilson's interval of GAR, which takes writes for independent.
        acc_ci95: Likewise of Acc.
        gar_ci95_cluster: The interval of GAR from resampling whole simulations; None with fewer than two.
        acc_ci95_cluster: Likewise of Acc.
        delta_ci95_cluster: Likewise of delta, in percent points.
    """

    model: str
    domain: str
    n: int
    confirmed: int
    passed: int
    unjudged: int
    simulations: int
    gar: float | None
    acc: float | None
    delta: float | None
    gar_ci95: Interval | None
    acc_ci95: Interval | None
    gar_ci95_cluster: Interval | None
    acc_ci95_cluster: Interval | None
    delta_ci95_cluster: Interval | None


def build_table(
    judgments: Sequence[Judgment], *, models: Sequence[str] = (), looked_at: Iterable[Pair] = ()
) -> tuple[TableRow, ...]:
    """The rows: published models in the published order, then others as they first appear; airline before retail.

    A row without judgments is there for a model that is named, for a run that was looked at, and, where all published
    models that wrote anything are there, for those that wrote nothing.

    Args:
        judgments: What was judged.
        models: The models to show, in this order, each with a row for every domain of the file; without any, all.
        looked_at: Models and domains whose runs were read, whether or not they write.
    """
    by_pair: dict[Pair, list[Judgment]] = defaultdict(list)
    for judgment in judgments:
        by_pair[judgment.model, judgment.domain].append(judgment)
    pairs = _pairs((*by_pair, *looked_at), models)
    return tuple(_row(model, domain, by_pair.get((model, domain), [])) for model, domain in pairs)


def _pairs(seen: Sequence[Pair], models: Sequence[str]) -> list[Pair]:
    """The model and the domain of each row."""
    domains = _ordered((domain for _, domain in seen), PUBLISHED_DOMAINS)
    if models:
        return [(model, domain) for model in dict.fromkeys(models) for domain in domains]
    there = {*seen}
    present = {model for model, _ in seen}
    if present.issuperset(set(PUBLISHED_MODELS) - WITHOUT_WRITES):
        there |= {(model, domain) for model in WITHOUT_WRITES - present for domain in PUBLISHED_DOMAINS}
        present |= WITHOUT_WRITES
    shown = [model for model in PUBLISHED_MODELS if model in present]
    shown += [model for model, _ in dict.fromkeys(seen) if model not in PUBLISHED_MODELS]
    return [(model, domain) for model in dict.fromkeys(shown) for domain in domains if (model, domain) in there]


def _ordered(names: Iterable[str], first: Sequence[str]) -> list[str]:
    """The names, each once: those of the sequence in its order, then others as they come."""
    found = list(dict.fromkeys(names))
    return [name for name in first if name in found] + [name for name in found if name not in first]


def _row(model: str, domain: str, judgments: Sequence[Judgment]) -> TableRow:
    simulations: dict[str, list[Judgment]] = defaultdict(list)
    for judgment in judgments:
        if judgment.confirmed is not None:
            simulations[judgment.sim_id].append(judgment)
    judged = [judgment for group in simulations.values() for judgment in group]
    n, confirmed, passed = len(judged), sum(map(_confirmed, judged)), sum(map(_passed, judged))
    gar, acc = _percent(confirmed, n), _percent(passed, n)

    def clustered(value: Callable[[Judgment], int]) -> Interval | None:
        if len(simulations) < 2:
            return None
        low, high = cluster_bootstrap([[value(judgment) for judgment in group] for group in simulations.values()])
        return 100 * low, 100 * high

    return TableRow(
        model=model,
        domain=domain,
        n=n,
        confirmed=confirmed,
        passed=passed,
        unjudged=len(judgments) - n,
        simulations=len(simulations),
        gar=gar,
        acc=acc,
        delta=None if gar is None else 100 * (confirmed - passed) / n,
        gar_ci95=_wilson(confirmed, n),
        acc_ci95=_wilson(passed, n),
        gar_ci95_cluster=clustered(_confirmed),
        acc_ci95_cluster=clustered(_passed),
        delta_ci95_cluster=clustered(lambda judgment: _confirmed(judgment) - _passed(judgment)),
    )


def _confirmed(judgment: Judgment) -> int:
    return judgment.confirmed is True


def _passed(judgment: Judgment) -> int:
    return judgment.passed is True


def _percent(count: int, n: int) -> float | None:
    return 100 * count / n if n else None


def _wilson(count: int, n: int) -> Interval | None:
    if not n:
        return None
    low, high = wilson(count, n)
    return 100 * low, 100 * high
