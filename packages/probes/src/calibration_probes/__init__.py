"""Probes that act at the halt and call seams of a multi-turn tool-calling loop.

>>> from calibration_probes import Case, Reply, build_stack, configure
>>> stack = build_stack(configure({}, probes=["sri"]))
>>> conversation = stack.start_case(Case("multi_turn_base_0", functions=[]))
>>> conversation.start_turn([{"role": "user", "content": "Start the engine."}], [])
>>> decision = conversation.on_halt(Reply("I have started the engine."))
>>> type(decision).__name__, decision.drop_reply
('Retry', True)
"""

from calibration_probes.__about__ import __version__
from calibration_probes.calls import PlacedCall, read_calls
from calibration_probes.config import Configuration, ProbeChoice, build_stack, configure
from calibration_probes.cri import CRI
from calibration_probes.decisions import Abstain, Decision, Proceed, Retry
from calibration_probes.detectors import Detection, antecedents, detect
from calibration_probes.errors import ProbeError
from calibration_probes.events import DEFAULT_LOG_NAME, EventLog
from calibration_probes.instructions import NO_CALL_NOTICE, SRI_RULE
from calibration_probes.interface import Bystander, CaseProbe, Probe, ProbeFactory
from calibration_probes.records import Call, Case, Mode, Reply, Result, Step, Turn
from calibration_probes.registry import FoundProbe, find_probe, installed_probes
from calibration_probes.replay import Replayed, replay
from calibration_probes.results import is_error
from calibration_probes.settings import Emit, Limits, Settings
from calibration_probes.sri import SRI
from calibration_probes.stack import Conversation, ProbeStack
from calibration_probes.state import State
from calibration_probes.templates import Template, read_template
from calibration_probes.texts import cut

__all__ = [
    "CRI",
    "DEFAULT_LOG_NAME",
    "NO_CALL_NOTICE",
    "SRI",
    "SRI_RULE",
    "Abstain",
    "Bystander",
    "Call",
    "Case",
    "CaseProbe",
    "Configuration",
    "Conversation",
    "Decision",
    "Detection",
    "Emit",
    "EventLog",
    "FoundProbe",
    "Limits",
    "Mode",
    "PlacedCall",
    "Probe",
    "ProbeChoice",
    "ProbeError",
    "ProbeFactory",
    "ProbeStack",
    "Proceed",
    "Replayed",
    "Reply",
    "Result",
    "Retry",
    "Settings",
    "State",
    "Step",
    "Template",
    "Turn",
    "__version__",
    "antecedents",
    "build_stack",
    "configure",
    "cut",
    "detect",
    "find_probe",
    "installed_probes",
    "is_error",
    "read_calls",
    "read_template",
    "replay",
]
