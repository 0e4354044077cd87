"""How well both rulesets agree with labels: writes docs/classifier-quality.md and the confusion tables beside it.

Needs ``shared/data/labels/dev.jsonl`` beside the checkout; without it a line says so and nothing is written. Exit
status 1 if ruleset `extended` misses a target.
"""

from __future__ import annotations

import json
import random
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from figures import Figure, report

from action_classifier import PRIORITY, RULESETS, Action, classify

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

ROOT = Path(__file__).resolve().parents[1]
LABELS = ROOT.parent / "shared/data/labels/dev.jsonl"
PAGE = ROOT / "docs/classifier-quality.md"
UNREAD = "source-6"
"""The source whose texts no author of the rules ever saw."""

SEED, RESAMPLES = 20260, 1000
Pair = tuple[Action, Action]
"""The label and the answer."""


class Row(NamedTuple):
    """A labelled emission: its source, its label, the readings that count as well, and the answer of each ruleset."""

    source: str
    label: Action
    also: frozenset[Action]
    answers: dict[str, Action]

    def pair(self, ruleset: str, *, lenient: bool = False) -> Pair:
        """Label and answer; lenient, an answer that is one of the other readings is taken for the label."""
        answer = self.answers[ruleset]
        return (answer if lenient and answer in self.also else self.label), answer


class Scores(NamedTuple):
    """Precision, recall and F1 of a class, and the number of its labels."""

    precision: float
    recall: float
    f1: float
    support: int


def read_rows(path: Path = LABELS) -> list[Row]:
    """The labelled emissions with the answers of both rulesets; an emission that carries nothing is OTHER."""
    rows = []
    for line in path.read_bytes().splitlines():
        row = json.loads(line)
        answers = {ruleset: classify(row["text"], ruleset) or Action.OTHER for ruleset in RULESETS}
        also = frozenset(Action[name] for name in row["also"])
        rows.append(Row(row["source"], Action[row["label"]], also, answers))
    return rows


def scores(pairs: Iterable[Pair]) -> dict[Action, Scores]:
    """The scores of each class that is a label or an answer."""
    counts = Counter(pairs)
    found = {}
    for action in PRIORITY:
        hits = counts[action, action]
        labels = sum(count for (label, _), count in counts.items() if label is action)
        answers = sum(count for (_, answer), count in counts.items() if answer is action)
        if labels or answers:
            found[action] = Scores(
                hits / answers if answers else 0.0,
                hits / labels if labels else 0.0,
                2 * hits / (labels + answers),
                labels,
            )
    return found


def macro_f1(pairs: Iterable[Pair]) -> float:
    """The mean of F1 over the classes that occur as labels."""
    f1 = [score.f1 for score in scores(pairs).values() if score.support]
    return sum(f1) / len(f1)


def interval(pairs: Sequence[Pair], action: Action | None = None) -> tuple[float, float]:
    """The 95% interval of the F1 of a class, or of macro-F1, from seeded bootstrap resamples of the emissions."""
    draw = random.Random(SEED)  # noqa: S311
    values = []
    for _ in range(RESAMPLES):
        resample = draw.choices(pairs, k=len(pairs))
        values.append(macro_f1(resample) if action is None else scores(resample).get(action, Scores(0, 0, 0, 0)).f1)
    values.sort()
    return values[round(0.025 * (RESAMPLES - 1))], values[round(0.975 * (RESAMPLES - 1))]


def confusion(rows: Sequence[Row], ruleset: str) -> dict[str, object]:
    """The table that ``gar table --corrected`` reads: counts only, true classes in rows."""
    counts = Counter(row.pair(ruleset) for row in rows)
    return {
        "ruleset": ruleset,
        "classes": [action.value for action in PRIORITY],
        "counts": [[counts[label, answer] for answer in PRIORITY] for label in PRIORITY],
        "source": f"{len(rows)} labelled emissions, see classifier-quality.md",
    }


def _percent(value: float) -> str:
    return f"{100 * value:.1f}"


