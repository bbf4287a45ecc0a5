"""What agents want in, and each try to bring it onto its branch (C-97, C-107)."""

from dataclasses import dataclass
from datetime import datetime

from roundtable_desktop.model.records import Json
from roundtable_desktop.model.states import DeliveryStatus, ProposalStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """What an agent wants in: (task, run, base commit, head commit); its diff is computed.

    held: {"code", …} when something in it needs a look before it can be delivered.
    run_id: None of what a mission as a whole wants in; its task is the mission's root then.
    """

    id: str
    workspace_id: str
    task_id: str
    run_id: str | None
    base_commit: str
    head_commit: str
    status: ProposalStatus
    files: tuple[Json, ...]
    held: Json | None
    created_at: datetime
    updated_at: datetime
    revision: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """One try to bring a proposal onto its branch; `old` → `new` once known.

    into_checkout: a person asked; only then a branch that is checked out may move (C-107).
    reason: {"code", "path"?, "command"?} of a held one; `nothing_left` with the commit that has the
    change already, of a delivered one.
    """

    id: str
    workspace_id: str
    proposal_id: str
    branch: str
    old_commit: str | None
    new_commit: str | None
    into_checkout: bool
    status: DeliveryStatus
    reason: Json | None
    created_at: datetime
    ended_at: datetime | None
