"""One typed payload per source of a wakeup, read at the dispatcher's boundary (K-03)."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from roundtable_desktop.model.states import Source

Id = Annotated[str, Field(min_length=1, max_length=64)]
Text = Annotated[str, Field(max_length=16_384)]
Count = Annotated[int, Field(ge=1)]
Micros = Annotated[int, Field(ge=0)]
"""An instant, in whole UTC microseconds."""


class Payload(BaseModel):
    """Unknown fields are refused, nothing is coerced."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class MissedTicks(Payload):
    """Instants of a routine that had no run of their own: how many, the first and the last."""

    count: Count
    first: Micros
    last: Micros


class Routine(Payload):
    """firing_id: the row that tells of this one time (C-69)."""

    routine_id: Id
    variables: dict[str, Any]
    missed_ticks: MissedTicks | None = None
    firing_id: Id | None = None


class Comment(Payload):
    task_id: Id
    comment_id: Id


Trigger = Literal[
    "product_choice",
    "architecture",
    "permission",
    "environment",
    "repeated_failure",
    "review_finding",
]


class AgentError(Payload):
    """agent_id: of the one that failed for good; error: what its run said last. blocked: it has not
    failed, but cannot go on, with its task if it has one, until whom it wakes has done `error`.
    trigger: it is brought to whom it wakes, for this reason (A-34); agent_id then is of who found
    it, or of who failed with it."""

    agent_id: Id
    run_id: Id
    error: Text
    blocked: bool = False
    task_id: Id | None = None
    trigger: Trigger | None = None


class SelfWake(Payload):
    """What the agent wrote down for itself."""

    reason: Annotated[str, Field(min_length=1, max_length=16_384)]
    payload: dict[str, Any] | None = None
    turn_id: Id | None = None


class UserContext(Payload):
    task_id: Id | None = None
    text: Text | None = None


class User(Payload):
    user_id: Id
    context: UserContext | None = None


class TaskAssigned(Payload):
    """attempt: of failed work that is tried again. gate_id, round, role: a review is asked for
    (C-51). missed_ticks: of the routine that made the task (C-40)."""

    task_id: Id
    attempt: Count | None = None
    gate_id: Id | None = None
    round: Count | None = None
    role: Literal["reviewer", "approver"] | None = None
    missed_ticks: MissedTicks | None = None


class TaskBlockersResolved(Payload):
    task_id: Id
    resolved_blocker_ids: list[Id]


class TaskChildrenCompleted(Payload):
    task_id: Id


class ApprovalResolved(Payload):
    approval_id: Id
    status: Literal["approved", "rejected"]
    decision_note: Text | None
    task_id: Id | None = None


class BudgetAlert(Payload):
    agent_id: Id
    budget_pct: Annotated[int, Field(ge=0)]


PAYLOADS: Mapping[Source, type[Payload]] = {
    Source.ROUTINE: Routine,
    Source.COMMENT: Comment,
    Source.AGENT_ERROR: AgentError,
    Source.SELF: SelfWake,
    Source.USER: User,
    Source.TASK_ASSIGNED: TaskAssigned,
    Source.TASK_BLOCKERS_RESOLVED: TaskBlockersResolved,
    Source.TASK_CHILDREN_COMPLETED: TaskChildrenCompleted,
    Source.APPROVAL_RESOLVED: ApprovalResolved,
    Source.BUDGET_ALERT: BudgetAlert,
}


class Malformed(ValueError):
    """The payload is not what its source promises; `fields` names the ones at fault."""

    def __init__(self, fields: list[str]) -> None:
        super().__init__(", ".join(fields))
        self.fields = fields


def read_payload(source: Source, payload: object) -> Payload:
    """Raises Malformed. A queue that holds it settles the wakeup as `malformed` (K-03)."""
    try:
        return PAYLOADS[source].model_validate(payload)
    except ValidationError as error:
        raise Malformed([".".join(map(str, fault["loc"])) for fault in error.errors()]) from None
