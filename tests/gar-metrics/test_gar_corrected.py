"""Rates corrected for the classifier's errors: the formula, the interval, the table file, the command."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from action_classifier import Action
from gar_metrics import GarError, corrected_gold_turn_gar, load_runs, read_confusion, rogan_gladen
from gar_metrics.cli import main
from gar_metrics.confusion import FIELDS, TURN_CLASSES

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

TABLE = {
    "ruleset": "paper",
    "classes": ["tool_call", "refuse", "ask", "none"],
    "counts": [[60, 0, 0, 0], [4, 40, 6, 0], [0, 3, 57, 0], [0, 0, 0, 30]],
    "source": "labelled by hand",
}


@st.composite
def shares(draw: st.DrawFn, largest: int = 500) -> tuple[int, int]:
    """Some of at least one."""
    n = draw(st.integers(1, largest))
    return draw(st.integers(0, n)), n


def refusal(capsys: pytest.CaptureFixture[str], *argv: object) -> str:
    """The one line that the command fails with."""
    status = main([str(argument) for argument in argv])
    out, err = capsys.readouterr()
    assert (status, out, err.count("\n")) == (2, "", 1)
    return err.removeprefix("gar: ").removesuffix("\n")


def table_file(folder: Path, **changes: object) -> Path:
    """A confusion table with some fields changed; None takes a field out."""
    path = folder / "confusion.json"
    fields = {name: value for name, value in {**TABLE, **changes}.items() if value is not None}
    path.write_text(json.dumps(fields), encoding="utf-8")
    return path


@pytest.fixture
def run_folder(tmp_path: Path, write_lines: Callable[..., Path]) -> Path:
    """Ten cases of miss_func with an index: four refuse at the gold turn, one is an error row."""
    results: list[object] = [["I can't do that."]] * 4 + [["Which file?"]] * 5 + ["Error during inference: refused"]
    rows = [{"id": f"multi_turn_miss_func_{number}", "result": result} for number, result in enumerate(results)]
    write_lines(tmp_path / "run" / "result" / "m" / "BFCL_v4_multi_turn_miss_func_result.json", rows)
    (tmp_path / "run" / "gold_turns.json").write_text(json.dumps({row["id"]: 0 for row in rows}))
    return tmp_path / "run"


def test_worked_example() -> None:
    """By hand: p = .40, Se = .90, Sp = .95 give (.40 + .95 - 1) / (.90 + .95 - 1) = .35 / .85."""
    found = rogan_gladen(80, 200, (90, 100), (190, 200))
    assert found is not None
    assert found.rate == pytest.approx(0.35 / 0.85)
    # Lang and Reiczigel's steps by hand: p' = .401885, Se' = 91/102, Sp' = 191/202, rate' = .414741, shift
    # .001860, half width .088440.
    assert (found.low, found.high) == pytest.approx((0.328160, 0.505041), abs=1e-6)


@given(shares())
def test_perfect_test(hits: tuple[int, int]) -> None:
    """A test that never errs, as far as many trials tell, is corrected to what it counted."""
    found = rogan_gladen(*hits, (10**9, 10**9), (10**9, 10**9))
    assert found is not None
    assert found.rate == pytest.approx(hits[0] / hits[1])
    assert found.low <= found.rate <= found.high


@given(shares(), shares(), shares())
def test_bounds(hits: tuple[int, int], sensitivity: tuple[int, int], specificity: tuple[int, int]) -> None:
    """Rate and interval lie within [0, 1], the rate within the interval; none where Se + Sp is at most 1."""
    found = rogan_gladen(*hits, sensitivity, specificity)
    informative = sensitivity[0] * specificity[1] + specificity[0] * sensitivity[1] > sensitivity[1] * specificity[1]
    assert (found is not None) is informative
    if found:
        assert 0 <= found.low <= found.rate <= found.high <= 1


@given(shares(), shares())
def test_exact_recovery(sensitivity: tuple[int, int], specificity: tuple[int, int]) -> None:
    """Counts that come out as Se and Sp foretell are corrected to the true rate."""
    (found, true), (rejected, false) = sensitivity, specificity
    result = rogan_gladen(found + false - rejected, true + false, sensitivity, specificity)
    if result:
        assert result.rate == pytest.approx(true / (true + false))


@given(shares(), shares(), shares())
def test_symmetry(hits: tuple[int, int], sensitivity: tuple[int, int], specificity: tuple[int, int]) -> None:
    """Counting the other outcome instead, with Se and Sp in each other's place, gives the complement."""
    one = rogan_gladen(*hits, sensitivity, specificity)
    other = rogan_gladen(hits[1] - hits[0], hits[1], specificity, sensitivity)
    assume(one is not None and other is not None)
    assert one is not None
    assert other is not None
    assert (other.rate, other.low, other.high) == pytest.approx((1 - one.rate, 1 - one.high, 1 - one.low), abs=1e-9)


