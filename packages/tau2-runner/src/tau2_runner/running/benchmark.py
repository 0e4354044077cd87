"""The tau2-bench that is installed: whether it is the right package, the pinned commit, and where its data are."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
from dataclasses import dataclass
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from urllib.request import url2pathname

from tau2_runner.errors import RunnerError

if TYPE_CHECKING:
    from collections.abc import Mapping

PACKAGE = "tau2"
"""tau2-bench's import and distribution name. On PyPI it belongs to somebody else."""

COMMIT = "a03b7910bc968f706306e16017a9cb650caf7af2"
ADDRESS = "https://github.com/sierra-research/tau2-bench"

CODE_SHA256 = "7476bc3a444d0a95d3339f75b8f7f18e13ed8091249dd3fd890dc0d908730f73"
"""What `code_digest` gives at the pinned commit."""

DATA_VARIABLE = "TAU2_DATA_DIR"

INSTALL_HINT = "on Python 3.12 or 3.13 run: tau2-runner install-benchmark (PyPI's tau2 is an unrelated package)"

_LANDMARKS = ("registry.py", "orchestrator", "domains")
"""What tau2-bench's package has below it, and no other package of that name."""


@dataclass(frozen=True, slots=True)
class Benchmark:
    """An installed tau2-bench.

    Attributes:
        package: The folder of its package.
        version: The distribution's version.
        source: The folder that it was installed from, if that is known.
        pinned: Whether its code is that of the pinned commit.
    """

    package: Path
    version: str
    source: Path | None
    pinned: bool


def require_benchmark() -> Benchmark:
    """The installed tau2-bench. Nothing of it is imported.

    Raises:
        RunnerError: It is missing, or the package of that name is another one.
    """
    spec = importlib.util.find_spec(PACKAGE)
    folders = [Path(folder) for folder in (spec.submodule_search_locations or ())] if spec else []
    package = next((folder for folder in folders if is_package(folder)), None)
    if package is None:
        raise RunnerError(_unrelated() if spec else f"tau2-bench is not installed; {INSTALL_HINT}")
    installed = _distribution()
    return Benchmark(
        package,
        installed.version if installed else "unknown",
        installed_from(installed) if installed else None,
        pinned=code_digest(package) == CODE_SHA256,
    )


def is_package(folder: Path) -> bool:
    """Whether a folder is tau2-bench's package."""
    return all((folder / name).exists() for name in _LANDMARKS)


def code_digest(package: Path) -> str:
    """SHA-256, in hex, over the paths and contents of a package's Python files; line ends don't matter."""
    digest = hashlib.sha256()
    for path in sorted(package.rglob("*.py"), key=lambda path: path.relative_to(package).as_posix()):
        digest.update(path.relative_to(package).as_posix().encode() + b"\0")
        digest.update(path.read_bytes().replace(b"\r\n", b"\n") + b"\0")
    return digest.hexdigest()


def installed_from(installed: Distribution) -> Path | None:
    """The local folder that a distribution was installed from, as installers record it (PEP 610)."""
    try:
        address = urlsplit(json.loads(installed.read_text("direct_url.json") or "{}").get("url", ""))
    except ValueError:
        return None
    return Path(url2pathname(address.path)) if address.scheme == "file" else None


def data_folder(benchmark: Benchmark, environment: Mapping[str, str] = os.environ) -> Path:
    """The folder of tau2's data: the variable's, else that of the folder it was installed from.

    Raises:
        RunnerError: There is none, or it holds no domains.
    """
    if named := environment.get(DATA_VARIABLE):
        if not (Path(named) / "tau2" / "domains").is_dir():
            message = f"{DATA_VARIABLE}: {named}: has no folder tau2/domains"
            raise RunnerError(message)
        return Path(named)
    roots = (benchmark.package.parents[1], *([benchmark.source] if benchmark.source else []))
    for root in roots:
        if (root / "data" / "tau2" / "domains").is_dir():
            return root / "data"
    message = f"found no task data; set {DATA_VARIABLE} to the data folder of a tau2-bench checkout"
    raise RunnerError(message)


def _distribution() -> Distribution | None:
    try:
        return distribution(PACKAGE)
    except PackageNotFoundError:
        return None


def _unrelated() -> str:
    installed = _distribution()
    version = f" {installed.version}" if installed else ""
    return (
        f"the installed package {PACKAGE}{version} is not tau2-bench but an unrelated one of that name: "
        f"remove it (pip uninstall {PACKAGE}), then run: tau2-runner install-benchmark"
    )
