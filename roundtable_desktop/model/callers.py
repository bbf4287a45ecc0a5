"""Who calls: a browser that is signed in, or an agent by the token of its run."""

from dataclasses import dataclass, field
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class WebSession:
    """One signed-in browser. id_hash: sha256 of the cookie's value, in hex; never the value."""

    id_hash: str
    created_at: datetime
    seen_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Holder:
    """In whose name an agent asks: all of it comes from the token, none from what it sends (A1).

    task_id: of the task that it works on, or whose work it judges (gate_id).
    token: known while a call lasts, so that it is taken out of what the agent says."""

    run_id: str
    agent_id: str
    task_id: str | None
    workspace_id: str
    gate_id: str | None = None
    token: str = field(default="", repr=False)
