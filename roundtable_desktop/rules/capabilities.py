"""What an agent may do in a run, by what the run is for (K-71). Who is woken never depends on it:
that follows from assignments, routines and the lists of reviewers alone."""

from collections.abc import Mapping
from enum import StrEnum


class Occasion(StrEnum):
    """`work`: on its task. `turn`: about no task. `review`: of somebody else's work."""

    WORK = "work"
    TURN = "turn"
    REVIEW = "review"


_ALL = frozenset(Occasion)
_ITS_OWN = frozenset({Occasion.WORK, Occasion.TURN})
_JUDGES = frozenset({Occasion.REVIEW})

CAPABILITIES: Mapping[str, frozenset[Occasion]] = {
    "state_get": _ALL,
    "state_watch": _ALL,
    "task_get": _ALL,
    "task_list": _ALL,
    "task_result": _ALL,
    "proposal_get": _ALL,
    "proposal_list": _ALL,
    "repo_read": _ALL,
    "repo_search": _ALL,
    "memory_query": _ALL,
    "memory_record": _ITS_OWN,
    "test_run": _ITS_OWN,
    "proposal_create": _ITS_OWN,
    "task_comment": _ITS_OWN,
    "task_progress": _ITS_OWN,
    "task_create": _ITS_OWN,
    "task_update": _ITS_OWN,
    "task_block": _ITS_OWN,
    "claim_list": _ALL,
    "claim_acquire": _ITS_OWN,
    "claim_release": _ITS_OWN,
    "turn_request": _ITS_OWN,
    "turn_start": _ITS_OWN,
    "turn_complete": _ITS_OWN,
    "approval_request": _ITS_OWN,
    "wake_self": _ITS_OWN,
    "vote_cast": _JUDGES,
}
"""Each tool with the runs in which it may be used. A reviewer speaks by its verdict: a comment
would send the work back before the others have looked at it."""


def may(tool: str, purpose: Occasion) -> bool:
    return purpose in CAPABILITIES[tool]


def purpose_of(task_id: str | None, gate_id: str | None) -> Occasion:
    if gate_id is not None:
        return Occasion.REVIEW
    return Occasion.TURN if task_id is None else Occasion.WORK
