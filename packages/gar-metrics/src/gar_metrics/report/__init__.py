"""One self-contained HTML page about runs: tables, charts, and every trajectory to read.

``logs``, ``transcripts``, ``verdicts`` and ``probe_events`` read what the metrics leave aside; ``emissions`` makes
it readable; ``packing`` and ``document`` put it into the page as compact data; ``charts``, ``overview`` and
``comparisons`` work out what the templates show; ``page`` renders. Only ``page`` needs Jinja2, the extra ``report``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gar_metrics.errors import GarError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gar_metrics.records import Run


def render_report(runs: Sequence[Run]) -> str:
    """The runs as one HTML page that loads nothing and sends nothing; the same page for the same runs.

    The trajectories are read again from the files that the runs were read from. Where two runs share cases, each later
    one is compared with the first.

    Raises:
        GarError: Jinja2 isn't installed, or a file of the runs can't be read any more.
    """
    try:
        from gar_metrics.report.page import render_page
    except ModuleNotFoundError as error:
        if error.name not in {"jinja2", "markupsafe"}:
            raise
        what = "an HTML report needs Jinja2: pip install 'gar-metrics[report]'"
        raise GarError(what) from error
    return render_page(runs)
