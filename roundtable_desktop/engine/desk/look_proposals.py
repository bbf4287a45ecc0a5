"""What the faces may see of proposals: each with its tries, and those that somebody looks for."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from roundtable_desktop.engine import catching_up, explain_gates, straying
from roundtable_desktop.engine.desk.proposals import can_deliver
from roundtable_desktop.engine.gates import open_review
from roundtable_desktop.engine.straying import Strayed
from roundtable_desktop.model.checks import Check, CheckStatus
from roundtable_desktop.model.proposals import Delivery, Proposal
from roundtable_desktop.model.records import Task
from roundtable_desktop.model.states import DeliveryStatus
from roundtable_desktop.store import checks, proposals, sought_proposals
from roundtable_desktop.store.db import Reader, View


@dataclass(frozen=True, slots=True)
class Offered:
    """A proposal with its tries; diff is None where nobody asked for it, and where git could not
    tell it: then no_diff has what git said. reviewed: whose word an open one waits for.
    gate_open: its reviewers have not all let it pass, or its checks have not ended, so that Deliver
    needs a note (C-104).
    checks: of what a mission offers, those that the workspace has. strayed: what of it goes beyond
    the area of its task, and after: whose work it waits for therefore; of one that is looked at
    alone. stuck: the mission was to take its base in, and that was held."""

    proposal: Proposal
    deliveries: Sequence[Delivery]
    diff: str | None = None
    diff_complete: bool = True
    no_diff: str | None = None
    reviewed: explain_gates.State = ("none", [])
    gate_open: bool = False
    checks: Sequence[Check] = ()
    strayed: Strayed | None = None
    after: Task | None = None
    stuck: bool = False

    @property
    def can_deliver(self) -> bool:
        return can_deliver(self.proposal, self.deliveries)

    @property
    def stands(self) -> str:
        """Its status, or `held`: for a look, or by what its last delivery met."""
        last = self.deliveries[-1].status if self.deliveries else None
        held = bool(self.proposal.held) or last is DeliveryStatus.HELD
        return "held" if held and self.can_deliver else str(self.proposal.status)


class LookProposals:
    """A part of `Look`."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    def page(
        self,
        after: str | None,
        limit: int,
        *,
        state: str | None = None,
        agent_id: str | None = None,
        **filters: object,
    ) -> list[Offered]:
        """Newest first; see `store.sought_proposals`."""
        with self._reader.snapshot() as view:
            found = sought_proposals.page(
                view, after=after, limit=limit, state=state, agent_id=agent_id, **filters
            )
            return [offered(view, one) for one in found]

    def alone(self, one: Offered) -> Offered:
        """With what a list does not tell."""
        with self._reader.snapshot() as view:
            last = one.deliveries[-1] if one.deliveries else None
            waits = last is not None and last.status is DeliveryStatus.INTENDED
            after = straying.goes_first(view, last) if last and waits else None
            return replace(one, strayed=straying.of_proposal(view, one.proposal), after=after)


def offered(view: View, proposal: Proposal) -> Offered:
    open_one = proposal.status in proposals.OPEN
    reviewed = explain_gates.state(view, proposal.task_id) if open_one else ("none", [])
    gate_open = open_one and open_review(view, proposal.task_id) is not None
    tries = proposals.deliveries(view, proposal.id)
    judged = checks.of_proposal(view, proposal.id) if proposal.run_id is None else ()
    waits = open_one and any(one.status is CheckStatus.ASKED for one in judged)
    gate_open = gate_open or waits
    stuck = catching_up.stuck(view, proposal) is not None
    return Offered(
        proposal, tries, reviewed=reviewed, gate_open=gate_open, checks=judged, stuck=stuck
    )
