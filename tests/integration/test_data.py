"""The released label tables in data/: whole, values only, and as their schemas and README say."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ROWS = {"audit_labels": 220, "tau2_confirm_judgments": 1887, "tau2_ask_labels": 41}
LABELS = ("B1a", "B1b", "B3", "B4", "B5", "B6", "B7")


@pytest.fixture(scope="module")
def folder(repository: Path) -> Path:
    """The project's data folder."""
    return repository / "data"


def rows(folder: Path, table: str) -> list[dict[str, Any]]:
    """The rows of a table."""
    lines = (folder / f"{table}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def schema(folder: Path, table: str) -> dict[str, Any]:
    """The JSON schema of a table's rows."""
    loaded: dict[str, Any] = json.loads((folder / "schemas" / f"{table}.schema.json").read_text(encoding="utf-8"))
    return loaded


def texts(value: object) -> Iterator[str]:
    """Every string in a JSON value, keys aside."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, dict)):
        for part in value.values() if isinstance(value, dict) else value:
            yield from texts(part)


def test_tables(folder: Path) -> None:
    """These tables and no others are there, each with a schema."""
    assert sorted(ROWS) == sorted(path.stem for path in folder.glob("*.jsonl"))
    assert sorted(ROWS) == sorted(path.name.partition(".")[0] for path in (folder / "schemas").iterdir())


@pytest.mark.parametrize("table", ROWS)
def test_every_row_conforms(folder: Path, table: str) -> None:
    """The schema is one of draft 2020-12, and every row is as it says."""
    validator = pytest.importorskip("jsonschema").Draft202012Validator
    validator.check_schema(schema(folder, table))
    faults = [
        f"{table}.jsonl:{number}: {fault.json_path}: {fault.message}"
        for number, row in enumerate(rows(folder, table), start=1)
        for fault in validator(schema(folder, table)).iter_errors(row)
    ]
    assert faults == []


@pytest.mark.parametrize(
    ("table", "field", "value"),
    [
        ("audit_labels", "comment", "prose"),
        ("audit_labels", "rater_a", {"B1a": 0}),
        ("audit_labels", "adjudication", {"B2": 1}),
        ("audit_labels", "adjudication", {"B7": "something else"}),
        ("audit_labels", "spot_check", {"B1a": [0]}),
        ("audit_labels", "final", "n.a."),
        ("tau2_confirm_judgments", "judge_reasoning", "prose"),
        ("tau2_confirm_judgments", "sim_id", "0e3973ee-0000-0000-0000-000000000000"),
        ("tau2_confirm_judgments", "tool", "get_user_details"),
        ("tau2_confirm_judgments", "tool", "cancel_pending_order"),  # of retail, in a row of airline
        ("tau2_confirm_judgments", "passed", None),
        ("tau2_ask_labels", "label", "maybe"),
        ("tau2_ask_labels", "task_id", 2),
    ],
)
def test_schemas_are_strict(folder: Path, table: str, field: str, value: object) -> None:
    """A field more, a value that isn't listed, a label that is missing or a whole simulation id doesn't conform."""
    validator = pytest.importorskip("jsonschema").Draft202012Validator(schema(folder, table))
    row = rows(folder, table)[0]
    assert validator.is_valid(row)
    assert not validator.is_valid({**row, field: value})


@pytest.mark.parametrize(("table", "count"), ROWS.items())
def test_counts_and_fields(folder: Path, table: str, count: int) -> None:
    """Every row is there, has the schema's fields in its order, and ends with a line feed alone."""
    found = rows(folder, table)
    assert len(found) == count
    assert {tuple(row) for row in found} == {tuple(schema(folder, table)["properties"])}
    raw = (folder / f"{table}.jsonl").read_bytes()
    assert (raw.count(b"\n"), raw.count(b"\r"), raw[-1:]) == (count, 0, b"\n")


@pytest.mark.parametrize("table", ROWS)
def test_no_prose(folder: Path, table: str) -> None:
    """Strings are ids, names and label values: no sentence of the release is here."""
    strings = {text for row in rows(folder, table) for text in texts(row)}
    assert {text for text in strings if not re.fullmatch(r"[A-Za-z0-9_.-]{1,40}", text)} <= {"Gemini 3 Pro"}


def test_cases_are_unique(folder: Path) -> None:
    """No case of the audit and no task of the ASK labels stands there twice, and categories are those of the ids."""
    audit = rows(folder, "audit_labels")
    assert len({(row["case_id"], row["model"]) for row in audit}) == 220
    assert [row["case_id"] for row in audit if not row["case_id"].startswith(f"multi_turn_{row['category']}_")] == []
    assert len({(row["domain"], row["task_id"]) for row in rows(folder, "tau2_ask_labels")}) == 41


def test_adjudication(folder: Path) -> None:
    """In the main split the adjudicator decided exactly where the raters differ; nobody did in the pilot split."""
    for row in rows(folder, "audit_labels"):
        a, b, decided = row["rater_a"], row["rater_b"], row["adjudication"]
        if row["split"] == "pilot":
            assert (decided, row["final"]) == ({}, None)
            continue
        assert set(decided) == {label for label in LABELS if a[label] != b[label]}
        assert row["final"] == {**a, **decided}
        if row["spot_check"]:
            assert row["spot_check"] == {label: [row["final"][label], True] for label in LABELS}


def test_applicability(folder: Path) -> None:
    """B3 belongs to miss_func, B7 to passes that the probe broke: the strata D and F."""
    for row in rows(folder, "audit_labels"):
        for labels in (row["rater_a"], row["rater_b"], row["final"]):
            if labels:
                assert (labels["B3"] != "n.a.") == (row["category"] == "miss_func")
                assert (labels["B7"] != "n.a.") <= (row["stratum"] in "DF")
        assert row["baseline_pass"] == (row["transition"] == "PASS_to_FAIL") == (row["stratum"] in "DF")
        assert (row["transition"] is None) == (row["stratum"] in "AB")


def test_simulation_ids(folder: Path) -> None:
    """Simulation ids are cut to 8 characters, and still name one simulation each."""
    simulations: dict[str, set[tuple[str, str, bool]]] = {}
    for row in rows(folder, "tau2_confirm_judgments"):
        assert re.fullmatch(r"[0-9a-f]{8}", row["sim_id"])
        simulations.setdefault(row["sim_id"], set()).add((row["model"], row["domain"], row["passed"]))
    assert (len(simulations), max(map(len, simulations.values()))) == (1038, 1)


def test_raters_are_said_to_be_automated(folder: Path) -> None:
    """The README says so plainly, and names the source and its licence."""
    text = (folder / "README.md").read_text(encoding="utf-8")
    for phrase in ("were automated", "Apache-2.0", "arXiv:2609.00949"):
        assert phrase in text


def test_same_as_released(folder: Path, shared_data: Path) -> None:
    """Byte for byte what the shared folder holds."""
    for table in ROWS:
        released = shared_data / "released" / f"{table}.jsonl"
        assert (folder / f"{table}.jsonl").read_bytes() == released.read_bytes()
