"""Puts tau2-bench at the pinned commit into this environment, with its dependencies, and finds its data a place."""

from __future__ import annotations

import importlib
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from gar_metrics import one_line
from tau2_runner.errors import RunnerError
from tau2_runner.running.benchmark import (
    ADDRESS,
    CODE_SHA256,
    COMMIT,
    DATA_VARIABLE,
    PACKAGE,
    code_digest,
    data_folder,
    is_package,
    require_benchmark,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

OLDEST, TOO_NEW = (3, 12), (3, 14)
"""The Pythons that the pinned commit allows: from the first on, before the second."""

PATHS = ("/pyproject.toml", "/README.md", "/LICENSE", "/src/", "/data/tau2/domains/", "/data/tau2/user_simulator/")
"""What is taken of the repository: the rest, recordings and results of others, is hundreds of megabytes."""


def install_benchmark(source: Path | None) -> list[str]:
    """Makes sure that tau2-bench is installed; returns lines that say what was done and where its data are.

    Args:
        source: A checkout to install from, or None to download the pinned commit.

    Raises:
        RunnerError: This Python is none that tau2-bench allows, the source is no checkout of it, it can't be
            downloaded, or no installer that was found could do it.
    """
    if not OLDEST <= sys.version_info[:2] < TOO_NEW:
        found = ".".join(map(str, sys.version_info[:2]))
        message = f"tau2-bench needs Python 3.12 or 3.13, and this is {found}: install tau2-runner there"
        raise RunnerError(message)
    if source is None and _is_ready():
        return [f"tau2-bench {COMMIT[:12]} is installed already"]
    checkout = _checked(source) if source else download(_store())
    _install(checkout)
    benchmark = require_benchmark()
    named = COMMIT[:12] if benchmark.pinned else f"{benchmark.version}, other code than the pinned {COMMIT[:12]}"
    try:
        data = f"data: {data_folder(benchmark)}; {DATA_VARIABLE} names another folder"
    except RunnerError as error:  # code alone can be installed, and isn't enough to run
        data = str(error)
    return [f"installed tau2-bench {named}", data]


def download(folder: Path, address: str = ADDRESS, commit: str = COMMIT) -> Path:
    """The folder, holding the commit's package and task data and nothing else of the repository.

    Raises:
        RunnerError: git is missing, or says why not.
    """
    if folder.is_dir():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
        clone, wanted = Path(scratch) / "clone", Path(scratch) / "wanted"
        clone.mkdir()
        _git(clone, "init", "--quiet")
        _git(clone, "remote", "add", "origin", address)
        _git(clone, "sparse-checkout", "set", "--no-cone", *PATHS)
        # Without the files that aren't asked for, where the server can leave them out.
        _git(clone, "fetch", "--quiet", "--depth", "1", "--filter=blob:none", "origin", commit)
        _git(clone, "checkout", "--quiet", "FETCH_HEAD")
        shutil.copytree(clone, wanted, ignore=shutil.ignore_patterns(".git"))
        wanted.rename(folder)  # whole or not at all
    return folder


def _store() -> Path:
    """Where the download stays: results are written below its data, and should outlive an environment."""
    base = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(base) / "tau2-runner" / f"tau2-bench-{COMMIT[:12]}"


def _is_ready() -> bool:
    try:
        benchmark = require_benchmark()
        data_folder(benchmark)
    except RunnerError:
        return False
    return benchmark.pinned


def _checked(source: Path) -> Path:
    package = source / "src" / PACKAGE
    if not ((source / "pyproject.toml").is_file() and is_package(package)):
        message = f"--source: {source}: no checkout of tau2-bench (pyproject.toml and src/{PACKAGE})"
        raise RunnerError(message)
    if code_digest(package) != CODE_SHA256:
        print(f"tau2-runner: warning: {source} is not at the pinned commit {COMMIT[:12]}", file=sys.stderr)
    return source.resolve()


def _install(checkout: Path) -> None:
    failures = []
    for name, installer in _installers():
        # The commands are fixed and run without a shell.
        done = subprocess.run([*installer, str(checkout)], capture_output=True, text=True, check=False)  # noqa: S603
        importlib.invalidate_caches()
        if done.returncode == 0:
            return
        failures.append(f"{name}: {_last_line(done.stderr)}")
    message = f"could not install {checkout} ({'; '.join(failures) or 'found neither pip nor uv'})"
    raise RunnerError(one_line(message))


def _installers() -> Iterator[tuple[str, Sequence[str]]]:
    """The installers at hand, each with its command to install, the likeliest first.

    Environments made by uv hold no pip, and uv may be a program or a package; the last resort is the pip that
    comes with CPython.
    """
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
    # uv would go by VIRTUAL_ENV or a .venv in the working directory, which may be somebody else's, and takes a
    # package of the same version for the same package.
    uv_install = ["pip", "install", "--quiet", "--python", sys.executable, "--reinstall-package", PACKAGE]
    if _importable("pip"):
        yield "pip", pip
    if uv := shutil.which("uv"):
        yield "uv", [uv, *uv_install]
    if _importable("uv"):
        yield "python -m uv", [sys.executable, "-m", "uv", *uv_install]
    if not _importable("pip") and _importable("ensurepip"):
        subprocess.run([sys.executable, "-m", "ensurepip"], capture_output=True, check=False)
        importlib.invalidate_caches()
        if _importable("pip"):
            yield "ensurepip", pip


def _importable(module: str) -> bool:
    return importlib.util.find_spec(module) is not None


def _git(folder: Path, *arguments: str) -> None:
    git = shutil.which("git")
    if git is None:
        message = "git is missing; get a checkout of tau2-bench and give it with --source"
        raise RunnerError(message)
    # As above: fixed commands, no shell.
    done = subprocess.run([git, "-C", str(folder), *arguments], capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode:
        message = f"git {arguments[0]}: {_last_line(done.stderr)}; a checkout at hand can be given with --source"
        raise RunnerError(one_line(message))


def _last_line(text: str) -> str:
    return next((line.strip() for line in reversed(text.splitlines()) if line.strip()), "no message")
