"""What the smaller commands print: classes of tasks, ASK subsets, reward audits, pass^k and comparisons."""

from __future__ import annotations

from typing import TYPE_CHECKING

from action_classifier import Action
from gar_metrics import one_line
from tau2_runner.analysis.grid import ABSENT, interval, noted, percent, table
from tau2_runner.analysis.honesty import file_warnings, label_warnings
from tau2_runner.analysis.task_classes import task_classes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from gar_metrics.tau2 import Tau2Run
    from tau2_runner.analysis.ask_subset import AskLabel
    from tau2_runner.analysis.breakdown import Calibration
    from tau2_runner.analysis.compare import Comparison, Trial
    from tau2_runner.analysis.domains import Domain
    from tau2_runner.analysis.passk import PassK
    from tau2_runner.analysis.reward_audit import RewardAudit

TASK_COLUMNS = (Action.TOOL_CALL, Action.REFUSE, Action.ASK)


def class_records(domains: Iterable[Domain]) -> dict[str, dict[str, list[str]]]:
    """The classes of every task, by domain and id."""
    return {
        domain.name: {task.id: [action.name for action in task_classes(task)] for task in domain.tasks.values()}
        for domain in domains
    }


def classes_text(domains: Sequence[Domain]) -> str:
    """How many tasks of each domain call for each class, and which ones call for REFUSE and ASK."""
    found = {
        domain.name: {
            action: [task.id for task in domain.tasks.values() if action in task_classes(task)]
            for action in TASK_COLUMNS
        }
        for domain in domains
    }
    rows = [
        (domain.name, str(len(domain.tasks)), *(str(len(ids)) for ids in found[domain.name].values()))
        for domain in domains
    ]
    head = ("domain", "tasks", *(action.name for action in TASK_COLUMNS))
    lines = [*table([head, *rows], text_columns=1), ""]
    for name, by_class in found.items():
        lines += [one_line(f"{name} {action.name}: {_listed(by_class[action])}") for action in TASK_COLUMNS[1:]]
    return "\n".join([*lines, *noted(_prefixed(domains))]) + "\n"


def subset_record(run: Tau2Run, subsets: Mapping[str, Calibration]) -> dict[str, object]:
    """A run's ASK subsets as a JSON-ready object: n, and GAR, Acc and their difference in percent."""
    return {"run": run.name, "domain": run.domain, **{name: _percents(cell) for name, cell in subsets.items()}}


def subsets_text(subsets: Sequence[tuple[Tau2Run, Mapping[str, Calibration]]], labels: Sequence[AskLabel]) -> str:
    """One table over all runs, then what is odd about their trials and about the tasks that the labels are of."""
    labelled = {run.domain: {label.task_id for label in labels if label.domain == run.domain} for run, _ in subsets}
    head = ("run", "subset", "n", "GAR (%)", "95% interval", "Acc (%)", "95% interval", "GAR-Acc (pp)")
    rows = [
        (
            run.name,
            name,
            str(cell.gar.n),
            percent(cell.gar.rate),
            interval(cell.gar.interval),
            percent(cell.acc.rate),
            interval(cell.acc.interval),
            percent(cell.delta, sign="+"),
        )
        for run, by_name in subsets
        for name, cell in by_name.items()
    ]
    warnings = [f"{run.name}: {warning}" for run, _ in subsets for warning in label_warnings(run, labelled[run.domain])]
    return "\n".join([*table([head, *rows], text_columns=2), *noted(warnings)]) + "\n"


def audit_record(audit: RewardAudit) -> dict[str, object]:
    """A reward audit as a JSON-ready object."""
    return {
        "domain": audit.domain,
        "n": audit.n,
        "write_tools": _list(audit.write_tools),
        "reward_basis_combo": audit.combinations,
        "reward_basis_flag": audit.parts,
        "zero_action_ids": list(audit.without_actions),
        "db_unchanged_correct_ids": _list(audit.unchanged),
        "db_unchanged_correct_no_nl_judge_ids": _list(audit.unchanged_unjudged),
        "warnings": list(audit.warnings),
    }


def audits_text(audits: Sequence[RewardAudit]) -> str:
    """One block per domain."""
    return "\n".join("\n".join(map(one_line, _audit_lines(audit))) + "\n" for audit in audits)


