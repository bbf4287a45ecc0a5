"""Proposals: what agents want in, and each try at delivering one."""

from datetime import datetime
from typing import Any

import peewee as pw

from roundtable_desktop.model.gates import GateStatus
from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.model.proposals import Delivery, Proposal
from roundtable_desktop.model.records import SYSTEM, Actor, Json, Subject
from roundtable_desktop.model.states import (
    DELIVERY,
    PROPOSAL,
    DeliveryStatus,
    ProposalStatus,
)
from roundtable_desktop.store import inbox, journal
from roundtable_desktop.store.db import Tx, View
from roundtable_desktop.store.gate_tables import Gates
from roundtable_desktop.store.rows import read
from roundtable_desktop.store.tables import Deliveries, Proposals

# By SQL text: each tick of the loop asks.
_INTENDED = "SELECT * FROM deliveries WHERE status = 'intended' ORDER BY id"

OPEN = (ProposalStatus.PENDING, ProposalStatus.IN_REVIEW)


def get(view: View, proposal_id: str) -> Proposal | None:
    return view.one(Proposal, Proposals.select().where(Proposals.id == proposal_id))


def of_task(view: View, task_id: str) -> list[Proposal]:
    """Oldest first. By SQL text: a board asks for those of every card, several times."""
    rows = view.sql("SELECT * FROM proposals WHERE task_id = ? ORDER BY id", (task_id,))
    return [read(Proposal, Proposals, row) for row in rows]


def of_run(view: View, run_id: str) -> Proposal | None:
    """The one that was made of what it left."""
    return view.one(Proposal, Proposals.select().where(Proposals.run_id == run_id))


def collected_of(view: View, task_id: str) -> list[str]:
    """Commits of what its runs left, whichever task proposes them; oldest first."""
    rows = view.sql(
        "SELECT head_commit FROM proposals JOIN runs ON runs.id = proposals.run_id"
        " WHERE runs.task_id = :task_id ORDER BY proposals.id",
        {"task_id": task_id},
    )
    return [str(row["head_commit"]) for row in rows]


def add(tx: Tx, **values: Any) -> Proposal:
    """A new one supersedes the open ones of its task; what is delivered stays delivered, and
    one that git may be delivering now waits for how that ends."""
    for earlier in of_task(tx, values["task_id"]):
        if earlier.status in (*OPEN, ProposalStatus.APPROVED) and not in_hand(tx, earlier):
            move(tx, earlier, ProposalStatus.SUPERSEDED, data={"by": values["id"]})
    tx.write(
        Proposals.insert(
            status=ProposalStatus.PENDING, created_at=tx.now, updated_at=tx.now, **values
        )
    )
    proposal = get(tx, values["id"])
    assert proposal is not None
    journal.tell(
        tx,
        Kind.PROPOSAL_CREATED,
        Subject("proposal", proposal.id),
        workspace_id=proposal.workspace_id,
        data={
            "task_id": proposal.task_id,
            "run_id": proposal.run_id,
            "base": proposal.base_commit,
            "head": proposal.head_commit,
            "held": proposal.held,
        },
    )
    return proposal


def move(
    tx: Tx,
    proposal: Proposal,
    to: ProposalStatus,
    *,
    actor: Actor = SYSTEM,
    data: Json | None = None,
) -> bool:
    moved = journal.move(
        tx, PROPOSAL, proposal, to=to, kind=Kind.PROPOSAL_MOVED, actor=actor, data=data
    )
    if moved:
        _nothing_blocks(tx, proposal, actor)
    return moved


def hold(tx: Tx, proposal: Proposal, reason: Json | None) -> None:
    """Something in it, or about it, is to be looked at before it is delivered."""
    tx.write(
        Proposals.update(held=reason, revision=Proposals.revision + 1, updated_at=tx.now).where(
            Proposals.id == proposal.id
        )
    )


def _nothing_blocks(tx: Tx, proposal: Proposal, actor: Actor) -> None:
    """It is tried anew, or is not to be delivered any more: what asked about it is over."""
    for item in inbox.open_about(tx, Subject("proposal", proposal.id)):
        inbox.resolve(tx, item, {"by": "cause"}, actor)


# --- deliveries ---------------------------------------------------------------------------------


def get_delivery(view: View, delivery_id: str) -> Delivery | None:
    return view.one(Delivery, Deliveries.select().where(Deliveries.id == delivery_id))


