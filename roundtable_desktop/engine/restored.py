"""The first start after a restore, or of a copy: what ran since must not run again by itself."""

from collections.abc import Collection
from pathlib import Path

from roundtable_desktop.engine import by_rule, copied, worries
from roundtable_desktop.engine.elsewhere import left_elsewhere, take_along
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
from roundtable_desktop.model.ports import Copies, Ids
from roundtable_desktop.model.records import SYSTEM, Json, Subject
from roundtable_desktop.model.times import instant, rfc3339
from roundtable_desktop.model.whereabouts import Whereabouts
from roundtable_desktop.rules.copied import first_id_after, is_id
from roundtable_desktop.store import awake, backups, events, journal, restored, settings
from roundtable_desktop.store import copied as rows
from roundtable_desktop.store.db import Store, Tx
from roundtable_desktop.store.restored import Past

OLDER = "older"


def settle(
    store: Store,
    git: Copies,
    ids: Ids,
    copies: Path,
    runners: Runners,
    here: Whereabouts,
    applied: Collection[int] = (),
) -> Past | None:
    """One decision, once, before anything is claimed or fired. None: neither restored nor copied,
    nor older than its home. applied: the migrations of just now.

    Nothing is launched until a person resumes it; routines go on from now; browsers sign in again;
    numbers and cursors go on where those of the forgotten time had come to. What still runs of it
    is ended, and working copies of it are put out of the way: a task that is begun again begins
    with what the user has now. What was to be delivered waits for a person's word.
    """
    with store.transaction() as tx:
        left = left_elsewhere(tx, copies, here)
    if left is not None:  # before it is written down that it lies here
        take_along(git, copies, left)
    with store.transaction() as tx:
        older = _older(tx, runners, here, anew=bool(applied))
        past = restored.mark(tx) or copied.noticed(tx, here) or older
        if past is None:
            rows.lies(tx, here)
            return None
        stamp = _stamp(tx, past)
        unknown = runners.unknown(tx)
    ended = end_all(runners, unknown)
    with store.transaction() as tx:
        found = unexplained(tx, copies, runners, unknown)
    away = put_all_away(copies, found, stamp)
    alive = [pid for left in ended.values() for pid in left]
    how = "alive" if alive else "ended" if ended else "none"
    known: dict[str, object] = {
        "forgotten": len(unknown),
        "runs": {"code": f"forgotten_{how}", "ended": list(ended), "alive": alive},
        "copies": {
            "code": "copies_away" if away else "copies_none",
            "away": [str(folder) for folder in away],
        },
    }
    if older is not None and past.why in (OLDER, copied.COPIED):
        known["copies"] = {"code": "older_and", "then": known["copies"]}
    with store.transaction() as tx:
        _begin_anew(tx, ids, past, copies, known)
        rows.lies(tx, here)
    return past


def _older(tx: Tx, runners: Runners, here: Whereabouts, *, anew: bool) -> Past | None:
    """A run is there that began after the last that the database knows: it is another state than
    the home's, such as one that was copied without its log. anew: it was made just now."""
    last = events.last_instant(tx)
    if last is None and anew:
        return None
    after = first_id_after(last) if last is not None else ""
    if not any(map(is_id, runners.unknown(tx, after))):
        return None
    as_of = last or instant(0)
    return Past(why=OLDER, source=here.root, as_of=as_of, aside=None, last_event=None)


def _stamp(tx: Tx, past: Past) -> str:
    """Under which copies are put away: the same if this start is broken off."""
    if past.why == copied.COPIED:
        return backups.stamp(past.as_of)
    return Path(past.aside).name if past.aside else backups.stamp(tx.now)


def _begin_anew(tx: Tx, ids: Ids, past: Past, copies: Path, known: Json) -> None:
    restored.go_on_after(tx, past.last_event)
    restored.sign_browsers_out(tx)
    awake.forget(tx)
    reckon_anew(tx, tx.now)
    is_copy = past.why == copied.COPIED
    held = by_rule.stand_back_all(tx, ids, by_rule.COPIED if is_copy else by_rule.RESTORED)
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
    kind = Kind.DATABASE_COPIED if is_copy else Kind.DATABASE_RESTORED
    journal.tell(tx, kind, subject, workspace_id=None, actor=SYSTEM, data=said)
    worry = worries.COPIED if is_copy else worries.RESTORED
    worries.ask(tx, ids, worry, said, options=("resume",))
    if is_copy:
        rows.wait(tx, past.source)
    restored.unmark(tx)
