"""The API's routes about wakeups."""

from typing import Literal

from roundtable_desktop.dashboard.api.explanations import Explained, Gate, explained, gate
from roundtable_desktop.dashboard.api.shapes import Moment, Object, Ref, Shown
from roundtable_desktop.dashboard.reading import Listed, Paging, listed
from roundtable_desktop.dashboard.routes import Api
from roundtable_desktop.engine.desk.look import Look
from roundtable_desktop.model import records


class WakeupsAsked(Paging):
    workspace_id: Ref | None = None
    status: (
        Literal["queued", "claimed", "coalesced", "skipped", "finished", "failed", "cancelled"]
        | None
    ) = None
    source: Literal["comment", "task_assigned", "user"] | None = None
    agent_id: Ref | None = None
    task_id: Ref | None = None


class WakeupRow(Shown):
    id: str
    workspace_id: str
    agent_id: str
    task_id: str | None
    source: str
    reason: str
    payload: Object
    status: str
    outcome: str | None
    cancel_reason: str | None
    coalesced_count: int
    coalesced_into: str | None
    retry_count: int
    scheduled_retry_at: Moment | None
    held_by: str | None
    run_id: str | None
    requested_at: Moment
    claimed_at: Moment | None
    finished_at: Moment | None


class WakeupDetail(WakeupRow):
    context_snapshot: Object
    decisions: list[Gate]


def detail(wakeup: records.Wakeup) -> WakeupDetail:
    return WakeupDetail.of(wakeup, decisions=[gate(one) for one in wakeup.decisions])


def declare(api: Api, look: Look) -> None:
    @api.route("GET", "/api/v1/wakeups")
    def list_wakeups(query: WakeupsAsked) -> Listed[WakeupRow]:
        """Requests to wake an agent, newest first."""
        return listed(Listed[WakeupRow], query, look.wakeups, WakeupRow.of)

    @api.route("GET", "/api/v1/wakeups/<ref>")
    def show_wakeup(ref: str) -> WakeupDetail:
        """One of them, with every gate's answer."""
        return detail(look.wakeup(ref))

    @api.route("GET", "/api/v1/wakeups/<ref>/explain")
    def explain_wakeup(ref: str) -> Explained:
        """Why it ran, waits or will not, by the rules that decide."""
        return explained(look.explain_wakeup(look.wakeup(ref)))