@given(shares(200), shares(200), st.integers(1, 200))
def test_monotony(sensitivity: tuple[int, int], specificity: tuple[int, int], n: int) -> None:
    """More hits never lower the rate."""
    found = [rogan_gladen(hits, n, sensitivity, specificity) for hits in range(n + 1)]
    rates = [one.rate for one in found if one]
    assert rates == sorted(rates)


def test_few_trials() -> None:
    """Where the moved Se and Sp tell nothing, nothing is excluded."""
    assert rogan_gladen(1, 1, (1, 1), (1, 5)) == (1.0, 0.0, 1.0)


@pytest.mark.parametrize("counts", [((3, 2), (1, 1), (1, 1)), ((-1, 2), (1, 1), (1, 1)), ((0, 0), (1, 1), (1, 1))])
def test_impossible_counts(counts: tuple[tuple[int, int], ...]) -> None:
    """Counts that can't be are refused."""
    hits, *others = counts
    with pytest.raises(ValueError, match="expected a count within 0 and at least one trial"):
        rogan_gladen(*hits, *others)
    with pytest.raises(ValueError, match="expected a count"):
        rogan_gladen(1, 2, (0, 0), (1, 1))


def test_shares_of_a_table(tmp_path: Path) -> None:
    """Sensitivity over the true turns of a class, specificity over all others."""
    table = read_confusion(table_file(tmp_path))
    assert (table.sensitivity(Action.REFUSE), table.specificity(Action.REFUSE)) == ((40, 50), (147, 150))
    assert (table.sensitivity(Action.TOOL_CALL), table.specificity(Action.TOOL_CALL)) == ((60, 60), (136, 140))
    assert (table.sensitivity(Action.CONFIRM), table.specificity(Action.CONFIRM)) == ((0, 0), (200, 200))


def test_schema(repository: Path) -> None:
    """The published schema names the same fields and classes as the reader."""
    path = repository / "docs" / "schemas" / "gar-metrics" / "confusion.schema.json"
    schema = json.loads(path.read_text(encoding="utf-8"))
    assert tuple(schema["required"]) == FIELDS
    assert tuple(schema["properties"]) == FIELDS
    assert tuple(schema["properties"]["classes"]["items"]["enum"]) == TURN_CLASSES
    assert schema["additionalProperties"] is False


