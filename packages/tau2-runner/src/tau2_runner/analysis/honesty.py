"""What makes a run's figures less than they seem, in plain words, each with the first case of it."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from gar_metrics.tau2 import parse_run_name
from tau2_runner.analysis.pinned import COMMIT, differing_tasks, floor_hits

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from gar_metrics.tau2 import Simulation, Task, Tau2Run
    from tau2_runner.analysis.domains import Domain

ASSERTION = "NL_ASSERTION"
"""The part of a reward that a model judges."""


def run_warnings(run: Tau2Run, domain: Domain, tasks: Mapping[str, Task]) -> tuple[str, ...]:
    """Everything that a reader of the run's table should know.

    Args:
        run: The run.
        domain: The domain that gives the tasks their classes.
        tasks: The tasks that the simulations are about, by id, with these classes.
    """
    as_run = {**tasks, **{task.id: task for task in run.tasks}}
    return (
        *_setup(run),
        *_unscored(run),
        *_trials(run),
        *_repeats(run),
        *_silent(run),
        *_coverage(run, domain),
        *_versions(run, domain),
        *_foreign_checks(run, as_run),
        *_unjudged(run, as_run),
        *_unmeasured(run, tasks),
        *_below_floor(run),
    )


def file_warnings(run: Tau2Run) -> tuple[str, ...]:
    """What the file alone tells: simulations that don't count, are missing, stand there twice, or are mislabelled."""
    return (*_unscored(run), *_trials(run), *_foreign_checks(run, {task.id: task for task in run.tasks}))


def label_warnings(run: Tau2Run, labelled: Collection[str]) -> tuple[str, ...]:
    """What the file alone tells, and whether the labelled tasks are those of the pinned commit, whose ids these are."""
    known = [task for task in run.tasks if task.id in labelled]
    other = differing_tasks(run.domain, known)
    counts = f"{len(other)} of the {len(known)} labelled tasks"
    differing = f"{counts} differ from those of tau2-bench {COMMIT[:7]}: their labels may not fit"
    return (*file_warnings(run), *([f"{differing} (first: task {other[0]})"] if other else []))


def _setup(run: Tau2Run) -> Iterator[str]:
    named = parse_run_name(run.name, run.domain)
    if named and named.domain != run.domain:
        yield f"the run's name speaks of {named.domain}, its file of {run.domain}: the file counts"


def _unscored(run: Tau2Run) -> Iterator[str]:
    causes = Counter(simulation.unscored for simulation in run.simulations if simulation.unscored)
    if causes:
        parts = ", ".join(f"{number} {cause}" for cause, number in causes.most_common())
        yield f"{sum(causes.values())} of {len(run.simulations)} simulations aren't scored: {parts}"


def _trials(run: Tau2Run) -> Iterator[str]:
    """Tasks and trials that are missing or doubled."""
    counts = Counter((simulation.task_id, simulation.trial) for simulation in run.simulations)
    trials = run.trials or 1 + max(trial for _, trial in counts)
    present: dict[str, set[int]] = defaultdict(set)
    for task_id, trial in counts:
        present[task_id].add(trial)
    planned = dict.fromkeys([task.id for task in run.tasks] or present)
    absent = [task_id for task_id in planned if task_id not in present]
    lost = {task_id: trials - sum(0 <= trial < trials for trial in done) for task_id, done in present.items()}
    doubled = [pair for pair, number in counts.items() if number > 1]
    unplanned = [task_id for task_id in present if task_id not in planned]
    if absent:
        yield f"{len(absent)} of the run's {len(planned)} tasks have no simulation (first: task {absent[0]})"
    if unplanned:
        yield f"{len(unplanned)} tasks were run that the file doesn't hold (first: task {unplanned[0]})"
    if any(lost.values()):
        task_id = next(task_id for task_id, number in lost.items() if number)
        trial = next(trial for trial in range(trials) if trial not in present[task_id])
        yield f"{sum(lost.values())} trials are missing (first: {_named(task_id, trial)})"
    if doubled:
        yield f"{len(doubled)} trials stand there more than once (first: {_named(*doubled[0])})"


def _repeats(run: Tau2Run) -> Iterator[str]:
    scored = run.scored
    tasks = len({simulation.task_id for simulation in scored})
    if tasks < len(scored):
        counts = f"{len(scored)} scored simulations of {tasks} tasks"
        yield f"{counts}: those of one task aren't independent, so intervals are too narrow; passk's are over tasks"


def _silent(run: Tau2Run) -> Iterator[str]:
    silent = [s for s in run.scored if not any(message.role == "assistant" for message in s.messages)]
    if silent:
        counts = f"{len(silent)} of {len(run.scored)} scored simulations"
        yield f"{counts} hold no message of the agent and show no class ({_first(silent)})"


