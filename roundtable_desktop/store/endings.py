"""How the last wakeups of an agent that came to a run ended."""

from roundtable_desktop.model.states import WakeupOutcome
from roundtable_desktop.store.db import View

# By its newest runs: what is settled without one says nothing about how it works, and neither does
# what somebody cancelled, or had it try out.
_LAST = """
SELECT w.id, w.outcome FROM runs AS r JOIN agent_wakeup_requests AS w ON w.id = r.wakeup_id
WHERE r.agent_id = :agent_id AND r.ended_at IS NOT NULL
AND w.status IN ('finished', 'failed') AND w.reason <> 'agent_test'
ORDER BY r.id DESC LIMIT :most
"""
RUNS = 5
"""Of one wakeup, at most (K-35)."""


def of_agent(view: View, agent_id: str, most: int) -> list[WakeupOutcome]:
    """The newest first, each wakeup once."""
    rows = view.sql(_LAST, {"agent_id": agent_id, "most": RUNS * most})
    each = {str(row["id"]): WakeupOutcome(row["outcome"]) for row in rows}
    return list(each.values())[:most]
