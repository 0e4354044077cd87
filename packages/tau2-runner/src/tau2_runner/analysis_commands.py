"""The commands that read results."""

# No postponed annotations in this module: typer reads them.

import json
from pathlib import Path
from typing import Annotated

import typer

from tau2_runner.errors import RunnerError

STANDARD_OUTPUT = Path("-")

# As text, since Path makes the working directory of an empty name.
Runs = Annotated[
    list[str], typer.Argument(metavar="RUN...", help="results.json files, folders above some, or tau-bench files.")
]
Root = Annotated[
    Path,
    typer.Option(
        "--tau2-root",
        envvar="TAU2_DATA_DIR",
        help="A checkout of tau2-bench, its data folder, or its folder of domains.",
    ),
]
Json = Annotated[Path | None, typer.Option("--json", metavar="FILE", help="Write JSON there; - for standard output.")]


def tasks(tau2_root: Root, json_file: Json = None) -> None:
    """Show which action every task calls for."""
    from tau2_runner.analysis.domains import Tau2Root
    from tau2_runner.analysis.reports import class_records, classes_text

    root = Tau2Root(tau2_root)
    domains = [root.domain(name) for name in root.names]
    _put(classes_text(domains), json_file, class_records(domains))


def breakdown(
    runs: Runs,
    tau2_root: Root,
    json_file: Json = None,
    csv_file: Annotated[
        Path | None, typer.Option("--csv", metavar="FILE", help="Write CSV there; - for standard output.")
    ] = None,
    md: Annotated[bool, typer.Option("--md", help="Print Markdown.")] = False,
) -> None:
    """Show each run by action class, with pass@1 beside what an agent that does nothing passes."""
    from gar_metrics.tau2 import find_runs, read_run
    from tau2_runner.analysis import tables
    from tau2_runner.analysis.breakdown import breakdowns
    from tau2_runner.analysis.domains import Tau2Root

    if json_file == csv_file == STANDARD_OUTPUT:
        message = "--json and --csv: only one of them can go to standard output"
        raise RunnerError(message)
    figures = breakdowns(map(read_run, find_runs(runs)), Tau2Root(tau2_root))
    for file, render in ((json_file, tables.breakdown_json), (csv_file, tables.breakdown_csv)):
        if file is not None:
            _write(file, render(figures))
    if STANDARD_OUTPUT not in (json_file, csv_file):
        print((tables.breakdown_markdown if md else tables.breakdown_text)(figures), end="")


def ask_subset(
    runs: Runs,
    labels: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Labels of your own; default those of the paper's release.")
    ] = None,
    json_file: Json = None,
) -> None:
    """Show GAR and Acc on the tasks that call for a question: all candidates, the paper's, and the valid ones."""
    from gar_metrics.tau2 import find_runs, read_run
    from tau2_runner.analysis.ask_subset import ask_subsets, read_labels
    from tau2_runner.analysis.reports import subset_record, subsets_text

    chosen = read_labels() if labels is None else read_labels(labels)
    found = [(run, ask_subsets(run, chosen)) for run in map(read_run, find_runs(runs))]
    _put(subsets_text(found, chosen), json_file, [subset_record(run, subsets) for run, subsets in found])


def reward_audit(tau2_root: Root, json_file: Json = None) -> None:
    """Show what rewards rest on, and which tasks pass if nothing is done."""
    from tau2_runner.analysis.domains import Tau2Root
    from tau2_runner.analysis.reports import audit_record, audits_text
    from tau2_runner.analysis.reward_audit import audit_rewards

    root = Tau2Root(tau2_root)
    audits = [audit_rewards(root.domain(name)) for name in root.names]
    _put(audits_text(audits), json_file, [audit_record(audit) for audit in audits])


def passk(
    runs: Runs,
    k: Annotated[
        str, typer.Option("-k", metavar="K,...", help="How many trials have to pass; several at once.")
    ] = "1,2,4",
    json_file: Json = None,
) -> None:
    """Show pass^k: how likely k trials of a task all pass."""
    from gar_metrics.tau2 import find_runs, read_run
    from tau2_runner.analysis.passk import pass_k
    from tau2_runner.analysis.reports import pass_k_record, pass_k_text

    wanted = _numbers(k)
    found = [(run, [pass_k(run, number) for number in wanted]) for run in map(read_run, find_runs(runs))]
    _put(pass_k_text(found), json_file, [pass_k_record(run, values) for run, values in found])


def compare(
    first: Annotated[str, typer.Argument(metavar="A", help="A run.")],
    second: Annotated[str, typer.Argument(metavar="B", help="A run of the same tasks.")],
    json_file: Json = None,
) -> None:
    """Show what run B passes and run A doesn't, and how sure the difference is."""
    from gar_metrics.tau2 import read_run
    from tau2_runner.analysis.compare import compare_runs
    from tau2_runner.analysis.reports import comparison_record, comparison_text

    a, b = read_run(first), read_run(second)
    comparison = compare_runs(a, b)
    _put(comparison_text(a, b, comparison), json_file, comparison_record(a, b, comparison))


def show(
    run: Annotated[str, typer.Argument(metavar="RUN", help="A run.")],
    task: Annotated[str, typer.Argument(metavar="TASK", help="A task's id.")],
    trial: Annotated[int, typer.Argument(metavar="[TRIAL]", help="Which trial of it, from 0.")] = 0,
) -> None:
    """Print one conversation, with the classes of each message, its calls and the checks."""
    from gar_metrics.tau2 import read_run
    from tau2_runner.analysis.conversation import conversation

    for line in conversation(read_run(run), task, trial):
        print(line)


def add_to(app: typer.Typer) -> None:
    """Adds the commands to the program."""
    for command in (tasks, breakdown, ask_subset, reward_audit, passk, compare, show):
        app.command(command.__name__.replace("_", "-"))(command)


def _put(text: str, json_file: Path | None, record: object) -> None:
    """Writes the record where asked, and prints the text unless the record goes there."""
    if json_file is not None:
        _write(json_file, json.dumps(record, indent=2) + "\n")
    if json_file != STANDARD_OUTPUT:
        print(text, end="")


def _write(file: Path, text: str) -> None:
    if file == STANDARD_OUTPUT:
        print(text, end="")
        return
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        message = f"{file}: can't be written: {error.strerror or error}"
        raise RunnerError(message) from error


def _numbers(text: str) -> list[int]:
    try:
        numbers = [int(part) for part in text.split(",")]
    except ValueError:
        numbers = [0]
    if min(numbers) < 1:
        message = f"-k: expected whole numbers from 1, separated by commas, got {text!r}"
        raise RunnerError(message)
    return numbers
