"""The tool by which an agent asks to be woken again."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Annotated

from pydantic import Field

from roundtable_desktop.mcp.calls import Arguments, Call, Tool, tool
from roundtable_desktop.model.errors import Invalid
from roundtable_desktop.model.spans import instant_of, span_of

NOTE_BYTES = 16 * 1024
Note = Annotated[str, Field(min_length=1, max_length=NOTE_BYTES)]
When = Annotated[str, Field(min_length=1, max_length=64)]


class WakeWanted(Arguments):
    reason: Annotated[Note | None, Field(description="What you want to do then.")] = None
    context: Annotated[Note | None, Field(description="The same as reason.")] = None
    at: Annotated[When | None, Field(description="Not before this time: 2026-03-08T06:30:00Z.")] = (
        None
    )
    in_: Annotated[
        When | None, Field(alias="in", description="Not before this has passed: 90m, 2h, 1d.")
    ] = None


@tool(WakeWanted)
def wake_self(call: Call, wanted: WakeWanted) -> Mapping[str, object]:
    """Wakes you again, as soon as you have ended or at a later time, and tells you then what you
    gave as the reason. If you work on a task, you will go on with that task.

    Do not wait inside your turn for something that takes long: end it, and be woken later.
    """
    note = wanted.reason or wanted.context
    if note is None or (wanted.reason and wanted.context):
        raise Invalid("one_reason", "/reason")
    if len(note.encode()) > NOTE_BYTES:
        raise Invalid("text_too_large", "/reason", limit=NOTE_BYTES // 1024)
    if wanted.at is not None and wanted.in_ is not None:
        raise Invalid("at_or_in", "/in")
    return call.desk.wake_self(call.holder, note, _at(wanted.at), _after(wanted.in_), call.key)


def _at(given: str | None) -> datetime | None:
    if given is None:
        return None
    moment = instant_of(given)
    if moment is None:
        raise Invalid("no_moment", "/at", given=given)
    return moment


def _after(given: str | None) -> timedelta | None:
    if given is None:
        return None
    span = span_of(given)
    if span is None:
        raise Invalid("no_span", "/in", given=given)
    return span


TOOLS: tuple[Tool, ...] = (wake_self,)
