"""The tables of `tau2-runner breakdown`: for people as text and Markdown, for machines as JSON and CSV."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING

from action_classifier import Action
from gar_metrics import one_line
from tau2_runner.analysis.detection import DETECTED
from tau2_runner.analysis.grid import ABSENT, interval, markdown, noted, percent, table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tau2_runner.analysis.breakdown import Breakdown, Calibration, Share

MEASURED = "measured"
"""What TOOL_CALL over the simulations with recorded checks is called."""

COLUMNS = ("class", "n", "GAR (%)", "95% interval", "Acc (%)", "95% interval", "GAR-Acc (pp)", "shown in (%)")

CSV_FIELDS = (
    "run", "domain", "model", "method", "row", "n", "gar_hits", "gar", "gar_ci95_low", "gar_ci95_high", "acc_hits",
    "acc", "acc_ci95_low", "acc_ci95_high", "delta", "capability_hits", "capability", "scored_simulations",
    "unscored_simulations", "pass_at_1", "pass_ci95_low", "pass_ci95_high", "null_agent_passes", "warnings",
)  # fmt: skip


def breakdown_text(breakdowns: Sequence[Breakdown]) -> str:
    """One block per run: heading, pass@1 beside the floor, a row per class, notes."""
    return "\n".join("\n".join(_block(breakdown)) + "\n" for breakdown in breakdowns)


def breakdown_markdown(breakdowns: Sequence[Breakdown]) -> str:
    """One pipe table over all runs, then each run's pass@1 and notes as a list."""
    head = ("run", *COLUMNS)
    rows = [(one_line(breakdown.run), *row) for breakdown in breakdowns for row in _rows(breakdown)]
    lines = [*markdown([head, *rows], text_columns=2), ""]
    for breakdown in breakdowns:
        lines.append(f"- {one_line(breakdown.run)}: {_passes(breakdown)}")
        lines += [f"  - {one_line(warning)}" for warning in breakdown.warnings]
    return "\n".join(lines) + "\n"


def breakdown_records(breakdowns: Sequence[Breakdown]) -> list[dict[str, object]]:
    """The runs as JSON-ready objects; rates are shares of 1, None where there is nothing to count."""
    return [
        {
            "run": breakdown.run,
            "domain": breakdown.domain,
            "model": breakdown.model,
            "method": breakdown.method,
            "scored_simulations": breakdown.passed.n,
            "unscored_simulations": breakdown.unscored,
            "pass_at_1": breakdown.passed.rate,
            "capability": {
                action.value: {"tasks_with_emission": share.hits, "tasks_total": share.n, "rate": share.rate}
                for action, share in breakdown.capability.items()
            },
            "calibration": {
                action.value: {
                    "gar_hits": cell.gar.hits,
                    "acc_hits": cell.acc.hits,
                    "denom": cell.gar.n,
                    "gar": cell.gar.rate,
                    "acc": cell.acc.rate,
                    "delta": cell.delta,
                }
                for action, cell in breakdown.calibration.items()
            },
            "warnings": list(breakdown.warnings),
        }
        for breakdown in breakdowns
    ]


def breakdown_json(breakdowns: Sequence[Breakdown]) -> str:
    """`breakdown_records` as indented JSON in ASCII."""
    return json.dumps(breakdown_records(breakdowns), indent=2) + "\n"


def breakdown_csv(breakdowns: Sequence[Breakdown]) -> str:
    """One line per run and class, `tool_call_measured` included; rates are shares of 1, empty where there is none."""
    text = io.StringIO()
    writer = csv.DictWriter(text, CSV_FIELDS, lineterminator="\n")
    writer.writeheader()
    for breakdown in breakdowns:
        writer.writerows(_csv_rows(breakdown))
    return text.getvalue()


def _block(breakdown: Breakdown) -> list[str]:
    setup = ", ".join(part or "unknown" for part in (breakdown.domain, breakdown.model, breakdown.method))
    return [
        one_line(breakdown.run),
        one_line(setup),
        "",
        _passes(breakdown),
        "",
        *table([COLUMNS, *_rows(breakdown)], text_columns=1),
        *noted(breakdown.warnings),
    ]


def _passes(breakdown: Breakdown) -> str:
    passed = breakdown.passed
    counts = f"{passed.hits} of {passed.n}, 95% interval {interval(passed.interval)}"
    rate = f"pass@1 {percent(passed.rate)}% ({counts})" if passed.n else "pass@1 - (nothing is scored)"
    floor = breakdown.floor
    if floor is None:
        return f"{rate}; what an agent that does nothing passes isn't known"
    return f"{rate}; an agent that does nothing: {percent(floor.rate)}% ({floor.hits} of {floor.n})"


def _cells(breakdown: Breakdown) -> Iterator[tuple[str, Calibration | None, Share | None]]:
    """Each row's name, its calibration and its capability, where it has them."""
    for action in DETECTED:
        yield action.name, breakdown.calibration.get(action), breakdown.capability[action]
        if action is Action.TOOL_CALL:
            yield f"{action.name} {MEASURED}", breakdown.measured, None


def _rows(breakdown: Breakdown) -> list[tuple[str, ...]]:
    return [
        (name, *_calibration(cell), ABSENT if shown is None else percent(shown.rate))
        for name, cell, shown in _cells(breakdown)
    ]


def _calibration(cell: Calibration | None) -> tuple[str, ...]:
    if cell is None:
        return (ABSENT,) * 6
    return (
        str(cell.gar.n),
        percent(cell.gar.rate),
        interval(cell.gar.interval),
        percent(cell.acc.rate),
        interval(cell.acc.interval),
        percent(cell.delta, sign="+"),
    )


def _csv_rows(breakdown: Breakdown) -> Iterator[dict[str, object]]:
    passed = breakdown.passed
    pass_low, pass_high = passed.interval or (None, None)
    common = {
        "run": breakdown.run,
        "domain": breakdown.domain,
        "model": breakdown.model,
        "method": breakdown.method,
        "scored_simulations": passed.n,
        "unscored_simulations": breakdown.unscored,
        "pass_at_1": passed.rate,
        "pass_ci95_low": pass_low,
        "pass_ci95_high": pass_high,
        "null_agent_passes": None if breakdown.floor is None else breakdown.floor.hits,
        "warnings": "; ".join(breakdown.warnings),
    }
    for name, cell, shown in _cells(breakdown):
        row: dict[str, object] = {**common, "row": name.lower().replace(" ", "_")}
        if shown is not None:
            row |= {"capability_hits": shown.hits, "capability": shown.rate}
        if cell is not None:
            gar_low, gar_high = cell.gar.interval or (None, None)
            acc_low, acc_high = cell.acc.interval or (None, None)
            row |= {"n": cell.gar.n, "gar_hits": cell.gar.hits, "gar": cell.gar.rate, "delta": cell.delta}
            row |= {"gar_ci95_low": gar_low, "gar_ci95_high": gar_high}
            row |= {"acc_hits": cell.acc.hits, "acc": cell.acc.rate}
            row |= {"acc_ci95_low": acc_low, "acc_ci95_high": acc_high}
        yield row
