"""The API's routes about what agents wrote down for a workspace."""

from typing import Annotated

from pydantic import Field

from roundtable_desktop.dashboard.api.shapes import Moment, Ref, Shown, asked
from roundtable_desktop.dashboard.reading import Listed, Paging, listed
from roundtable_desktop.dashboard.routes import Api
from roundtable_desktop.dashboard.signin import Caller
from roundtable_desktop.engine.desk import Desk, memories
from roundtable_desktop.engine.desk.look import Look
from roundtable_desktop.engine.desk.memories import Kept
from roundtable_desktop.model.printed import printed


class MemoriesAsked(Paging):
    """q: words that topic or text have."""

    workspace_id: Ref | None = None
    q: Annotated[str, Field(max_length=200)] = ""


class MemoryRow(Shown):
    """agent: the name of who wrote it down, in which run and on which task. Its words are an
    agent's."""

    id: str
    workspace_id: str
    agent_id: str
    agent: str
    run_id: str
    task_id: str | None
    topic: str
    text: str
    created_at: Moment


def _row(kept: Kept) -> MemoryRow:
    one = kept.memory
    return MemoryRow.of(one, agent=kept.agent, topic=printed(one.topic), text=printed(one.text))


def declare(api: Api, desk: Desk, look: Look) -> None:
    @api.route("GET", "/api/v1/memories")
    def list_memories(query: MemoriesAsked) -> Listed[MemoryRow]:
        """What agents wrote down for later, newest first."""
        return listed(Listed[MemoryRow], query, look.memories.page, _row)

    @api.route("DELETE", "/api/v1/memories/<ref>", status=204, errors=(404,))
    def forget_memory(caller: Caller, ref: str) -> None:
        """For good: no agent is told it again."""
        memories.forget(desk, asked(caller), ref)
