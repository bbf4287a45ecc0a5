"""The first start after a restore: what ran since the backup must not run again by itself."""

import re
from collections.abc import Iterator
from pathlib import Path

from roundtable_desktop.engine import worries
from roundtable_desktop.engine.intake import PAUSED, STOPPED, turn
from roundtable_desktop.engine.schedules import reckon_anew
from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.model.ports import Ids
from roundtable_desktop.model.records import SYSTEM, Json, Subject
from roundtable_desktop.model.times import rfc3339
from roundtable_desktop.store import checkups, journal, restored, settings
from roundtable_desktop.store.db import Store
from roundtable_desktop.store.restored import Past

_TASK = re.compile(r"t(\d{1,9})(-\d+)?")


def settle(store: Store, ids: Ids, copies: Path, runs: Path) -> Past | None:
    """One decision, once, before anything is claimed or fired. None: there was no restore.

    Nothing is launched until a person resumes it; routines go on from now; browsers sign in again;
    numbers and cursors go on where those of the forgotten time had come to.
    """
    with store.transaction() as tx:
        past = restored.mark(tx)
        if past is None:
            return None
        if past.last_event is not None:
            restored.go_on_after(tx, past.last_event)
        restored.sign_browsers_out(tx)
        reckon_anew(tx, tx.now)
        known = restored.numbers(tx)
        for number, highest in _copies(copies):
            if number in known:
                restored.count_from(tx, known[number], highest)
        if settings.of_home(tx).intake != STOPPED:
            turn(tx, SYSTEM, PAUSED)  # also one that was to end by itself
        folders = [one.name for one in runs.glob("*") if one.is_dir()]
        forgotten = sum(1 for run in folders if not checkups.knows_run(tx, run))
        said: Json = {
            "why": past.why,
            "source": past.source,
            "as_of": rfc3339(past.as_of),
            "aside": past.aside,
            "waiting": restored.waiting(tx),
            "forgotten": forgotten,
        }
        subject = Subject("owner", "database")
        journal.tell(
            tx, Kind.DATABASE_RESTORED, subject, workspace_id=None, actor=SYSTEM, data=said
        )
        worries.ask(tx, ids, worries.RESTORED, said, options=("resume",))
        restored.unmark(tx)
    return past


def _copies(copies: Path) -> Iterator[tuple[int, int]]:
    """(number of the workspace, highest number of a task with a folder there)."""
    for folder in copies.glob("*"):
        if folder.name.isdecimal() and folder.is_dir():
            tasks = [_TASK.fullmatch(one.name) for one in folder.iterdir()]
            yield int(folder.name), max((int(one[1]) for one in tasks if one), default=0)
