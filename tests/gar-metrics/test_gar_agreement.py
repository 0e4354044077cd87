"""Kappa and observed agreement: known values, two independent peers, their properties, and the degenerate cases."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gar_metrics import cohen_kappa, observed_agreement, wilson

Pairs = list[tuple[str, str]]

Z = 1.959963984540054
LABELS = "abcd"

labels = st.sampled_from(LABELS)
rated: st.SearchStrategy[Pairs] = st.lists(st.tuples(labels, labels), min_size=1, max_size=60)


def varied(pairs: Pairs) -> bool:
    """Whether more than one label was given, so that agreement can't be certain and kappa is a quotient."""
    return len({label for pair in pairs for label in pair}) > 1


def test_known_value() -> None:
    """Both say yes 20 times, both no 15, 5 and 10 times they differ: 0.7 observed, 0.5 by chance."""
    pairs = [("yes", "yes")] * 20 + [("no", "no")] * 15 + [("yes", "no")] * 5 + [("no", "yes")] * 10
    assert (observed_agreement(pairs), cohen_kappa(pairs)) == (0.7, 0.4)


def test_no_agreement_at_all() -> None:
    """Always opposite, in equal numbers: the lowest kappa there is."""
    pairs = [("a", "b"), ("b", "a")]
    assert (observed_agreement(pairs), cohen_kappa(pairs)) == (0.0, -1.0)


def test_no_pairs() -> None:
    """Nothing was rated by both: there is nothing to tell."""
    assert (observed_agreement([]), cohen_kappa([])) == (None, None)


def test_one_pair() -> None:
    """One case: certain agreement counts as 1, a difference as 0."""
    assert (observed_agreement([("a", "a")]), cohen_kappa([("a", "a")])) == (1.0, 1.0)
    assert (observed_agreement([("a", "b")]), cohen_kappa([("a", "b")])) == (0.0, 0.0)


@given(labels, st.integers(1, 300))
def test_all_equal(label: str, n: int) -> None:
    """Where both give one and the same label throughout, the expected agreement is 1 and so is kappa."""
    assert (observed_agreement([(label, label)] * n), cohen_kappa([(label, label)] * n)) == (1.0, 1.0)


@given(rated)
def test_one_rater_constant(pairs: Pairs) -> None:
    """A rater who always says the same agrees as chance has it: kappa 0, unless the other says it throughout too."""
    constant = [("a", second) for _, second in pairs]
    assert cohen_kappa(constant) == (0.0 if varied(constant) else 1.0)


@given(rated)
def test_bounds(pairs: Pairs) -> None:
    """Kappa is at most the observed agreement, both at most 1, and 1 exactly for raters who never differ."""
    agreement, kappa = observed_agreement(pairs), cohen_kappa(pairs)
    assert agreement is not None
    assert kappa is not None
    assert 0 <= agreement <= 1
    assert -1 <= kappa <= agreement
    assert (kappa == 1) == (agreement == 1) == all(a == b for a, b in pairs)


@given(rated)
def test_symmetric_in_the_raters(pairs: Pairs) -> None:
    """Who is rater A and who is B makes no difference, to the last bit."""
    exchanged = [(b, a) for a, b in pairs]
    assert (observed_agreement(pairs), cohen_kappa(pairs)) == (observed_agreement(exchanged), cohen_kappa(exchanged))


@given(rated.flatmap(lambda pairs: st.tuples(st.just(pairs), st.permutations(pairs))))
def test_order_of_the_cases(case: tuple[Pairs, Pairs]) -> None:
    """The order of the cases makes no difference either."""
    pairs, shuffled = case
    assert cohen_kappa(pairs) == cohen_kappa(shuffled)


@given(rated, st.permutations(LABELS))
def test_invariant_under_relabelling(pairs: Pairs, names: list[str]) -> None:
    """Labels are names only: renaming them one to one, to other types too, changes nothing."""
    renamed = [(names.index(a), names.index(b)) for a, b in pairs]
    assert (observed_agreement(pairs), cohen_kappa(pairs)) == (observed_agreement(renamed), cohen_kappa(renamed))


@given(rated, st.integers(2, 5))
def test_invariant_under_repetition(pairs: Pairs, times: int) -> None:
    """The same table of counts several times over has the same kappa."""
    assert cohen_kappa(pairs) == pytest.approx(cohen_kappa(pairs * times), abs=1e-12)


@given(rated.filter(varied))
def test_scikit_learn(pairs: Pairs) -> None:
    """The kappa of scikit-learn, wherever that is defined."""
    metrics = pytest.importorskip("sklearn.metrics")
    first, second = zip(*pairs, strict=True)
    assert metrics.cohen_kappa_score(first, second) == pytest.approx(cohen_kappa(pairs), abs=1e-12)
    assert metrics.accuracy_score(first, second) == pytest.approx(observed_agreement(pairs), abs=1e-12)


@given(rated.filter(varied))
def test_statsmodels(pairs: Pairs) -> None:
    """The kappa of statsmodels, which starts from the table of counts."""
    inter_rater = pytest.importorskip("statsmodels.stats.inter_rater")
    table = [[pairs.count((a, b)) for b in LABELS] for a in LABELS]
    assert inter_rater.cohens_kappa(table, return_results=False) == pytest.approx(cohen_kappa(pairs), abs=1e-12)


@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_at_the_audits_quantile(counts: tuple[int, int]) -> None:
    """The Wilson interval of statsmodels, which takes the quantile of 95% in full."""
    proportion = pytest.importorskip("statsmodels.stats.proportion")
    expected = proportion.proportion_confint(*counts, alpha=0.05, method="wilson")
    assert wilson(*counts, Z) == pytest.approx(expected, abs=1e-12)
