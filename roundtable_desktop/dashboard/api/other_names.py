"""What the seeds call things otherwise: taken on input, never given out (C-01, C-45, C-59)."""

from typing import Annotated, Any, ClassVar, Literal, get_args

from pydantic import BaseModel, BeforeValidator, model_validator

from roundtable_desktop.model.states import TaskStatus
from roundtable_desktop.model.statuses import ALIASES, by_own_name

_AGENT = ("agent_profile_id", "agent_instance_id", "assignee_agent_instance_id")


def our_state(given: object) -> object:
    """Seed 000 writes a mission's state with a dash."""
    return given.replace("-", "_") if isinstance(given, str) else given


StatusWord = Literal[
    "todo", "in_progress", "in_review", "blocked", "interrupted", "done", "failed", "cancelled"
]
OtherStatus = Literal["open", "pending", "running", "review", "completed", "closed", "canceled"]
Status = Annotated[
    StatusWord, BeforeValidator(by_own_name, json_schema_input_type=StatusWord | OtherStatus)
]


class _Named(BaseModel):
    """One name of the agent, whichever it is; two at once are refused as unknown fields."""

    _OUR_NAME: ClassVar[str]
    _TOO: ClassVar[tuple[str, ...]] = ()

    @model_validator(mode="before")
    @classmethod
    def _one_name(cls, given: Any) -> Any:
        if not isinstance(given, dict) or cls._OUR_NAME in given:
            return given
        known = [name for name in (*cls._TOO, *_AGENT) if name in given]
        if len(known) != 1:
            return given
        rest = {name: value for name, value in given.items() if name != known[0]}
        return {**rest, cls._OUR_NAME: given[known[0]]}


class Assigned(_Named):
    """Of what somebody is assigned to: tasks and routines."""

    _OUR_NAME = "assignee_agent_id"
    _TOO = ("agent_id",)


class OfAgent(_Named):
    """Of what is an agent's own: wakeups, runs, proposals, budgets."""

    _OUR_NAME = "agent_id"


class InFile(_Named):
    """Of a routine in `.roundtable/config.yaml`, which names its agent."""

    _OUR_NAME = "agent"
    _TOO = ("assignee_agent_id", "agent_id")


assert set(TaskStatus) == set(get_args(StatusWord))
assert set(ALIASES) == set(get_args(OtherStatus))
