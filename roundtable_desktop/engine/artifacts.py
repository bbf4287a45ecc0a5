"""Keeps the files that an agent named in its report, before its copy moves on (A-25)."""

from collections.abc import Sequence

from roundtable_desktop.model.artifacts import KeptFile
from roundtable_desktop.model.messages import WorkerResult
from roundtable_desktop.model.ports import Ids, Launcher
from roundtable_desktop.model.printed import printed
from roundtable_desktop.model.records import Run
from roundtable_desktop.rules.redact import clip
from roundtable_desktop.store import artifacts
from roundtable_desktop.store.db import Tx

LISTED = 100
"""Of one report; more are not even named."""
PATH_BYTES, KIND_BYTES = 1024, 100

Found = Sequence[tuple[str, KeptFile]]
"""(kind, file) of each, in the order of the report."""


def keep(launcher: Launcher, run: Run, copy: str, result: WorkerResult | None) -> Found:
    """Outside of any transaction; it can be repeated."""
    named = result.artifacts[:LISTED] if result is not None and copy else []
    if not named:
        return []
    found = launcher.keep_files(run.id, copy, [one.path for one in named])
    return [(one.kind, file) for one, file in zip(named, found, strict=True)]


def add(tx: Tx, ids: Ids, run: Run, found: Found) -> None:
    """Their rows, with the run's end."""
    for number, (kind, file) in enumerate(found, start=1):
        told = KeptFile(
            path=clip(printed(file.path), PATH_BYTES),
            size=file.size,
            sha256=file.sha256,
            fault=file.fault,
        )
        artifacts.add(tx, run, ids.new(), number, clip(printed(kind), KIND_BYTES), told)
