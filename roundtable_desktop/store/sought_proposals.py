"""Proposals as somebody looks for them: by what is to be done with them, by who made them."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import peewee as pw

from roundtable_desktop.model.proposals import Proposal
from roundtable_desktop.model.states import DeliveryStatus, InboxStatus, ProposalStatus
from roundtable_desktop.store import lists
from roundtable_desktop.store.db import View
from roundtable_desktop.store.proposals import OPEN, asked_elsewhere
from roundtable_desktop.store.tables import Deliveries, InboxItems, Proposals, Runs


def page(
    view: View,
    *,
    after: str | None,
    limit: int,
    state: str | None = None,
    agent_id: str | None = None,
    **filters: object,
) -> list[Proposal]:
    """Newest first. state: a name of STATES. agent_id: whose run it came of."""
    where = [] if state is None else [STATES[state]()]
    return lists.page(
        view, lists.PROPOSALS, [*where, *_of_agent(agent_id)], after=after, limit=limit, **filters
    )


def _waiting() -> Any:
    """For a person, as `store.counts` counts them."""
    under_way = Deliveries.select(Deliveries.proposal_id).where(
        Deliveries.status == DeliveryStatus.INTENDED
    )
    approved = Proposals.status == ProposalStatus.APPROVED
    waits = Proposals.status.in_(OPEN) | (approved & Proposals.id.not_in(under_way))
    return waits & Proposals.task_id.not_in(asked_elsewhere())


def _unasked() -> Any:
    """Of those, what no item of the inbox asks about, open or put off."""
    asked = InboxItems.select(pw.SQL("1")).where(
        (InboxItems.workspace_id == Proposals.workspace_id)
        & InboxItems.status.in_((InboxStatus.OPEN, InboxStatus.SNOOZED))
        & (pw.fn.json_extract(InboxItems.data, "$.proposal_id") == Proposals.id)
    )
    return _waiting() & ~pw.fn.EXISTS(asked)


def _held() -> Any:
    """For a look, or by what its last delivery met; it waits as well."""
    newest = Deliveries.select(pw.fn.MAX(Deliveries.id)).group_by(Deliveries.proposal_id)
    last = Deliveries.select(Deliveries.proposal_id).where(
        Deliveries.id.in_(newest) & (Deliveries.status == DeliveryStatus.HELD)
    )
    return _waiting() & (Proposals.held.is_null(False) | Proposals.id.in_(last))


STATES: Mapping[str, Callable[[], Any]] = {
    "waiting": _waiting,
    "unasked": _unasked,
    "held": _held,
    "delivered": lambda: Proposals.status == ProposalStatus.DELIVERED,
    "rejected": lambda: Proposals.status.in_(
        (ProposalStatus.REJECTED, ProposalStatus.REVISION_REQUESTED)
    ),
    "replaced": lambda: Proposals.status.in_(
        (ProposalStatus.SUPERSEDED, ProposalStatus.CONFLICTED)
    ),
}
"""What is approved and on its way, or merged, is in none of them."""


def _of_agent(agent_id: str | None) -> Iterator[Any]:
    if agent_id is not None:
        yield Proposals.run_id.in_(Runs.select(Runs.id).where(Runs.agent_id == agent_id))
