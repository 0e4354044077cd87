"""Run and score BFCL multi-turn conversations without evaluating what a model wrote.

>>> from bfcl_runner import model_directory
>>> model_directory("openai/gpt-oss-20b")
'openai%2Fgpt-oss-20b'
"""

from bfcl_runner.__about__ import __version__
from bfcl_runner.agents import AGENT_NAMES, make_agent
from bfcl_runner.benchmark import require_benchmark
from bfcl_runner.dataset import CATEGORIES, Case, load_cases
from bfcl_runner.decoding import decode_structured
from bfcl_runner.environment import Environment
from bfcl_runner.errors import BenchmarkMissingError, DecodeError, RunnerError
from bfcl_runner.install import install_benchmark
from bfcl_runner.layout import RunLayout, model_directory, model_name
from bfcl_runner.loop import run_case
from bfcl_runner.progress import Bars, Lines, Progress, Silent, progress_on
from bfcl_runner.running import ScriptedRun, run_scripted
from bfcl_runner.scoring import Verdict, judge

__all__ = [
    "AGENT_NAMES",
    "CATEGORIES",
    "Bars",
    "BenchmarkMissingError",
    "Case",
    "DecodeError",
    "Environment",
    "Lines",
    "Progress",
    "RunLayout",
    "RunnerError",
    "ScriptedRun",
    "Silent",
    "Verdict",
    "__version__",
    "decode_structured",
    "install_benchmark",
    "judge",
    "load_cases",
    "make_agent",
    "model_directory",
    "model_name",
    "progress_on",
    "require_benchmark",
    "run_case",
    "run_scripted",
]
