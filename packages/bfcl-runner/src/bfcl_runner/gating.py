"""Whether a run is good enough: the accuracy of each category against a bound.

An evaluation that a frontier model, or the scripted oracle, doesn't pass has to be mended before it says anything
about other models.
"""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, Field

from bfcl_runner.errors import RunnerError
from bfcl_runner.inspecting import inert, open_run
from bfcl_runner.summary import Summary, read_summary
from bfcl_runner.tracks import parse_category
from gar_metrics import wilson

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path


class Rate(BaseModel):
    """A share of cases that pass."""

    model_config = ConfigDict(frozen=True)

    cases: int
    correct: int
    accuracy: float = Field(description="Percent.")
    interval: tuple[float, float] = Field(description="Wilson's 95% interval of the accuracy, in percent.")

    @classmethod
    def of(cls, correct: int, cases: int) -> Rate:
        """The rate of so many correct cases."""
        low, high = wilson(correct, cases)
        return cls(
            cases=cases,
            correct=correct,
            accuracy=100 * correct / cases if cases else 0.0,
            interval=(100 * low, 100 * high),
        )

    def __str__(self) -> str:
        low, high = self.interval
        return f"{self.accuracy:.1f}% ({self.correct}/{self.cases}, 95% interval {low:.1f} to {high:.1f})"


class CategoryGate(Rate):
    """One category and its bound."""

    category: str
    bound: float = Field(description="Percent; an accuracy that equals it passes.")
    passed: bool


class GateReport(BaseModel):
    """What came of a gate."""

    model_config = ConfigDict(frozen=True)

    model: str
    passed: bool = Field(description="Whether every category passed.")
    categories: list[CategoryGate]


def scored_summary(directory: Path) -> Summary:
    """The summary of a run that went to its end.

    Raises:
        RunnerError: There is no run, or it isn't finished and scored.
    """
    layout, record = open_run(directory)
    if record.finished is None or not layout.summary.exists():
        message = f"{directory}: not scored: the run has not come to its end"
        raise RunnerError(message)
    return read_summary(layout.summary)


def gate(summary: Summary, bounds: Mapping[str, float]) -> GateReport:
    """The accuracy of each category that has a bound, in percent, against it; it passes unless it is below.

    The accuracy itself decides; its interval says how far chance may have decided.

    Raises:
        RunnerError: The run holds no case of a category.
    """
    gates = []
    for category, bound in bounds.items():
        if category not in summary.categories:
            message = f"category {category} has a bound, but the run of {summary.model} holds no case of it"
            raise RunnerError(message)
        figures = summary.categories[category]
        rate = Rate.of(figures.correct, figures.cases)
        gates.append(CategoryGate(**dict(rate), category=category, bound=bound, passed=rate.accuracy >= bound))
    return GateReport(model=summary.model, passed=all(gate.passed for gate in gates), categories=gates)


def chosen_bounds(categories: Iterable[str], min_acc: float | None, reference: Path | None) -> dict[str, float]:
    """The bound of each category, in percent: one for all categories, or those of a reference file.

    Raises:
        RunnerError: Not exactly one of the two is given, or it holds no percentages.
    """
    if min_acc is not None and reference is None:
        bound = _percentage(min_acc, "--min-acc")
        return dict.fromkeys(categories, bound)
    if reference is not None and min_acc is None:
        return read_reference(reference)
    message = "give either --min-acc or --reference: no bound suits every model"
    raise RunnerError(message)


def read_reference(path: Path) -> dict[str, float]:
    """The bound of each category, in percent: from an object of such numbers, or the summary of another run.

    Raises:
        RunnerError: The file can't be read, or is neither.
    """
    try:
        content = json.loads(path.read_bytes())
    except OSError as error:
        message = f"{path}: {error.strerror}"
        raise RunnerError(message) from None
    except (ValueError, RecursionError) as error:
        message = f"{path}: not JSON: {error}"
        raise RunnerError(message) from None
    if isinstance(content, dict) and "categories" in content:
        return {category: figures.accuracy for category, figures in read_summary(path).categories.items()}
    if not isinstance(content, dict) or not content:
        message = f"{path}: expected an object of categories with percentages, or a summary.json"
        raise RunnerError(message)
    return _bounds(path, content)


def _bounds(path: Path, content: dict[str, Any]) -> dict[str, float]:
    bounds: dict[str, float] = {}
    for name, percent in content.items():
        category = parse_category(name, str(path))
        if category in bounds:
            message = f"{path}: {name}: {category} is named twice"
            raise RunnerError(message)
        bounds[category] = _percentage(percent, f"{path}: {name}")
    return bounds


def _percentage(value: object, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        message = f"{where}: expected a percentage, got {value!r}"
        raise RunnerError(message)
    if not 0 <= value <= 100:
        message = f"{where}: a percentage lies between 0 and 100, got {value!r}"
        raise RunnerError(message)
    return float(value)


def gate_lines(report: GateReport) -> Iterator[str]:
    """The report for people: a line per category, and the categories that fail."""
    yield inert(report.model)
    width = max(len(gate.category) for gate in report.categories)
    for gate in report.categories:
        state = "passed" if gate.passed else "FAILED"
        within = ", which lies within the interval" if gate.interval[0] <= gate.bound <= gate.interval[1] else ""
        yield f"  {state}  {gate.category:<{width}}  {gate}, bound {gate.bound:.1f}%{within}"
    below = [gate.category for gate in report.categories if not gate.passed]
    yield f"below the bound: {', '.join(below)}" if below else "no category is below its bound"
