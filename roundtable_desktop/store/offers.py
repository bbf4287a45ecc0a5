"""What missions offer their base branches, when they are completed."""

from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.model.merges import OFFER, Offer, OfferStatus
from roundtable_desktop.model.missions import Mission
from roundtable_desktop.model.proposals import Proposal
from roundtable_desktop.model.states import ProposalStatus
from roundtable_desktop.store import journal
from roundtable_desktop.store.db import Tx, View
from roundtable_desktop.store.merge_tables import MissionOffers
from roundtable_desktop.store.rows import read
from roundtable_desktop.store.tables import Proposals

# By SQL text: each tick of the loop asks.
_INTENDED = "SELECT * FROM mission_offers WHERE status = 'intended' ORDER BY id"
_OF_MISSION = """
SELECT p.* FROM proposals AS p JOIN tasks AS t ON t.id = p.task_id
WHERE t.mission_id = ? AND p.status = ? ORDER BY p.id
"""
_LAST_MERGED = """
SELECT d.new_commit FROM tasks AS t JOIN proposals AS p ON p.task_id = t.id
JOIN deliveries AS d ON d.proposal_id = p.id
WHERE t.mission_id = :mission AND d.branch = :branch AND d.status = 'delivered'
AND d.new_commit IS NOT NULL ORDER BY d.ended_at DESC, d.id DESC LIMIT 1
"""


def get(view: View, offer_id: str) -> Offer | None:
    return view.one(Offer, MissionOffers.select().where(MissionOffers.id == offer_id))


def of_mission(view: View, mission_id: str) -> list[Offer]:
    """Oldest first; at most one of them is `intended`."""
    sql = "SELECT * FROM mission_offers WHERE mission_id = ? ORDER BY id"
    return [read(Offer, MissionOffers, row) for row in view.sql(sql, (mission_id,))]


def intended(view: View) -> list[Offer]:
    return [read(Offer, MissionOffers, row) for row in view.sql(_INTENDED)]


def intend(tx: Tx, mission: Mission, offer_id: str) -> None:
    """Before git is asked what there is (law 3); one that is not answered yet is enough."""
    if any(one.status is OfferStatus.INTENDED for one in of_mission(tx, mission.id)):
        return
    tx.write(
        MissionOffers.insert(
            id=offer_id,
            workspace_id=mission.workspace_id,
            mission_id=mission.id,
            status=OfferStatus.INTENDED,
            created_at=tx.now,
        )
    )
    tx.nudge("deliveries")


def end(tx: Tx, offer: Offer, proposal_id: str | None) -> bool:
    """Without a proposal there was nothing to offer."""
    to = OfferStatus.MADE if proposal_id else OfferStatus.NOTHING
    kind = Kind.MISSION_OFFERED if proposal_id else Kind.MISSION_UNCHANGED
    known = {"proposal_id": proposal_id} if proposal_id else {}
    data = {"mission_id": offer.mission_id, **known}
    return journal.move(
        tx,
        OFFER,
        offer,
        to=to,
        kind=kind,
        data=data,
        ended_at=tx.now,
        proposal_id=proposal_id,
    )


def last_merged(view: View, mission: Mission) -> str | None:
    """The commit to which its own branch was brought last."""
    words = {"mission": mission.id, "branch": mission.integration_branch}
    rows = view.sql(_LAST_MERGED, words)
    return str(rows[0]["new_commit"]) if rows else None


def proposals_with(view: View, mission_id: str, status: ProposalStatus) -> list[Proposal]:
    """Of any task of the mission, oldest first."""
    rows = view.sql(_OF_MISSION, (mission_id, status))
    return [read(Proposal, Proposals, row) for row in rows]
