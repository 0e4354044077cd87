"""The figures of a run, `summary.json` and `summary.md`, made from its files whenever they change."""

from __future__ import annotations

import json
from collections import Counter
from statistics import quantiles
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, Field

from bfcl_runner.display import numbers_in, tokens_of
from bfcl_runner.error_rows import is_error
from bfcl_runner.files import replace_file
from bfcl_runner.options import NO_PRICES, Prices
from bfcl_runner.records import RunRecord, read_document

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from bfcl_runner.layout import RunLayout
    from bfcl_runner.loop import Row


class Latency(BaseModel):
    """Seconds per request."""

    model_config = ConfigDict(frozen=True)

    p50: float
    p90: float
    p99: float
    longest: float


class CategoryFigures(BaseModel):
    """What came out of one category."""

    model_config = ConfigDict(frozen=True)

    cases: int
    correct: int
    accuracy: float = Field(description="Percent of the cases; an error row counts as wrong.")
    infrastructure_errors: int = Field(description="Rows that got no reply.")
    failures: dict[str, int] = Field(description="Failing cases by the checker's error type.")
    requests: int
    input_tokens: int
    output_tokens: int
    latency_seconds: Latency | None = Field(description="Null where no request was made.")


class Summary(BaseModel):
    """A run in figures."""

    model_config = ConfigDict(frozen=True)

    model: str
    cases: int
    correct: int
    overall_accuracy: float = Field(
        description="Percent, pooled over the cases. (The overall Acc beside GAR is the mean of the categories.)"
    )
    infrastructure_errors: int
    input_tokens: int
    output_tokens: int
    cost: float | None = Field(description="In the currency of the prices; null without prices.")
    categories: dict[str, CategoryFigures]
    run: RunRecord


def write_summary(layout: RunLayout, record: RunRecord, prices: Prices = NO_PRICES) -> Summary:
    """The summary of a run, written beside its record as JSON and Markdown.

    Raises:
        RunnerError: A file can't be written.
    """
    categories = {
        category: _figures(layout.result(category), layout.score(category))
        for category in record.categories
        if layout.score(category).exists()
    }
    cases = sum(figures.cases for figures in categories.values())
    correct = sum(figures.correct for figures in categories.values())
    input_tokens = sum(figures.input_tokens for figures in categories.values())
    output_tokens = sum(figures.output_tokens for figures in categories.values())
    summary = Summary(
        model=record.model,
        cases=cases,
        correct=correct,
        overall_accuracy=_percent(correct, cases),
        infrastructure_errors=sum(figures.infrastructure_errors for figures in categories.values()),
        input_tokens=input_tokens,
        output_tokens=output_tokens,
        cost=prices.cost(input_tokens, output_tokens),
        categories=categories,
        run=record,
    )
    replace_file(layout.summary, [f"{summary.model_dump_json(indent=2)}\n".encode()])
    replace_file(layout.summary.with_suffix(".md"), [render_markdown(summary).encode()])
    return summary


def read_summary(path: Path) -> Summary:
    """The summary in a file.

    Raises:
        RunnerError: It can't be read or is no summary of a run.
    """
    return read_document(path, Summary)


def _figures(results: Path, scores: Path) -> CategoryFigures:
    errors = requests = input_tokens = output_tokens = 0
    latencies: list[float] = []
    for row in _json_lines(results):
        errors += is_error(row["result"])
        seconds = list(numbers_in(row.get("latency")))
        latencies += seconds
        requests += len(seconds)
        input_tokens += tokens_of(row, "input_token_count")
        output_tokens += tokens_of(row, "output_token_count")
    header, *failing = _json_lines(scores)
    return CategoryFigures(
        cases=header["total_count"],
        correct=header["correct_count"],
        accuracy=_percent(header["correct_count"], header["total_count"]),
        infrastructure_errors=errors,
        failures=dict(Counter(_error_type(line) for line in failing).most_common()),
        requests=requests,
        input_tokens=input_tokens,
        output_tokens=output_tokens,
        latency_seconds=_latency(latencies),
    )


def _json_lines(path: Path) -> Iterator[Row]:
    with path.open("rb") as stream:
        yield from (json.loads(line) for line in stream if line.strip())


def _latency(seconds: list[float]) -> Latency | None:
    if not seconds:
        return None
    # `quantiles` wants two points; a single request is its own percentile.
    cuts = quantiles(seconds if len(seconds) > 1 else seconds * 2, n=100, method="inclusive")
    return Latency(
        p50=round(cuts[49], 6), p90=round(cuts[89], 6), p99=round(cuts[98], 6), longest=round(max(seconds), 6)
    )


def _error_type(line: dict[str, Any]) -> str:
    error = line.get("error")
    name = error.get("error_type") if isinstance(error, dict) else line.get("error_type")
    return str(name or "unknown")


def _percent(part: int, whole: int) -> float:
    return 100 * part / whole if whole else 0.0


def render_markdown(summary: Summary) -> str:
    """The summary as a page for people."""
    configuration = summary.run.configuration
    lines = [
        f"# {_inert(summary.model)}",
        "",
        f"{summary.correct} of {summary.cases} cases pass: {summary.overall_accuracy:.2f}% pooled over the cases.",
        f"{summary.infrastructure_errors} cases got no reply (they count as wrong).",
        f"{summary.input_tokens} tokens in, {summary.output_tokens} out."
        + ("" if summary.cost is None else f" Cost: {summary.cost:.2f}."),
        "",
        "| category | cases | correct | accuracy (%) | no reply | requests | p50 (s) | p90 (s) | p99 (s) |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for category, figures in summary.categories.items():
        latency = figures.latency_seconds
        seconds = [f"{value:.3f}" for value in (latency.p50, latency.p90, latency.p99)] if latency else ["-"] * 3
        numbers = [figures.cases, figures.correct, f"{figures.accuracy:.1f}", figures.infrastructure_errors]
        lines.append("| " + " | ".join(map(str, [category, *numbers, figures.requests, *seconds])) + " |")
    lines += ["", "## Why cases fail", ""]
    failures = [
        f"- {category}: {error_type} {count}"
        for category, figures in summary.categories.items()
        for error_type, count in figures.failures.items()
    ]
    lines += failures or ["None does."]
    lines += ["", "## Configuration", ""]
    lines += [f"- {name}: {_inert(str(value))}" for name, value in configuration.model_dump().items()]
    lines += [f"- versions: {summary.run.versions}", f"- started {summary.run.started}, ended {summary.run.finished}"]
    return "\n".join(lines) + "\n"


def _inert(text: str) -> str:
    """Text that can't end a line or open markup."""
    return " ".join(text.split()).replace("<", "&lt;").replace("|", "\\|")
