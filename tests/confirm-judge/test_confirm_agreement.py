"""Agreement of two judges: which judgments are paired, and what the pairs amount to."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from confirm_judge import Judgment, agree, read_judgments
from confirm_judge.cli import main
from gar_metrics import GarError, cohen_kappa

if TYPE_CHECKING:
    from pathlib import Path

VERDICTS = st.none() | st.booleans()


def judgment(place: int, confirmed: bool | None, **changes: Any) -> Judgment:
    """A judgment of this package's, about the write of a place."""
    plain = Judgment(
        "m", "airline", "12345678-abcd", "cancel", confirmed, passed=True, message_index=place, call_index=0
    )
    return replace(plain, **changes)


def cut(found: Judgment) -> Judgment:
    """The judgment as a release would have it: without places, the id cut."""
    return replace(found, sim_id=found.sim_id[:8], message_index=None, call_index=None)


@given(st.lists(st.tuples(VERDICTS, VERDICTS), min_size=1))
def test_pairs(pairs: list[tuple[bool | None, bool | None]]) -> None:
    """Kappa is that of the pairs with two verdicts, every pair is in the table, and order in the files is no matter."""
    first = [judgment(place, a) for place, (a, _) in enumerate(pairs)]
    second = [judgment(place, b) for place, (_, b) in enumerate(pairs)]
    found = agree(first, second[::-1])
    verdicts = [pair for pair in pairs if None not in pair]
    assert (found.n, found.kappa) == (len(verdicts), cohen_kappa(verdicts))
    assert sum(sum(row.values()) for row in found.confusion.values()) == len(pairs)
    assert (found.only_first, found.only_second) == (0, 0)


@given(st.lists(st.tuples(VERDICTS, VERDICTS, st.sampled_from(["12345678-a", "abcdefgh-b"])), min_size=1))
def test_released_form(pairs: list[tuple[bool | None, bool | None, str]]) -> None:
    """Files without places, with ids cut or whole, are paired by the order of the writes: the result is the same."""
    first = [judgment(place, a, sim_id=sim) for place, (a, _, sim) in enumerate(pairs)]
    second = [judgment(place, b, sim_id=sim) for place, (_, b, sim) in enumerate(pairs)]
    exact = agree(first, second)
    assert agree(first, [cut(found) for found in second]) == exact
    assert agree([cut(found) for found in first], second[::-1]) == exact


def test_places_pair_exactly() -> None:
    """An event that only one file holds is left aside and counted."""
    found = agree([judgment(1, True), judgment(3, False)], [judgment(3, False), judgment(5, True), judgment(7, True)])
    assert (found.n, found.agreement, found.only_first, found.only_second) == (1, 1.0, 1, 2)
    assert found.confusion["not_confirmed"]["not_confirmed"] == 1


def test_simulations_that_don_t_fit_are_left_aside() -> None:
    """By order only simulations with the same tools in the same order are paired, and ids that stay apart when cut."""
    whole = [judgment(1, True), judgment(3, True, tool="book")]
    assert agree(whole, [cut(found) for found in whole]).n == 2
    for other in ([cut(whole[0])], [cut(whole[1]), cut(whole[0])]):
        with pytest.raises(GarError, match="no event in common"):
            agree(whole, other)
    twins = [judgment(1, True), judgment(3, True, sim_id="12345678-zzzz", tool="book")]
    with pytest.raises(GarError, match="no event in common"):
        agree(twins, [cut(found) for found in whole])


def test_models_and_domains_are_told_apart() -> None:
    """The same simulation id under another model or domain is another event."""
    for changes in ({"model": "other"}, {"domain": "retail"}):
        with pytest.raises(GarError, match="no event in common"):
            agree([judgment(1, True)], [judgment(1, True, **changes)])


def test_released_labels_agree_with_themselves(repository: Path) -> None:
    """All 1,887 writes are paired, the 8 without a verdict beside the 1,879 others."""
    released = read_judgments(repository / "data" / "tau2_confirm_judgments.jsonl")
    found = agree(released, released)
    assert (found.n, found.agreement, found.kappa) == (1879, 1.0, 1.0)
    assert found.confusion["no_verdict"] == {"confirmed": 0, "not_confirmed": 0, "no_verdict": 8}


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """JSON, text and Markdown say the same."""
    sides = ([True, True, True, False, False, None], [True, True, False, False, True, True])
    for name, side in zip("ab", sides, strict=True):
        lines = [json.dumps(judgment(place, confirmed).record()) for place, confirmed in enumerate(side)]
        (tmp_path / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    files = [str(tmp_path / name) for name in "ab"]
    assert main(["agree", *files, "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found == {
        "n": 5,
        "agreement": 0.6,
        "kappa": pytest.approx(1 / 6),
        "confusion": {
            "confirmed": {"confirmed": 2, "not_confirmed": 1, "no_verdict": 0},
            "not_confirmed": {"confirmed": 1, "not_confirmed": 1, "no_verdict": 0},
            "no_verdict": {"confirmed": 1, "not_confirmed": 0, "no_verdict": 0},
        },
        "only_a": 0,
        "only_b": 0,
    }
    assert main(["agree", *files]) == 0
    text = capsys.readouterr().out
    assert "kappa      0.167" in text
    assert "confirmed              2              1           0" in text
    assert main(["agree", *files, "--format", "md"]) == 0
    assert "| confirmed | 2 | 1 | 0 |" in capsys.readouterr().out


def test_nothing_in_common(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One line, status 2."""
    for name in "ab":
        record = judgment(1, True, model=name).record()
        (tmp_path / name).write_text(json.dumps(record) + "\n", encoding="utf-8")
    assert main(["agree", str(tmp_path / "a"), str(tmp_path / "b")]) == 2
    assert capsys.readouterr().err == "confirm-judge: the two files have no event in common\n"
