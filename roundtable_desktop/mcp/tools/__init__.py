"""The tools that agents have; their names are part of the contract."""

from collections.abc import Mapping

from roundtable_desktop.mcp.calls import Tool
from roundtable_desktop.mcp.tools import (
    changes,
    checks,
    claims,
    memories,
    proposals,
    repository,
    state,
    tasks,
    turns,
    waking,
)

NOUNS = (state, tasks, changes, waking, proposals, claims, turns, memories, repository, checks)

TOOLS: Mapping[str, Tool] = {tool.name: tool for noun in NOUNS for tool in noun.TOOLS}


def describe() -> list[dict[str, object]]:
    """For `roundtable mcp inspect`: what an agent is told of each, without any server."""
    return [
        {"name": tool.name, "description": tool.description, "input_schema": tool.schema()}
        for tool in TOOLS.values()
    ]