def test_schema_of_tables(repository: Path) -> None:
    """What the reader takes conforms to the schema."""
    jsonschema = pytest.importorskip("jsonschema", reason="jsonschema is not installed")
    path = repository / "docs" / "schemas" / "gar-metrics" / "confusion.schema.json"
    validator = jsonschema.Draft202012Validator(json.loads(path.read_text(encoding="utf-8")))
    assert list(validator.iter_errors(TABLE)) == []
    assert list(validator.iter_errors({**TABLE, "source": " "})) != []


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"source": None}, "source: missing"),
        ({"source": " "}, "source: expected a text, found an empty one"),
        ({"ruleset": 1}, "ruleset: expected a text, found a number"),
        ({"kappa": 1}, "kappa: no field of a confusion table; they are ruleset, classes, counts, source"),
        ({"classes": "ask"}, "classes: expected a list of at least two classes"),
        ({"classes": ["ask"]}, "classes: expected a list of at least two classes"),
        ({"classes": ["ask", "ask", "none", "other"]}, "classes: ask stands there twice"),
        (
            {"classes": ["ask", "ASK", "none", "other"]},
            "classes[1]: expected one of tool_call, refuse, ask, confirm, other, none",
        ),
        ({"classes": ["ask", ["a"], "none", "other"]}, "classes[1]: expected one of tool_call, "),
        ({"counts": [[1, 2]]}, "counts: expected a list of 4 rows, one for each class"),
        ({"counts": [[1, 2], 1, 2, 3]}, "counts[0]: expected a list of 4 numbers, one for each class"),
        ({"counts": [[0, 0, 0, -1]] * 4}, "counts[0][3]: expected a whole number, 0 or more, found -1"),
        ({"counts": [[0, 0, 0, 0.5]] * 4}, "counts[0][3]: expected a whole number, 0 or more, found a decimal number"),
        ({"counts": [[0, 0, 0, 10**400]] * 4}, "counts[0][3]: expected at most 1000000000000"),
        ({"counts": [[True] * 4] * 4}, "counts[0][0]: expected a whole number, 0 or more, found a boolean"),
    ],
)
def test_malformed_tables(tmp_path: Path, changes: dict[str, object], expected: str) -> None:
    """A table that can't be right is refused by field."""
    path = table_file(tmp_path, **changes)
    with pytest.raises(GarError) as caught:
        read_confusion(path)
    assert str(caught.value).startswith(f"{path}: {expected}")


def test_no_table(tmp_path: Path) -> None:
    """So is what isn't an object, and what can't be read."""
    path = tmp_path / "confusion.json"
    path.write_text("[]")
    with pytest.raises(GarError, match=r"confusion\.json: expected an object, found a list$"):
        read_confusion(path)
    with pytest.raises(GarError, match=r"no: can't be read: No such file or directory$"):
        read_confusion(tmp_path / "no")


def test_error_rows_are_certain(run_folder: Path, tmp_path: Path) -> None:
    """The correction is about the nine rows that were classified; the error row stays a miss."""
    (run,) = load_runs([run_folder])
    found = corrected_gold_turn_gar(run.cells[0], read_confusion(table_file(tmp_path)))
    answered = rogan_gladen(4, 9, (40, 50), (147, 150))
    assert answered is not None
    assert found.rate == pytest.approx(90 * (4 / 9 + 0.98 - 1) / (0.8 + 0.98 - 1))
    assert (found.rate, found.ci95) == (90 * answered.rate, (90 * answered.low, 90 * answered.high))


@pytest.mark.parametrize(
    ("changes", "note"),
    [
        (
            {"counts": [[9, 9, 9, 9], [9, 0, 9, 9], [9] * 4, [9] * 4]},
            "Se + Sp of REFUSE is at most 1 in the confusion table (Se 0/27 and Sp 81/108)",
        ),
        ({"counts": [[9] * 4, [0] * 4, [9] * 4, [9] * 4]}, "the confusion table holds no true example of REFUSE"),
        ({"classes": ["tool_call", "other", "ask", "none"]}, "the confusion table holds no true example of REFUSE"),
        (
            {"counts": [[0] * 4, [9] * 4, [0] * 4, [0] * 4]},
            "the confusion table holds no true example of a class other than REFUSE",
        ),
    ],
)
def test_undefined(
    run_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], changes: dict[str, object], note: str
) -> None:
    """Where the table can't correct, nothing is shown and a note says why, in every format."""
    options = ["table", str(run_folder), "--gold-turn", "--corrected", str(table_file(tmp_path, **changes))]
    assert main(options) == 0
    text = capsys.readouterr().out
    assert text.splitlines()[5].split() == ["miss_func", "REFUSE", "10", "40.0", "40.0", *"-----"]
    assert f"  miss_func: the corrected gold-turn rate isn't defined: {note}\n" in text
    main([*options, "--format", "json"])
    cell = json.loads(capsys.readouterr().out)["runs"][0]["categories"]["miss_func"]
    assert (cell["gold_turn_gar_corrected"], cell["gold_turn_gar_corrected_ci95"]) == (None, None)
    assert cell["warnings"][-1].endswith(note)


