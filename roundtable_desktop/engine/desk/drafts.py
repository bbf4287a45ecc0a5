"""A routine as it would be stored, without storing it: so that its effect can be seen before."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from roundtable_desktop.engine.desk import Asked, Desk, routines
from roundtable_desktop.engine.desk.routines import NewRoutine
from roundtable_desktop.engine.desk.triggers import Wanted, prepared
from roundtable_desktop.model.records import Subject
from roundtable_desktop.model.routines import Routine, Trigger
from roundtable_desktop.model.states import RoutineStatus
from roundtable_desktop.store import drafts
from roundtable_desktop.store import routines as stored
from roundtable_desktop.store.db import Tx


@dataclass(frozen=True, slots=True)
class Draft:
    """is_new: there is none of it yet. rows: for the program that plays it."""

    routine: Routine
    triggers: Sequence[Trigger]
    is_new: bool
    rows: drafts.Rows


class _Drafted(Exception):
    """Carries the draft out of its transaction, which is taken back."""

    def __init__(self, draft: Draft) -> None:
        super().__init__()
        self.draft = draft


def of_new(desk: Desk, asked: Asked, wanted: NewRoutine) -> Draft:
    """Refused as making it would be. Nothing of the secrets of its webhooks is kept."""
    wanted = replace(wanted, triggers=prepared(desk, (), wanted.triggers)[0])
    return _drafted(desk, lambda tx: routines.create_now(tx, desk, asked, wanted), is_new=True)


def of_change(
    desk: Desk,
    asked: Asked,
    routine_id: str,
    *,
    status: RoutineStatus | None = None,
    triggers: Sequence[Wanted] | None = None,
    **changes: Any,
) -> Draft:
    """Refused as the change would be; arguments as of `routines.edit`."""

    def act(tx: Tx) -> Subject:
        ready = triggers
        if ready is not None:
            there = stored.triggers_of(tx, [routines.get(tx, routine_id).id])[routine_id]
            ready = prepared(desk, there, ready)[0]
        return routines.edit_now(tx, desk, asked, routine_id, status, ready, changes)

    return _drafted(desk, act, is_new=False)


def rows_of(draft: Draft) -> Mapping[str, object]:
    """As JSON takes it."""
    return {"routine": dict(draft.rows.routine), "triggers": [*map(dict, draft.rows.triggers)]}


def _drafted(desk: Desk, act: Callable[[Tx], Subject], *, is_new: bool) -> Draft:
    """Does it, looks, and takes it back: what would be refused is refused by the same code."""
    try:
        with desk.store.transaction() as tx:
            made = act(tx).id
            routine = stored.get(tx, made)
            assert routine is not None, "it was written in this transaction"
            triggers = stored.triggers_of(tx, [made])[made]
            raise _Drafted(Draft(routine, triggers, is_new, drafts.read(tx, made)))
    except _Drafted as carried:
        return carried.draft
