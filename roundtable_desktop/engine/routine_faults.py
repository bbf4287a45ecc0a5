"""Asks a person about a routine that cannot fire, once until it fires well."""

from roundtable_desktop.model.ports import Ids
from roundtable_desktop.model.records import Json, Subject
from roundtable_desktop.model.routines import Routine
from roundtable_desktop.model.states import InboxKind, RoutineStatus, Severity
from roundtable_desktop.store import inbox
from roundtable_desktop.store.db import Tx

MISSING, NOT_TAKEN, TOO_LONG = "variables_missing", "variables_not_taken", "routine_text_too_long"
UNFIT = (MISSING, NOT_TAKEN, TOO_LONG)
"""Why a firing failed before anything came of it."""

STUMBLES = "routine_stumbles"
"""Firing it raises again and again."""


def ask(tx: Tx, ids: Ids, routine: Routine, why: str, known: Json) -> None:
    if any(item.data.get("outcome") == why for item in inbox.open_about(tx, _subject(routine))):
        return
    item_id = ids.new()
    inbox.open_item(
        tx,
        item_id,
        InboxKind.AGENT_ERROR,
        Severity.ATTENTION,
        key=f"agent.error:{why}:{routine.id}:{item_id}",
        subject=_subject(routine),
        workspace_id=routine.workspace_id,
        data={
            "agent_id": routine.assignee_agent_id,
            "run_id": None,
            "routine_id": routine.id,
            "routine": routine.name,
            "outcome": why,
            "error_kind": None,
            "options": inbox.options(["mark_fixed"]),
            **known,
        },
    )


def fires_well(tx: Tx, routine: Routine, *whys: str) -> None:
    """What was asked for these reasons is asked no more."""
    for item in inbox.open_about(tx, _subject(routine)):
        if item.data.get("outcome") in whys:
            inbox.resolve(tx, item, {"by": "cause", "status": routine.status})


def over(tx: Tx, routine: Routine) -> None:
    """It fires no more, for good: nothing is asked about it."""
    for item in inbox.open_about(tx, _subject(routine)):
        inbox.resolve(tx, item, {"by": "cause", "status": RoutineStatus.ARCHIVED})


def _subject(routine: Routine) -> Subject:
    return Subject("routine", routine.id)
