"""Leaves the log of a task with Inspect's mock model and a document's scorer: DOCUMENT FORMAT FOLDER."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from inspect_ai import Task, eval  # noqa: A004
from inspect_ai.dataset import Sample
from inspect_ai.model import (
    ChatMessageAssistant,
    ChatMessageTool,
    ChatMessageUser,
    ContentReasoning,
    ContentText,
    ModelOutput,
    ModelUsage,
    get_model,
)
from inspect_ai.solver import generate, use_tools, user_message
from inspect_ai.tool import tool

if TYPE_CHECKING:
    from inspect_ai.tool import Tool

MODEL = "mockllm/model"


@tool
def move() -> Tool:
    """A tool that really runs."""

    async def execute(source: str) -> str:
        """Moves a file.

        Args:
            source: The file.
        """
        return f"moved {source}"

    return execute


def reply(messages: list[Any], *_: Any) -> ModelOutput:
    """Calls, reports and asks, by what was said last."""
    last = messages[-1]
    if isinstance(last, ChatMessageTool):
        output = ModelOutput.from_content(MODEL, "Done, a.txt is in the archive.")
    elif last.text.startswith("Move"):
        output = ModelOutput.for_tool_call(MODEL, "move", {"source": "a.txt"}, content="I'll move it now?")
    else:
        thought = ContentReasoning(reasoning="They may mean b.txt. Or should I call move?")
        output = ModelOutput.from_content(MODEL, [thought, ContentText(text="Which file do you mean?")])
    output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)  # else Inspect counts, from the network
    return output


def main(document: str, log_format: str, folder: str) -> None:
    """Plays two samples twice."""
    (source,) = re.findall(r"```python\n(.*?)```", Path(document).read_text(encoding="utf-8"), re.DOTALL)
    names: dict[str, Any] = {"__name__": "documented"}
    exec(compile(source, document, "exec"), names)  # noqa: S102
    shown = [
        ChatMessageUser(content="Move c.txt."),
        ChatMessageAssistant(content="Where to?"),
        ChatMessageUser(content="Move a.txt."),
    ]
    task = Task(
        dataset=[
            Sample(id="moves", input="Move a.txt.", target="ASK"),
            Sample(id=2, input=shown, target="refuse"),
        ],
        solver=[use_tools(move()), generate(), user_message("And the other file."), generate()],
        scorer=names["gold_action"](),
        epochs=2,
    )
    (log,) = eval(
        task, model=get_model(MODEL, custom_outputs=reply), log_dir=folder, log_format=log_format, display="none"
    )
    sys.exit(log.status != "success")


if __name__ == "__main__":
    main(*sys.argv[1:])
