"""GAR and Acc on the tasks that call for a question, as keywords find them and as people checked them."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from action_classifier import Action
from gar_metrics import GarError
from tau2_runner.analysis.breakdown import Calibration, Share, shown_classes

if TYPE_CHECKING:
    from gar_metrics.tau2 import Simulation, Tau2Run

SUBSETS = ("all", "paper", "valid")
"""Every keyword candidate, those that the paper counts, and those that call for a question when one reads them."""

RELEASED = Path(__file__).with_name("data") / "ask_labels.jsonl"
"""The labels of the release of arXiv:2609.00949."""

LABELS = ("valid", "ambiguous", "false_positive")


@dataclass(frozen=True, slots=True)
class AskLabel:
    """What a reader found about a candidate."""

    domain: str
    task_id: str
    label: str
    in_paper_ask_subset: bool

    def belongs_to(self, subset: str) -> bool:
        """Whether the task is part of one of `SUBSETS`."""
        return subset == "all" or (self.in_paper_ask_subset if subset == "paper" else self.label == "valid")


def read_labels(path: Path = RELEASED) -> tuple[AskLabel, ...]:
    """The labels of a file of JSON lines; without one, those of the paper's release.

    Raises:
        GarError: The file can't be read, or a line isn't ``{domain, task_id, label, in_paper_ask_subset}``.
    """
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        what = f"can't be read: {getattr(error, 'strerror', None) or 'invalid UTF-8'}"
        raise GarError(what, path=path) from error
    labels = tuple(_label(line, path, number) for number, line in enumerate(lines, start=1) if line.strip())
    if not labels:
        what = "holds no labels"
        raise GarError(what, path=path)
    ((domain, task_id), times), *_ = Counter((label.domain, label.task_id) for label in labels).most_common(1)
    if times > 1:
        what = f"{domain} {task_id} is labelled {times} times"
        raise GarError(what, path=path, field="task_id")
    return labels


def ask_subsets(run: Tau2Run, labels: tuple[AskLabel, ...]) -> dict[str, Calibration]:
    """By subset, GAR (an ASK message of the agent) and Acc over its tasks in the run.

    Of a task that was run several times the last scored simulation of the file counts; tasks that weren't run are
    left out.

    Raises:
        GarError: The run is one of tau-bench, whose tasks are others under the same numbers.
    """
    if run.layout == "tau-bench":
        what = "is a file of tau-bench, and the labels are of tau2's tasks"
        raise GarError(what, path=run.path)
    last = {simulation.task_id: simulation for simulation in run.scored}
    return {
        subset: _calibration(
            [
                last[label.task_id]
                for label in labels
                if label.domain == run.domain and label.task_id in last and label.belongs_to(subset)
            ]
        )
        for subset in SUBSETS
    }


def _calibration(simulations: list[Simulation]) -> Calibration:
    n = len(simulations)
    return Calibration(
        gar=Share(sum(Action.ASK in shown_classes(simulation) for simulation in simulations), n),
        acc=Share(sum(simulation.passed for simulation in simulations), n),
    )


def _label(line: str, path: Path, number: int) -> AskLabel:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        what = "invalid JSON"
        raise GarError(what, path=path, line=number) from error
    kinds = {"domain": str, "task_id": str, "label": str, "in_paper_ask_subset": bool}
    for field, kind in kinds.items():
        if not isinstance(record, dict) or not isinstance(record.get(field), kind):
            what = f"expected {'a truth value' if kind is bool else 'a string'}"
            raise GarError(what, path=path, line=number, field=field)
    if record["label"] not in LABELS:
        what = f"unknown label {record['label']!r}; known: {', '.join(LABELS)}"
        raise GarError(what, path=path, line=number, field="label")
    return AskLabel(**{field: record[field] for field in kinds})
