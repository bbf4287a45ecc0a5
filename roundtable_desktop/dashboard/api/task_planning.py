"""By what a mission plans a task: what it may write, how urgent it is, which models may do it."""

from typing import Annotated, Any, Literal

from pydantic import Field

from roundtable_desktop.dashboard.api.shapes import Ref
from roundtable_desktop.dashboard.reading import Words
from roundtable_desktop.model.settings import Model

Area = Annotated[list[Annotated[str, Field(min_length=1, max_length=1024)]], Field(max_length=100)]
Priority = Annotated[int, Field(ge=-100, le=100)]
Models = Annotated[list[Model], Field(max_length=10)]
PolicyKind = Literal["scheduler_forced", "agent_select"]


class ModelPolicy(Words):
    """scheduler_forced: exactly the first of the models; agent_select: its agent may choose among
    them. None are named: those of its agent."""

    kind: PolicyKind
    models: Models = Field(default_factory=list)


class Planning(Words):
    """Fields of a new task that count in a mission."""

    mission_id: Ref | None = None
    write_area: Area = Field(default_factory=list)
    priority: Priority = 0
    optional: bool = False
    model_policy: ModelPolicy | None = None


class PlanningChange(Words):
    """model_policy: taken away with null."""

    write_area: Area | None = None
    priority: Priority | None = None
    optional: bool | None = None
    model_policy: ModelPolicy | None = None


NAMES = ("write_area", "priority", "optional")


def planned(body: Planning) -> dict[str, Any]:
    """As the desk takes it."""
    policy = body.model_policy
    return {
        "write_area": body.write_area,
        "priority": body.priority,
        "optional": body.optional,
        "model_policy": policy.model_dump() if policy else None,
    }


def changed(body: PlanningChange) -> dict[str, Any]:
    """What it changes by name."""
    values = body.model_dump(include=set(NAMES), exclude_none=True)
    return values | body.model_dump(include={"model_policy"}, exclude_unset=True)
