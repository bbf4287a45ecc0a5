"""A run that is over, tried again by a person's word: its task is run, or its wakeup comes anew."""

from functools import partial

from roundtable_desktop.engine.desk import Asked, Desk, once, tasks, waking
from roundtable_desktop.model.errors import Absent, Conflict
from roundtable_desktop.model.records import Subject
from roundtable_desktop.model.states import LIVE_RUNS
from roundtable_desktop.store import runs
from roundtable_desktop.store.db import Tx


def again(desk: Desk, asked: Asked, run_id: str) -> None:
    """As “run this task now”; without a task, its causes as they were. Refused while it is at
    work."""
    with desk.store.transaction() as tx:
        once(tx, asked, partial(_again, tx, desk, asked, run_id), runs.get)


def _again(tx: Tx, desk: Desk, asked: Asked, run_id: str) -> Subject:
    run = runs.get(tx, run_id)
    if run is None:
        raise Absent("unknown_run")
    if run.status in LIVE_RUNS:
        raise Conflict("run_lives")
    if run.task_id is not None:
        tasks.run_now(tx, desk, Asked(asked.actor), run.task_id)
    else:
        waking.again_now(tx, desk, asked, run.wakeup_id, f"again:{run.id}:{desk.ids.new()}")
    return Subject("run", run.id)
