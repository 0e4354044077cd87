"""What to run, on what, and how: everything that a run is told."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bfcl_runner.errors import RunnerError
from bfcl_runner.layout import RunLayout, model_directory
from bfcl_runner.options import NO_PRICES, ModelOptions, Prices
from bfcl_runner.probing import NO_PROBES
from bfcl_runner.secrets import program_of
from bfcl_runner.selection import Selection

if TYPE_CHECKING:
    from pathlib import Path

    from calibration_probes import Configuration as ProbeConfiguration

GRACE_SECONDS = 30.0

LONGEST_NAME = 255
"""Bytes that file systems allow in the name of a folder."""


@dataclass(frozen=True, slots=True)
class RunPlan:
    """What to run, on what, and how.

    Attributes:
        options: The model.
        output_dir: Where the files go. A run of the same configuration that is there already is continued.
        selection: The cases.
        concurrency: Conversations in flight, for models that are waited for.
        jobs: Worker processes: for scoring, and for scripted agents.
        keep_errors: Whether rows that got no reply stay as they are instead of being tried again.
        allow_mixed: Whether rows of another configuration may be continued.
        overwrite: Whether the run that the directory holds is deleted first.
        probes: What may act between a reply and what the loop makes of it.
        prices: What tokens cost, for the summary.
        grace: Seconds that cases in hand have to finish when the run is stopped.
        argv: The command line, for the record.
    """

    options: ModelOptions
    output_dir: Path
    selection: Selection = field(default_factory=Selection)
    concurrency: int = 1
    jobs: int = 1
    keep_errors: bool = False
    allow_mixed: bool = False
    overwrite: bool = False
    probes: ProbeConfiguration = NO_PROBES
    prices: Prices = NO_PRICES
    grace: float = GRACE_SECONDS
    argv: tuple[str, ...] = ()

    @property
    def model(self) -> str:
        """The model's name in files and tables."""
        options = self.options
        path = options.model_path.resolve().name if options.model_path else None
        program = program_of(options.command) if options.command else None
        name = options.agent or options.model or path or program
        if not name:
            message = "--model: the run needs a name for its model"
            raise RunnerError(message)
        if len(model_directory(name)) > LONGEST_NAME:
            message = f"--model: a name whose folder would be called {model_directory(name)[:40]}... is too long"
            raise RunnerError(message)
        return name

    @property
    def layout(self) -> RunLayout:
        """Where the files go."""
        return RunLayout(self.output_dir, self.model)
