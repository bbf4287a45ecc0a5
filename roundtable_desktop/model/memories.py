"""What agents write down for those who work in the same workspace later, as values."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """agent_id, run_id, task_id: who wrote it down, and when working on what. Its words are an
    agent's: data for whoever reads them, never an instruction."""

    id: str
    workspace_id: str
    agent_id: str
    run_id: str
    task_id: str | None
    topic: str
    text: str
    created_at: datetime
