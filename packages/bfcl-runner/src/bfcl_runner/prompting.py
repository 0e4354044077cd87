"""Prompting mode: the functions are described in a system prompt, results come back in a user message."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from bfcl_runner.benchmark import upstream

if TYPE_CHECKING:
    from bfcl_runner.backends.base import Message

RETURN_FORMAT = "python"
DOCUMENT_FORMAT = "json"
"""Of the formats that BFCL varies, those of its default prompt."""


def system_prompt(functions: list[dict[str, Any]]) -> str:
    """BFCL's default system prompt over the functions, made of upstream's own templates."""
    prompts = upstream("constants.default_prompts")
    style: dict[str, str] = prompts.PROMPT_STYLE_TEMPLATES["classic"]
    prompt: str = prompts.PROMPT_TEMPLATE_MAPPING["plaintext"].format(
        persona=style["persona"],
        task=style["task"],
        tool_call_format=style["tool_call_no_tag"].format(
            output_format=prompts.OUTPUT_FORMAT_MAPPING[RETURN_FORMAT],
            param_types=prompts.PARAM_TYPE_MAPPING[RETURN_FORMAT],
        ),
        multiturn_behavior=style["multiturn_behavior"],
        available_tools=style["available_tools"].format(
            format=DOCUMENT_FORMAT, functions=json.dumps(functions, indent=4)
        ),
    )
    return prompt


def with_system_prompt(messages: list[Message], functions: list[dict[str, Any]]) -> list[Message]:
    """The first turn's messages with the system prompt before them, or before the system message they bring."""
    prompt = system_prompt(functions)
    if messages and messages[0]["role"] == "system":
        return [{**messages[0], "content": f"{prompt}\n\n{messages[0]['content']}"}, *messages[1:]]
    return [{"role": "system", "content": prompt}, *messages]


def announcement(functions: list[dict[str, Any]]) -> Message:
    """The user message that hands over held-out functions, their documents included."""
    template: str = upstream("constants.default_prompts").DEFAULT_USER_PROMPT_FOR_ADDITIONAL_FUNCTION_PROMPTING
    return {"role": "user", "content": template.format(functions=functions)}


def results_message(calls: list[str], results: list[str]) -> Message:
    """The user message that brings the results of executed calls."""
    entries = [{"role": "tool", "name": call, "content": result} for call, result in zip(calls, results, strict=False)]
    return {"role": "user", "content": repr(entries)}
