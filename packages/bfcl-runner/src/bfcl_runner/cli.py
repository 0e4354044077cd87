"""The command `bfcl-runner`."""

# No postponed annotations in this module: typer reads them.

import gc
import os
import signal
import sys
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bfcl_runner.__about__ import __version__
from bfcl_runner.errors import RunnerError

if TYPE_CHECKING:
    from bfcl_runner.layout import RunLayout

BELOW = 1
"""Status of a gate that a run doesn't pass."""

USAGE_ERROR = 2
SIGNALLED = 128
"""Added to a signal's number, as shells report it."""


class OutputFormat(str, Enum):
    """How a report is shown."""

    text = "text"
    json = "json"


_UsageError: type[typer.BadParameter] = typer.BadParameter.__bases__[0]
"""Click's, which typer brings along under changing names."""

# Plain help: drawing it with rich takes half of the time that `--help` may take.
app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)


def _show_version(asked: bool) -> None:
    if asked:
        print(f"bfcl-runner {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Run and score BFCL multi-turn conversations without evaluating what a model wrote."""


@app.command()
def run(
    backend: Annotated[str, typer.Option(help="scripted, openai, responses, vllm, litellm, command or upstream.")],
    output_dir: Annotated[Path, typer.Option(help="Directory for results, scores, run.json and the summary.")],
    model: Annotated[str | None, typer.Option(help="The model's id, as its server knows it.")] = None,
    agent: Annotated[
        str | None,
        typer.Option(help="Scripted agent, such as oracle, overcaller, halting or noisy:P:SEED."),
    ] = None,
    base_url: Annotated[str | None, typer.Option(help="The server; default OPENAI_BASE_URL, or OpenAI's.")] = None,
    prompting: Annotated[
        bool, typer.Option("--prompting", help="Describe functions in the prompt, read calls from the text.")
    ] = False,
    reasoning_effort: Annotated[
        str | None, typer.Option(help="minimal, low, medium or high; implies temperature 1, but for gpt-oss.")
    ] = None,
    temperature: Annotated[float | None, typer.Option(min=0.0, help="Default 0.")] = None,
    seed: Annotated[int | None, typer.Option(help="Sampling seed, if the server takes one.")] = None,
    concurrency: Annotated[int, typer.Option(min=1, help="Conversations in flight.")] = 1,
    max_retries: Annotated[int, typer.Option(min=0, help="Tries after the first, per request.")] = 6,
    max_wait: Annotated[float, typer.Option(min=0.0, help="Seconds between the tries of a request, in all.")] = 600.0,
    timeout: Annotated[float, typer.Option(min=0.001, help="Seconds until a try counts as failed.")] = 600.0,
    command: Annotated[str | None, typer.Option(help="Program for backend command, such as 'claude -p'.")] = None,
    model_path: Annotated[Path | None, typer.Option(help="Checkpoint folder for backend vllm.")] = None,
    served_parser: Annotated[str | None, typer.Option(help="vLLM's tool-call parser.")] = None,
    num_gpus: Annotated[int, typer.Option(min=1, help="GPUs for vLLM.")] = 1,
    gpu_memory_utilization: Annotated[float, typer.Option(min=0.0, max=1.0, help="Share of GPU memory.")] = 0.9,
    vllm_command: Annotated[str, typer.Option(help="What starts vLLM.")] = "vllm serve",
    categories: Annotated[
        list[str] | None,
        typer.Option(help="Categories, separated by commas or given again; default the four multi-turn ones."),
    ] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first so many cases of each category.")] = None,
    ids: Annotated[Path | None, typer.Option(help="JSON file: category -> list of case ids.")] = None,
    case: Annotated[list[str] | None, typer.Option(help="One case by its id; can be given again.")] = None,
    jobs: Annotated[int, typer.Option(min=1, help="Worker processes for scoring and scripted agents.")] = 1,
    keep_errors: Annotated[bool, typer.Option("--keep-errors", help="Leave rows without a reply as they are.")] = False,
    allow_mixed: Annotated[bool, typer.Option("--allow-mixed", help="Go on in a run of another setup.")] = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Delete a run that is already there first.")] = False,
    probe: Annotated[list[str] | None, typer.Option(help="Probe NAME[:VARIANT]; two can be stacked.")] = None,
    probe_mode: Annotated[str | None, typer.Option(help="off, passive_log or active.")] = None,
    probe_template: Annotated[list[str] | None, typer.Option(help="Wording of a probe: FILE or NAME=FILE.")] = None,
    price_in: Annotated[float | None, typer.Option(min=0.0, help="Price of a million input tokens.")] = None,
    price_out: Annotated[float | None, typer.Option(min=0.0, help="Price of a million output tokens.")] = None,
    grace: Annotated[float, typer.Option(min=0.0, help="Seconds that cases in hand get when stopped.")] = 30.0,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would run; write nothing.")] = False,
) -> None:
    """Run conversations, score them and print the GAR table. The same command continues a run that was stopped."""
    from rich.console import Console

    from bfcl_runner.display import display_on
    from bfcl_runner.options import ModelOptions, Prices, parse_effort
    from bfcl_runner.plan import RunPlan
    from bfcl_runner.probing import chosen_probes
    from bfcl_runner.running import describe
    from bfcl_runner.running import run as run_plan
    from bfcl_runner.selection import select

    prices = Prices(price_in, price_out)
    plan = RunPlan(
        options=ModelOptions(
            backend=backend,
            model=model,
            agent=agent,
            base_url=base_url,
            prompting=prompting,
            reasoning_effort=parse_effort(reasoning_effort),
            temperature=temperature,
            seed=seed,
            max_retries=max_retries,
            max_wait=max_wait,
            timeout=timeout,
            command=command,
            model_path=model_path,
            served_parser=served_parser,
            num_gpus=num_gpus,
            gpu_memory_utilization=gpu_memory_utilization,
            vllm_command=vllm_command,
        ),
        output_dir=output_dir,
        selection=select(categories or [], limit, ids, case or []),
        concurrency=concurrency,
        jobs=jobs,
        keep_errors=keep_errors,
        allow_mixed=allow_mixed,
        overwrite=overwrite,
        probes=chosen_probes(probe or [], probe_mode, probe_template or []),
        prices=prices,
        grace=grace,
        argv=tuple(sys.argv),
    )
    if dry_run:
        print("\n".join(describe(plan)))
        return
    if not str(output_dir).strip():
        message = "--output-dir: expected a directory"
        raise RunnerError(message)
    outcome = run_plan(plan, display_on(Console(stderr=True), prices))
    if outcome.stopped_by is not None:
        message = f"stopped: {outcome.done} of {outcome.selected} cases are done; the same command goes on from here"
        print(f"bfcl-runner: {message}", file=sys.stderr)
        raise typer.Exit(SIGNALLED + outcome.stopped_by)
    _print_figures(outcome.layout)
    if outcome.unanswered:
        print("bfcl-runner: not one case got a reply; the rows say why", file=sys.stderr)
        raise typer.Exit(1)


@app.command()
def score(
    results: Annotated[Path, typer.Argument(help="Result files: a run, a results folder, a model's folder or a file.")],
    scores: Annotated[Path, typer.Option(help="Directory for the score files.")],
    prompting: Annotated[bool, typer.Option("--prompting", help="Read calls from text in BFCL's own format.")] = False,
    jobs: Annotated[int, typer.Option(min=1, help="Worker processes; more than one pays from some thousand rows.")] = 1,
) -> None:
    """Score multi-turn result files, also of other people: nothing that they hold is evaluated."""
    from bfcl_runner.foreign import score_foreign

    for model, category, header in score_foreign(results, scores, prompting=prompting, jobs=jobs):
        accuracy = f"{100 * header['accuracy']:.1f}%"
        print(f"{model}  {category}  {header['correct_count']}/{header['total_count']}  {accuracy}")


@app.command()
def status(directory: Annotated[Path, typer.Argument(help="A run's directory.")]) -> None:
    """Show how far a run is."""
    from bfcl_runner.inspecting import status as look

    record, categories = look(directory)
    state = "finished" if record.finished else "not finished"
    print(f"{record.model}, {record.configuration.backend}, {state}, started {record.started:%Y-%m-%d %H:%M} UTC")
    for category in categories:
        accuracy = "not scored" if category.accuracy is None else f"Acc {category.accuracy:.1f}%"
        errors = f", {category.errors} without a reply" if category.errors else ""
        print(f"  {category.category}: {category.done}/{category.total} cases{errors}, {accuracy}")


@app.command()
def show(
    directory: Annotated[Path, typer.Argument(help="A run's directory.")],
    case_id: Annotated[str, typer.Argument(help="A case, such as multi_turn_base_0.")],
) -> None:
    """Print one conversation turn by turn, with classes, calls, results and the verdict."""
    from bfcl_runner.inspecting import conversation

    for line in conversation(directory, case_id):
        print(line)


@app.command("gold-turns")
def show_gold_turns(
    categories: Annotated[
        list[str] | None,
        typer.Option(help="Multi-turn categories, separated by commas or given again; default all four."),
    ] = None,
) -> None:
    """Print which turn of each case calls for the gold class, as gar table --gold-turns reads it."""
    from bfcl_runner.gold_turns import gold_turns_document
    from bfcl_runner.tracks import MULTI_TURN, parse_categories

    chosen = parse_categories(categories or [])
    for category in chosen:
        if category not in MULTI_TURN.categories:
            message = f"--categories: {category!r} is none of {', '.join(MULTI_TURN.categories)}"
            raise RunnerError(message)
    print(gold_turns_document(chosen), end="")


@app.command("install-benchmark")
def install_benchmark(
    quiet: Annotated[bool, typer.Option("--quiet", help="Say nothing if it is there already.")] = False,
) -> None:
    """Install the pinned bfcl-eval wheel, checked by its sha256, without its dependencies."""
    from bfcl_runner.benchmark import DISTRIBUTION, VERSION
    from bfcl_runner.install import install_benchmark as install

    if install():
        print(f"installed {DISTRIBUTION} {VERSION}")
    elif not quiet:
        print(f"{DISTRIBUTION} {VERSION} is installed already")


@app.command()
def gate(
    directory: Annotated[Path, typer.Argument(metavar="RUN", help="A run's directory.")],
    min_acc: Annotated[float | None, typer.Option(help="Percent that every category has to reach.")] = None,
    reference: Annotated[
        Path | None, typer.Option(help="JSON file: category -> percent, or the summary.json of another run.")
    ] = None,
    output: Annotated[OutputFormat, typer.Option("--format", help="How to show it.")] = OutputFormat.text,
) -> None:
    """Fail, with status 1, if a run scores below a bound in any category."""
    from bfcl_runner import gating

    summary = gating.scored_summary(directory)
    report = gating.gate(summary, gating.chosen_bounds(summary.categories, min_acc, reference))
    print(report.model_dump_json(indent=2) if output is OutputFormat.json else "\n".join(gating.gate_lines(report)))
    if not report.passed:
        raise typer.Exit(BELOW)


@app.command()
def drop(
    directory: Annotated[Path, typer.Argument(metavar="RUN", help="A run's directory, for the multi-turn side.")],
    single_turn: Annotated[
        str, typer.Option(metavar="RUN2|PERCENT", help="A run's directory, for the single-turn side, or a number.")
    ],
    output: Annotated[OutputFormat, typer.Option("--format", help="How to show it.")] = OutputFormat.text,
) -> None:
    """Show how much accuracy is lost from single-turn to multi-turn cases, with an interval."""
    from bfcl_runner.drop import drop_lines, measure

    report = measure(directory, single_turn)
    print(report.model_dump_json(indent=2) if output is OutputFormat.json else "\n".join(drop_lines(report)))


def _print_figures(layout: "RunLayout") -> None:
    """The GAR table of the multi-turn categories, and the accuracy of the others, which have no gold class."""
    from bfcl_runner.summary import read_summary
    from bfcl_runner.tracks import MULTI_TURN
    from gar_metrics import GarError, load_runs, render_text

    categories = read_summary(layout.summary).categories
    if any(category in MULTI_TURN.categories for category in categories):
        try:
            print(render_text(load_runs([layout.results])), end="")
        except GarError as error:
            raise RunnerError(str(error)) from None
    for category, figures in categories.items():
        if category not in MULTI_TURN.categories:
            print(f"{category}  {figures.correct}/{figures.cases}  {figures.accuracy:.1f}%")


def main() -> None:
    """Runs the command; what a user can mend ends as one line and status 2."""
    # SIGTERM would otherwise end the process without cleaning up; while a run goes on, `stopping` takes it over.
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(SIGNALLED + number))
    try:
        status = app(sys.argv[1:] or ["--help"], prog_name="bfcl-runner", standalone_mode=False) or 0
        sys.stdout.flush()
    except typer.Exit as end:
        status = end.exit_code
    except (typer.Abort, KeyboardInterrupt):
        status = _complain("interrupted", SIGNALLED + signal.SIGINT)
    except _UsageError as error:
        status = _complain(error.format_message(), USAGE_ERROR)
    except RunnerError as error:
        status = _complain(str(error), USAGE_ERROR)
    except BrokenPipeError:
        status = SIGNALLED + signal.SIGPIPE
        _abandon_output()
    except OSError as error:
        status = _complain(f"output: {error.strerror}", USAGE_ERROR)
        _abandon_output()
    gc.freeze()  # or Python walks through all of the data set once more before it ends, half a second
    sys.exit(status)


def _complain(message: str, status: int) -> int:
    print(f"bfcl-runner: {' '.join(message.split())}", file=sys.stderr)
    return status


def _abandon_output() -> None:
    """Keeps Python from failing at exit on output that nobody takes."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
