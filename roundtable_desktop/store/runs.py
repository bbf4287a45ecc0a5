"""Runs: born `starting` with the launch decision, fed by their spool, settled once (C-48)."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.model.records import Json, Process, Run, Subject
from roundtable_desktop.model.states import LIVE_RUNS, RUN, RunOutcome, RunStatus
from roundtable_desktop.model.times import micros
from roundtable_desktop.store import journal, routines
from roundtable_desktop.store.db import Tx, View
from roundtable_desktop.store.rows import by_id, by_ids, read
from roundtable_desktop.store.tables import AgentProcesses, Leases, Runs, Tasks

_COPIES_TAKEN = """
SELECT substr(key, length(:agent) + 2) AS number FROM leases
WHERE kind = 'copy' AND key BETWEEN :agent || '/' AND :agent || '0'
UNION SELECT copy_number FROM runs WHERE agent_id = :agent AND copy_kept = 1
"""

# As the index says it: with values beside it SQLite would read every run there ever was.
_LIVE = "FROM runs WHERE status IN ('starting', 'running')"
_COUNT_LIVE = f"SELECT count(*) AS n {_LIVE}"


def get(view: View, run_id: str) -> Run | None:
    return by_id(view, Run, Runs, run_id)


def of_ids(view: View, ids: Iterable[str | None]) -> dict[str, Run]:
    return by_ids(view, Run, Runs, ids)


def live(view: View) -> list[Run]:
    return [read(Run, Runs, row) for row in view.sql(f"SELECT * {_LIVE} ORDER BY id")]


def count_live(view: View) -> int:
    return int(view.sql(_COUNT_LIVE)[0]["n"])


def of_task(view: View, task_id: str) -> list[Run]:
    """Its attempts, oldest first (A-06)."""
    return view.all(Run, Runs.select().where(Runs.task_id == task_id).order_by(Runs.attempt_index))


def broken_off(view: View, wakeup_id: str) -> Run | None:
    """The last run for the wakeup, where that was interrupted and goes on."""
    of_it = Runs.select().where(Runs.wakeup_id == wakeup_id).order_by(Runs.id.desc())
    last = view.one(Run, of_it)
    return last if last is not None and last.outcome is RunOutcome.INTERRUPTED else None


def last_of_task(view: View, task_id: str) -> Run | None:
    """Its newest attempt. By SQL text: a board asks for that of every card."""
    newest = "SELECT * FROM runs WHERE task_id = ? ORDER BY attempt_index DESC LIMIT 1"
    return next((read(Run, Runs, row) for row in view.sql(newest, (task_id,))), None)


def next_attempt(view: View, task_id: str) -> int:
    last = view.value(
        Runs.select(Runs.attempt_index)
        .where(Runs.task_id == task_id)
        .order_by(Runs.attempt_index.desc())
        .limit(1)
    )
    return 1 if last is None else int(last) + 1


def create(tx: Tx, *, data: Json, **values: Any) -> Run:
    """Inserts a run as `starting`; `data` goes into its event."""
    tx.write(Runs.insert(status=RunStatus.STARTING, created_at=tx.now, **values))
    run = get(tx, values["id"])
    assert run is not None
    journal.tell(
        tx,
        Kind.RUN_STARTING,
        Subject("run", run.id),
        workspace_id=run.workspace_id,
        data={"wakeup_id": run.wakeup_id, "agent_id": run.agent_id, **data},
    )
    return run


def of_routines_since(view: View, since: datetime, workspace_id: str | None) -> dict[str, int]:
    """How many runs each routine has had since then, by its id."""
    text = (
        "SELECT coalesce(CASE WHEN json_valid(r.payload) "
        "THEN json_extract(r.payload, '$.routine_id') END, t.routine_id) AS id, "
        "count(*) AS n FROM runs AS r LEFT JOIN tasks AS t ON t.id = r.task_id "
        "WHERE r.created_at >= :since AND :workspace_id IN ('', r.workspace_id) GROUP BY 1"
    )
    rows = view.sql(text, {"since": micros(since), "workspace_id": workspace_id or ""})
    return {str(row["id"]): int(row["n"]) for row in rows if row["id"] is not None}


def set_base(tx: Tx, run_id: str, commit: str) -> bool:
    """Once, while it has not started; the work's proposal will stand on it."""
    return (
        tx.write(
            Runs.update(base_commit=commit).where(
                (Runs.id == run_id)
                & (Runs.status == RunStatus.STARTING)
                & Runs.base_commit.is_null()
            )
        )
        == 1
    )


