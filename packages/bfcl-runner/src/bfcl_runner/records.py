"""The record of a run, `run.json`: what is needed to run it again, and nothing secret."""

from __future__ import annotations

import hashlib
import platform
from datetime import datetime, timezone
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from bfcl_runner import benchmark
from bfcl_runner.benchmark import upstream
from bfcl_runner.errors import RunnerError
from bfcl_runner.files import replace_file
from bfcl_runner.tracks import file_category, known_categories

if TYPE_CHECKING:
    from pathlib import Path

Document = TypeVar("Document", bound=BaseModel)

PACKAGES = ("bfcl-runner", "calibration-probes", "gar-metrics", "action-classifier", benchmark.DISTRIBUTION)


class Dataset(BaseModel):
    """The data that the cases come from."""

    model_config = ConfigDict(frozen=True)

    name: str
    version: str
    sha256: str = Field(description="Digest over the questions, answers and function documents.")


class Configuration(BaseModel):
    """What must be the same for two parts of one run: rows made under different ones don't belong together."""

    model_config = ConfigDict(frozen=True)

    backend: str
    model: str
    prompting: bool = False
    endpoint_host: str | None = Field(default=None, description="Host of the model's server; null for none.")
    command: str | None = Field(default=None, description="Program of backend `command`, and a digest of its line.")
    sampling: dict[str, Any] = Field(default_factory=dict, description="Request fields that decide the replies.")
    probe: str | None = None
    probe_settings: dict[str, Any] = Field(default_factory=dict, description="Limits and wording of the probes.")
    decoder: str = Field(default="structured", description="How calls are read from stored replies.")
    dataset: Dataset

    def differences(self, other: Configuration) -> list[str]:
        """What differs, one ``field: mine -> theirs`` each."""
        mine, theirs = _flat(self.model_dump()), _flat(other.model_dump())
        names = dict.fromkeys([*mine, *theirs])
        return [
            f"{name}: {mine.get(name)} -> {theirs.get(name)}" for name in names if mine.get(name) != theirs.get(name)
        ]


class RunRecord(BaseModel):
    """What was run, with what, and when."""

    model_config = ConfigDict(frozen=True, protected_namespaces=())

    model: str
    model_dir: str = Field(description="Name of the model's folder under result/ and score/.")
    configuration: Configuration
    mixed_with: list[Configuration] = Field(
        default_factory=list, description="Other configurations that rows of this directory were made under."
    )
    ruleset: str = "paper"
    categories: list[str]
    limit: int | None = Field(default=None, description="Cases per category; null for all.")
    cases: int = Field(description="Cases that were selected.")
    selected: dict[str, int] = Field(description="The same by category.")
    concurrency: int = 1
    jobs: int = 1
    versions: dict[str, str] = Field(description="Of Python and of every package involved.")
    argv: list[str]
    started: datetime
    finished: datetime | None = Field(default=None, description="Null while the run goes on.")

    def write(self, path: Path) -> None:
        """Puts the record into a file, replacing what was there in one step.

        Raises:
            RunnerError: The file can't be written.
        """
        replace_file(path, [f"{self.model_dump_json(indent=2)}\n".encode()])


def read_record(path: Path) -> RunRecord:
    """The record in a file.

    Raises:
        RunnerError: It can't be read or is no record of a run.
    """
    return read_document(path, RunRecord)


def read_document(path: Path, kind: type[Document]) -> Document:
    """The document of that kind in a JSON file.

    Raises:
        RunnerError: It can't be read or is none.
    """
    try:
        return kind.model_validate_json(path.read_bytes())
    except OSError as error:
        message = f"{path}: {error.strerror}"
        raise RunnerError(message) from None
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"])) or "file"
        message = f"{path}: {place}: {first['msg']}"
        raise RunnerError(message) from None


def now() -> datetime:
    """This moment, in UTC."""
    return datetime.now(timezone.utc)


def package_versions() -> dict[str, str]:
    """Versions of Python and of the packages that a run involves."""
    return {"python": platform.python_version()} | {package: version(package) for package in PACKAGES}


def dataset() -> Dataset:
    """The data of the installed bfcl-eval, for all categories that can be run."""
    data: Path = upstream("constants.eval_config").PROMPT_PATH
    names = [f"{file_category(category)}.json" for category in known_categories()]
    digest = hashlib.sha256()
    for path in sorted(
        [path for name in names for path in data.rglob(f"BFCL_v4_{name}")]
        + list((data / "multi_turn_func_doc").glob("*.json"))
    ):
        digest.update(path.relative_to(data).as_posix().encode())
        digest.update(path.read_bytes())
    return Dataset(name="bfcl-eval", version=benchmark.VERSION, sha256=digest.hexdigest())


def _flat(values: dict[str, object], prefix: str = "") -> dict[str, object]:
    """Nested dicts as one, with dotted names."""
    flat: dict[str, object] = {}
    for name, value in values.items():
        flat |= _flat(value, f"{prefix}{name}.") if isinstance(value, dict) else {f"{prefix}{name}": value}
    return flat
