"""A run of a judge: the events of some results, those that lack a verdict judged, each judgment written at once."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from confirm_judge.events import distinct, write_events
from confirm_judge.journal import open_journal
from confirm_judge.judging import judge_all
from confirm_judge.judgments import current, judgment_of
from confirm_judge.sidecar import Configuration, JudgedRun, Sidecar, read_sidecar, write_sidecar
from confirm_judge.window import WINDOW
from confirm_judge.write_tools import tools_of
from gar_metrics import GarError
from gar_metrics.tau2 import read_run

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
    from pathlib import Path

    from confirm_judge.display import Display
    from confirm_judge.events import EventKey, WriteEvent
    from confirm_judge.journal import Journal
    from confirm_judge.judging import Judge, Ruling
    from confirm_judge.judgments import Judgment
    from confirm_judge.prompt import Prompt

RULES = "rules"


class Source(NamedTuple):
    """A result file, with the names under which its judgments are to stand."""

    model: str
    domain: str
    path: Path


@dataclass(frozen=True, slots=True)
class JudgeOptions:
    """Who judges.

    Attributes:
        model: The judge's model; None for the rules.
        prompt: What it is told; None for the rules.
        base_url: Its server, None for the environment's or OpenAI's.
        timeout: Seconds for one request.
    """

    model: str | None
    prompt: Prompt | None
    base_url: str | None = None
    timeout: float = 120.0

    @property
    def name(self) -> str:
        """The judge's name in files."""
        return self.model or RULES

    def configuration(self) -> Configuration:
        """What the judgments depend on."""
        from confirm_judge.model_judge import TEMPERATURE
        from confirm_judge.server import server_host

        if self.prompt is None:
            return Configuration(RULES, None, None, WINDOW, None)
        return Configuration(self.name, server_host(self.base_url), self.prompt.sha256, WINDOW, TEMPERATURE)


def read_events(
    sources: Iterable[Source], tools: Mapping[str, frozenset[str]]
) -> tuple[tuple[JudgedRun, ...], tuple[WriteEvent, ...]]:
    """The runs of some result files, and their write events.

    Raises:
        GarError: A file can't be read or is of another domain, a domain's tools aren't known, or an event is there
            twice.
    """
    runs: list[JudgedRun] = []
    events: list[WriteEvent] = []
    for source in sources:
        run = read_run(source.path)
        # tau-bench's files don't state their domain: there the user knows better.
        if run.layout == "tau2" and run.domain != source.domain:
            what = f"the file is about domain {run.domain}, not {source.domain}"
            raise GarError(what, path=run.path)
        known = tools_of(source.domain, tools, run.path)
        found = distinct(write_events(run, known, model=source.model, domain=source.domain), run.path)
        runs.append(JudgedRun(source.model, source.domain, run.name, len(run.simulations), len(found)))
        events += found
    return tuple(runs), distinct(events)


def run_judge(
    sources: Sequence[Source],
    out: Path,
    options: JudgeOptions,
    *,
    tools: Mapping[str, frozenset[str]],
    concurrency: int,
    display: Display,
    argv: Sequence[str] = (),
) -> tuple[Judgment, ...]:
    """The judgments of all write events of some result files, those that the file held already included.

    Events that have a verdict in the file aren't judged again; those whose judge failed are.

    Args:
        sources: The result files.
        out: The file of judgments, which is made or gone on with.
        options: Who judges.
        tools: The WRITE tools by domain.
        concurrency: The most requests under way.
        display: What shows how far it is.
        argv: The command line, without secrets, for the record.

    Raises:
        GarError: Something can't be read or written, or the file holds judgments of another configuration.
        JudgeUnusableError: The judge's server refuses everything; what was judged is in the file.
    """
    runs, events = read_events(sources, tools)
    wanted = {event.key for event in events}
    with open_journal(out) as journal:
        sidecar = _claimed(journal, options.configuration(), runs, argv)
        judged = {key: judgment for judgment in current(journal.judgments) if (key := judgment.key)}
        _refuse_other_results(events, judged, out)
        pending = [event for event in events if event.key not in judged or judged[event.key].confirmed is None]
        added: list[Judgment] = []

        def record(event: WriteEvent, ruling: Ruling) -> None:
            judgment = judgment_of(event, ruling, options.name)
            journal.append(judgment)
            added.append(judgment)
            display.add(judgment)

        async def ask() -> bool:
            async with _opened(options) as judge:
                await judge_all(pending, judge, record, concurrency=min(concurrency, max(1, len(pending))))
                return bool(getattr(judge, "temperature_refused", False))

        with display.showing(len(events), len(events) - len(pending)):
            refused = asyncio.run(ask()) if pending else False
        ended = replace(sidecar, ended=_now(), temperature_refused=sidecar.temperature_refused or refused)
        write_sidecar(out, ended)
    return tuple(judgment for judgment in current([*journal.judgments, *added]) if judgment.key in wanted)


@asynccontextmanager
async def _opened(options: JudgeOptions) -> AsyncIterator[Judge]:
    """The judge, with its connections for as long as they are needed."""
    if options.model is None or options.prompt is None:
        from confirm_judge.rules import RulesJudge

        yield RulesJudge()
        return
    from confirm_judge.model_judge import ModelJudge
    from confirm_judge.server import open_client

    async with open_client(options.base_url, options.timeout) as client:
        yield ModelJudge(client, options.model, options.prompt, timeout=options.timeout)


def _claimed(journal: Journal, configuration: Configuration, runs: Sequence[JudgedRun], argv: Sequence[str]) -> Sidecar:
    """The record beside the journal, written: from now on the file is this configuration's.

    Raises:
        GarError: It is another's.
    """
    sidecar = Sidecar(configuration, tuple(runs), _versions(), tuple(argv), _now())
    earlier = read_sidecar(journal.path)
    differences = earlier.configuration.differences(configuration) if earlier else []
    if differences and journal.judgments:
        what = f"holds judgments of another configuration ({'; '.join(differences)}); choose another file"
        raise GarError(what, path=journal.path)
    if earlier and not differences:
        named = {(run.model, run.domain, run.run): run for run in (*earlier.runs, *runs)}
        refused = earlier.temperature_refused
        sidecar = replace(sidecar, runs=tuple(named.values()), started=earlier.started, temperature_refused=refused)
    write_sidecar(journal.path, sidecar)
    return sidecar


def _refuse_other_results(events: Iterable[WriteEvent], judged: Mapping[EventKey, Judgment], out: Path) -> None:
    """Refuses results that are no longer those that were judged: another tool, or another outcome.

    Raises:
        GarError: An event differs from its judgment.
    """
    for event in events:
        judgment = judged.get(event.key)
        if judgment is None:
            continue
        before, now = (judgment.tool, judgment.passed), (event.tool, event.passed)
        if before != now:
            what = (
                f"simulation {event.sim_id}, message {event.message_index}, call {event.call_index} was "
                f"{before[0]}, passed {before[1]}, when it was judged, and is {now[0]}, passed {now[1]}, now: "
                "the results have changed"
            )
            raise GarError(what, path=out)


def _versions() -> dict[str, str]:
    from importlib.metadata import version

    from confirm_judge.__about__ import __version__

    names = ("gar-metrics", "openai")
    return {"confirm-judge": __version__, **{name: version(name) for name in names}}


def _now() -> str:
    from datetime import datetime, timezone

    return datetime.now(timezone.utc).isoformat(timespec="seconds")
