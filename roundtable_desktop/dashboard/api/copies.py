"""The API's route about working copies: what each is kept for, and what they take on the disk."""

from roundtable_desktop.dashboard.api.shapes import Moment, Shown, said
from roundtable_desktop.dashboard.routes import Api
from roundtable_desktop.engine.desk.look import Look
from roundtable_desktop.model.copies import Copy
from roundtable_desktop.model.times import rfc3339


class CopyRow(Shown):
    """state: in_use, undelivered, over (goes at free_at), kept (it holds work that is nowhere
    else), unknown (no copy of ours). task: its number."""

    name: str
    path: str
    state: str
    task: int | None
    agent: str | None
    bytes: int
    free_at: Moment | None
    holds: list[str]
    sentence: str


class Copies(Shown):
    items: list[CopyRow]
    total_bytes: int
    next_cursor: str | None = None


def _row(copy: Copy, size: int) -> CopyRow:
    values = {
        "free_at": rfc3339(copy.free_at) if copy.free_at else None,
        "holds": list(copy.holds),
    }
    return CopyRow.of(
        copy,
        task=copy.number,
        bytes=size,
        holds=list(copy.holds),
        sentence=said(f"copy_{copy.state}", values),
    )


def declare(api: Api, look: Look) -> None:
    @api.route("GET", "/api/v1/workspaces/<ref>/copies")
    def list_copies(ref: str) -> Copies:
        """The working copies of its tasks and agents, with their sizes; those that are done with
        go by themselves."""
        found = look.copies.of(look.workspace(ref))
        sizes = look.copies.sizes(found)
        rows = [_row(copy, sizes[copy.name]) for copy in found]
        return Copies(items=rows, total_bytes=sum(sizes.values()))
