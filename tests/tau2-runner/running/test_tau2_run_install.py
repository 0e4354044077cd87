"""Getting tau2-bench into an environment, and what is said where it is missing or another package has its name."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from tau2_runner import RunnerError
from tau2_runner.running import benchmark, install

if TYPE_CHECKING:
    from pathlib import Path

BACKEND = '''
"""A build backend that needs nothing: a wheel is an archive."""
import zipfile
from pathlib import Path

def build_wheel(folder, config_settings=None, metadata_directory=None):
    name, info = "tau2-1.0.0-py3-none-any.whl", "tau2-1.0.0.dist-info"
    with zipfile.ZipFile(Path(folder) / name, "w") as wheel:
        for path in sorted(Path("src").rglob("*.py")):
            wheel.write(path, path.relative_to("src"))
        wheel.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\\nName: tau2\\nVersion: 1.0.0\\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
        wheel.writestr(f"{info}/RECORD", "")
    return name
'''


def _checkout(folder: Path) -> Path:
    """As much of a checkout of tau2-bench as is looked at, and more that isn't wanted."""
    files = {
        "pyproject.toml": '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["src"]\n'
        '[project]\nname = "tau2"\nversion = "1.0.0"\n',
        "src/backend.py": BACKEND,
        "README.md": "",
        "LICENSE": "",
        "src/tau2/__init__.py": "",
        "src/tau2/registry.py": "",
        "src/tau2/orchestrator/__init__.py": "",
        "src/tau2/domains/__init__.py": "",
        "data/tau2/domains/airline/tasks.json": "[]",
        "data/tau2/user_simulator/simulation_guidelines.md": "",
        "data/tau2/results/final/big.json": "{}",
        "web/index.html": "",
    }
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    return folder


def _elsewhere(tmp_path: Path, files: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """`tau2-runner run` where these files come before everything that is installed."""
    for name, content in files.items():
        path = tmp_path / "site" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    command = [sys.executable, "-m", "tau2_runner", "run", "--domain", "airline"]
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "site")}
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=60)


def test_the_unrelated_package(tmp_path: Path) -> None:
    """Another package of the name is told from tau2-bench, by its version, in one line; it isn't even imported."""
    done = _elsewhere(
        tmp_path,
        {
            "tau2/__init__.py": "raise RuntimeError",
            "tau2-3.1.4.dist-info/METADATA": "Metadata-Version: 2.1\nName: tau2\nVersion: 3.1.4\n",
        },
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "tau2-runner: the installed package tau2 3.1.4 is not tau2-bench but an unrelated one of that name: "
        "remove it (pip uninstall tau2), then run: tau2-runner install-benchmark\n"
    )


def test_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    """It says how to install it, and that PyPI's is another one."""
    monkeypatch.setattr(benchmark, "PACKAGE", "tau2_which_nobody_has")
    with pytest.raises(RunnerError) as caught:
        benchmark.require_benchmark()
    assert str(caught.value) == (
        "tau2-bench is not installed; on Python 3.12 or 3.13 run: tau2-runner install-benchmark "
        "(PyPI's tau2 is an unrelated package)"
    )


def test_missing_data(tmp_path: Path) -> None:
    """Data are looked for where the variable says, or beside the code; a folder without domains is none."""
    found = benchmark.Benchmark(tmp_path / "lib" / "site" / "tau2", "1.0.0", tmp_path / "source", pinned=True)
    with pytest.raises(RunnerError, match="found no task data; set TAU2_DATA_DIR"):
        benchmark.data_folder(found, {})
    with pytest.raises(RunnerError, match=r"TAU2_DATA_DIR: .*: has no folder tau2/domains"):
        benchmark.data_folder(found, {"TAU2_DATA_DIR": str(tmp_path)})
    (tmp_path / "source" / "data" / "tau2" / "domains").mkdir(parents=True)
    assert benchmark.data_folder(found, {}) == tmp_path / "source" / "data"
    elsewhere = _checkout(tmp_path / "other") / "data"
    assert benchmark.data_folder(found, {"TAU2_DATA_DIR": str(elsewhere)}) == elsewhere


def test_code_digest(tmp_path: Path) -> None:
    """It sees contents and names, not the line ends of a platform."""
    package = _checkout(tmp_path) / "src" / "tau2"
    (package / "registry.py").write_bytes(b"a\nb\n")
    before = benchmark.code_digest(package)
    (package / "registry.py").write_bytes(b"a\r\nb\r\n")
    assert before == benchmark.code_digest(package)
    (package / "registry.py").rename(package / "registri.py")
    assert before != benchmark.code_digest(package)


