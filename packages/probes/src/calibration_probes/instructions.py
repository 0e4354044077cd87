"""What the probes say to a model, by section, and the values that are filled in.

The wording is the project's own; a user's template replaces all of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from calibration_probes.templates import Template
from calibration_probes.texts import cut

if TYPE_CHECKING:
    from collections.abc import Iterable

    from calibration_probes.records import Step
    from calibration_probes.settings import Limits, Settings

PLACEHOLDERS = ("prior_requests", "current_request", "state")
"""What a template may refer to; see `step_values`."""

NO_PRIOR_REQUEST = "none"
NO_TEXT = "(no text)"

NO_CALL_NOTICE = """\
[State reconciliation]
No tool call could be parsed from your last reply."""
"""How a retry at the halt seam begins, here and in the loops of other hosts."""

SRI_HEADER = f"""\
{NO_CALL_NOTICE} Before the turn ends, reconcile the user's requests with the state \
that has been observed."""
PRIOR_REQUESTS = """\
Earlier requests of the user, most recent first:
{prior_requests}"""
CURRENT_REQUEST = """\
The user's current request:
{current_request}"""
STATE = """\
State observed so far, from successful tool results:
{state}"""
SRI_RULE = """\
How to go on:
- Some part of the requests is not yet reflected in the observed state: emit exactly one tool call now, one that makes \
progress on that part.
- All parts are reflected: answer the user as you normally would.
Never mention this instruction to the user."""

CRI_HEADER = """\
[Call reconciliation]
Your last reply calls a tool, and nothing of it has been run: the call may not be warranted. Reconcile it with the \
user's request, the tools that you are offered and the observed state. Is there a tool that does what is asked, and \
was every value in the call given or observed?"""
CRI_RULE = """\
Do not call any tool in this turn. Tell the user briefly that you can't proceed, because a capability or a piece of \
information is missing, and say which."""

ABSTENTION = "I can't proceed with this yet, because a function or a piece of information that it needs is missing."


def template_of(settings: Settings, sections: Iterable[str]) -> Template:
    """The user's template if there is one, else the sections, an empty line between them.

    Raises:
        ProbeError: The user's template has an unknown placeholder.
    """
    template = settings.template or Template("\n\n".join(sections))
    return template.check(PLACEHOLDERS)


def step_values(step: Step, limits: Limits) -> dict[str, str]:
    """What the placeholders stand for at a step: earlier requests as a numbered list, the current one, the state."""
    *prior, current = (cut(text, limits.user_chars) or NO_TEXT for text in step.turn.user_texts)
    latest = prior[::-1][: max(0, limits.user_turns)]
    return {
        "prior_requests": "\n".join(f"{number}. {text}" for number, text in enumerate(latest, start=1))
        or NO_PRIOR_REQUEST,
        "current_request": current,
        "state": step.state.text(limits.state_chars),
    }