def _table(heads: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    return "\n".join(f"| {' | '.join(line)} |" for line in (heads, ["---"] * len(heads), *lines))


def _class_lines(rows: Sequence[Row]) -> Iterable[list[str]]:
    for ruleset in RULESETS:
        pairs = [row.pair(ruleset) for row in rows]
        for action, score in scores(pairs).items():
            low, high = interval(pairs, action)
            numbers = map(_percent, (score.precision, score.recall, score.f1))
            yield [ruleset, action.name, str(score.support), *numbers, f"{_percent(low)} to {_percent(high)}"]
        low, high = interval(pairs)
        macro = _percent(macro_f1(pairs))
        yield [ruleset, "macro-F1", str(len(rows)), "", "", macro, f"{_percent(low)} to {_percent(high)}"]


def _source_lines(rows: Sequence[Row]) -> Iterable[list[str]]:
    for source in sorted({row.source for row in rows}, key=lambda name: int(name.rpartition("-")[2])):
        own = [row for row in rows if row.source == source]
        figures = [_percent(macro_f1([row.pair(ruleset) for row in own])) for ruleset in RULESETS]
        right = sum(row.answers["extended"] is row.label for row in own)
        yield [source + (" (unread)" if source == UNREAD else ""), str(len(own)), *figures, f"{right} of {len(own)}"]


PAGE_TEXT = """\
# How well the rulesets classify

Written by `benchmarks/classifier_quality.py`; don't edit.

{emissions} real emissions of {sources} sources (models and agents, BFCL and tau2), each with the label of its
main act by a written rubric, and a few with other readings that count as well. The file says neither who
labelled nor how often raters agreed: read the figures as agreement with these labels.

All in percent; intervals are 95% bootstrap intervals over emissions ({resamples} resamples, seed {seed}).

{by_class}

Strict: the label alone counts. With the other readings macro-F1 is {lenient_paper} for `paper` and
{lenient_extended} for `extended`.

## By source

Macro-F1 over the classes that a source has labels of; with ten labels one error weighs much.

{by_source}

## What to expect elsewhere

Less. The rules were written by reading these emissions, all but those of source-4 and source-6. The first rules
that were done reached a macro-F1 of 77.8 on source-4 and 65.4 on source-6 (74.0 on both together), without a
look at either: these are the only blind figures of the two. More general rules, made knowing only which classes
had been mixed up there and by which rule, reached 80.8 and 85.4. After that the errors on source-4 were read, and
led to further rules. The texts of source-6 were never read, but the counts of its errors were looked at several
times. So the figures of both sources in the tables above are not blind any more, and flatter.

A second author, who had no part in those rules, then labelled real emissions that are not in the file (of the same
BFCL and tau2 runs, and of two of which it has no text, by gpt-oss-120b and Claude Sonnet 4.5) by the same rubric,
before any rule was tried on them. Of the first 281, 116 were drawn where the rulesets disagreed, or where a text was
long or not in English, of the others 26 where `paper` says REFUSE; the rest at random within each run. Each was
scored once before rules were changed for it. The small classes weigh as much as the large ones: 16 of the first 281
are REFUSE. "Readings" counts a second reading that the rater had noted beforehand.

| emissions | rules | paper | extended | with readings | extended right |
| --- | --- | --- | --- | --- | --- |
| 281, in five batches of 82.4, 87.1, 78.2, 75.1 and 79.6 | before | 31.7 | 80.3 | 90.8 | 86.5 |
| 132 more, in two batches | after | 58.8 | 88.1 | 96.3 | 89.4 |

On the 132 the rules from before the study of the 281 reached 88.1 too: what was learned there was mended there, and
the batches differ in difficulty. Most of the errors that are left are second readings.

Emissions written for the tests in the manner of other models
(`tests/action-classifier/written_emissions.jsonl`) were each tried before rules were changed for them. Macro-F1
of the first author's was then 94.5 and 96.5 on the two halves of the first 288, 79.3 on the next 97, meant to be
hard, 91.2 on 92 and 83.5 on 60 plain ones. The second author's reached 89.4 on 80, 74.1 on 80 and 73.5 on 46 that
turn a phrase in uncommon ways, 90.8 on 67 and 97.5 on 40 plain ones. Who writes a text knows the label; models are
wordier and less inventive. A fair guess for a model that isn't among the sources lies between 80 and 95, by
how plainly it speaks.

What is hard: whether a question after an answer is needed or an extra; a decline that also asks; a fact such as
"the file doesn't exist", which some label REFUSE and some OTHER; a report of one thing done and another that can't
be; refusals and reports without any of the usual words ("that one is up to the airline").

## Correcting for the errors

[confusion-paper.json](confusion-paper.json) and [confusion-extended.json](confusion-extended.json) are the
tables that `gar table --corrected` reads: counts of labels (rows) by answers (columns). They describe these
sources; another model errs otherwise, and a table of your own is better.
"""


def page(rows: Sequence[Row]) -> str:
    """The page in Markdown."""
    lenient = {ruleset: macro_f1([row.pair(ruleset, lenient=True) for row in rows]) for ruleset in RULESETS}
    class_heads = ("ruleset", "class", "labels", "precision", "recall", "F1", "95% interval")
    return PAGE_TEXT.format(
        emissions=len(rows),
        sources=len({row.source for row in rows}),
        resamples=RESAMPLES,
        seed=SEED,
        by_class=_table(class_heads, _class_lines(rows)),
        lenient_paper=_percent(lenient["paper"]),
        lenient_extended=_percent(lenient["extended"]),
        by_source=_table(("source", "emissions", "paper", "extended", "extended right"), _source_lines(rows)),
    )


def outputs(rows: Sequence[Row]) -> dict[Path, str]:
    """What is written, by file."""
    tables = {
        PAGE.with_name(f"confusion-{ruleset}.json"): f"{json.dumps(confusion(rows, ruleset))}\n" for ruleset in RULESETS
    }
    return {PAGE: page(rows), **tables}


def main() -> int:
    """The exit status."""
    if not LABELS.is_file():
        print("skipped: shared/data is not beside the checkout")
        return 0
    rows = read_rows()
    for path, text in outputs(rows).items():
        path.write_text(text, encoding="utf-8")
        print(f"wrote {path.relative_to(ROOT)}")
    pairs = [row.pair("extended") for row in rows]
    unread = [row.pair("extended") for row in rows if row.source == UNREAD]
    by_class = scores(pairs)
    return report(
        f"{len(rows)} labelled emissions, errors of ruleset extended:",
        [
            Figure(1 - macro_f1([row.pair("paper") for row in rows]), "", "1 - macro-F1 of ruleset paper"),
            Figure(1 - macro_f1(pairs), "", "1 - macro-F1", 0.05),
            Figure(1 - by_class[Action.ASK].f1, "", "1 - F1 of ASK", 0.07),
            Figure(1 - by_class[Action.REFUSE].f1, "", "1 - F1 of REFUSE", 0.07),
            Figure(1 - macro_f1(unread), "", f"1 - macro-F1 on {UNREAD}", 0.1),
        ],
    )


if __name__ == "__main__":
    sys.exit(main())
