"""Making an output directory a run's own: its record, what may be continued, and what may be deleted."""

from __future__ import annotations

import shutil
from contextlib import contextmanager
from typing import TYPE_CHECKING

from bfcl_runner.errors import RunnerError
from bfcl_runner.layout import model_directory
from bfcl_runner.model_http import HTTP_BACKENDS, endpoint_host
from bfcl_runner.probing import probe_names, probe_settings
from bfcl_runner.secrets import safe_arguments, safe_command
from bfcl_runner.tracks import known_categories
from calibration_probes import DEFAULT_LOG_NAME

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from bfcl_runner.backends.base import Backend
    from bfcl_runner.layout import RunLayout
    from bfcl_runner.plan import RunPlan
    from bfcl_runner.records import Configuration, RunRecord

LOCK_NAME = ".lock"


@contextmanager
def only_run_in(layout: RunLayout) -> Iterator[None]:
    """While it lasts, no other run can work in the directory.

    Raises:
        RunnerError: Another one does, or the directory can't be written.
    """
    from filelock import FileLock, Timeout

    try:
        layout.root.mkdir(parents=True, exist_ok=True)
        with FileLock(layout.root / LOCK_NAME, timeout=0):
            yield
    except Timeout:
        message = f"{layout.root}: another run is working in this directory"
        raise RunnerError(message) from None
    except (FileExistsError, NotADirectoryError, PermissionError) as error:
        message = f"{layout.root}: {error.strerror}"
        raise RunnerError(message) from None


def claim(plan: RunPlan, backend: Backend, selected: Mapping[str, int]) -> RunRecord:
    """The record of the run, written into its directory, which from now on is this run's.

    Raises:
        RunnerError: The directory holds a run of another configuration, or can't be written.
    """
    from bfcl_runner import records

    layout = plan.layout
    record = records.RunRecord(
        model=layout.model,
        model_dir=model_directory(layout.model),
        configuration=_configuration(plan, backend),
        categories=list(plan.selection.categories),
        limit=plan.selection.limit,
        cases=sum(selected.values()),
        selected=dict(selected),
        concurrency=plan.concurrency,
        jobs=plan.jobs,
        versions=records.package_versions(),
        argv=safe_arguments(plan.argv),
        started=records.now(),
    )
    earlier = records.read_record(layout.record) if layout.record.exists() else None
    if earlier is None:
        _refuse_foreign_files(layout)
    elif plan.overwrite:
        _delete(layout, earlier.model_dir)
    else:
        record = _continued(record, earlier, layout, allow_mixed=plan.allow_mixed)
    record.write(layout.record)
    return record


def _refuse_foreign_files(layout: RunLayout) -> None:
    """Without a record, what lies in the place of our files is somebody else's."""
    for kind in ("result", "score"):
        folder = layout.root / kind
        if folder.is_dir() and any(folder.iterdir()):
            message = f"{folder}: holds files without a {layout.record.name} of ours; choose another directory"
            raise RunnerError(message)


def _delete(layout: RunLayout, model_dir: str) -> None:
    """Removes the files of the run that the record is about, and nothing else."""
    for kind in ("result", "score"):
        folder = layout.root / kind / model_dir
        try:
            if folder.exists():
                shutil.rmtree(folder)
        except OSError as error:
            message = f"{folder}: {error.strerror}"
            raise RunnerError(message) from None
    for path in (layout.summary, layout.summary.with_suffix(".md"), layout.root / DEFAULT_LOG_NAME):
        path.unlink(missing_ok=True)


def _configuration(plan: RunPlan, backend: Backend) -> Configuration:
    from bfcl_runner import records

    options = plan.options
    return records.Configuration(
        backend=options.backend,
        model=plan.model,
        prompting=options.prompting,
        endpoint_host=endpoint_host(options) if options.backend in HTTP_BACKENDS else None,
        command=safe_command(options.command) if options.command else None,
        sampling=backend.sampling,
        probe=probe_names(plan.probes),
        probe_settings=probe_settings(plan.probes),
        decoder=backend.decoder,
        dataset=records.dataset(),
    )


def _continued(record: RunRecord, earlier: RunRecord, layout: RunLayout, *, allow_mixed: bool) -> RunRecord:
    """The record of a run that goes on where an earlier one ended."""
    differences = earlier.configuration.differences(record.configuration)
    if differences and not allow_mixed:
        message = (
            f"{layout.root}: holds a run of another configuration ({'; '.join(differences)}); "
            "choose another directory, or --allow-mixed or --overwrite"
        )
        raise RunnerError(message)
    selected = {**earlier.selected}
    for category, count in record.selected.items():
        selected[category] = max(count, selected.get(category, 0))
    mixed = earlier.mixed_with + ([earlier.configuration] if differences else [])
    return record.model_copy(
        update={
            "started": earlier.started,
            "categories": [
                category for category in known_categories() if category in {*earlier.categories, *record.categories}
            ],
            "selected": selected,
            "cases": sum(selected.values()),
            "mixed_with": mixed,
        }
    )
