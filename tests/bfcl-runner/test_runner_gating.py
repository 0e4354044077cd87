"""Bounds on accuracy, and the drop from single-turn to multi-turn cases with its interval."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bfcl_runner import ModelOptions, RunnerError, RunPlan, Selection, Silent, run
from bfcl_runner.drop import Side, difference_interval, drop, drop_lines, measure, pooled
from bfcl_runner.gating import GateReport, Rate, chosen_bounds, gate, gate_lines, read_reference, scored_summary
from bfcl_runner.tracks import MULTI_TURN, SINGLE_TURN
from gar_metrics import wilson

if TYPE_CHECKING:
    from pathlib import Path

    from bfcl_runner.summary import Summary

NEWCOMBE = {
    ((56, 70), (48, 80)): (0.0524, 0.3339),
    ((9, 10), (3, 10)): (0.1705, 0.8090),
    ((6, 7), (2, 7)): (0.0582, 0.8062),
    ((5, 56), (0, 29)): (-0.0381, 0.1926),
    ((0, 10), (0, 20)): (-0.1611, 0.2775),
    ((0, 10), (0, 10)): (-0.2775, 0.2775),
    ((10, 10), (0, 20)): (0.6791, 1.0),
    ((10, 10), (0, 10)): (0.6075, 1.0),
}
"""Table II of the paper, method 10, to its four decimals."""

RATES = st.integers(1, 2000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@pytest.mark.parametrize("rates", NEWCOMBE, ids=str)
def test_published_intervals(rates: tuple[tuple[int, int], tuple[int, int]]) -> None:
    """The intervals that Newcombe prints."""
    assert difference_interval(*rates) == pytest.approx(NEWCOMBE[rates], abs=6e-5)


@given(RATES, RATES)
def test_interval_of_a_difference(first: tuple[int, int], second: tuple[int, int]) -> None:
    """It holds the difference, stays within -1 and 1, and turns round with the two rates."""
    low, high = difference_interval(first, second)
    difference = first[0] / first[1] - second[0] / second[1]
    assert -1 <= low <= difference <= high <= 1
    turned = difference_interval(second, first)
    assert (low, high) == pytest.approx((-turned[1], -turned[0]))


@given(RATES, RATES, st.integers(2, 50))
def test_interval_narrows(first: tuple[int, int], second: tuple[int, int], times: int) -> None:
    """More cases with the same rates give a narrower interval, and a smaller z too."""
    low, high = difference_interval(first, second)
    more_of_first, more_of_second = ((hits * times, trials * times) for hits, trials in (first, second))
    more = difference_interval(more_of_first, more_of_second)
    assert more[1] - more[0] < high - low
    narrower = difference_interval(first, second, z=1.0)
    assert narrower[1] - narrower[0] < high - low


@given(RATES)
def test_interval_against_many_cases(rate: tuple[int, int]) -> None:
    """Against a rate that is all but known the interval is the other side's Wilson interval, moved."""
    low, high = difference_interval((5 * 10**9, 10**10), rate)
    wilson_low, wilson_high = wilson(*rate)
    assert (low, high) == pytest.approx((0.5 - wilson_high, 0.5 - wilson_low), abs=1e-4)


@pytest.mark.parametrize("rates", [((0, 0), (1, 2)), ((1, 2), (0, 0)), ((3, 2), (1, 2)), ((-1, 2), (1, 2))])
def test_no_rates(rates: tuple[tuple[int, int], tuple[int, int]]) -> None:
    """Without trials, or with more hits than those, there is no interval."""
    with pytest.raises(ValueError, match=r"at least one trial|successes must lie within"):
        difference_interval(*rates)


@given(RATES)
def test_rate(rate: tuple[int, int]) -> None:
    """A rate is in percent, with Wilson's interval around it."""
    correct, cases = rate
    found = Rate.of(correct, cases)
    assert found.accuracy == 100 * correct / cases
    assert found.interval[0] <= found.accuracy <= found.interval[1]
    assert found.interval == tuple(100 * bound for bound in wilson(correct, cases))


def _side(correct: int, cases: int) -> Side:
    return Side(**dict(Rate.of(correct, cases)), model="m", categories=["base"])


def test_drop_between_runs() -> None:
    """The difference of the pooled accuracies in percent points, with Newcombe's interval."""
    report = drop(_side(48, 80), _side(56, 70))
    assert report.drop == pytest.approx(20.0)
    assert report.interval == pytest.approx((5.24, 33.39), abs=6e-3)
    *_, last = drop_lines(report)
    assert last == "drop         20.0 pp, 95% interval 5.2 to 33.4"


