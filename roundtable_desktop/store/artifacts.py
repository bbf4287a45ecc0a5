"""Files that agents named in their reports: which there are, and why one was not kept (A-25)."""

from roundtable_desktop.model.artifacts import Artifact, KeptFile
from roundtable_desktop.model.records import Run
from roundtable_desktop.store import lists
from roundtable_desktop.store.artifact_tables import Artifacts
from roundtable_desktop.store.db import Tx, View


def named(view: View, ref: str) -> Artifact | None:
    """By its id, or a unique end of it."""
    found = view.one(Artifact, Artifacts.select().where(Artifacts.id == ref))
    return found or lists.by_suffix(view, lists.Noun(Artifacts, Artifact), ref)


def of_run(view: View, run_id: str) -> list[Artifact]:
    """In the order of the report."""
    found = Artifacts.select().where(Artifacts.run_id == run_id)
    return view.all(Artifact, found.order_by(Artifacts.number))


def add(tx: Tx, run: Run, id: str, number: int, kind: str, file: KeptFile) -> None:
    tx.write(
        Artifacts.insert(
            id=id,
            workspace_id=run.workspace_id,
            run_id=run.id,
            number=number,
            path=file.path,
            kind=kind,
            size=file.size,
            sha256=file.sha256,
            fault=file.fault,
            created_at=tx.now,
        )
    )