def _audit_lines(audit: RewardAudit) -> Iterator[str]:
    yield f"{audit.domain}, {audit.n} tasks"
    yield f"  scored by      {_counted(audit.combinations)}"
    yield f"  parts          {_counted(audit.parts)}"
    tools, unchanged, unjudged = audit.write_tools, audit.unchanged, audit.unchanged_unjudged
    yield f"  WRITE tools    {'unknown' if tools is None else ', '.join(tools) or ABSENT}"
    yield f"  no reference action ({len(audit.without_actions)}): {_listed(audit.without_actions)}"
    if unchanged is not None and unjudged is not None:
        yield f"  right outcome leaves the database unchanged ({len(unchanged)}): {_listed(unchanged)}"
        yield f"  of these without NL_ASSERTION ({len(unjudged)}): {_listed(unjudged)}"
    yield from (f"  note: {warning}" for warning in audit.warnings)


def pass_k_record(run: Tau2Run, values: Iterable[PassK]) -> dict[str, object]:
    """A run's pass^k as a JSON-ready object; rates and bounds are shares of 1."""
    return {
        "run": run.name,
        "domain": run.domain,
        "pass_k": [
            {
                "k": value.k,
                "tasks": value.tasks,
                "tasks_left_out": value.left_out,
                "rate": value.rate,
                "ci95": None if value.interval is None else list(value.interval),
            }
            for value in values
        ],
        "warnings": list(file_warnings(run)),
    }


def pass_k_text(runs: Sequence[tuple[Tau2Run, Sequence[PassK]]]) -> str:
    """One table over all runs, then what is odd about their trials."""
    head = ("run", "k", "tasks", "left out", "pass^k (%)", "95% interval")
    rows = [
        (run.name, str(value.k), str(value.tasks), str(value.left_out), percent(value.rate), interval(value.interval))
        for run, values in runs
        for value in values
    ]
    warnings = [f"{run.name}: {warning}" for run, _ in runs for warning in file_warnings(run)]
    return "\n".join([*table([head, *rows], text_columns=1), *noted(warnings)]) + "\n"


def comparison_record(first: Tau2Run, second: Tau2Run, comparison: Comparison) -> dict[str, object]:
    """A comparison as a JSON-ready object; rates are shares of 1."""
    return {
        "baseline": first.name,
        "treatment": second.name,
        "domain": first.domain,
        "tasks": comparison.tasks,
        "trials": comparison.baseline.n,
        "baseline_pass_at_1": comparison.baseline.rate,
        "treatment_pass_at_1": comparison.treatment.rate,
        "difference": comparison.difference,
        "ci95": list(comparison.interval),
        "ci95_method": "bootstrap over tasks" if comparison.bootstrapped else "Tango",
        "mcnemar_p": comparison.p,
        "gained": [list(trial) for trial in comparison.gained],
        "lost": [list(trial) for trial in comparison.lost],
        "warnings": list(comparison.warnings),
    }


def comparison_text(first: Tau2Run, second: Tau2Run, comparison: Comparison) -> str:
    """Both rates, the difference with its interval, and the trials that flipped."""
    rows = [
        (name, str(share.n), str(share.hits), percent(share.rate), interval(share.interval))
        for name, share in zip((first.name, second.name), (comparison.baseline, comparison.treatment), strict=True)
    ]
    method = "bootstrap over tasks" if comparison.bootstrapped else "Tango"
    difference = percent(comparison.difference, sign="+")
    caution = ", trials taken for independent" if comparison.bootstrapped else ""
    lines = [
        *table([("run", "trials", "passed", "pass@1 (%)", "95% interval"), *rows], text_columns=1),
        "",
        f"difference {difference} pp, 95% interval {interval(comparison.interval)} ({method})",
        f"exact McNemar p {comparison.p:.3g}{caution}",
        f"gained ({len(comparison.gained)}): {_trials(comparison.gained)}",
        f"lost ({len(comparison.lost)}): {_trials(comparison.lost)}",
    ]
    return "\n".join([*map(one_line, lines), *noted(comparison.warnings)]) + "\n"


def _percents(cell: Calibration) -> dict[str, object]:
    n = cell.gar.n
    gar, acc = (100 * share.hits / n if n else None for share in (cell.gar, cell.acc))
    return {"n": n, "gar": gar, "acc": acc, "delta": None if gar is None or acc is None else gar - acc}


def _list(values: Iterable[str] | None) -> list[str] | None:
    return None if values is None else list(values)


def _prefixed(domains: Iterable[Domain]) -> list[str]:
    return [f"{domain.name}: {warning}" for domain in domains for warning in domain.warnings]


def _listed(ids: Iterable[str]) -> str:
    return " ".join(ids) or ABSENT


def _counted(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {number}" for name, number in counts.items()) or ABSENT


def _trials(trials: Iterable[Trial]) -> str:
    return _listed(f"{task_id}/{trial}" for task_id, trial in trials)
