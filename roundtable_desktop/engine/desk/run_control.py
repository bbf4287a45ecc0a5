"""Control of one run: end it, or tell its agent something while it works."""

import hashlib
from threading import Event

from roundtable_desktop.engine import spoken
from roundtable_desktop.engine.calling_off import call_off
from roundtable_desktop.engine.desk import Asked, Desk, done_before, once, remember
from roundtable_desktop.model.errors import Absent, Conflict
from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.model.ports import RunnerGone, SpoolState
from roundtable_desktop.model.records import BY_PERSON, Actor, Run, Subject
from roundtable_desktop.model.states import (
    LIVE_RUNS,
    TURN_ENDED,
    Adapter,
    RunStatus,
    WakeupOutcome,
    WakeupStatus,
)
from roundtable_desktop.store import agents, journal, runs, tasks, wakeups
from roundtable_desktop.store.db import Tx

REFUSALS = {"ended": "run_has_ended", "too many": "too_many_messages", "no text": "empty_message"}
"""What the runner says, and our own word for it."""
PATIENCE, _STEP = 3.0, 0.1
"""Seconds."""


def cancel(desk: Desk, asked: Asked, run_id: str) -> Run:
    """Its turn ends and its process tree with it, verified by its runner; its conversation is kept.
    Nothing tries it again: a person's next word does (B-084, B-099)."""
    with desk.store.transaction() as tx:

        def act() -> Subject:
            mark(tx, asked.actor, _live(tx, run_id).id)
            return Subject("run", run_id)

        run = once(tx, asked, act, runs.get)
    if run.status in LIVE_RUNS and not (run.ended or {}).get("end"):
        call_off(desk.launcher, run.id)
    return run


def mark(tx: Tx, actor: Actor, run_id: str) -> None:
    """The intent, with who it was: whoever settles the run reads it, and the next owner tells the
    runner if this one cannot. What waited behind the run would start its task again at once; a
    wake for a later time, which somebody named, goes on waiting for it (C-83)."""
    run = _live(tx, run_id)
    if BY_PERSON in (run.ended or {}):
        return
    runs.keep_ended(tx, run, {BY_PERSON: f"{actor.type}:{actor.id}"})
    for waiting in wakeups.waiting_for_task(tx, run.task_id) if run.task_id else ():
        if wakeups.for_later(tx, waiting):
            continue
        wakeups.settle(
            tx,
            waiting,
            WakeupStatus.CANCELLED,
            outcome=WakeupOutcome.USER_CANCELLED,
            cancel_reason="run_stopped",
            actor=actor,
        )
    journal.tell(
        tx,
        Kind.RUN_STOPPING,
        Subject("run", run.id),
        workspace_id=run.workspace_id,
        actor=actor,
        data={"agent_id": run.agent_id, "task_id": run.task_id},
    )


def message(desk: Desk, asked: Asked, run_id: str, text: str) -> Run:
    """The agent hears it when its present turn ends, in the same conversation; what it does not
    come to hear becomes a comment on its task. Refused where the agent cannot be told anything: a
    program that has got its prompt hears no more."""
    with desk.store.transaction() as tx:
        if done_before(tx, asked) is not None:
            return _get(tx, run_id)
        run = _live(tx, run_id)
        agent = agents.get(tx, run.agent_id)
        assert agent is not None, "foreign keys hold"
        if agent.adapter is Adapter.COMMAND:
            raise Conflict("agent_cannot_hear", agent=agent.name)
        if run.status is RunStatus.STARTING:
            raise Conflict("run_not_ready")
        # A repeat whose first answer was lost has the same name, and the runner takes it once.
        name = _name(asked) or desk.ids.new()
        if not asked.key or not spoken.is_told(tx, run.id, name):
            spoken.tell(tx, run, asked.actor, name, text)
    try:
        _tell(desk, run.id, {"do": "message", "text": text, "id": name})
    except Conflict:
        if not _is_kept(desk, run.id, name):
            raise
    with desk.store.transaction() as tx:
        remember(tx, asked, Subject("run", run.id))
        run = _get(tx, run.id)
        if run.status not in LIVE_RUNS:  # it was settled meanwhile
            task = tasks.get(tx, run.task_id) if run.task_id else None
            spoken.settle(tx, desk.ids, run, task, wakes=run.outcome in TURN_ENDED)
        return run


def _name(asked: Asked) -> str:
    """No key as it came: one with the look of a secret would be redacted on its way back, and what
    was heard would never be known as that message."""
    if not asked.key:
        return ""
    return hashlib.sha256(f"{asked.actor.id}:{asked.key}".encode()).hexdigest()[:32]


def _is_kept(desk: Desk, run_id: str, name: str) -> bool:
    """Of one that the runner refused: its run may have been settled before, with the message as a
    comment on the task. Else it was never told."""
    with desk.store.transaction() as tx:
        if spoken.is_commented(tx, run_id, name):
            return True
        spoken.take_back(tx, _get(tx, run_id), name)
        return False


def _tell(desk: Desk, run_id: str, request: dict[str, object]) -> None:
    """A runner that has just begun is there a moment before it listens."""
    waiting, pause = PATIENCE, Event()
    while True:
        try:
            answer = desk.launcher.control(run_id, request)
            break
        except RunnerGone:
            if desk.launcher.state(run_id) is not SpoolState.LOCKED:
                raise Conflict("run_has_ended") from None
            if waiting <= 0:
                raise Conflict("run_not_ready") from None
        pause.wait(_STEP)
        waiting -= _STEP
    if not answer.get("ok"):
        raise Conflict(REFUSALS.get(str(answer.get("why")), "agent_cannot_hear"))


def _live(tx: Tx, run_id: str) -> Run:
    run = _get(tx, run_id)
    if run.status not in LIVE_RUNS or (run.ended or {}).get("end"):
        raise Conflict("run_has_ended")
    return run


def _get(tx: Tx, run_id: str) -> Run:
    run = runs.get(tx, run_id)
    if run is None:
        raise Absent("unknown_run")
    return run
