"""The record of a run, `run.json`: what is needed to run it again, and nothing secret."""

from __future__ import annotations

import hashlib
import platform
from datetime import datetime, timezone
from importlib.metadata import version
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, Field

from bfcl_runner import benchmark
from bfcl_runner.benchmark import upstream
from bfcl_runner.dataset import ID_PREFIX

if TYPE_CHECKING:
    from pathlib import Path

PACKAGES = ("bfcl-runner", "gar-metrics", "action-classifier", benchmark.DISTRIBUTION)


class Dataset(BaseModel):
    """The data that the cases come from."""

    model_config = ConfigDict(frozen=True)

    name: str
    version: str
    sha256: str = Field(description="Digest over the multi-turn questions, answers and function documents.")


class RunRecord(BaseModel):
    """What was run, with what, and when."""

    model_config = ConfigDict(frozen=True, protected_namespaces=())

    backend: str
    model: str
    model_dir: str = Field(description="Name of the model's folder under result/ and score/.")
    endpoint_host: str | None = Field(default=None, description="Host of the model's server; null for none.")
    sampling: dict[str, float | int | str] = Field(default_factory=dict)
    seed: int | None = None
    probe: str | None = None
    ruleset: str = "paper"
    categories: list[str]
    limit: int | None = Field(default=None, description="Cases per category; null for all.")
    jobs: int = 1
    dataset: Dataset
    versions: dict[str, str] = Field(description="Of Python and of every package involved.")
    argv: list[str]
    started: datetime
    finished: datetime | None = Field(default=None, description="Null while the run goes on.")

    def finish(self) -> RunRecord:
        """The same record with this moment as its end."""
        return self.model_copy(update={"finished": now()})

    def write(self, path: Path) -> None:
        """Puts the record into a file, replacing what was there in one step."""
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_name(f"{path.name}.partial")
        unfinished.write_text(self.model_dump_json(indent=2) + "\n", encoding="utf-8")
        unfinished.replace(path)


def now() -> datetime:
    """This moment, in UTC."""
    return datetime.now(timezone.utc)


def package_versions() -> dict[str, str]:
    """Versions of Python and of the packages that a run involves."""
    return {"python": platform.python_version()} | {package: version(package) for package in PACKAGES}


def dataset() -> Dataset:
    """The multi-turn data of the installed bfcl-eval."""
    data: Path = upstream("constants.eval_config").PROMPT_PATH
    digest = hashlib.sha256()
    for path in sorted([*data.rglob(f"*{ID_PREFIX}*.json"), *(data / "multi_turn_func_doc").glob("*.json")]):
        digest.update(path.relative_to(data).as_posix().encode())
        digest.update(path.read_bytes())
    return Dataset(name="bfcl-eval multi_turn", version=benchmark.VERSION, sha256=digest.hexdigest())
