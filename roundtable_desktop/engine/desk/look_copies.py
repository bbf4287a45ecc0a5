"""What the faces may see of working copies: what each is kept for, and how large it is."""

from collections.abc import Mapping
from pathlib import Path

from roundtable_desktop.engine.places import place_of
from roundtable_desktop.engine.retention import copies_of
from roundtable_desktop.model.copies import Copy
from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.model.ports import Git, RowClock
from roundtable_desktop.model.records import Run, Subject, Workspace
from roundtable_desktop.store import events, workspaces
from roundtable_desktop.store.db import Reader


class LookCopies:
    """A part of `Look`."""

    def __init__(self, reader: Reader, clock: RowClock, git: Git, copies: Path) -> None:
        self._reader, self._clock, self._git, self._copies = reader, clock, git, copies

    def of(self, workspace: Workspace) -> list[Copy]:
        with self._reader.snapshot() as view:
            return copies_of(view, self._copies, workspace, self._clock.now())

    def folder_of(self, run: Run) -> str:
        """Where it worked."""
        with self._reader.snapshot() as view:
            workspace = workspaces.get(view, run.workspace_id)
            assert workspace is not None, "foreign keys hold"
            if run.task_id is None and run.copy_number is None:
                return ""
            return str(place_of(view, self._copies, workspace, run).folder)

    def discarded(self, run: Run) -> list[str]:
        """Paths that it changed although it was only to look (C-55)."""
        with self._reader.snapshot() as view:
            told = events.of(view, Subject("run", run.id))
        found = [one.data.get("paths") for one in told if one.kind == Kind.RUN_DISCARDED]
        return [str(path) for paths in found if isinstance(paths, list) for path in paths]

    def moved(self, run: Run) -> list[Mapping[str, object]]:
        """What changed in the user's repository while it was at work, each as it was told."""
        with self._reader.snapshot() as view:
            told = events.of(view, Subject("run", run.id))
        found = [one.data.get("moved") for one in told if one.kind == Kind.RUN_REPOSITORY_MOVED]
        return [one for all_ in found if isinstance(all_, list) for one in all_]

    def sizes(self, found: list[Copy]) -> Mapping[str, int]:
        """Bytes by the folders' names."""
        return {copy.name: self._git.size(copy.path) for copy in found}
