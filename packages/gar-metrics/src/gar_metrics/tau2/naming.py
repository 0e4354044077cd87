"""What the name of a run's folder says: ``tau2_<domain>_<model>_<method>``, a date after it or not."""

from __future__ import annotations

import re
from typing import NamedTuple

METHODS = ("baseline", "sri_lite", "ablation_no_state")
"""How the agent was run: as it is, with the reconciling retry, and with that but without the observed state."""

_NAME = re.compile(rf"tau2_(?P<setup>.+)_(?P<method>{'|'.join(METHODS)})(?:_[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}.*)?")


class RunName(NamedTuple):
    """The parts of a run's name."""

    domain: str
    model: str
    method: str


def parse_run_name(name: str, domain: str | None = None) -> RunName | None:
    """The parts of a folder's name, or None if it isn't of this form.

    Args:
        name: Such as ``tau2_airline_gpt-5.4_baseline`` or ``tau2_retail_Qwen3-8B_sri_lite_2026-03-05``.
        domain: The domain, where it is known: some have an underscore in their name.
    """
    match = _NAME.fullmatch(name)
    if match is None:
        return None
    setup = match["setup"]
    if domain and setup.startswith(f"{domain}_") and setup != f"{domain}_":
        return RunName(domain, setup[len(domain) + 1 :], match["method"])
    first, _, model = setup.partition("_")
    return RunName(first, model, match["method"]) if first and model else None
