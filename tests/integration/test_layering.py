"""Who imports whom: every arrow between the packages of the house is one of the plan."""

from __future__ import annotations

import ast
import importlib
import re
import sys
from typing import TYPE_CHECKING

import pytest

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# Import name -> folder, distribution, and the packages of the house that it may import.
HOUSE = {
    "action_classifier": ("action-classifier", "action-classifier", set()),
    "gar_metrics": ("gar-metrics", "gar-metrics", {"action_classifier"}),
    "calibration_probes": ("probes", "calibration-probes", {"action_classifier"}),
    "bfcl_runner": ("bfcl-runner", "bfcl-runner", {"action_classifier", "gar_metrics", "calibration_probes"}),
    "tau2_runner": ("tau2-runner", "tau2-runner", {"action_classifier", "gar_metrics", "calibration_probes"}),
    "confirm_judge": ("confirm-judge", "confirm-judge", {"action_classifier", "gar_metrics"}),
}
STANDARD_LIBRARY_ONLY = ("action_classifier", "gar_metrics", "calibration_probes")
OF_EXTRAS = {"gar_metrics/report/page.py": {"jinja2"}, "gar_metrics/plotting.py": {"matplotlib"}}
"""Module of a lower floor -> what it may import besides, from an extra of its distribution."""

PUBLIC_SUBPACKAGES = ("action_classifier.adapters", "gar_metrics.tau2")
"""Named in the ``__all__`` of the package that they belong to, with public names of their own."""

DISTRIBUTION_OF = {name: distribution for name, (_, distribution, _) in HOUSE.items()}


def _imports(source: Path) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Every module that a file imports, inside functions too, with the names taken from it."""
    for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((alias.name, ()) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{source}: relative import"
            yield str(node.module), tuple(alias.name for alias in node.names)


def _package_imports(repository: Path, package: str) -> list[tuple[Path, str, tuple[str, ...]]]:
    sources = sorted((repository / "packages" / HOUSE[package][0] / "src" / package).rglob("*.py"))
    assert sources
    return [(source, module, names) for source in sources for module, names in _imports(source)]


def _declared(repository: Path, package: str) -> set[str]:
    """The distributions that a package depends on, extras aside."""
    path = repository / "packages" / HOUSE[package][0] / "pyproject.toml"
    requirements = tomllib.loads(path.read_text(encoding="utf-8"))["project"]["dependencies"]
    return {re.split(r"[^A-Za-z0-9._-]", requirement)[0] for requirement in requirements}


@pytest.mark.parametrize("package", HOUSE)
def test_imports_follow_the_plan(repository: Path, package: str) -> None:
    """A package imports from the house only what stands below it, and declares what it imports."""
    used = {module.split(".")[0] for _, module, _ in _package_imports(repository, package)} & HOUSE.keys()
    assert used - {package} <= HOUSE[package][2]
    assert {DISTRIBUTION_OF[name] for name in used - {package}} <= _declared(repository, package)


@pytest.mark.parametrize("package", HOUSE)
def test_declared_dependencies_follow_the_plan(repository: Path, package: str) -> None:
    """A package declares no other package of the house, and those of the lower floors nothing else at all."""
    declared = _declared(repository, package)
    allowed = {DISTRIBUTION_OF[name] for name in HOUSE[package][2]}
    assert declared & set(DISTRIBUTION_OF.values()) <= allowed
    if package in STANDARD_LIBRARY_ONLY:
        assert declared <= allowed


@pytest.mark.parametrize("package", STANDARD_LIBRARY_ONLY)
def test_lower_floors_use_the_standard_library_only(repository: Path, package: str) -> None:
    """Nothing outside the standard library and the floor below is imported there, extras aside."""
    known = set(sys.stdlib_module_names) | {package} | HOUSE[package][2]
    for source, module, _ in _package_imports(repository, package):
        assert module.split(".")[0] in known | _of_extras(source), f"{source}: {module}"


def test_extras_are_declared(repository: Path) -> None:
    """What a module takes from an extra is a distribution that an extra of its package names, and is used there."""
    text = (repository / "packages" / "gar-metrics" / "pyproject.toml").read_text(encoding="utf-8")
    extras = tomllib.loads(text)["project"]["optional-dependencies"]
    declared = {re.split(r"[^A-Za-z0-9._-]", requirement)[0] for extra in extras.values() for requirement in extra}
    assert declared == set().union(*OF_EXTRAS.values())
    imported = {(source, module.split(".")[0]) for source, module, _ in _package_imports(repository, "gar_metrics")}
    assert {name for source, name in imported if name in _of_extras(source)} == declared


def _of_extras(source: Path) -> set[str]:
    return next((names for place, names in OF_EXTRAS.items() if source.as_posix().endswith(f"/src/{place}")), set())


@pytest.mark.parametrize("package", HOUSE)
def test_only_public_names_cross_a_package_border(repository: Path, package: str) -> None:
    """What one package takes from another is in the other's ``__all__``, never a module of its inside."""
    for source, module, names in _package_imports(repository, package):
        if module.split(".")[0] in HOUSE.keys() - {package}:
            assert module in (*HOUSE, *PUBLIC_SUBPACKAGES), f"{source}: {module} is an inner module"
            public = set(importlib.import_module(module).__all__)
            assert set(names) <= public, f"{source}: {set(names) - public}"


@pytest.mark.parametrize("subpackage", PUBLIC_SUBPACKAGES)
def test_public_subpackages_are_named(subpackage: str) -> None:
    """A sub-package whose names others may take is itself a public name."""
    package, _, name = subpackage.partition(".")
    assert name in importlib.import_module(package).__all__


def test_every_folder_is_in_the_plan(repository: Path) -> None:
    """A package that is added must be given its place here."""
    folders = {path.name for path in (repository / "packages").iterdir() if (path / "pyproject.toml").is_file()}
    assert folders == {folder for folder, _, _ in HOUSE.values()}


@pytest.mark.parametrize("package", HOUSE)
def test_every_package_is_complete(repository: Path, package: str) -> None:
    """Version, types marker, README, history and licence are there, and the public names are spelled out."""
    folder, distribution, _ = HOUSE[package]
    root = repository / "packages" / folder
    for file in (f"src/{package}/__about__.py", f"src/{package}/py.typed", "README.md", "CHANGELOG.md", "LICENSE"):
        assert (root / file).is_file(), file
    assert tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]["name"] == distribution
    module = importlib.import_module(package)
    assert "__version__" in module.__all__
    assert all(hasattr(module, name) for name in module.__all__)
