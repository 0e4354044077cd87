"""Warnings in plain words: what a cell couldn't measure, and where its two files disagree."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from action_classifier import Action
    from gar_metrics.records import Results, Score


def coverage_notes(results: Results, gold: Action) -> tuple[str, ...]:
    """What the rows lack: emissions in error rows, text that wasn't recorded, text that the ruleset didn't read."""
    rows = results.rows
    notes = []
    errors = sum(row.error_row for row in rows)
    if errors:
        answered = len(rows) - errors
        hits = sum(gold in row.emitted for row in rows)
        rest = f"; of the other {answered}, {100 * hits / answered:.1f}% hit" if answered else ""
        notes.append(f"error rows: {errors} of {len(rows)}, counted as misses{rest}")
    unread = sum(row.unread_texts for row in rows)
    cases = sum(row.unread_texts > 0 for row in rows)
    no_text = not any(row.texts for row in rows)
    if unread:
        consequence = "can't be measured here" if no_text else "may be undercounted here"
        notes.append(
            f"{counted(unread, 'emission')} in {counted(cases, 'case')} store text as a list of strings, which ruleset "
            f"{results.ruleset} doesn't read: ASK and REFUSE {consequence}"
        )
    elif no_text:
        notes.append("no text was recorded at all: ASK and REFUSE can't be measured here")
    return tuple(notes)


def disagreements(results: Results, score: Score) -> tuple[str, ...]:
    """Where the score file contradicts the result rows, or itself; empty if every case's verdict is settled."""
    n = len(results.rows)
    strangers = sorted(score.failing - {row.id for row in results.rows})
    doubts = []
    if score.total != n:
        doubts.append(f"the score file counts {counted(score.total, 'case')}, the result file holds {n}")
    if strangers:
        doubts.append(
            f"the score file lists {counted(len(strangers), 'failing case')} that the result file lacks "
            f"(first: {strangers[0]})"
        )
    if score.total - score.correct != len(score.failing):
        doubts.append(
            f"the head of the score file says that {score.total - score.correct} of {score.total} failed, "
            f"but its lines name {len(score.failing)}"
        )
    if doubts:
        doubts.append("Acc is what the score file's head says; outcomes per case are left out")
    return tuple(doubts)


def counted(number: int, noun: str) -> str:
    """``1 row``, ``2 rows``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