def test_drop_from_a_number() -> None:
    """A number has no interval: what is shown is the multi-turn side's, and says so."""
    report = drop(_side(413, 800), 90.0)
    low, high = wilson(413, 800)
    assert report.drop == pytest.approx(90 - 51.625)
    assert report.interval == pytest.approx((90 - 100 * high, 90 - 100 * low))
    first, _, last = drop_lines(report)
    assert first == "single-turn  90.0%, as given"
    assert last.endswith("of the multi-turn side only: the other is a number without n")


@pytest.fixture(scope="module")
def runs(benchmark: None, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A flawless run of both kinds, a flawed one, and one that was stopped."""
    folder = tmp_path_factory.mktemp("runs")
    categories = ("base", "miss_func", "simple_python", "irrelevance")
    for name, agent in (("oracle", "oracle"), ("noisy", "noisy:0.2:3")):
        selection = Selection(categories, limit=40)
        run(RunPlan(ModelOptions("scripted", agent=agent), folder / name, selection), Silent())
    record = json.loads((folder / "oracle" / "run.json").read_bytes())
    (folder / "stopped").mkdir()
    (folder / "stopped" / "run.json").write_text(json.dumps({**record, "finished": None}), "utf-8")
    return {name: folder / name for name in ("oracle", "noisy", "stopped")}


@pytest.fixture
def noisy(runs: dict[str, Path]) -> Summary:
    """The summary of the flawed run."""
    return scored_summary(runs["noisy"])


def test_bound_is_inclusive(noisy: Summary) -> None:
    """An accuracy that equals its bound passes, one a hair below fails; the interval doesn't decide."""
    accuracy = noisy.categories["base"].accuracy
    assert 0 < accuracy < 100
    assert gate(noisy, {"base": accuracy}).passed
    report = gate(noisy, {"base": accuracy + 1e-9, "irrelevance": 0})
    assert not report.passed
    assert [found.passed for found in report.categories] == [False, True]
    found = report.categories[0]
    assert (found.cases, found.correct) == (40, noisy.categories["base"].correct)
    *_, line, _, last = gate_lines(report)
    assert line.startswith("  FAILED  base         ")
    assert line.endswith("which lies within the interval")
    assert last == "below the bound: base"


def test_one_bound_for_all(runs: dict[str, Path]) -> None:
    """--min-acc holds for every category of the run; the oracle reaches any."""
    summary = scored_summary(runs["oracle"])
    report = gate(summary, chosen_bounds(summary.categories, 100.0, None))
    assert report.passed
    assert [found.category for found in report.categories] == ["base", "miss_func", "simple_python", "irrelevance"]
    assert {found.interval[1] for found in report.categories} == {100.0}


def test_references(runs: dict[str, Path], tmp_path: Path, noisy: Summary) -> None:
    """A reference is an object of percentages, by either name of a category, or another run's summary."""
    path = tmp_path / "reference.json"
    path.write_text('{"multi_turn_base": 57, "irrelevance": 99.5}', "utf-8")
    assert read_reference(path) == {"base": 57.0, "irrelevance": 99.5}
    bounds = read_reference(runs["oracle"] / "summary.json")
    assert bounds == dict.fromkeys(["base", "miss_func", "simple_python", "irrelevance"], 100.0)
    assert not gate(noisy, bounds).passed
    assert gate(noisy, read_reference(runs["noisy"] / "summary.json")).passed


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("[]", "expected an object of categories with percentages"),
        ("{}", "expected an object of categories with percentages"),
        ("{", "not JSON"),
        ('{"base": "57"}', "base: expected a percentage, got '57'"),
        ('{"base": true}', "base: expected a percentage, got True"),
        ('{"base": NaN}', "base: expected a percentage, got nan"),
        ('{"base": 101}', "base: a percentage lies between 0 and 100, got 101"),
        ('{"base": -1}', "base: a percentage lies between 0 and 100, got -1"),
        ('{"vase": 57}', "'vase' is none of base, "),
        ('{"base": 57, "multi_turn_base": 58}', "base is named twice"),
        ('{"categories": {}}', "Field required"),
    ],
)
def test_no_reference(tmp_path: Path, content: str, complaint: str) -> None:
    """Anything else is one line that names the file."""
    path = tmp_path / "reference.json"
    path.write_text(content, "utf-8")
    with pytest.raises(RunnerError) as caught:
        read_reference(path)
    assert str(caught.value).startswith(str(path))
    assert complaint in str(caught.value)
    assert "\n" not in str(caught.value)


def test_pooled(runs: dict[str, Path], noisy: Summary) -> None:
    """One run may hold both sides; each is pooled over its categories, not averaged."""
    multi_turn, single_turn = pooled(noisy, MULTI_TURN), pooled(noisy, SINGLE_TURN)
    assert (multi_turn.cases, multi_turn.categories) == (80, ["base", "miss_func"])
    assert (single_turn.cases, single_turn.categories) == (80, ["simple_python", "irrelevance"])
    report = measure(runs["noisy"], str(runs["oracle"]))
    assert isinstance(report.single_turn, Side)
    assert (report.single_turn.model, report.single_turn.accuracy) == ("oracle", 100.0)
    assert report.drop == 100 - multi_turn.accuracy


