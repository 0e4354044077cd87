"""The command `bfcl-runner`."""

# No postponed annotations in this module: typer reads them.

import sys
from pathlib import Path
from typing import Annotated

import typer

from bfcl_runner.__about__ import __version__
from bfcl_runner.errors import RunnerError

USAGE_ERROR = 2
INTERRUPTED = 130

# Plain help: drawing it with rich takes half of the time that `--help` may take.
app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)


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
    backend: Annotated[str, typer.Option(help="Kind of model: scripted.")],
    output_dir: Annotated[Path, typer.Option(help="Directory for results, scores and run.json.")],
    agent: Annotated[
        str | None,
        typer.Option(help="Scripted agent: oracle, overcaller, refuser, asker, silent or noisy:P:SEED."),
    ] = None,
    categories: Annotated[
        list[str] | None,
        typer.Option(help="Categories to run, separated by commas or given again: base, long_context, ..."),
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option(min=1, help="Only the first so many cases of each category."),
    ] = None,
    jobs: Annotated[int, typer.Option(min=1, help="Worker processes.")] = 1,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace a run that is already there.")] = False,
) -> None:
    """Run conversations, score them and print the GAR table."""
    from rich.console import Console

    from bfcl_runner.dataset import parse_categories
    from bfcl_runner.progress import progress_on
    from bfcl_runner.running import ScriptedRun, run_scripted
    from gar_metrics import load_runs, render_text

    if backend != "scripted":
        message = f"--backend: {backend!r} is none of scripted"
        raise RunnerError(message)
    if agent is None:
        message = "--agent: the scripted backend needs one"
        raise RunnerError(message)
    plan = ScriptedRun(
        agent=agent,
        output_dir=output_dir,
        categories=parse_categories(categories or []),
        limit=limit,
        jobs=jobs,
        overwrite=overwrite,
        argv=tuple(sys.argv),
    )
    layout = run_scripted(plan, progress_on(Console(stderr=True)))
    print(render_text(load_runs([layout.root])), end="")


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


def main() -> None:
    """Runs the command; what a user can mend ends as one line and status 2."""
    try:
        app(prog_name="bfcl-runner", standalone_mode=True)
    except RunnerError as error:
        print(f"bfcl-runner: {error}", file=sys.stderr)
        sys.exit(USAGE_ERROR)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
