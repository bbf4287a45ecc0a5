"""What a person sees of the memories of agents, and has forgotten."""

from dataclasses import dataclass

from roundtable_desktop.engine.desk import Asked, Desk
from roundtable_desktop.model.errors import Absent
from roundtable_desktop.model.memories import Memory
from roundtable_desktop.store import agents, memories
from roundtable_desktop.store.db import Reader


@dataclass(frozen=True, slots=True)
class Kept:
    """agent: the name of who wrote it down."""

    memory: Memory
    agent: str

    @property
    def id(self) -> str:
        return self.memory.id


class LookMemories:
    """A part of `Look`."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    def page(
        self, after: str | None, limit: int, *, workspace_id: str | None, q: str
    ) -> list[Kept]:
        """Newest first, those that have every word of q."""
        with self._reader.snapshot() as view:
            found = memories.page(
                view, after=after, limit=limit, workspace_id=workspace_id, words=q
            )
            names = agents.of_ids(view, (one.agent_id for one in found))
        return [Kept(one, names[one.agent_id].name) for one in found]


def forget(desk: Desk, asked: Asked, ref: str) -> None:
    """For good; its words are kept nowhere else. ref: its id, or a unique end of it."""
    with desk.store.transaction() as tx:
        found = memories.named(tx, ref)
        if found is None:
            raise Absent("unknown_memory")
        memories.forget(tx, found, asked.actor)
