"""Which tools write to the database: the table of gar-metrics, and what a user's file adds to it."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from confirm_judge.jsonl import content_of, described, field_of, object_of
from gar_metrics import GarError
from gar_metrics.tau2 import WRITE_TOOLS

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


def extended_write_tools(path: Path) -> Mapping[str, frozenset[str]]:
    """The WRITE tools by domain: `gar_metrics.tau2.WRITE_TOOLS`, with the domains and tools of a file added.

    Args:
        path: A JSON object: a list of tool names by domain.

    Raises:
        GarError: The file can't be read, or holds something else.
    """
    added = object_of(content_of(path), path)
    tools = {domain: _names(added, domain, path) for domain in added}
    domains = {**WRITE_TOOLS, **tools}
    return MappingProxyType({domain: WRITE_TOOLS.get(domain, frozenset()) | domains[domain] for domain in domains})


def tools_of(domain: str, tools: Mapping[str, frozenset[str]], path: Path) -> frozenset[str]:
    """The WRITE tools of a run's domain.

    Raises:
        GarError: Nobody has said which they are.
    """
    if domain not in tools:
        what = f"no WRITE tools are known for domain {domain} (known: {', '.join(tools)}); name them with --write-tools"
        raise GarError(what, path=path)
    return tools[domain]


def _names(added: dict[str, object], domain: str, path: Path) -> frozenset[str]:
    names = field_of(added, domain, list, path)
    for name in names:
        if not isinstance(name, str):
            what = f"expected names of tools, found {described(name)}"
            raise GarError(what, path=path, field=domain)
    return frozenset(names)