def deliveries(view: View, proposal_id: str) -> list[Delivery]:
    """Oldest first; at most one of them is `intended`."""
    return view.all(
        Delivery,
        Deliveries.select().where(Deliveries.proposal_id == proposal_id).order_by(Deliveries.id),
    )


def in_hand(view: View, proposal: Proposal) -> bool:
    """Whether a delivery of it has been intended and has not ended."""
    tries = deliveries(view, proposal.id)
    return bool(tries) and tries[-1].status is DeliveryStatus.INTENDED


def asked_elsewhere() -> Any:
    """Tasks at whose gate somebody is asked: their reviewers, or a person by an item of the
    inbox."""
    return Gates.select(Gates.task_id).where(Gates.status == GateStatus.ASKED)


def to_look_at(view: View, most: int) -> list[Proposal]:
    """The newest that are open and of which nothing is under way."""
    under_way = Deliveries.select(Deliveries.proposal_id).where(
        Deliveries.status == DeliveryStatus.INTENDED
    )
    here = Proposals.status.in_(OPEN) & Proposals.id.not_in(under_way)
    query = Proposals.select().where(here & Proposals.task_id.not_in(asked_elsewhere()))
    return view.all(Proposal, query.order_by(Proposals.id.desc()).limit(most))


def delivered_before(view: View, task_id: str, moment: datetime) -> int:
    """How many proposals of the task were on their branch by then."""
    done: int = view.value(
        Deliveries.select(pw.fn.COUNT(Deliveries.id))
        .join(Proposals, on=Deliveries.proposal_id == Proposals.id)
        .where(
            (Proposals.task_id == task_id)
            & (Deliveries.status == DeliveryStatus.DELIVERED)
            & (Deliveries.ended_at < moment)
        )
    )
    return done


def intended(view: View) -> list[Delivery]:
    return [read(Delivery, Deliveries, row) for row in view.sql(_INTENDED)]


def intend(
    tx: Tx, proposal: Proposal, actor: Actor, kind: Kind = Kind.DELIVERY_INTENDED, **values: Any
) -> Delivery:
    """The row that git's work is measured against, committed before git runs (law 3)."""
    tx.write(
        Deliveries.insert(
            workspace_id=proposal.workspace_id,
            proposal_id=proposal.id,
            status=DeliveryStatus.INTENDED,
            created_at=tx.now,
            **values,
        )
    )
    journal.tell(
        tx,
        kind,
        Subject("delivery", values["id"]),
        workspace_id=proposal.workspace_id,
        actor=actor,
        data={"proposal_id": proposal.id, "branch": values["branch"]},
    )
    _nothing_blocks(tx, proposal, actor)
    tx.nudge("deliveries")
    made = get_delivery(tx, values["id"])
    assert made is not None
    return made


def aim(
    tx: Tx, delivery: Delivery, *, old: str, new: str, kind: Kind = Kind.MERGE_STARTED
) -> Delivery:
    """Writes down which commit is to replace which, before the branch is touched."""
    tx.write(
        Deliveries.update(old_commit=old, new_commit=new).where(
            (Deliveries.id == delivery.id) & (Deliveries.status == DeliveryStatus.INTENDED)
        )
    )
    journal.tell(
        tx,
        kind,
        Subject("proposal", delivery.proposal_id),
        workspace_id=delivery.workspace_id,
        data={"branch": delivery.branch, "old": old, "new": new},
    )
    aimed = get_delivery(tx, delivery.id)
    assert aimed is not None
    return aimed


def note(tx: Tx, delivery: Delivery, reason: Json) -> None:
    """What is known of one that is under way, for who takes it up again after a crash."""
    under_way = Deliveries.status == DeliveryStatus.INTENDED
    tx.write(Deliveries.update(reason=reason).where((Deliveries.id == delivery.id) & under_way))


def hold_for(tx: Tx, delivery: Delivery, reason: Json) -> None:
    """One that is held already is held for another reason now; who asks a person about it tells."""
    held = (Deliveries.id == delivery.id) & (Deliveries.status == DeliveryStatus.HELD)
    tx.write(Deliveries.update(reason=reason).where(held))


def end_delivery(
    tx: Tx, delivery: Delivery, to: DeliveryStatus, *, kind: Kind, reason: Json | None = None
) -> bool:
    return journal.move(
        tx,
        DELIVERY,
        delivery,
        to=to,
        kind=kind,
        data={
            "proposal_id": delivery.proposal_id,
            "branch": delivery.branch,
            **({"reason": reason} if reason else {}),
        },
        reason=reason,
        ended_at=tx.now,
    )
