"""The record of a run, `run.json` beside tau2's results: what made them, and nothing secret."""

from __future__ import annotations

import hashlib
import platform
from datetime import datetime, timezone
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from gar_metrics import one_line
from tau2_runner.errors import RunnerError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

FILE_NAME = "run.json"

PACKAGES = ("tau2-runner", "calibration-probes", "gar-metrics", "action-classifier", "tau2", "litellm")

ADDRESS_FIELDS = ("api_base", "base_url")
"""How litellm names the address of a model's server; it may change within a run."""


class Dataset(BaseModel):
    """The data that the tasks come from."""

    model_config = ConfigDict(frozen=True)

    name: str = "tau2-bench"
    commit: str | None = Field(description="The pinned commit; null if the installed code is another.")
    sha256: str = Field(description="Digest over the files of the domain's folder: tasks, policy, database.")


class Role(BaseModel):
    """Who plays a part."""

    model_config = ConfigDict(frozen=True)

    implementation: str | None = Field(default=None, description="tau2's name of the agent or user; null for a judge.")
    llm: str | None = None
    llm_args: dict[str, Any] = Field(default_factory=dict, description="Request fields; keys are hidden.")
    endpoint_host: str | None = Field(default=None, description="Host of the model's server, if one was named.")


class Configuration(BaseModel):
    """What must be the same for two parts of one run: simulations made under different ones don't belong together."""

    model_config = ConfigDict(frozen=True)

    domain: str
    agent: Role
    user: Role
    judge: Role | None = Field(default=None, description="The judge of assertions; null for tau2's own.")
    probe: str | None = Field(default=None, description="Probe and variant, such as sri_lite:ablation_no_state.")
    probe_settings: dict[str, int] = Field(default_factory=dict)
    coerce_json_calls: bool = False
    offline: str | None = Field(default=None, description="The scripted agent that played; null for a model.")
    seed: int | None = None
    max_steps: int | None = None
    max_errors: int | None = None


class RunRecord(BaseModel):
    """What was run, with what, and when."""

    model_config = ConfigDict(frozen=True)

    configuration: Configuration
    dataset: Dataset
    num_trials: int
    ruleset: str = "paper"
    versions: dict[str, str] = Field(description="Of Python and of every package involved.")
    argv: list[str]
    started: datetime
    finished: datetime | None = Field(default=None, description="Null while the run goes on.")

    def write(self, path: Path) -> None:
        """Puts the record into a file, replacing what was there in one step.

        Raises:
            RunnerError: The file can't be written.
        """
        unfinished = path.with_name(f"{path.name}.partial")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            unfinished.write_text(f"{self.model_dump_json(indent=2)}\n", encoding="utf-8")
            unfinished.replace(path)
        except OSError as error:
            message = f"{path}: {error.strerror}"
            raise RunnerError(one_line(message)) from None


def read_record(path: Path) -> RunRecord | None:
    """The record in a file, or None if there is no file.

    Raises:
        RunnerError: It can't be read or is no record of a run.
    """
    try:
        return RunRecord.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return None
    except OSError as error:
        message = f"{path}: {error.strerror}"
        raise RunnerError(one_line(message)) from None
    except ValidationError as error:
        first = error.errors()[0]
        message = f"{path}: {'.'.join(map(str, first['loc'])) or 'file'}: {first['msg']}"
        raise RunnerError(one_line(message)) from None


def role(implementation: str | None, llm: str | None, llm_args: Mapping[str, Any] | None) -> Role:
    """The record of a role; the address of its server becomes a host."""
    given = dict(llm_args or {})
    addresses = [given.pop(name) for name in ADDRESS_FIELDS if name in given]
    host = next((urlsplit(str(address)).hostname for address in addresses), None)
    return Role(implementation=implementation, llm=llm, llm_args=given, endpoint_host=host)


def dataset(data: Path, domain: str, commit: str | None) -> Dataset:
    """The data of a domain, with a digest over the files that lie in its folder."""
    digest = hashlib.sha256()
    folder = data / "tau2" / "domains" / domain
    for path in sorted(path for path in folder.glob("*") if path.is_file()):
        digest.update(path.name.encode() + b"\0")
        digest.update(path.read_bytes())
    return Dataset(commit=commit, sha256=digest.hexdigest())


def now() -> datetime:
    """This moment, in UTC."""
    return datetime.now(timezone.utc)


def package_versions() -> dict[str, str]:
    """Versions of Python and of the packages that a run involves."""
    return {"python": platform.python_version()} | {package: _version(package) for package in PACKAGES}


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "unknown"
