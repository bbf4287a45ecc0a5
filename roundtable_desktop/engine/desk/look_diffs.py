"""What the faces may see of a change: its diff, computed by git when somebody asks."""

from dataclasses import dataclass

from roundtable_desktop.engine.launching import repository_of
from roundtable_desktop.model.ports import Git, GitFailed
from roundtable_desktop.model.records import Run
from roundtable_desktop.store import proposals, workspaces
from roundtable_desktop.store.db import Reader

DIFF_BYTES = 256 * 1024
ERROR_CHARACTERS = 500


@dataclass(frozen=True, slots=True)
class Diff:
    """base, head: commits; None where there is nothing to compare (yet). complete: whether text is
    all of it. failed: what git said instead of a diff."""

    base: str | None
    head: str | None
    text: str = ""
    complete: bool = True
    failed: str | None = None


class LookDiffs:
    """A part of `Look`."""

    def __init__(self, reader: Reader, git: Git) -> None:
        self._reader, self._git = reader, git

    def between(self, workspace_id: str, base: str, head: str) -> Diff:
        with self._reader.snapshot() as view:
            workspace = workspaces.get(view, workspace_id)
        assert workspace is not None, "foreign keys hold"
        try:
            text, complete = self._git.diff(repository_of(workspace), base, head, DIFF_BYTES)
        except GitFailed as failed:
            said = f"{failed.code} {failed.text}".strip()[:ERROR_CHARACTERS]
            return Diff(base, head, complete=False, failed=said)
        return Diff(base, head, text, complete)

    def of_run(self, run: Run) -> Diff:
        """What it proposed, or what it left without a task; nothing while it works."""
        with self._reader.snapshot() as view:
            proposal = proposals.of_run(view, run.id)
        if proposal is not None:
            return self.between(run.workspace_id, proposal.base_commit, proposal.head_commit)
        if run.base_commit is None or run.left_commit is None:
            return Diff(run.base_commit, None)
        return self.between(run.workspace_id, run.base_commit, run.left_commit)