def advance(tx: Tx, run: Run, taken: int, seq: int) -> bool:
    """Takes `taken` bytes of the spool; False when somebody else has (house, Apply)."""
    return (
        tx.write(
            Runs.update(spool_offset=Runs.spool_offset + taken, spool_seq=seq).where(
                (Runs.id == run.id) & (Runs.spool_offset == run.spool_offset)
            )
        )
        == 1
    )


def start(tx: Tx, run: Run) -> bool:
    """The runner said hello: evidence that something runs (N-02)."""
    born = journal.move(
        tx,
        RUN,
        run,
        to=RunStatus.RUNNING,
        kind=Kind.RUN_STARTED,
        data={"agent_id": run.agent_id, "task_id": run.task_id},
        started_at=tx.now,
        last_pulse_at=tx.now,
    )
    if born:
        routines.started(tx, run)
    return born


def left_by(view: View, agent_id: str) -> list[str]:
    """Commits that its runs without a task left (house, Work)."""
    names = {"agent_id": agent_id}
    rows = view.sql(
        "SELECT left_commit FROM runs WHERE agent_id = :agent_id AND left_commit IS NOT NULL", names
    )
    return [str(row["left_commit"]) for row in rows]


def last_in_copy(view: View, agent_id: str, number: int) -> Run | None:
    """Who worked last in that one of the agent's own copies."""
    here = (Runs.agent_id == agent_id) & (Runs.copy_number == number)
    return view.one(Run, Runs.select().where(here).order_by(Runs.id.desc()).limit(1))


def add_process(
    tx: Tx, run_id: str, role: str, *, pid: int, boot: str, ticks: int, at: datetime
) -> None:
    """at: when it was started, which may be long before this is known (B-092)."""
    tx.write(
        AgentProcesses.insert(
            run_id=run_id, pid=pid, boot_id=boot, start_ticks=ticks, role=role, started_at=at
        ).on_conflict_ignore()
    )


def processes(view: View, run_id: str) -> list[Process]:
    return view.all(
        Process,
        AgentProcesses.select()
        .where(AgentProcesses.run_id == run_id)
        .order_by(AgentProcesses.started_at, AgentProcesses.role.desc()),
    )


def processes_of_live(view: View) -> dict[str, list[Process]]:
    """Of all runs that have no end yet, by one statement: every face asks for it, and often."""
    found: dict[str, list[Process]] = {}
    text = f"SELECT * FROM agent_processes WHERE run_id IN (SELECT id {_LIVE})"
    for row in view.sql(text):
        found.setdefault(row["run_id"], []).append(read(Process, AgentProcesses, row))
    return found


def wait_for_person(tx: Tx, run_id: str, waiting: bool) -> None:
    """A permission ask is open, or the last one was answered; it is no state of the run."""
    tx.write(Runs.update(waiting_since=tx.now if waiting else None).where(Runs.id == run_id))


def of_token(view: View, token_hash: str) -> Run | None:
    """The live run that an MCP token belongs to; a token ends with its run."""
    here = (Runs.mcp_token_hash == token_hash) & Runs.status.in_(LIVE_RUNS)
    return view.one(Run, Runs.select().where(here))


def set_token(tx: Tx, run_id: str, token_hash: str) -> None:
    tx.write(Runs.update(mcp_token_hash=token_hash).where(Runs.id == run_id))


def spans_of(view: View, agent_id: str, count: int) -> list[float]:
    """Seconds that the agent's last runs took which came to a good end."""
    good = (RunOutcome.DONE, RunOutcome.NO_CHANGES)
    found = view.all(
        Run,
        Runs.select()
        .where((Runs.agent_id == agent_id) & Runs.outcome.in_(good))
        .order_by(Runs.id.desc())
        .limit(count),
    )
    return [
        (run.ended_at - run.started_at).total_seconds()
        for run in found
        if run.ended_at is not None and run.started_at is not None
    ]


def pulse(tx: Tx, run_id: str) -> None:
    tx.write(Runs.update(last_pulse_at=tx.now).where(Runs.id == run_id))


def keep_ended(tx: Tx, run: Run, part: Json) -> Run:
    """Adds to what is known of the end; it is settled from there, also after a crash."""
    known = get(tx, run.id)
    assert known is not None
    ended = {**(known.ended or {}), **part}
    tx.write(Runs.update(ended=ended).where(Runs.id == run.id))
    kept = get(tx, run.id)
    assert kept is not None
    return kept


