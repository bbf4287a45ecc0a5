"""The first start after a restore: what ran since the backup must not run again by itself."""

from pathlib import Path

from roundtable_desktop.engine import by_rule, worries
from roundtable_desktop.engine.forgotten import (
    Runners,
    end_all,
    highest_tasks,
    put_all_away,
    unexplained,
)
from roundtable_desktop.engine.intake import PAUSED, STOPPED, turn
from roundtable_desktop.engine.schedules import reckon_anew
from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.model.ports import Ids
from roundtable_desktop.model.records import SYSTEM, Json, Subject
from roundtable_desktop.model.times import rfc3339
from roundtable_desktop.store import backups, journal, restored, settings
from roundtable_desktop.store.db import Store, Tx
from roundtable_desktop.store.restored import Past


def settle(store: Store, ids: Ids, copies: Path, runners: Runners) -> Past | None:
    """One decision, once, before anything is claimed or fired. None: there was no restore.

    Nothing is launched until a person resumes it; routines go on from now; browsers sign in again;
    numbers and cursors go on where those of the forgotten time had come to. What still runs of it
    is ended, and working copies of it are put out of the way: a task that is begun again begins
    with what the user has now. What was to be delivered waits for a person's word.
    """
    with store.transaction() as tx:
        past = restored.mark(tx)
        if past is None:
            return None
        stamp = Path(past.aside).name if past.aside else backups.stamp(tx.now)
        unknown = runners.unknown(tx)
    ended = end_all(runners, unknown)
    with store.transaction() as tx:
        found = unexplained(tx, copies, runners, unknown)
    away = put_all_away(copies, found, stamp)
    alive = [pid for left in ended.values() for pid in left]
    how = "alive" if alive else "ended" if ended else "none"
    known: Json = {
        "forgotten": len(unknown),
        "runs": {"code": f"forgotten_{how}", "ended": list(ended), "alive": alive},
        "copies": {
            "code": "copies_away" if away else "copies_none",
            "away": [str(folder) for folder in away],
        },
    }
    with store.transaction() as tx:
        _begin_anew(tx, ids, past, copies, known)
    return past


def _begin_anew(tx: Tx, ids: Ids, past: Past, copies: Path, known: Json) -> None:
    restored.go_on_after(tx, past.last_event)
    restored.sign_browsers_out(tx)
    reckon_anew(tx, tx.now)
    held = by_rule.stand_back_all(tx, ids)
    numbers = restored.numbers(tx)
    for number, highest in highest_tasks(copies):
        if number in numbers:
            restored.count_from(tx, numbers[number], highest)
    if settings.of_home(tx).intake != STOPPED:
        turn(tx, SYSTEM, PAUSED)  # also one that was to end by itself
    said: Json = {
        "why": past.why,
        "source": past.source,
        "as_of": rfc3339(past.as_of),
        "aside": past.aside,
        "waiting": restored.waiting(tx),
        "deliveries": {"code": "deliveries_held" if held else "deliveries_none", "count": held},
        **known,
    }
    subject = Subject("owner", "database")
    journal.tell(tx, Kind.DATABASE_RESTORED, subject, workspace_id=None, actor=SYSTEM, data=said)
    worries.ask(tx, ids, worries.RESTORED, said, options=("resume",))
    restored.unmark(tx)
