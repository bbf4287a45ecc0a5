"""What a search by name finds."""

from dataclasses import dataclass
from typing import Literal

Called = Literal["task", "agent", "routine", "mission", "run"]


@dataclass(frozen=True, slots=True)
class Hit:
    """name: of a run, what it is about. number: of the task, or of the run's. place: the name of
    its workspace. at: when it was made, in microseconds since 1970."""

    kind: Called
    id: str
    name: str
    number: int | None
    place: str
    at: int