@pytest.mark.parametrize("text", ["nan", "inf", "-1", "100.1", "nowhere", "1e3"])
def test_no_single_turn_side(runs: dict[str, Path], text: str) -> None:
    """What is neither a run nor a percentage is refused."""
    with pytest.raises(RunnerError, match="--single-turn"):
        measure(runs["noisy"], text)


def test_gate_command(runs: dict[str, Path], tmp_path: Path) -> None:
    """Status 0 where all pass, 1 with the category's name where one doesn't, as text and as JSON."""
    done = _bfcl_runner("gate", str(runs["oracle"]), "--min-acc", "100")
    assert (done.returncode, done.stderr) == (0, "")
    assert "  passed  base           100.0% (40/40, 95% interval 91.2 to 100.0), bound 100.0%" in done.stdout
    path = tmp_path / "reference.json"
    path.write_text('{"base": 99.5, "irrelevance": 0}', "utf-8")
    done = _bfcl_runner("gate", str(runs["noisy"]), "--reference", str(path))
    assert done.returncode == 1
    assert done.stdout.splitlines()[-1] == "below the bound: base"
    done = _bfcl_runner("gate", str(runs["noisy"]), "--reference", str(path), "--format", "json")
    assert done.returncode == 1
    report = GateReport.model_validate_json(done.stdout)
    assert [(found.category, found.bound, found.passed) for found in report.categories] == [
        ("base", 99.5, False),
        ("irrelevance", 0.0, True),
    ]


def test_drop_command(runs: dict[str, Path]) -> None:
    """Both sides with their n, and the drop; the same as JSON."""
    run_folder = str(runs["noisy"])
    done = _bfcl_runner("drop", run_folder, "--single-turn", str(runs["oracle"]))
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0] == "single-turn  100.0% (80/80, 95% interval 95.4 to 100.0): oracle, simple_python, irrelevance"
    assert [line.split()[0] for line in lines] == ["single-turn", "multi-turn", "drop"]
    done = _bfcl_runner("drop", run_folder, "--single-turn", "93.5", "--format", "json")
    report: dict[str, Any] = json.loads(done.stdout)
    assert report["single_turn"] == 93.5
    assert report["multi_turn"]["cases"] == 80


@pytest.mark.parametrize(
    ("command", "complaint"),
    [
        (["gate", "{noisy}"], "give either --min-acc or --reference"),
        (["gate", "{noisy}", "--min-acc", "50", "--reference", "{noisy}"], "give either --min-acc or --reference"),
        (["gate", "{noisy}", "--min-acc", "nan"], "--min-acc: expected a percentage"),
        (["gate", "{noisy}", "--min-acc", "570"], "--min-acc: a percentage lies between 0 and 100"),
        (["gate", "{noisy}", "--reference", "nowhere.json"], "nowhere.json: No such file or directory"),
        (["gate", "{stopped}", "--min-acc", "50"], "not scored: the run has not come to its end"),
        (["gate", "nowhere", "--min-acc", "50"], "nowhere/run.json: No such file or directory"),
        (["drop", "{stopped}", "--single-turn", "50"], "not scored"),
        (["drop", "{noisy}", "--single-turn", "{stopped}"], "not scored"),
        (["drop", "{noisy}", "--single-turn", "half"], "'half' is neither the directory of a run nor a percentage"),
    ],
)
def test_wrong_use(runs: dict[str, Path], command: list[str], complaint: str) -> None:
    """Each is one line and status 2."""
    done = _bfcl_runner(*(word.format(**runs) for word in command))
    assert (done.returncode, done.stdout) == (2, "")
    assert complaint in done.stderr
    assert done.stderr.count("\n") == 1


def test_missing_categories(runs: dict[str, Path], tmp_path: Path, noisy: Summary) -> None:
    """A bound for a category that wasn't run, and a run with one side only, are refused by name."""
    with pytest.raises(RunnerError, match=r"category parallel has a bound, but the run of noisy:0\.2:3 holds no case"):
        gate(noisy, {"parallel": 50.0})
    run(RunPlan(ModelOptions("scripted", agent="oracle"), tmp_path, Selection(("irrelevance",), limit=2)), Silent())
    with pytest.raises(RunnerError, match="the run of oracle holds no case of base, "):
        measure(tmp_path, str(runs["oracle"]))


def _bfcl_runner(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "bfcl_runner", *arguments], capture_output=True, text=True, check=False
    )
