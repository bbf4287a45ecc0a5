"""What a list can be filtered by: names alone, for a whole row is read to be shown."""

from roundtable_desktop.store.db import View

Named = tuple[str, str]
"""An id, and the name of what has it."""

_WORKSPACES = "SELECT id, name FROM workspaces ORDER BY id DESC LIMIT ?"
_AGENTS = """
SELECT agents.id, agents.name || ' · ' || workspaces.name AS name
FROM agents JOIN workspaces ON workspaces.id = agents.workspace_id
ORDER BY agents.id DESC LIMIT ?
"""
_ROUTINES = "SELECT id, name FROM office_routines WHERE deleted_at IS NULL ORDER BY id DESC LIMIT ?"


def workspaces(view: View, most: int) -> list[Named]:
    """Newest first, as all of these."""
    return _named(view, _WORKSPACES, most)


def agents(view: View, most: int) -> list[Named]:
    """Each with its workspace; also those that are retired."""
    return _named(view, _AGENTS, most)


def routines(view: View, most: int) -> list[Named]:
    """But for those that were removed."""
    return _named(view, _ROUTINES, most)


def _named(view: View, text: str, most: int) -> list[Named]:
    return [(row["id"], row["name"]) for row in view.sql(text, (most,))]
