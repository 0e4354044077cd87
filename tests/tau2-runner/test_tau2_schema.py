"""The JSON schema in docs/schemas/tau2-runner-analysis says what `breakdown --json` writes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from gar_metrics.tau2 import METHODS, find_runs, read_run
from tau2_runner import Tau2Root, breakdown_json, build_breakdown

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Valid = Callable[[Any], bool]


@pytest.fixture
def schema(repository: Path) -> Any:
    """The schema."""
    path = repository / "docs" / "schemas" / "tau2-runner-analysis" / "breakdown.schema.json"
    return json.loads(path.read_text(encoding="utf-8"))


@pytest.fixture
def valid(schema: Any) -> Valid:
    """Whether a document is as the schema says, which is itself one."""
    validator = pytest.importorskip("jsonschema", reason="jsonschema is not installed").Draft202012Validator
    validator.check_schema(schema)
    check: Valid = validator(schema).is_valid
    return check


def documents(runs: list[Path], root: Path) -> Any:
    """What is written about the runs."""
    domains = Tau2Root(root)
    return json.loads(breakdown_json([build_breakdown(read_run(path), domains) for path in runs]))


@pytest.fixture
def document(shop: Any) -> Any:
    """Two runs of two tasks: one that fails, and one without a scored simulation, a model or a method."""
    simulations = [shop.simulation("write", 0.0, shop.says(None, shop.cancel)), shop.simulation("quiet")]
    bare = {"environment_info": {"domain_name": "shop"}}
    runs = [shop.run(simulations), shop.run([shop.simulation("write", None)], name="unnamed", info=bare)]
    return documents(runs, shop.root)


def test_fields(schema: Any, document: Any) -> None:
    """Every field is described, in the order in which it is written, and none that isn't written."""
    run, defined = schema["items"], schema["$defs"]
    described = [run, run["properties"]["capability"], run["properties"]["calibration"]]
    described += [defined["capability"], defined["calibration"]]
    record = document[0]
    capability, calibration = record["capability"], record["calibration"]
    written = [record, capability, calibration, capability["ask"], calibration["ask"]]
    for part, fields in zip(described, written, strict=True):
        assert list(part["properties"]) == part["required"] == list(fields)
    assert run["properties"]["method"]["enum"] == [*METHODS, None]


def test_documents(valid: Valid, document: Any) -> None:
    """What is written conforms, rates that don't exist included; no runs are a list too."""
    empty = document[1]
    assert (empty["pass_at_1"], empty["model"], empty["method"], empty["calibration"]["ask"]["gar"]) == (None,) * 4
    assert valid(document)
    assert valid([])


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("pass_at_1",), 56.0),
        (("pass_at_1",), ...),
        (("method",), "other"),
        (("extra",), 1),
        (("scored_simulations",), -1),
        (("scored_simulations",), 1.5),
        (("warnings",), [3]),
        (("warnings",), [""]),
        (("capability", "confirm"), ...),
        (("capability", "ask", "rate"), 50),
        (("calibration", "confirm"), {}),
        (("calibration", "ask", "delta"), -100),
        (("calibration", "ask", "denom"), None),
    ],
)
def test_other_documents(valid: Valid, document: Any, place: tuple[str, ...], value: Any) -> None:
    """Percent, counts that are none, fields too many or too few: not what is written. `...` takes a field away."""
    *parents, last = place
    part = document[0]
    for key in parents:
        part = part[key]
    if value is ...:
        del part[last]
    else:
        part[last] = value
    assert not valid(document)


def test_real_runs(valid: Valid, shared_data: Path) -> None:
    """The figures of three real runs conform."""
    runs = list(find_runs([shared_data / "tau2_runs"]))
    assert valid(documents(runs, shared_data / "tau2_data"))
