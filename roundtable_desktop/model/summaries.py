"""What is kept of a routine's turns for the turns to come."""

from dataclasses import dataclass
from datetime import datetime

ROUTINE = "routine:"


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """agent_id: whose turns they were. scope: `routine:<id>`. content: Markdown, at most
    8 KB. content_tokens: about how many that is. updated_by_run_id: the run that ended then."""

    agent_id: str
    scope: str
    content: str
    content_tokens: int
    updated_at: datetime
    updated_by_run_id: str

    @property
    def routine_id(self) -> str:
        return self.scope.removeprefix(ROUTINE)


def scope_of(routine_id: str) -> str:
    """Of what is written and of what is read: one place says it."""
    return f"{ROUTINE}{routine_id}"
