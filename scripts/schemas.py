"""Writes the JSON schemas of what crosses a file boundary into docs/schemas; with --check only says what is stale."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic.json_schema import GenerateJsonSchema

from bfcl_runner.drop import DropReport
from bfcl_runner.gating import GateReport
from bfcl_runner.records import RunRecord
from bfcl_runner.summary import Summary
from tau2_runner.running.records import RunRecord as Tau2RunRecord

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import BaseModel

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "schemas"

MODELS: Mapping[str, type[BaseModel]] = {
    "bfcl-runner/run.schema.json": RunRecord,
    "bfcl-runner/summary.schema.json": Summary,
    "bfcl-runner/gate.schema.json": GateReport,
    "bfcl-runner/drop.schema.json": DropReport,
    "tau2-runner/run.schema.json": Tau2RunRecord,
}
"""By file below `FOLDER`. The schemas of packages without such models are written by hand, in folders of their own."""


def schema_of(model: type[BaseModel]) -> dict[str, Any]:
    """The schema of a model, with the dialect that it is written in."""
    return {"$schema": GenerateJsonSchema.schema_dialect, **model.model_json_schema()}


def normalised(schema: Any) -> Any:
    """The schema without what some versions of pydantic spell out and others leave to the dialect's defaults."""
    if isinstance(schema, list):
        return [normalised(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    return {key: normalised(value) for key, value in schema.items() if (key, value) != ("additionalProperties", True)}


def stale(folder: Path = FOLDER) -> list[str]:
    """The files that are missing, say something else than their models, or lie beside these and belong to none."""
    folders = {Path(name).parent for name in MODELS}
    there = {path.relative_to(folder).as_posix() for place in folders for path in (folder / place).rglob("*.json")}
    return sorted(
        name
        for name in there | MODELS.keys()
        if name not in there
        or name not in MODELS
        or normalised(_read(folder / name)) != normalised(schema_of(MODELS[name]))
    )


def write(folder: Path = FOLDER) -> None:
    """Writes every schema."""
    for name, model in MODELS.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{json.dumps(schema_of(model), indent=2)}\n", encoding="utf-8")


def _read(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        return None


def main() -> int:
    """The exit status: 1 if something is stale that isn't to be written."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; status 1 if a schema is stale")
    if not parser.parse_args().check:
        write()
    left = stale()
    for name in left:
        print(f"docs/schemas/{name}: stale; run: python scripts/schemas.py", file=sys.stderr)
    return 1 if left else 0


if __name__ == "__main__":
    sys.exit(main())
