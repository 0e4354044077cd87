"""A run of tau2 in this process, as its own command would make it, with what was asked for added."""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack
from importlib import import_module
from typing import TYPE_CHECKING, Any

from gar_metrics import one_line
from tau2_runner.errors import RunnerError
from tau2_runner.running import hooks, offline, sri_agent
from tau2_runner.running.additions import chosen_additions
from tau2_runner.running.benchmark import COMMIT, DATA_VARIABLE, data_folder, require_benchmark
from tau2_runner.running.request import parse
from tau2_runner.running.resume import RESULTS_NAME, is_started, require_same
from tau2_runner.running.secrets import environment_keys

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tau2_runner.running.additions import Additions
    from tau2_runner.running.benchmark import Benchmark
    from tau2_runner.running.offline import Stage
    from tau2_runner.running.records import RunRecord
    from tau2_runner.running.request import Request


def run(words: Sequence[str], scripted: str | None) -> Path:
    """The results file of the run, once it is finished.

    Args:
        words: Arguments for `tau2 run`.
        scripted: A scripted agent to play instead of a model, or None.

    Raises:
        RunnerError: tau2-bench is missing, an argument or variable is wrong, the results are those of another setup,
            or tau2 says that it can't run.
    """
    additions = chosen_additions(words, os.environ)
    benchmark = require_benchmark()
    if not benchmark.pinned:
        print(f"tau2-runner: warning: tau2-bench is not at the pinned commit {COMMIT[:12]}", file=sys.stderr)
    data = data_folder(benchmark)
    os.environ[DATA_VARIABLE] = str(data)
    # tau2 says a dozen lines while it is imported; its --log-level counts from then on.
    os.environ.setdefault("LOGURU_LEVEL", "ERROR")
    with ExitStack() as stack:
        stage = stack.enter_context(offline.stage(scripted)) if scripted is not None else None
        if stage:
            offline.prepare()
            words = offline.model_words(stage, words)
            additions = additions.offline(stage)
        return _run(words, additions, benchmark, data, stage)


def _run(words: Sequence[str], additions: Additions, benchmark: Benchmark, data: Path, stage: Stage | None) -> Path:
    from tau2_runner.running.records import FILE_NAME, now, read_record

    if additions.probe:
        sri_agent.install(additions.probe)
    request = parse(words, import_module("tau2.cli").add_run_args, additions.method)
    additions = additions.of_agent(request.options.agent)
    if stage:
        stage.learn(request.options)
    folder = data / "simulations" / request.save_to
    record = _record(request, additions, benchmark, data)
    require_same(folder, record.configuration)
    resumed = is_started(folder)
    if resumed and (earlier := read_record(folder / FILE_NAME)):
        record = record.model_copy(update={"started": earlier.started})
    record.write(folder / FILE_NAME)
    _change(request, additions)
    _hand_over([*request.words, *(["--auto-resume"] if resumed else [])], request)
    record.model_copy(update={"finished": now()}).write(folder / FILE_NAME)
    return folder / RESULTS_NAME


def _record(request: Request, additions: Additions, benchmark: Benchmark, data: Path) -> RunRecord:
    from tau2_runner.running import records

    options = request.options
    judge = additions.judge
    return records.RunRecord(
        configuration=records.Configuration(
            domain=options.domain,
            agent=records.role(options.agent, options.agent_llm, options.agent_llm_args),
            user=records.role(options.user, options.user_llm, options.user_llm_args),
            judge=records.role(None, judge.model, request.vault.hide(judge.arguments, "judge")) if judge else None,
            probe=additions.probe_name,
            probe_settings=additions.probe_settings,
            coerce_json_calls=additions.coerce,
            offline=additions.scripted,
            seed=options.seed,
            max_steps=options.max_steps,
            max_errors=options.max_errors,
        ),
        dataset=records.dataset(data, options.domain, COMMIT if benchmark.pinned else None),
        num_trials=options.num_trials,
        versions=records.package_versions(),
        argv=list(request.words),
        started=records.now(),
    )


def _change(request: Request, additions: Additions) -> None:
    """Changes inside tau2 what was asked for, and how a judge's reply is read."""
    hooks.read_chatty_judges()
    if additions.judge:
        hooks.replace_judge(additions.judge.model, request.vault.hide(additions.judge.arguments, "judge"))
    if additions.coerce:
        hooks.coerce_calls()
    if request.vault or environment_keys():
        hooks.reveal_keys(request.vault)


def _hand_over(words: Sequence[str], request: Request) -> None:
    cli: Any = import_module("tau2.cli")
    before = sys.argv
    sys.argv = ["tau2", "run", *words]
    try:
        cli.main()
    except (ValueError, OSError) as error:
        message = f"tau2 run: {type(error).__name__}: {request.vault.censor(str(error))}"
        raise RunnerError(one_line(message)) from None
    finally:
        sys.argv = before
