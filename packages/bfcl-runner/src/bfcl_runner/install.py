"""Puts the pinned bfcl-eval wheel into this environment, without the 6 GB of dependencies that it declares."""

from __future__ import annotations

import importlib
import importlib.util
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from bfcl_runner.benchmark import DISTRIBUTION, VERSION, WHEEL_SHA256, installed_version
from bfcl_runner.errors import RunnerError

if TYPE_CHECKING:
    from collections.abc import Iterator

REQUIREMENT = f"{DISTRIBUTION}=={VERSION} --hash=sha256:{WHEEL_SHA256}\n"
"""The digest is checked by the installer before anything is unpacked."""


def install_benchmark() -> bool:
    """Makes sure that the pinned release is installed; returns whether it had to be put there.

    Raises:
        RunnerError: No installer that was found could do it.
    """
    if installed_version() == VERSION:
        return False
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        requirements = Path(folder) / "bfcl-eval.txt"
        requirements.write_text(REQUIREMENT, encoding="utf-8")
        options = ["--no-deps", "--require-hashes", "--requirement", str(requirements)]
        for name, installer in _installers():
            # The commands are fixed and run without a shell.
            done = subprocess.run([*installer, *options], capture_output=True, text=True, check=False)  # noqa: S603
            importlib.invalidate_caches()
            if done.returncode == 0 and installed_version() == VERSION:
                return True
            failures.append(f"{name}: {_last_line(done.stderr)}")
    message = f"could not install {DISTRIBUTION} {VERSION} ({'; '.join(failures) or 'found neither pip nor uv'})"
    raise RunnerError(message)


def _installers() -> Iterator[tuple[str, list[str]]]:
    """The installers at hand, each with its command to install, the likeliest first.

    Environments made by uv hold no pip, and uv may be a program or a package; the last resort is the pip that
    comes with CPython.
    """
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install"]
    # uv would go by VIRTUAL_ENV or a .venv in the working directory, which may be somebody else's.
    uv_install = ["pip", "install", "--quiet", "--python", sys.executable]
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


def _last_line(text: str) -> str:
    return next((line.strip() for line in reversed(text.splitlines()) if line.strip()), "no message")
