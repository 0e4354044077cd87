"""Was every database write of an agent confirmed by the user first? Events, judges, judgments and their table.

>>> from confirm_judge import read_verdict
>>> read_verdict('Here it is: {"met": false, "reasoning": "The user never approved."}')
Verdict(met=False, reasoning='The user never approved.')
"""

from confirm_judge.__about__ import __version__
from confirm_judge.agreement import Agreement, agree
from confirm_judge.errors import JudgeUnusableError
from confirm_judge.events import EventKey, WriteEvent, write_events
from confirm_judge.export import render_agreement_json, render_table_csv, render_table_json, table_record
from confirm_judge.judging import Judge, Ruling, judge_all
from confirm_judge.judgments import Judgment, judgment_of, read_judgments
from confirm_judge.prompt import Prompt, own_prompt, read_prompt
from confirm_judge.render import (
    render_agreement_markdown,
    render_agreement_text,
    render_table_latex,
    render_table_markdown,
    render_table_text,
)
from confirm_judge.rules import RulesJudge, rules_verdict
from confirm_judge.table import PUBLISHED_MODELS, TableRow, build_table
from confirm_judge.verdicts import VERDICT_SCHEMA, NoVerdictError, Verdict, read_verdict
from confirm_judge.window import WINDOW, WindowMessage, window_before
from confirm_judge.write_tools import extended_write_tools

__all__ = [
    "PUBLISHED_MODELS",
    "VERDICT_SCHEMA",
    "WINDOW",
    "Agreement",
    "EventKey",
    "Judge",
    "JudgeUnusableError",
    "Judgment",
    "NoVerdictError",
    "Prompt",
    "RulesJudge",
    "Ruling",
    "TableRow",
    "Verdict",
    "WindowMessage",
    "WriteEvent",
    "__version__",
    "agree",
    "build_table",
    "extended_write_tools",
    "judge_all",
    "judgment_of",
    "own_prompt",
    "read_judgments",
    "read_prompt",
    "read_verdict",
    "render_agreement_json",
    "render_agreement_markdown",
    "render_agreement_text",
    "render_table_csv",
    "render_table_json",
    "render_table_latex",
    "render_table_markdown",
    "render_table_text",
    "rules_verdict",
    "table_record",
    "window_before",
    "write_events",
]
