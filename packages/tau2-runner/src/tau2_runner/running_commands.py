"""The commands that run tau2-bench and install it."""

# No postponed annotations in this module: typer reads them.

import sys
from pathlib import Path
from typing import Annotated

import typer

_PASSED_ON = {"allow_extra_args": True, "ignore_unknown_options": True}


def run(
    context: typer.Context,
    offline: Annotated[
        str | None,
        typer.Option(metavar="AGENT", help="No model, key or network: oracle, null, halting or flaky:P."),
    ] = None,
) -> None:
    """Run tau2-bench; all other arguments, such as --domain airline, go to `tau2 run` as they are.

    --agent sri_lite installs the SRI-lite agent (SRI_LITE_VARIANT: sri_lite, ablation_no_state or baseline).
    The same command goes on with a run that was stopped.
    """
    from gar_metrics import one_line
    from gar_metrics.tau2 import read_run
    from tau2_runner.analysis.honesty import file_warnings
    from tau2_runner.running.run import run as run_tau2

    results = run_tau2(context.args, offline)
    for warning in file_warnings(read_run(results)):
        print(f"tau2-runner: warning: {one_line(warning)}", file=sys.stderr)
    print(f"results: {results}")


def install_benchmark(
    source: Annotated[
        Path | None, typer.Option(help="A checkout of tau2-bench at hand, in place of a download.")
    ] = None,
) -> None:
    """Install tau2-bench at the pinned commit into this environment, which needs Python 3.12 or 3.13."""
    from tau2_runner.running.install import install_benchmark as install

    for line in install(source):
        print(line)


def add_to(app: typer.Typer) -> None:
    """Adds the commands to the program."""
    app.command("run", context_settings=_PASSED_ON)(run)
    app.command("install-benchmark")(install_benchmark)
