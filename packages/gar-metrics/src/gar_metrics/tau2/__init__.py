"""tau2-bench results as frozen records: what was run, what was said and called, what the grader made of it.

Not imported by ``import gar_metrics``: say ``from gar_metrics.tau2 import read_run``.
"""

from gar_metrics.tau2.naming import METHODS, RunName, parse_run_name
from gar_metrics.tau2.reading import find_runs, read_run
from gar_metrics.tau2.records import (
    NO_REWARD,
    Action,
    ActionCheck,
    Message,
    Reward,
    Simulation,
    Task,
    Tau2Run,
    ToolCall,
)
from gar_metrics.tau2.scoring import action_failed, unscored_cause
from gar_metrics.tau2.tasks import read_tasks
from gar_metrics.tau2.write_tools import WRITE_TOOLS, read_write_tools, write_calls

__all__ = [
    "METHODS",
    "NO_REWARD",
    "WRITE_TOOLS",
    "Action",
    "ActionCheck",
    "Message",
    "Reward",
    "RunName",
    "Simulation",
    "Task",
    "Tau2Run",
    "ToolCall",
    "action_failed",
    "find_runs",
    "parse_run_name",
    "read_run",
    "read_tasks",
    "read_write_tools",
    "unscored_cause",
    "write_calls",
]
