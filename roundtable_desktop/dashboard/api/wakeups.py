"""The API's routes about wakeups, and about waking somebody."""

from typing import Literal, get_args

from roundtable_desktop.dashboard.api.explanations import Explained, Gate, explained, gate
from roundtable_desktop.dashboard.api.other_names import OfAgent
from roundtable_desktop.dashboard.api.shapes import (
    Instant,
    Moment,
    Ref,
    Shown,
    Stored,
    Words16,
    asked,
)
from roundtable_desktop.dashboard.reading import Listed, Once, Paging, Words, listed
from roundtable_desktop.dashboard.routes import Api
from roundtable_desktop.dashboard.signin import Caller
from roundtable_desktop.engine.desk import Desk, waking
from roundtable_desktop.engine.desk.look import Look
from roundtable_desktop.model import records
from roundtable_desktop.model.states import Source

Sources = Literal[
    "routine",
    "comment",
    "agent_error",
    "self",
    "user",
    "task_assigned",
    "task_blockers_resolved",
    "task_children_completed",
    "approval_resolved",
    "budget_alert",
]


class WakeContext(Words):
    text: Words16 | None = None
    task_id: Ref | None = None


class Wake(Words):
    """context: what it is told, and the task that it is about. at: not before then."""

    context: WakeContext | Words16 | None = None
    task_id: Ref | None = None
    at: Instant | None = None


class WakeupsAsked(Paging, OfAgent):
    workspace_id: Ref | None = None
    status: (
        Literal["queued", "claimed", "coalesced", "skipped", "finished", "failed", "cancelled"]
        | None
    ) = None
    source: Sources | None = None
    held_by: Literal["not_before"] | None = None
    agent_id: Ref | None = None
    task_id: Ref | None = None


class WakeupRow(Shown):
    id: str
    workspace_id: str
    agent_id: str
    task_id: str | None
    source: str
    reason: str
    payload: Stored
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
    context_snapshot: Stored
    decisions: list[Gate]


def detail(wakeup: records.Wakeup) -> WakeupDetail:
    return WakeupDetail.of(wakeup, decisions=[gate(one) for one in wakeup.decisions])


def declare(api: Api, desk: Desk, look: Look) -> None:
    _declare_reads(api, look)
    _declare_commands(api, desk, look)


def _declare_commands(api: Api, desk: Desk, look: Look) -> None:
    @api.route("POST", "/api/v1/agents/<ref>/wake", status=202, errors=(404, 409))
    def wake_agent(caller: Caller, ref: str, body: Wake, once: Once | None) -> WakeupRow:
        """Wakes it, about a task or about none; what it leaves without one enters no branch."""
        context = WakeContext(text=body.context) if isinstance(body.context, str) else body.context
        text, task = (context.text, context.task_id) if context else (None, None)
        task = body.task_id or task
        made = waking.wake(
            desk,
            asked(caller, once),
            look.agent(ref).id,
            text=text,
            task_id=look.task(task).id if task else None,
            at=body.at,
        )
        return WakeupRow.of(made)

    @api.route("POST", "/api/v1/wakeups/<ref>/cancel", errors=(404, 409))
    def cancel_wakeup(caller: Caller, ref: str, once: Once | None) -> WakeupDetail:
        """Takes it back while it waits."""
        return detail(waking.cancel(desk, asked(caller, once), look.wakeup(ref).id))


def _declare_reads(api: Api, look: Look) -> None:
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


assert set(Source) == set(get_args(Sources))
