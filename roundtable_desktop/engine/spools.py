"""Applies what a runner has written: each message once, with its effects, in one transaction."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from roundtable_desktop.engine import budgets, long_runs, using
from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.model.messages import (
    AgentBorn,
    Answered,
    Ask,
    Controlled,
    Deadline,
    End,
    Heard,
    Hello,
    Message,
    Pulse,
    Quota,
    Result,
    SessionOpened,
    Silent,
    Tool,
    Usage,
    Void,
    read_message,
)
from roundtable_desktop.model.ports import Ids
from roundtable_desktop.model.records import Run, Subject
from roundtable_desktop.model.states import InboxKind, PermissionPolicy, RunStatus, Severity
from roundtable_desktop.model.times import instant
from roundtable_desktop.store import agents, holds, inbox, journal, runs, sessions, setbacks
from roundtable_desktop.store.db import Tx

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Applied:
    """ended: the runner's last message was among them. over: runs that are to be broken off for
    what was used."""

    run: Run
    ended: bool
    over: Sequence[str] = ()


Here = Callable[[datetime], datetime]
"""From the machine's clock, which runners write by, to that of the rows (`Store.here`)."""


def apply(tx: Tx, run: Run, chunk: bytes, ids: Ids, here: Here) -> Applied | None:
    """`chunk` holds whole lines from `run.spool_offset`; None when somebody else was first."""
    lines = chunk.splitlines()
    messages = [read_message(line) for line in lines]
    known = [message for message in messages if message is not None]
    seq = max([run.spool_seq, *(message.seq for message in known)])
    if not runs.advance(tx, run, len(chunk), seq):
        return None
    expected, over = run.spool_seq, list[str]()
    for message in messages:
        if message is None or message.seq != expected + 1 or not _counts(run, message):
            _damaged(tx, run, expected)
        if message is not None:
            expected = message.seq
        if message is not None and _counts(run, message):
            _effect(tx, run, message, ids, here)
            if isinstance(message, Usage | Quota):
                over += budgets.booked(tx, ids, run)
            fresh = runs.get(tx, run.id)
            assert fresh is not None
            run = fresh
    return Applied(run, bool((run.ended or {}).get("end")), over)


def _counts(run: Run, message: Message) -> bool:
    """From the hello that bears this run's fence to the end, and no line before or after (F-13)."""
    match message:
        case Hello(fence=fence):
            return run.status is RunStatus.STARTING and fence == run.fence
        case Void():
            return run.status is RunStatus.STARTING
        case _:
            return run.status is RunStatus.RUNNING and not (run.ended or {}).get("end")


def _damaged(tx: Tx, run: Run, after: int) -> None:
    """A line that is no message of ours, or one that is missing: told, never guessed at."""
    log.warning("spool damaged run=%s after=%d", run.id, after)
    _tell(tx, run, Kind.SPOOL_DAMAGED, {"after": after})


def _effect(tx: Tx, run: Run, message: Message, ids: Ids, here: Here) -> None:
    match message:
        case Hello():
            _hello(tx, run, message, here(instant(message.at)))
        case AgentBorn():
            _agent(tx, run, message, here(instant(message.at)))
        case Pulse():
            runs.pulse(tx, run.id)
            _tell(tx, run, Kind.AGENT_HEARTBEAT, _facts(message))
        case Silent():
            _tell(tx, run, Kind.AGENT_SILENT, _facts(message))
        case Heard():
            _tell(tx, run, Kind.AGENT_HEARD, {})
        case Deadline():
            _tell(tx, run, Kind.RUN_DEADLINE, _facts(message))
            long_runs.come(tx, run, message)
        case Controlled():
            _tell(tx, run, Kind.RUN_CONTROLLED, _facts(message))
        case SessionOpened(id=external, loaded=loaded, note=note):
            sessions.keep(tx, run, external, loaded=loaded, note=note)
        case Usage():
            using.book(tx, run, message)
            if message.output_tokens:
                holds.proven(tx, run.wakeup_id)
            _tell(tx, run, Kind.RUN_USED, _facts(message, "raw", "sums", "thread", "fresh"))
        case Quota():
            using.learn(tx, run, message, here)
        case Ask():
            holds.proven(tx, run.wakeup_id)
            _ask(tx, run, message, ids.new())
        case Answered():
            _answered(tx, run, message)
        case Void():
            runs.keep_ended(tx, run, {"void": True})
        case Result():
            kept = {"result": message.text, "result_fault": message.fault}
            runs.keep_ended(tx, run, kept)
        case End():
            runs.keep_ended(tx, run, {"end": message.model_dump()})
        case Tool():
            # The transcript tells of it; what the model asked for shows that it answers.
            holds.proven(tx, run.wakeup_id)
        case _:
            log.info("spool message of no effect run=%s seq=%d", run.id, message.seq)


def _hello(tx: Tx, run: Run, hello: Hello, at: datetime) -> None:
    runs.start(tx, run)
    setbacks.forgive(tx, run.wakeup_id)
    boot, ticks = hello.boot, hello.ticks
    runs.add_process(tx, run.id, "runner", pid=hello.pid, boot=boot, ticks=ticks, at=at)


def _agent(tx: Tx, run: Run, agent: AgentBorn, at: datetime) -> None:
    boot = next((process.boot_id for process in runs.processes(tx, run.id)), "")
    ticks = agent.ticks
    runs.add_process(tx, run.id, "agent", pid=agent.pid, boot=boot, ticks=ticks, at=at)
    _tell(tx, run, Kind.AGENT_STARTED, {"attempt": run.attempt_index, "pid": agent.pid})


def _ask(tx: Tx, run: Run, ask: Ask, item_id: str) -> None:
    """The agent waits for the person; the key names the ask, so that it is there once. What a
    rule answers needs nobody."""
    agent = agents.get(tx, run.agent_id)
    if agent is None or agent.permission_policy is not PermissionPolicy.ASK:
        return
    runs.wait_for_person(tx, run.id, True)
    inbox.open_item(
        tx,
        item_id,
        InboxKind.PERMISSION,
        Severity.ATTENTION,
        key=f"permission:{run.id}:{ask.ask}",
        subject=Subject("run", run.id),
        workspace_id=run.workspace_id,
        data={"run_id": run.id, **_facts(ask)},
    )


def _answered(tx: Tx, run: Run, answered: Answered) -> None:
    key = f"permission:{run.id}:{answered.ask}"
    resolution = {"by": answered.by, "option": answered.option}
    still_open = inbox.open_about(tx, Subject("run", run.id))
    for item in still_open:
        if item.key == key:
            inbox.resolve(tx, item, resolution)
    if all(item.key == key for item in still_open):
        runs.wait_for_person(tx, run.id, False)


def _facts(message: Message, *but: str) -> dict[str, object]:
    return message.model_dump(exclude={"seq", "at", "kind", *but})


def _tell(tx: Tx, run: Run, kind: Kind, data: dict[str, object]) -> None:
    journal.tell(
        tx,
        kind,
        Subject("run", run.id),
        workspace_id=run.workspace_id,
        data={"agent_id": run.agent_id, "task_id": run.task_id, **data},
    )