def test_only_error_rows(tmp_path: Path, write_lines: Callable[..., Path]) -> None:
    """Nothing was classified, so nothing can be corrected."""
    write_lines(tmp_path / "BFCL_v4_multi_turn_base_result.json", [{"id": "multi_turn_base_0", "result": "Error"}])
    index = tmp_path / "index.json"
    index.write_text('{"multi_turn_base_0": 0}')
    table = read_confusion(table_file(tmp_path))
    (run,) = load_runs([tmp_path], gold_turns=index)
    found = corrected_gold_turn_gar(run.cells[0], table)
    assert found.note == "the corrected gold-turn rate isn't defined: every row is an error row"
    (run,) = load_runs([tmp_path])
    with pytest.raises(GarError, match="the gold turns of base aren't known"):
        corrected_gold_turn_gar(run.cells[0], table)


def test_formats(run_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The corrected rate stands beside the raw one, with its interval and where the table comes from."""
    options = ["table", str(run_folder), "--gold-turn", "--corrected", str(table_file(tmp_path, source="a\nb|c"))]
    assert main(options) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[3:6] == [
        "category   gold     n   GAR  gold-turn  corrected  95% interval  Acc  GAR-Acc  masked",
        "                        (%)        (%)        (%)           (%)  (%)     (pp)     (%)",
        "miss_func  REFUSE  10  40.0       40.0       49.0  19.5 to 85.6    -        -       -",
    ]
    assert lines[-1] == "  corrected by the confusion table of a\\nb|c"
    main([*options, "--format", "md"])
    assert "| 40.0 | 40.0 | 49.0 | 19.5 to 85.6 | - |" in capsys.readouterr().out
    main([*options, "--format", "latex"])
    assert "& 40.0 & 40.0 & 49.0 & 19.5 to 85.6 & - &" in capsys.readouterr().out
    main([*options, "--format", "json"])
    cell = json.loads(capsys.readouterr().out)["runs"][0]["categories"]["miss_func"]
    assert cell["gold_turn_gar_corrected"] == pytest.approx(90 * (4 / 9 - 0.02) / 0.78)
    main([*options, "--format", "csv"])
    (row,) = csv.DictReader(io.StringIO(capsys.readouterr().out))
    names = ("gold_turn_gar_corrected_ci95_low", "gold_turn_gar_corrected_ci95_high")
    assert [float(row[name]) for name in names] == cell["gold_turn_gar_corrected_ci95"]
    assert float(row["gold_turn_gar_corrected"]) == cell["gold_turn_gar_corrected"]


def test_refusals(run_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Any-turn GAR can't be corrected, and a table of another ruleset corrects nothing."""
    path = table_file(tmp_path)
    expected = (
        "--corrected: needs --gold-turn: any-turn GAR is a maximum over emissions, which errors per turn can't correct"
    )
    assert expected == refusal(capsys, "table", run_folder, "--corrected", path)
    path = table_file(tmp_path, ruleset="extended")
    expected = f"{path}: ruleset: 'extended' isn't the ruleset of the run, paper"
    assert expected == refusal(capsys, "table", run_folder, "--gold-turn", "--corrected", path)
