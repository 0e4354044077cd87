"""Run and score BFCL multi-turn conversations without evaluating what a model wrote.

>>> from bfcl_runner import model_directory
>>> model_directory("openai/gpt-oss-20b")
'openai%2Fgpt-oss-20b'
"""

from bfcl_runner.__about__ import __version__
from bfcl_runner.agents import AGENT_NAMES, Agent, make_agent
from bfcl_runner.backends.base import Backend, Dialogue, Emission, Message, Reply
from bfcl_runner.backends.scripted import ScriptedBackend
from bfcl_runner.benchmark import require_benchmark
from bfcl_runner.dataset import CATEGORIES, Case, load_cases
from bfcl_runner.decoding import decode_structured
from bfcl_runner.display import Display, Lines, LiveLine, Silent, display_on
from bfcl_runner.environment import Environment
from bfcl_runner.errors import BenchmarkMissingError, DecodeError, RunnerError
from bfcl_runner.install import install_benchmark
from bfcl_runner.layout import RunLayout, model_directory, model_name
from bfcl_runner.loop import run_case
from bfcl_runner.options import ModelOptions, Prices
from bfcl_runner.plan import RunPlan
from bfcl_runner.probing import chosen_probes
from bfcl_runner.running import RunOutcome, run
from bfcl_runner.scoring import Verdict, judge
from bfcl_runner.selection import Selection

__all__ = [
    "AGENT_NAMES",
    "CATEGORIES",
    "Agent",
    "Backend",
    "BenchmarkMissingError",
    "Case",
    "DecodeError",
    "Dialogue",
    "Display",
    "Emission",
    "Environment",
    "Lines",
    "LiveLine",
    "Message",
    "ModelOptions",
    "Prices",
    "Reply",
    "RunLayout",
    "RunOutcome",
    "RunPlan",
    "RunnerError",
    "ScriptedBackend",
    "Selection",
    "Silent",
    "Verdict",
    "__version__",
    "chosen_probes",
    "decode_structured",
    "display_on",
    "install_benchmark",
    "judge",
    "load_cases",
    "make_agent",
    "model_directory",
    "model_name",
    "require_benchmark",
    "run",
    "run_case",
]