@pytest.mark.parametrize(
    ("record", "folder"),
    [
        ('{"url": "file:///tmp/a%20b", "dir_info": {}}', "/tmp/a b"),  # noqa: S108 (nothing is there)
        ('{"url": "https://github.com/x/y", "vcs_info": {"vcs": "git"}}', None),
        ("{", None),
        (None, None),
    ],
)
def test_installed_from(record: str | None, folder: str | None) -> None:
    """Installers record the folder that a package was installed from."""
    installed: Any = SimpleNamespace(read_text=lambda name: record if name == "direct_url.json" else None)
    source = benchmark.installed_from(installed)
    assert (source.as_posix() if source else None) == folder


def test_wrong_python(monkeypatch: pytest.MonkeyPatch) -> None:
    """tau2-bench has bounds of its own."""
    monkeypatch.setattr(install, "TOO_NEW", (3, 0))
    with pytest.raises(RunnerError, match=r"tau2-bench needs Python 3\.12 or 3\.13, and this is 3\.\d+"):
        install.install_benchmark(None)


def test_wrong_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder that is no checkout is refused before anything is installed."""
    monkeypatch.setattr(install, "OLDEST", (3, 0))
    monkeypatch.setattr(install, "TOO_NEW", (4, 0))
    with pytest.raises(RunnerError, match="no checkout of tau2-bench"):
        install.install_benchmark(tmp_path)


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_download(tmp_path: Path) -> None:
    """The commit's package and task data arrive, and nothing else of the repository; then it isn't asked again."""
    repository = _checkout(tmp_path / "repository")
    committed = {path.relative_to(repository).as_posix() for path in repository.rglob("*") if path.is_file()}
    identity = ["-c", "user.name=n", "-c", "user.email=e@localhost", "-c", "commit.gpgsign=false"]
    for words in (["init", "--quiet"], ["add", "."], [*identity, "commit", "--quiet", "-m", "x"]):
        subprocess.run(["git", *words], cwd=repository, check=True, timeout=60)  # noqa: S607
    head = subprocess.run(
        ["git", "rev-parse", "HEAD"],  # noqa: S607
        cwd=repository,
        check=True,
        timeout=60,
        capture_output=True,
        text=True,
    ).stdout.strip()
    store = tmp_path / "store" / "tau2-bench"
    assert install.download(store, repository.as_uri(), head) == store
    arrived = {path.relative_to(store).as_posix() for path in store.rglob("*") if path.is_file()}
    assert arrived == {name for name in committed if not name.startswith(("web", "data/tau2/results"))}
    assert install.download(store, "file:///gone", head) == store


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_download_that_fails(tmp_path: Path) -> None:
    """Git's own last line says why; nothing is left behind."""
    with pytest.raises(RunnerError, match=r"^git fetch: .*; a checkout at hand can be given with --source$"):
        install.download(tmp_path / "store", (tmp_path / "gone").as_uri(), "0" * 40)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@pytest.mark.skipif(sys.version_info[:2] not in {(3, 12), (3, 13)}, reason="tau2-bench needs Python 3.12 or 3.13")
def test_source_is_installed(tmp_path: Path) -> None:
    """From a checkout into an environment of its own: the code there, the data where the checkout has them."""
    source = _checkout(tmp_path / "source")
    subprocess.run([sys.executable, "-m", "venv", str(tmp_path / "v")], check=True, timeout=120)
    python = tmp_path / "v" / ("Scripts" if os.name == "nt" else "bin") / "python"
    # What this interpreter has, but after the packages of the environment.
    late = f"import sys; sys.path += {sys.path!r}\nfrom tau2_runner.cli import main\nmain()"
    done = subprocess.run(
        [str(python), "-c", late, "install-benchmark", "--source", str(source)],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env={name: value for name, value in os.environ.items() if name != "TAU2_DATA_DIR"},
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == f"tau2-runner: warning: {source} is not at the pinned commit a03b7910bc96\n"
    assert done.stdout.splitlines() == [
        "installed tau2-bench 1.0.0, other code than the pinned a03b7910bc96",
        f"data: {source / 'data'}; TAU2_DATA_DIR names another folder",
    ]
    (record,) = (tmp_path / "v").rglob("direct_url.json")
    assert json.loads(record.read_text(encoding="utf-8"))["url"] == source.as_uri()
