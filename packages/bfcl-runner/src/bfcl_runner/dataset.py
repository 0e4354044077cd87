"""The BFCL multi-turn cases, as bfcl-eval's own data files and loader give them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from action_classifier import GOLD_ACTIONS
from bfcl_runner.benchmark import upstream

CATEGORIES: tuple[str, ...] = tuple(GOLD_ACTIONS)
"""The four multi-turn categories, in the order in which they run and are shown."""

ID_PREFIX = "multi_turn_"


@dataclass(frozen=True, slots=True)
class Case:
    """One conversation of the benchmark.

    Attributes:
        id: ``multi_turn_<category>_<n>``.
        category: One of `CATEGORIES`.
        entry: Upstream's test entry (questions, functions, involved classes, initial state). Shared between
            everybody who asks for the case, its functions between cases too: copy what you change.
        ground_truth: Call strings by turn; empty where the right thing is to call nothing.
    """

    id: str
    category: str
    entry: dict[str, Any]
    ground_truth: tuple[tuple[str, ...], ...]

    @property
    def gold_turn(self) -> int:
        """Index of the turn that calls for the gold class.

        miss_func: the turn before the first held-out function is handed over. miss_param: the first turn
        whose ground truth is empty. Otherwise the first turn whose ground truth has calls.
        """
        if self.category == "miss_func":
            return min(int(turn) for turn in self.entry["missed_function"]) - 1
        wants_calls = self.category != "miss_param"
        return next(turn for turn, calls in enumerate(self.ground_truth) if bool(calls) is wants_calls)

    @property
    def long_context(self) -> bool:
        """Whether the backends load their long version of the scenario."""
        return self.category == "long_context"

    @property
    def involved_classes(self) -> list[str]:
        """Names of the backend classes whose methods the case offers."""
        classes: list[str] = self.entry["involved_classes"]
        return classes


@lru_cache(maxsize=len(CATEGORIES))
def load_cases(category: str) -> tuple[Case, ...]:
    """All cases of a category, in numeric order.

    Raises:
        BenchmarkMissingError: bfcl-eval is absent or of another version.
    """
    utils = upstream("utils")
    name = f"{ID_PREFIX}{category}"
    answers = {row["id"]: row["ground_truth"] for row in utils.load_ground_truth_entry(name)}
    entries = utils.load_file(utils.PROMPT_PATH / f"{utils.VERSION_PREFIX}_{name}.json", sort_by_id=True)
    for entry in entries:
        _add_functions(entry)
    return tuple(
        Case(
            id=entry["id"],
            category=category,
            entry=entry,
            ground_truth=tuple(tuple(turn) for turn in answers[entry["id"]]),
        )
        for entry in entries
    )


def _add_functions(entry: dict[str, Any]) -> None:
    """Gives an entry its functions, those that it withholds apart, as upstream's loader does.

    Upstream reads and locks a file of documents for every class of every case: two thirds of a second for the four
    categories. Here each is read once, and the documents are shared between cases.
    """
    offered = [documents for name in entry["involved_classes"] for documents in _documents(name)]
    if "missed_function" in entry:
        for turn, names in entry["missed_function"].items():
            withheld = [next(pair for pair in offered if pair[0]["name"] == name) for name in names]
            entry["missed_function"][turn] = [plain for plain, _ in withheld]
            offered = [pair for pair in offered if not any(pair is other for other in withheld)]
    entry["function"] = [hinted for _, hinted in offered]


@cache
def _documents(class_name: str) -> tuple[tuple[dict[str, Any], dict[str, Any]], ...]:
    """The documents of a class's functions, each twice: as upstream hands it over late, and as it offers it at once.

    Only those offered from the start carry upstream's hint about the language.
    """
    utils = upstream("utils")

    def asking() -> list[dict[str, Any]]:
        return [{"id": f"{ID_PREFIX}base_0", "involved_classes": [class_name]}]

    (plain,) = utils.populate_test_cases_with_predefined_functions(asking())
    (hinted,) = utils.add_language_specific_hint_to_function_doc(
        utils.populate_test_cases_with_predefined_functions(asking())
    )
    return tuple(zip(plain["function"], hinted["function"], strict=True))
