"""The JSON schemas in docs/schemas are those of the models whose documents cross a file boundary."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path
    from types import ModuleType


@pytest.fixture(scope="module")
def schemas(repository: Path) -> ModuleType:
    """The script, as a module."""
    spec = importlib.util.spec_from_file_location("schemas", repository / "scripts" / "schemas.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_schema_is_that_of_its_model(schemas: ModuleType, repository: Path) -> None:
    """Field by field: a change of a model needs `python scripts/schemas.py`, and a look at who reads the files."""
    for name, model in schemas.MODELS.items():
        written = json.loads((repository / "docs" / "schemas" / name).read_text(encoding="utf-8"))
        assert written.pop("$schema") == "https://json-schema.org/draft/2020-12/schema"
        assert schemas.normalised(model.model_json_schema()) == schemas.normalised(written)


def test_no_schema_is_left_over(schemas: ModuleType) -> None:
    """Every file in a folder of generated schemas belongs to a model."""
    assert schemas.stale() == []


def test_stale_schemas_are_named(schemas: ModuleType, tmp_path: Path) -> None:
    """What is missing, changed, no JSON or nobody's is stale; details in which versions of pydantic differ are not."""
    schemas.write(tmp_path)
    assert schemas.stale(tmp_path) == []
    missing, changed, broken, other_version, *_ = (tmp_path / name for name in sorted(schemas.MODELS))
    missing.unlink()
    changed.write_text(changed.read_text(encoding="utf-8").replace("Percent", "Share"), encoding="utf-8")
    broken.write_text("{", encoding="utf-8")
    schema = json.loads(other_version.read_text(encoding="utf-8"))
    other_version.write_text(json.dumps({"additionalProperties": True, **schema}), encoding="utf-8")
    nobodys = missing.with_name("nobodys.schema.json")
    nobodys.write_text("{}", encoding="utf-8")
    by_hand = tmp_path / "another-package" / "by-hand.schema.json"
    by_hand.parent.mkdir()
    by_hand.write_text("{}", encoding="utf-8")
    assert [tmp_path / name for name in schemas.stale(tmp_path)] == sorted([missing, changed, broken, nobodys])


def test_check(repository: Path) -> None:
    """The command says nothing, with status 0, where nothing is stale."""
    command = [sys.executable, str(repository / "scripts" / "schemas.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
