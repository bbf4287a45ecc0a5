"""The tools by which an agent gets to be the only one at something for a while."""

from collections.abc import Mapping
from typing import Annotated

from pydantic import Field

from roundtable_desktop.mcp.calls import Arguments, Call, Tool, tool

REASON_LENGTH = 2000


class TurnWanted(Arguments):
    reason: Annotated[
        str,
        Field(min_length=1, max_length=REASON_LENGTH),
        Field(description="What you want to do when it is your turn; you are told it then."),
    ]


class TurnTaken(Arguments):
    pass


class TurnDone(Arguments):
    summary: Annotated[str, Field(max_length=REASON_LENGTH, description="How it went.")] = ""


@tool(TurnWanted)
def turn_request(call: Call, wanted: TurnWanted) -> Mapping[str, object]:
    """Asks for a turn: of all agents of your mission (or workspace) one at a time has it, who asked
    first comes first. If the answer says scheduled, call turn_start within a minute. If it says
    requested, `place` others come first: go on with something else or end, and you are woken when
    it is your turn. Asking again keeps your place."""
    return call.desk.turns.request(call.holder, wanted.reason, call.key)


@tool(TurnTaken)
def turn_start(call: Call, taken: TurnTaken) -> Mapping[str, object]:
    """Takes the turn that was given to you. From then on it is yours until you call turn_complete
    or end, for an hour at most."""
    return call.desk.turns.start(call.holder, call.key)


@tool(TurnDone)
def turn_complete(call: Call, done: TurnDone) -> Mapping[str, object]:
    """Ends your turn, so that the next agent gets its own."""
    return call.desk.turns.complete(call.holder, done.summary, call.key)


TOOLS: tuple[Tool, ...] = (turn_request, turn_start, turn_complete)
