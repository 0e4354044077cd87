"""Run tau2-bench, and read its results by action class.

>>> from tau2_runner import detect, task_pass_k
>>> sorted(action.name for action in detect("I cannot cancel it. Your refund has been issued."))
['CONFIRM', 'REFUSE']
>>> task_pass_k(passed=3, trials=4, k=2)
0.5
"""

from tau2_runner.__about__ import __version__
from tau2_runner.analysis.ask_subset import AskLabel, ask_subsets, read_labels
from tau2_runner.analysis.breakdown import Breakdown, Calibration, Share, build_breakdown
from tau2_runner.analysis.compare import Comparison, compare_runs
from tau2_runner.analysis.conversation import conversation
from tau2_runner.analysis.detection import detect
from tau2_runner.analysis.domains import Domain, Tau2Root
from tau2_runner.analysis.passk import PassK, pass_k, task_pass_k
from tau2_runner.analysis.reward_audit import RewardAudit, audit_rewards
from tau2_runner.analysis.tables import breakdown_csv, breakdown_json, breakdown_markdown, breakdown_text
from tau2_runner.analysis.task_classes import task_classes
from tau2_runner.errors import RunnerError

__all__ = [
    "AskLabel",
    "Breakdown",
    "Calibration",
    "Comparison",
    "Domain",
    "PassK",
    "RewardAudit",
    "RunnerError",
    "Share",
    "Tau2Root",
    "__version__",
    "ask_subsets",
    "audit_rewards",
    "breakdown_csv",
    "breakdown_json",
    "breakdown_markdown",
    "breakdown_text",
    "build_breakdown",
    "compare_runs",
    "conversation",
    "detect",
    "pass_k",
    "read_labels",
    "task_classes",
    "task_pass_k",
]
