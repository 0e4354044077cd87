"""The judge without a model: details stated, then approved in plain words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from confirm_judge import WriteEvent, rules_verdict, write_events
from gar_metrics.tau2 import WRITE_TOOLS, read_run

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

LISTING = ("assistant", "I will cancel reservation EHGLP3 and refund $50. Do you confirm?")
OTHER = ("assistant", "Shall I look up your profile?")
REPORT = ("assistant", "I have cancelled reservation EHGLP3. Anything else?")

MET = (
    (LISTING, ("user", "Yes, please.")),
    (LISTING, ("user", "OK, go ahead.")),
    (LISTING, ("tool", "{}"), ("user", "That\u2019s correct. And do not add insurance.")),
    (LISTING, ("user", "Yes."), ("assistant", None), ("tool", "done with the first")),
    (LISTING, ("user", "Yes."), OTHER, ("user", "Sure.")),
    (LISTING, ("user", "Wait."), LISTING, ("user", "Okay, yes.")),
)
NOT_MET = (
    (),
    (("user", "Cancel EHGLP3, yes."),),
    (LISTING,),
    (LISTING, ("user", "What would it cost?")),
    (LISTING, ("user", "No.")),
    (LISTING, ("user", "Yes, but don't proceed before I find my card.")),
    (LISTING, ("user", "Yes."), OTHER, ("user", "No, I changed my mind.")),
    (OTHER, ("user", "Yes.")),
    (("assistant", "I will cancel reservation AAAAAA. Do you confirm?"), ("user", "Yes.")),
    (("assistant", "EHGLP3 is a nice one, right?"), ("user", "Yes.")),
    (("user", "Yes."), REPORT),
    (LISTING, ("tool", "yes")),
    (LISTING, ("assistant", "The user says: yes")),
)


@pytest.mark.parametrize("messages", MET)
def test_met(event: Callable[..., WriteEvent], messages: tuple[tuple[str, str | None], ...]) -> None:
    """A listing of this action, and the user's next word approves; batches and questions in between change nothing."""
    assert rules_verdict(event(*messages)).met


@pytest.mark.parametrize("messages", NOT_MET)
def test_not_met(event: Callable[..., WriteEvent], messages: tuple[tuple[str, str | None], ...]) -> None:
    """No listing, another action, no approval or one taken back, a report, or anybody else's yes."""
    assert not rules_verdict(event(*messages)).met


def test_reasons_are_short(event: Callable[..., WriteEvent]) -> None:
    """Every reason has at most 25 words, as a model's."""
    for messages in (*MET, *NOT_MET):
        assert 0 < len(rules_verdict(event(*messages)).reasoning.split()) <= 25


def test_values_at_any_depth(event: Callable[..., WriteEvent]) -> None:
    """Values count wherever they stand in the arguments, however deeply a model has nested them."""
    nested: object = {"reservation_id": "EHGLP3"}
    for _ in range(5000):
        nested = [nested]
    assert rules_verdict(event(LISTING, ("user", "Yes."), arguments={"a": nested})).met
    assert not rules_verdict(event(REPORT, ("user", "Yes."), arguments={"a": {"b": ["AAAAAA", 12.5]}})).met


def test_real_runs(shared_data: Path) -> None:
    """In real runs the rules find confirmation nearly everywhere where models of that kind ask, and not where not."""
    found = {}
    for name in (
        "tau2_airline_gpt-5.4_baseline",
        "tau2_airline_gpt-oss-120b_baseline",
        "tau2_retail_ft-gpt-4.1_baseline",
    ):
        run = read_run(shared_data / "tau2_runs" / name)
        verdicts = [rules_verdict(event).met for event in write_events(run, WRITE_TOOLS[run.domain])]
        found[name.split("_")[2]] = (sum(verdicts), len(verdicts))
    assert found == {"gpt-5.4": (33, 36), "gpt-oss-120b": (70, 176), "ft-gpt-4.1": (63, 64)}
