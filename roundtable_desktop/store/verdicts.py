"""Verdicts: what each reviewer was asked for, and what it said."""

from collections.abc import Sequence
from typing import Any

from roundtable_desktop.model.gates import VERDICT, Gate, Verdict, VerdictStatus, Word
from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.model.records import SYSTEM, Actor, Json
from roundtable_desktop.store import journal
from roundtable_desktop.store.db import Tx, View
from roundtable_desktop.store.gate_tables import Verdicts
from roundtable_desktop.store.rows import by_id, read

# By the index of those that wait: there are few of them, and mostly none (each tick asks).
_OVER = """
SELECT v.* FROM verdicts AS v INDEXED BY verdicts_asked
JOIN agent_wakeup_requests AS w ON w.id = v.wakeup_id
WHERE v.status = 'asked' AND w.status IN ('finished', 'skipped', 'failed', 'cancelled')
ORDER BY v.id LIMIT ?
"""


def get(view: View, verdict_id: str) -> Verdict | None:
    return by_id(view, Verdict, Verdicts, verdict_id)


def of_round(view: View, gate: Gate) -> list[Verdict]:
    """Of its newest round, in the order in which they were asked for."""
    text = "SELECT * FROM verdicts WHERE gate_id = ? AND round = ? ORDER BY id"
    return [read(Verdict, Verdicts, row) for row in view.sql(text, (gate.id, gate.round))]


def of_task(view: View, task_id: str) -> list[Verdict]:
    """Of all rounds, oldest first."""
    text = "SELECT * FROM verdicts WHERE task_id = ? ORDER BY id"
    return [read(Verdict, Verdicts, row) for row in view.sql(text, (task_id,))]


def of_proposal(view: View, proposal_id: str) -> list[Verdict]:
    text = "SELECT * FROM verdicts WHERE proposal_id = ? ORDER BY id"
    return [read(Verdict, Verdicts, row) for row in view.sql(text, (proposal_id,))]


def of_run(view: View, run_id: str) -> Verdict | None:
    """The one that the run was to give."""
    rows = view.sql("SELECT * FROM verdicts WHERE run_id = ?", (run_id,))
    return read(Verdict, Verdicts, rows[0]) if rows else None


def outstanding(view: View, gate: Gate) -> list[Verdict]:
    """Of its newest round: asked for, or missing, and not given."""
    open_ones = (VerdictStatus.ASKED, VerdictStatus.MISSING)
    return [one for one in of_round(view, gate) if one.status in open_ones]


def of_author(view: View, gate: Gate, actor: Actor) -> Verdict | None:
    """Its own of the newest round."""
    who = (actor.type, actor.id)
    return next(
        (one for one in of_round(view, gate) if (one.author_type, one.author_id) == who), None
    )


def over(view: View, most: int) -> list[Verdict]:
    """Asked for, and whoever was woken for it is not going to give it any more."""
    return [read(Verdict, Verdicts, row) for row in view.sql(_OVER, (most,))]


def ask(tx: Tx, gate: Gate, actor: Actor, *, id: str, **more: Any) -> Verdict:
    tx.write(
        Verdicts.insert(
            id=id,
            workspace_id=gate.workspace_id,
            task_id=gate.task_id,
            gate_id=gate.id,
            round=gate.round,
            proposal_id=gate.proposal_id,
            author_type=actor.type,
            author_id=actor.id,
            status=VerdictStatus.ASKED,
            created_at=tx.now,
            updated_at=tx.now,
            **more,
        )
    )
    made = get(tx, id)
    assert made is not None
    return made


def bind_wakeup(tx: Tx, verdict: Verdict, wakeup_id: str, times: int) -> None:
    changed = {"wakeup_id": wakeup_id, "times": times, "updated_at": tx.now}
    tx.write(Verdicts.update(**changed).where(Verdicts.id == verdict.id))


def take_up(tx: Tx, verdict: Verdict, *, run_id: str, wakeup_id: str) -> None:
    """A run for it begins, also of one that nobody counted on any more."""
    if verdict.status is VerdictStatus.MISSING:
        _move(tx, verdict, VerdictStatus.ASKED, why=None)
    changed = {"run_id": run_id, "wakeup_id": wakeup_id, "updated_at": tx.now}
    tx.write(Verdicts.update(**changed).where(Verdicts.id == verdict.id))


def give(
    tx: Tx, verdict: Verdict, actor: Actor, *, word: Word, note: str, findings: Sequence[Json]
) -> bool:
    told = {"outcome": word, "findings": len(findings)}
    return _move(
        tx,
        verdict,
        VerdictStatus.GIVEN,
        actor,
        told,
        kind=Kind.VERDICT_CAST,
        word=word,
        note=note,
        findings=[dict(one) for one in findings],
        why=None,
        decided_at=tx.now,
    )


def miss(tx: Tx, verdict: Verdict, why: str, note: str = "") -> bool:
    """It will not come by itself. why: a code. note: what its author waits for."""
    return _move(tx, verdict, VerdictStatus.MISSING, data={"why": why}, why=why, note=note)


def ask_again(tx: Tx, verdict: Verdict, actor: Actor) -> bool:
    return _move(tx, verdict, VerdictStatus.ASKED, actor, why=None)


def withdraw(tx: Tx, verdict: Verdict, actor: Actor = SYSTEM) -> bool:
    return _move(tx, verdict, VerdictStatus.WITHDRAWN, actor)


def _move(
    tx: Tx,
    verdict: Verdict,
    to: VerdictStatus,
    actor: Actor = SYSTEM,
    data: Json | None = None,
    *,
    kind: Kind = Kind.VERDICT_MOVED,
    **values: Any,
) -> bool:
    about = {"task_id": verdict.task_id, "gate_id": verdict.gate_id, "round": verdict.round}
    who = {"author_type": verdict.author_type, "author_id": verdict.author_id}
    if verdict.author_type == "agent":
        who["agent_id"] = verdict.author_id
    told = {**about, **who, "proposal_id": verdict.proposal_id, **(data or {})}
    return journal.move(tx, VERDICT, verdict, to=to, kind=kind, actor=actor, data=told, **values)
