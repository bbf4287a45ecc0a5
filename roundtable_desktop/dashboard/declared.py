"""One declared route of the API: what serving and describing it both need."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from flask import Response
from pydantic import BaseModel

Auth = Literal["person", "none"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """also: other numbers of a good answer, which the answer itself names (`Answered`). needs_key:
    an `Idempotency-Key` is required. signed: its sender signs the body, so the route reads that
    itself, byte for byte."""

    method: str
    path: str
    act: Callable[..., BaseModel | Response | None]
    query: type[BaseModel]
    body: type[BaseModel] | None
    answer: type[BaseModel] | None
    streams: type[BaseModel] | None
    texts: tuple[str, ...]
    status: int
    auth: Auth
    errors: tuple[int, ...]
    takes: frozenset[str]
    signed: bool = False
    also: tuple[int, ...] = ()
    needs_key: bool = False
