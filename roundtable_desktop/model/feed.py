"""What somebody looks for in the feed, and the piece of it that was found."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sought:
    """None is no filter. kinds: any of them; none is all. actor_id: of that type."""

    kinds: Sequence[str] = ()
    actor_type: str | None = None
    actor_id: str | None = None
    workspace_id: str | None = None
    subject_type: str | None = None
    subject_id: str | None = None


@dataclass(frozen=True, slots=True)
class Piece(Generic[T]):
    """Newest first. on: the event before which it goes on; None at the beginning of everything."""

    found: Sequence[T]
    on: int | None
