"""The tools that tell an agent how things stand, and what happens meanwhile."""

from collections.abc import Mapping
from typing import Annotated

from pydantic import Field

from roundtable_desktop.mcp.calls import Arguments, Call, Tool, tool

LONGEST_WAIT = 1.5
"""Seconds; no tool takes more than two."""


class StateAsked(Arguments):
    pass


class WatchAsked(Arguments):
    cursor: Annotated[
        str | None,
        Field(pattern=r"^[0-9]{1,18}$"),
        Field(
            description="next_cursor of the answer before, or cursor of state_get; left out: from"
            " now on."
        ),
    ] = None
    limit: Annotated[int, Field(ge=1, le=100)] = 50
    wait_seconds: Annotated[
        float,
        Field(ge=0, le=LONGEST_WAIT),
        Field(description="How long to wait for something new."),
    ] = 1.0


@tool(StateAsked, reads=True)
def state_get(call: Call, asked: StateAsked) -> Mapping[str, object]:
    """Who you are, what your turn is about, the agents of your workspace (whom you can name as
    assignees or reviewers), how far your subtasks are, and what you keep for yourself. Its cursor
    is for state_watch."""
    return call.desk.state.get(call.holder)


@tool(WatchAsked, reads=True)
def state_watch(call: Call, asked: WatchAsked) -> Mapping[str, object]:
    """What happened to the tasks that you may see since the cursor, oldest first. It waits a moment
    for the first of it and then answers, also with nothing: call it again with next_cursor. For
    what takes minutes, end your turn instead; you are woken when your subtasks are over."""
    after = None if asked.cursor is None else int(asked.cursor)
    return call.desk.state.watch(call.holder, after, asked.limit, asked.wait_seconds)


TOOLS: tuple[Tool, ...] = (state_get, state_watch)
