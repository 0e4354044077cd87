"""The text with its reasoning blanked: what the model thought is no act, whatever it looks like."""

from __future__ import annotations

from typing import NamedTuple


class Block(NamedTuple):
    """How a format marks reasoning: the opening mark, and the marks of which the next one ends it."""

    opening: str
    closings: tuple[str, ...]


BLOCKS = (
    Block("<think>", ("</think>",)),
    Block("<thinking>", ("</thinking>",)),
    Block("<thought>", ("</thought>",)),
    Block("<reasoning>", ("</reasoning>",)),
    Block("<analysis>", ("</analysis>",)),
    Block("<reflection>", ("</reflection>",)),
    Block("<|thinking|>", ("<|/thinking|>", "<|end_thinking|>")),
    Block("<|START_THINKING|>", ("<|END_THINKING|>",)),
    Block("<seed:think>", ("</seed:think>",)),
    Block("◁think▷", ("◁/think▷",)),
    Block("[THINK]", ("[/THINK]",)),
    Block("<|channel|>analysis", ("<|end|>", "<|start|>", "<|channel|>", "<|call|>", "<|return|>")),
)
"""Marks of reasoning models: Qwen and DeepSeek, Claude prompts, Command A, Seed, Kimi, Magistral, gpt-oss (harmony)."""

_LONE_CLOSINGS = ("</think>", "</thinking>", "◁/think▷", "[/THINK]")
"""Where a chat template has written the opening mark, the text starts inside the block."""


def without_reasoning(text: str) -> str:
    """The text with every character of its reasoning a space, so that offsets stay valid.

    A block that isn't closed reaches to the end. A closing mark without an opening one ends a block that began
    before the text.
    """
    if "<" not in text and "THINK]" not in text and "◁" not in text:
        return text
    for block in BLOCKS:
        if block.opening in text:
            text = _without(text, block)
    for closing in _LONE_CLOSINGS:
        end = text.rfind(closing)
        if end >= 0:
            end += len(closing)
            text = " " * end + text[end:]
    return text


def _without(text: str, block: Block) -> str:
    parts: list[str] = []
    position = 0
    closings = dict.fromkeys(block.closings, -1)
    while (start := text.find(block.opening, position)) >= 0:
        inside = start + len(block.opening)
        end = min((_next(text, closing, inside, closings) for closing in closings), default=len(text))
        parts += (text[position:start], " " * (end - start))
        position = end
    parts.append(text[position:])
    return "".join(parts)


def _next(text: str, mark: str, inside: int, known: dict[str, int]) -> int:
    """Where a mark that ends a block next ends, or the end of the text; each stretch is searched once a mark."""
    if known[mark] < inside:
        found = text.find(mark, inside)
        # A control token opens what follows too, and stays.
        known[mark] = len(text) if found < 0 else found + (0 if mark.startswith("<|") else len(mark))
        if found >= 0 and known[mark] < inside:
            return inside
    return known[mark]