def _coverage(run: Tau2Run, domain: Domain) -> Iterator[str]:
    present = {simulation.task_id for simulation in run.simulations}
    if run.layout == "tau2" and not present >= domain.tasks.keys():
        yield f"{len(present & domain.tasks.keys())} of the {len(domain.tasks)} tasks of {domain.name} were run"


def _versions(run: Tau2Run, domain: Domain) -> Iterator[str]:
    """Tasks of another version than the one whose classes and floor are used."""
    if run.layout == "tau-bench":
        source = "the tasks in the file" if run.tasks else "the tau2 tasks of these numbers: it holds none"
        yield f"a file of tau-bench, whose tasks aren't those of tau2: classes are those of {source}"
        return
    if not run.tasks:
        yield "the file holds no tasks: whether they were those of --tau2-root isn't known"
    unknown = [task.id for task in run.tasks if task.id not in domain.tasks]
    if unknown:
        yield f"{len(unknown)} of the run's {len(run.tasks)} tasks aren't in --tau2-root (first: task {unknown[0]})"
    other = [task.id for task in run.tasks if domain.tasks.get(task.id, task).digest != task.digest]
    pinned = list(differing_tasks(run.domain, run.tasks))
    counts = f"of the run's {len(run.tasks)} tasks differ from those of"
    if other:
        taken = "classes and floor" if other == pinned else "classes"
        yield f"{len(other)} {counts} --tau2-root, whose {taken} are used (first: task {other[0]})"
    if pinned and pinned != other:
        yield f"{len(pinned)} {counts} tau2-bench {COMMIT[:7]}, whose floor is used (first: task {pinned[0]})"


def _foreign_checks(run: Tau2Run, as_run: Mapping[str, Task]) -> Iterator[str]:
    """Simulations whose checked actions aren't the reference actions of the task that they are labelled with."""
    known = [s for s in run.scored if s.task_id in as_run]
    foreign = [s for s in known if _checked(s) and _checked(s) != _reference(as_run[s.task_id])]
    if foreign:
        owner = next((task.id for task in as_run.values() if _reference(task) == _checked(foreign[0])), None)
        hint = f"; they are those of task {owner}: were ids shuffled?" if owner else ""
        counts = f"{len(foreign)} of {len(run.scored)} scored simulations"
        yield f"{counts} record checks of actions that aren't those of their task ({_first(foreign)}{hint})"


def _checked(simulation: Simulation) -> list[tuple[str, object]]:
    checks = simulation.reward.checks if simulation.reward else None
    return [(check.action.name, check.action.arguments) for check in checks or () if check.action]


def _reference(task: Task) -> list[tuple[str, object]]:
    return [(action.name, action.arguments) for action in task.actions]


def _unjudged(run: Tau2Run, as_run: Mapping[str, Task]) -> Iterator[str]:
    """Simulations whose reward rests on assertions that weren't all judged: tau2 counts the others as met."""
    judged = [(s, s.reward) for s in run.scored if s.reward and ASSERTION in s.reward.basis]
    due = [(s, reward) for s, reward in judged if as_run[s.task_id].assertions]
    empty = [s for s, reward in due if not reward.assertions]
    partial = [s for s, reward in due if 0 < (reward.assertions or 0) < as_run[s.task_id].assertions]
    counts = f"of {len(due)} simulations that judged assertions decide on"
    for found, lack in ((empty, "none, which tau2 counts as all met"), (partial, "fewer than their task asserts")):
        if found:
            passed = sum(simulation.passed for simulation in found)
            yield f"{len(found)} {counts} have {lack}; {passed} of them passed ({_first(found)})"


def _unmeasured(run: Tau2Run, tasks: Mapping[str, Task]) -> Iterator[str]:
    called_for = [(s, s.reward) for s in run.scored if s.reward and tasks[s.task_id].actions]
    unmeasured = [s for s, reward in called_for if not reward.measured]
    if unmeasured:
        measured = [reward for _, reward in called_for if reward.measured]
        hits = sum(not reward.failed_actions for reward in measured)
        rate = f"; over the other {len(measured)} GAR is {100 * hits / len(measured):.1f}%" if measured else ""
        counts = f"TOOL_CALL: {len(unmeasured)} of {len(called_for)} simulations"
        yield f"{counts} have no recorded action checks and count as hits, as in the paper{rate} ({_first(unmeasured)})"


def _below_floor(run: Tau2Run) -> Iterator[str]:
    scored = run.scored
    floor = None if run.layout == "tau-bench" else floor_hits(run.domain, scored)
    if scored and floor is not None and sum(simulation.passed for simulation in scored) <= floor:
        yield f"no more passes than an agent that does nothing gets: {floor} of {len(scored)}"


def _first(simulations: Sequence[Simulation]) -> str:
    return f"first: {_named(simulations[0].task_id, simulations[0].trial)}"


def _named(task_id: str, trial: int) -> str:
    return f"task {task_id}, trial {trial}"
