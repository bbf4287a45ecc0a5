"""One typed payload per source of a wakeup, read at the dispatcher's boundary (K-03)."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from roundtable_desktop.model.states import Source

Id = Annotated[str, Field(min_length=1, max_length=64)]


class Payload(BaseModel):
    """Unknown fields are refused, nothing is coerced."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class TaskAssigned(Payload):
    """`attempt` travels on a retry of failed work (house, Causes)."""

    task_id: Id
    attempt: int | None = None


class UserContext(BaseModel):
    """Wakes without a task come with the routines; until then a person's wake names one."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    task_id: Id
    text: Annotated[str, Field(max_length=16_384)] | None = None


class User(Payload):
    user_id: Id
    context: UserContext


class Comment(Payload):
    task_id: Id
    comment_id: Id


# A source is added here with the slice that first writes it; others are malformed until then.
PAYLOADS: dict[Source, type[Payload]] = {
    Source.COMMENT: Comment,
    Source.TASK_ASSIGNED: TaskAssigned,
    Source.USER: User,
}


class Malformed(ValueError):
    """The payload is not what its source promises; `fields` names the ones at fault."""

    def __init__(self, fields: list[str]) -> None:
        super().__init__(", ".join(fields))
        self.fields = fields


def read_payload(source: Source, payload: object) -> Payload:
    """Raises Malformed. A queue that holds it settles the wakeup as `malformed` (K-03)."""
    shape = PAYLOADS.get(source)
    if shape is None:
        raise Malformed(["source"])
    try:
        return shape.model_validate(payload)
    except ValidationError as error:
        raise Malformed([".".join(map(str, fault["loc"])) for fault in error.errors()]) from None


def task_of(payload: Payload) -> str | None:
    """The task that a wakeup is about, wherever its source keeps it."""
    match payload:
        case User(context=context):
            return context.task_id
        case TaskAssigned(task_id=task_id) | Comment(task_id=task_id):
            return task_id
        case _:
            return None
