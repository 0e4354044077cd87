"""Which tools change the database: a table, and the domains' own source for what it doesn't hold."""

from __future__ import annotations

import ast
from types import MappingProxyType
from typing import TYPE_CHECKING

from gar_metrics.errors import GarError

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping
    from pathlib import Path

    from gar_metrics.tau2.records import Message, Simulation, ToolCall

WRITE_TOOLS: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "airline": frozenset(
            {
                "book_reservation",
                "cancel_reservation",
                "send_certificate",
                "update_reservation_baggages",
                "update_reservation_flights",
                "update_reservation_passengers",
            }
        ),
        "retail": frozenset(
            {
                "cancel_pending_order",
                "exchange_delivered_order_items",
                "modify_pending_order_address",
                "modify_pending_order_items",
                "modify_pending_order_payment",
                "modify_user_address",
                "return_delivered_order_items",
            }
        ),
        "telecom": frozenset(
            {
                "disable_roaming",
                "enable_roaming",
                "refuel_data",
                "resume_line",
                "send_payment_request",
                "suspend_line",
            }
        ),
    }
)
"""The agent's WRITE tools by domain, at tau2-bench commit a03b791."""


def read_write_tools(source: Path) -> frozenset[str]:
    """The functions that a ``tools.py`` decorates with ``is_tool(ToolType.WRITE)``, read without running it.

    Raises:
        GarError: The file can't be read, or isn't Python.
    """
    try:
        tree = ast.parse(source.read_bytes())
    except OSError as error:
        what = f"can't be read: {error.strerror or error}"
        raise GarError(what, path=source) from error
    except (SyntaxError, ValueError, RecursionError) as error:
        what = f"isn't Python: {getattr(error, 'msg', error)}"
        raise GarError(what, path=source, line=getattr(error, "lineno", None)) from error
    functions = (node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)))
    return frozenset(node.name for node in functions if any(map(_marks_write, node.decorator_list)))


def write_calls(simulation: Simulation, tools: Container[str]) -> Iterator[tuple[Message, ToolCall]]:
    """The agent's structured calls of the given tools, in order, each with the message that makes it."""
    for message in simulation.messages:
        if message.role == "assistant":
            for call in message.calls:
                if call.name in tools:
                    yield message, call


def _marks_write(decorator: ast.expr) -> bool:
    if not isinstance(decorator, ast.Call) or _last_name(decorator.func) != "is_tool":
        return False
    kinds = [*decorator.args, *(keyword.value for keyword in decorator.keywords if keyword.arg == "tool_type")]
    return any(isinstance(kind, ast.Attribute) and kind.attr == "WRITE" for kind in kinds[:1])


def _last_name(node: ast.expr) -> str | None:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else None
