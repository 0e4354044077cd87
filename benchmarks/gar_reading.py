"""Reading result files at scale: seconds of `gar table` over 25 models of 800 cases, 1.3 GB, and its memory.

The peer decodes every line of the same files with the standard json module and does nothing with it. Rows are those of
real runs where `shared/data` lies beside the checkout, else made up, their turns and logs repeated to the length they
have in large runs; each model says everything in words of its own. Ratios are medians over some rounds. Exit status 1
if a target is missed.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from functools import partial
from itertools import cycle, islice, product, zip_longest
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from figures import Figure, report
from measuring import in_turns, load, run_program

from action_classifier import Action, classify
from gar_metrics import CATEGORIES

if TYPE_CHECKING:
    from collections.abc import Iterator

    Row = dict[str, Any]

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data" / "bfcl_runs"

MODELS = 25
CASES = 200
"""In each of the four categories."""

LOG_BYTES = 62_000
"""Of a row, on average, as in the runs of large models."""

MOST_WALL = 0.25
MOST_MEMORY = 150.0

PEER = """
import json, sys
from pathlib import Path
for file in sorted(Path(sys.argv[1]).rglob("*.json")):
    with file.open("rb") as lines:
        for line in lines:
            json.loads(line)
"""


def real_rows() -> Iterator[Row]:
    """Rows that real runs left with texts and a log, from all of the runs in turns."""
    files = [file.read_bytes().splitlines() for file in sorted(SHARED.rglob("*_result.json"))]
    for lines in zip_longest(*files):
        for row in map(json.loads, filter(None, lines)):
            if (
                row.get("inference_log")
                and isinstance(row["result"], list)
                and any(is_text(part) for turn in row["result"] for part in turn)
            ):
                yield row


def made_up_rows() -> Iterator[Row]:
    """Rows in the shape of BFCL's, of calls, answers and a log of messages."""
    for number in range(CASES):
        call = [{"grep": json.dumps({"file_name": f"report_{number}.txt", "pattern": "budget"})}]
        text = f"The file report_{number}.txt has {number} lines that mention it. Which of them shall I copy?"
        message = {"role": "tool", "content": json.dumps({"matching_lines": [text, text], "state": {"id": number}})}
        yield {"result": [[call, call, text]], "inference_log": [{"handler_log": "model input", "messages": [message]}]}


def write_tree(folder: Path) -> None:
    """Leaves the result files of all models in a folder."""
    rows = cycle([*islice(real_rows(), len(CATEGORIES) * CASES)] or [*made_up_rows()])
    for model in range(MODELS):
        (folder / f"model_{model:02}").mkdir()
    for category, number in product(CATEGORIES, range(CASES)):
        row = next(rows)
        log = json.dumps(repeated(row["inference_log"], LOG_BYTES)).encode()
        for model in range(MODELS):
            head = {"id": f"multi_turn_{category}_{number}", "result": own_words(row["result"], model)}
            line = b'%s, "inference_log": %s}\n' % (json.dumps(head)[:-1].encode(), log)
            with (folder / f"model_{model:02}" / f"BFCL_v4_multi_turn_{category}_result.json").open("ab") as file:
                file.write(line)


def own_words(result: list[Any], model: int) -> list[Any]:
    """The result as another model could have given it: the same calls, but every text another."""
    return [[f"{part} {model}" if is_text(part) else part for part in turn] for turn in result]


def is_text(emission: object) -> bool:
    """Whether an emission is a text that is no call."""
    return isinstance(emission, str) and classify(emission) not in (None, Action.TOOL_CALL)


def repeated(parts: list[Any], size: int) -> list[Any]:
    """The parts, over and over or not all of them, so that their JSON has about so many bytes."""
    count = round(size / len(json.dumps(parts)) * len(parts))
    return [*islice(cycle(parts), max(1, count))]


def main() -> int:
    """The exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3, help="measurements of each, default: %(default)s")
    parser.add_argument("--write", type=Path, help="only write the files into this folder")
    options = parser.parse_args()
    if options.write:
        write_tree(options.write)
        return 0
    rounds = options.rounds
    with tempfile.TemporaryDirectory() as parent:
        # In a process of its own: what this one ever held would count as memory of those that it starts.
        run_program([sys.executable, __file__, "--write", parent])
        size = sum(file.stat().st_size for file in Path(parent).rglob("*.json"))
        taken = in_turns(
            rounds,
            partial(run_program, [sys.executable, "-m", "gar_metrics", "table", parent]),
            partial(run_program, [sys.executable, "-c", PEER, parent]),
        )
    ours, peer = zip(*taken, strict=True)
    status = report(
        f"gar table over {MODELS} models of {CASES * len(CATEGORIES)} cases, {size / 1e9:.2f} GB, start included",
        [
            Figure(median(usage.wall for usage in ours), "s", "gar table"),
            Figure(median(usage.wall for usage in peer), "s", "json.loads on every line"),
            Figure(median(a.wall / b.wall for a, b in taken), "x", "the seconds of json.loads", most=MOST_WALL),
            Figure(median(a.cpu / b.cpu for a, b in taken), "x", "the CPU seconds of json.loads"),
            Figure(max(usage.peak for usage in ours), "MB", "gar table at its peak", most=MOST_MEMORY),
        ],
    )
    rows = "real runs" if SHARED.is_dir() else "this script"
    print(f"       {load()}; rows of {rows}")
    return status


if __name__ == "__main__":
    sys.exit(main())