def finish(
    tx: Tx,
    run: Run,
    status: RunStatus,
    *,
    outcome: RunOutcome,
    data: Json,
    over: datetime | None = None,
    **values: Any,
) -> bool:
    """The one end of a run, with its leases and processes; False when it had ended already.

    over: when its runner saw the end, which may be long ago; without one it is now. It is never
    before the run's start, and never to come."""
    ended_at = min(tx.now, max(over, run.started_at or run.created_at)) if over else tx.now
    done = journal.move(
        tx,
        RUN,
        run,
        to=status,
        kind=Kind.RUN_ENDED,
        data={"outcome": outcome, "agent_id": run.agent_id, "task_id": run.task_id, **data},
        outcome=outcome,
        ended_at=ended_at,
        waiting_since=None,
        **values,
    )
    if done:
        routines.ended(tx, run, status, outcome)
        if run.task_id is not None:
            give_back(tx, run.task_id, run.id)
        give_back_rest(tx, run.id)
        tx.write(
            AgentProcesses.update(ended_at=tx.now).where(
                (AgentProcesses.run_id == run.id) & AgentProcesses.ended_at.is_null()
            )
        )
    return done


def last_errors(view: View, agent_id: str, most: int) -> list[str | None]:
    """The kinds of error of its last runs that are over, newest first; None where one did well."""
    over = (Runs.agent_id == agent_id) & Runs.ended_at.is_null(False)
    rows = Runs.select(Runs.error_kind).where(over).order_by(Runs.id.desc()).limit(most)
    return [kind for (kind,) in rows.tuples().execute(view.db)]


def failed_within(view: View, agent_id: str, most: int) -> list[timedelta | None]:
    """How long its last runs took, newest first; None for one that did not fail, or was lost: that
    is no fault of its program."""
    over = (Runs.agent_id == agent_id) & Runs.ended_at.is_null(False)
    columns = (Runs.status, Runs.outcome, Runs.created_at, Runs.ended_at)
    rows = Runs.select(*columns).where(over).order_by(Runs.id.desc()).limit(most)
    return [
        ended - created if status == RunStatus.FAILED and outcome != RunOutcome.LOST else None
        for status, outcome, created, ended in rows.tuples().execute(view.db)
    ]


# --- leases: what a run holds alone; a lease ends with its run, never by age (C-23, C-87) -------


def check_out(tx: Tx, *, task_id: str, agent_id: str, run_id: str) -> bool:
    """Takes the task for this run; False when another run has it (K-41)."""
    taken = tx.write(
        Tasks.update(checkout_agent_id=agent_id, checkout_at=tx.now).where(
            (Tasks.id == task_id) & Tasks.checkout_agent_id.is_null()
        )
    )
    if taken:
        tx.write(Leases.insert(kind="task", key=task_id, run_id=run_id, created_at=tx.now))
    return taken == 1


def lease_holder(view: View, task_id: str) -> str | None:
    """The run that has the task now."""
    rows = view.sql("SELECT run_id FROM leases WHERE kind = 'task' AND key = ?", (task_id,))
    return rows[0]["run_id"] if rows else None


def give_back(tx: Tx, task_id: str, run_id: str) -> None:
    """Only this run's lease: one that somebody else took since stays (failure 13 of the seed)."""
    if tx.write(Leases.delete().where((Leases.run_id == run_id) & (Leases.key == task_id))):
        tx.write(Tasks.update(checkout_agent_id=None, checkout_at=None).where(Tasks.id == task_id))


def take_copy(tx: Tx, agent_id: str, run_id: str) -> int:
    """The first of the agent's own copies that nobody works in, from 1; one that had to be kept
    as it is counts as taken for good."""
    rows = tx.sql(_COPIES_TAKEN, {"agent": agent_id})
    taken = {int(row["number"]) for row in rows}
    number = next(one for one in range(1, len(taken) + 2) if one not in taken)
    key = f"{agent_id}/{number}"
    tx.write(Leases.insert(kind="copy", key=key, run_id=run_id, created_at=tx.now))
    return number


def keep_copy(tx: Tx, run_id: str) -> None:
    """No later run works in this run's copy."""
    tx.write(Runs.update(copy_kept=True).where(Runs.id == run_id))


def give_back_rest(tx: Tx, run_id: str) -> None:
    """Its own copy, what it claimed, and its turn."""
    of_run = Leases.kind.in_(("copy", "claim", "turn"))
    tx.write(Leases.delete().where((Leases.run_id == run_id) & of_run))
