"""A comparison, or a family of them, for people: aligned text, Markdown and LaTeX."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gar_metrics.comparing import MEASURES, Family
from gar_metrics.comparison_notes import all_notes, coverage_notes
from gar_metrics.errors import one_line, shown
from gar_metrics.grids import Grid, Page, page_latex, page_markdown, page_text
from gar_metrics.notes import counted
from gar_metrics.outcomes import Outcome
from gar_metrics.records import CATEGORIES
from gar_metrics.render import decimal, run_labels

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from gar_metrics.comparing import Adjusted, ComparedCell, Comparison
    from gar_metrics.records import Run
    from gar_metrics.shifts import Shift

SHIFT_HEAD = (
    "category", "measure", "n", "baseline", "treatment", "shift", "95% CI", "McNemar p", "gained", "lost",
)  # fmt: skip
SHIFT_UNITS = ("", "", "", "%", "%", "pp", "pp", "", "", "")
FIRST = 3
"""How many ids of a list of flips are shown unless all are asked for."""
SMALL = 0.0001
_ABSENT = "-"


def render_comparison_text(compared: Comparison | Family, *, all_flips: bool = False) -> str:
    """Who is compared, aligned tables of shifts and of outcomes, flipped cases, notes.

    Of a pair it tells how many cases flipped and the first few, or every one if ``all_flips``. A family has a table
    with one line for each run and the same for each category, and flipped cases only if ``all_flips``.
    """
    return page_text(_page(compared, all_flips=all_flips))


def render_comparison_markdown(compared: Comparison | Family, *, all_flips: bool = False) -> str:
    """What `render_comparison_text` tells, as lists and pipe tables."""
    return page_markdown(_page(compared, all_flips=all_flips))


def render_comparison_latex(compared: Comparison | Family, *, all_flips: bool = False) -> str:
    """The tables of `render_comparison_text` as tabulars for the package booktabs, the rest as comments."""
    return page_latex(_page(compared, all_flips=all_flips))


def _page(compared: Comparison | Family, *, all_flips: bool) -> Page:
    return _family_page(compared, all_flips) if isinstance(compared, Family) else _pair_page(compared, all_flips)


def _pair_page(comparison: Comparison, all_flips: bool) -> Page:
    rows = [
        (cell.category, MEASURES[key].name, *_shift_row(shift))
        for cell in (*comparison.cells, comparison.overall)
        for key, shift in cell.shifts.items()
    ]
    # With one category the test over conversations is the test over cases, which stands in the table.
    by_conversation = [_conversation_p(comparison.overall.shifts)] if len(comparison.cells) > 1 else []
    flips = _flips(comparison, None if all_flips else FIRST)
    return Page(
        heading=[("baseline", _described(comparison.baseline)), ("treatment", _described(comparison.treatment))],
        grids=[Grid("", SHIFT_HEAD, SHIFT_UNITS, rows, text_columns=2), *_transitions(comparison)],
        lists=_lists({"overall p by conversation": by_conversation, "flips": flips}),
        notes=[one_line(note) for note in all_notes(comparison)],
    )


def _family_page(family: Family, all_flips: bool) -> Page:
    labels = run_labels([family.baseline, *(one.treatment for one in family.comparisons)])[1:]
    named = list(zip(labels, family.comparisons, family.adjusted, strict=True))
    cells = [cell for one in family.comparisons for cell in one.cells]
    keys = [key for key in MEASURES if any(key in cell.shifts for cell in cells)]
    head = [text for key in keys for text in (f"{MEASURES[key].name} base", MEASURES[key].name, "shift", "p", "p Holm")]
    rows = [(label, one.overall.category, *_family_row(one.overall, keys, adjusted)) for label, one, adjusted in named]
    rows += [
        (label, category, *_family_row(cell, keys, {}))
        for category in CATEGORIES
        for label, one, _ in named
        for cell in one.cells
        if cell.category == category
    ]
    notes = coverage_notes("baseline", family.baseline, cells)
    for label, one, _ in named:
        about = (*one.warnings, *coverage_notes("treatment", one.treatment, one.cells))
        notes += [f"{label}, {note}" for note in about]
    by_conversation = [
        f"{label}: {_conversation_p(adjusted)}" for label, one, adjusted in named if adjusted and len(one.cells) > 1
    ]
    flips = [f"{label}, {line}" for label, one, _ in named for line in _flips(one, None)] if all_flips else []
    return Page(
        heading=[("baseline", _described(family.baseline)), ("family", _family(family))],
        grids=[Grid("", ("run", "category", "n", *head), ("", "", "", *("%", "%", "pp", "", "") * len(keys)), rows, 2)],
        lists=_lists({"overall p by conversation, Holm-adjusted": by_conversation, "flips": flips}),
        notes=[one_line(note) for note in notes],
    )


def _family(family: Family) -> str:
    tests = ", ".join(f"{counted(size, 'run')} for {MEASURES[key].name}" for key, size in family.sizes.items())
    return f"overall tests of {tests}; p of single categories are not adjusted"


def _described(run: Run) -> str:
    return one_line(f"{run.model}, ruleset {run.ruleset}, {shown(run.folder)}")


def _shift_row(shift: Shift) -> tuple[str, ...]:
    low, high = (decimal(bound, sign="+") for bound in shift.ci95)
    return (
        str(shift.n),
        decimal(shift.baseline),
        decimal(shift.treatment),
        decimal(shift.shift_pp, sign="+"),
        f"[{low}, {high}]",
        _p(shift.mcnemar_p),
        str(len(shift.gained)),
        str(len(shift.lost)),
    )


def _family_row(cell: ComparedCell, keys: Sequence[str], adjusted: Mapping[str, Adjusted]) -> tuple[str, ...]:
    texts = [str(cell.n)]
    for key in keys:
        shift = cell.shifts.get(key)
        if shift is None:
            texts += [_ABSENT] * 5
            continue
        rates = (decimal(shift.baseline), decimal(shift.treatment), decimal(shift.shift_pp, sign="+"))
        texts += [*rates, _p(shift.mcnemar_p), _p(adjusted[key].mcnemar_p) if key in adjusted else _ABSENT]
    return tuple(texts)


def _p(value: float) -> str:
    return f"<{SMALL}" if value < SMALL else f"{value:.4f}"


def _transitions(comparison: Comparison) -> Iterator[Grid]:
    """One table of outcomes, with a block of rows per category, if any category has them."""
    cells = comparison.cells if len(comparison.cells) == 1 else (*comparison.cells, comparison.overall)
    rows = [
        (cell.category, before.value, *(str(count) for count in after.values()))
        for cell in cells
        if cell.transitions
        for before, after in cell.transitions.items()
    ]
    if rows:
        head = ("category", "baseline", *(outcome.value for outcome in Outcome))
        yield Grid("cases by outcome, the treatment's in columns", head, [""] * len(head), rows, text_columns=2)


def _conversation_p(tested: Mapping[str, Shift] | Mapping[str, Adjusted]) -> str:
    return ", ".join(f"{MEASURES[key].name} {_p(test.conversation_p)}" for key, test in tested.items())


def _flips(comparison: Comparison, first: int | None) -> list[str]:
    """A line for each category, measure and direction that has flips: their number and the first ids, or all."""
    return [
        f"{cell.category}, {MEASURES[key].name}, {way} {len(ids)}: {_ids(ids, first)}"
        for cell in comparison.cells
        for key, shift in cell.shifts.items()
        for way, ids in (("gained", shift.gained), ("lost", shift.lost))
        if ids
    ]


def _ids(ids: Sequence[str], first: int | None) -> str:
    listed = one_line(", ".join(ids[:first]))
    left = 0 if first is None else len(ids) - first
    return f"{listed} and {left} more" if left > 0 else listed


def _lists(lists: Mapping[str, Sequence[str]]) -> list[tuple[str, Sequence[str]]]:
    return [(title, lines) for title, lines in lists.items() if lines]
