"""Files that agents named in their reports, as people look at them."""

from roundtable_desktop.engine.desk import Desk
from roundtable_desktop.model.artifacts import Artifact
from roundtable_desktop.model.errors import Absent
from roundtable_desktop.model.records import Run
from roundtable_desktop.store import artifacts
from roundtable_desktop.store.db import Reader


class LookArtifacts:
    """A part of `Look`."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    def of(self, run: Run) -> list[Artifact]:
        """In the order of its report."""
        with self._reader.snapshot() as view:
            return artifacts.of_run(view, run.id)

    def one(self, ref: str) -> Artifact:
        """By its id, or a unique end of it."""
        with self._reader.snapshot() as view:
            found = artifacts.named(view, ref)
        if found is None:
            raise Absent("unknown_artifact")
        return found


def content(desk: Desk, artifact: Artifact) -> bytes:
    """As it was when the run ended. Raises Absent where it was not kept."""
    found = None if artifact.fault else desk.launcher.kept_file(artifact.run_id, artifact.number)
    if found is None:
        raise Absent(artifact.fault or "artifact_absent", path=artifact.path)
    return found
