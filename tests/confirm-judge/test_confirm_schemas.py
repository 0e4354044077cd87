"""The JSON schemas in docs/schemas/confirm-judge say what the commands write."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import pytest

from confirm_judge import Judgment, TableRow
from confirm_judge.cli import main

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Valid = Callable[[str, Any], bool]


@pytest.fixture
def folder(repository: Path) -> Path:
    """Where the schemas are."""
    return repository / "docs" / "schemas" / "confirm-judge"


@pytest.fixture
def valid(folder: Path) -> Valid:
    """``valid(name, document)``: whether it is as the schema says, which is itself one."""
    validators = pytest.importorskip("jsonschema").Draft202012Validator

    def check(name: str, document: Any) -> bool:
        schema = json.loads((folder / f"{name}.schema.json").read_bytes())
        validators.check_schema(schema)
        result: bool = validators(schema).is_valid(document)
        return result

    return check


def test_fields(folder: Path) -> None:
    """The fields are those of the records, in their order."""
    judgment = json.loads((folder / "judgment.schema.json").read_bytes())
    assert [field.name for field in fields(Judgment)] == list(judgment["properties"]) == judgment["required"]
    row = json.loads((folder / "table.schema.json").read_bytes())["properties"]["rows"]["items"]
    assert [field.name for field in fields(TableRow)] == list(row["properties"]) == row["required"]


def test_documents(
    valid: Valid,
    server: Any,
    judge: Any,
    loopback_judge: Any,
    tmp_path: Path,
    small_run: Any,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Every document of every command conforms; what lacks a field or has one more doesn't."""
    results = small_run(tmp_path / "run")

    def script(ask: Any) -> Any:
        return loopback_judge.Reply("No.") if "number 0" in json.dumps(ask.evidence) else loopback_judge.honest(ask)

    server.script = script
    _, lines = judge(results)
    assert {line["confirmed"] for line in lines} == {True, False, None}
    out = str(tmp_path / "judged.jsonl")
    capsys.readouterr()
    documents: dict[str, list[Any]] = {
        "judgment": lines,
        "meta": [json.loads((tmp_path / f"{out}.meta.json").read_bytes())],
    }
    for name, command in (
        ("event", ["collect", str(results)]),
        ("table", ["table", out, "--models", "m", "nobody", "--format", "json"]),
        ("agreement", ["agree", out, out, "--format", "json"]),
    ):
        assert main(command) == 0
        text = capsys.readouterr().out
        documents[name] = [json.loads(line) for line in (text.splitlines() if name == "event" else [text])]
    for name, found in documents.items():
        assert found
        for document in found:
            assert valid(name, document), (name, document)
            assert not valid(name, {**document, "more": 1})
            for field in document:
                assert not valid(name, {key: value for key, value in document.items() if key != field})


def test_rules(valid: Valid, tmp_path: Path, small_run: Any) -> None:
    """So do judgments of the rules, and the record beside them."""
    out = tmp_path / "rules.jsonl"
    command = ["run", "--judge", "rules", "--run", "m", "airline", str(small_run(tmp_path / "run")), "--out", str(out)]
    assert main(command) == 0
    assert all(valid("judgment", json.loads(line)) for line in out.read_text(encoding="utf-8").splitlines())
    assert valid("meta", json.loads((tmp_path / "rules.jsonl.meta.json").read_bytes()))
