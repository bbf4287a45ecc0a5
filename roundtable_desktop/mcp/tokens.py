"""The tokens of runs: an agent's only key, good for its own run and for as long as that lives."""

import hashlib
from dataclasses import dataclass, field
from typing import Protocol

from roundtable_desktop.model.callers import Holder
from roundtable_desktop.model.ports import Ids


class Holders(Protocol):
    """Who holds a token, by what is kept of it."""

    def find(self, token_hash: str) -> Holder | None:
        """Of live runs only, and asked at each call: a token dies with its run (S-69)."""


@dataclass(frozen=True, slots=True)
class Issued:
    """token: for the agent's environment, and kept nowhere. hash: for the row of its run."""

    token: str = field(repr=False)
    hash: str


def issue(ids: Ids) -> Issued:
    token = ids.secret()
    return Issued(token, token_hash(token))


def token_hash(token: str) -> str:
    """What is kept. A token is found by it and never compared itself, so that no time it takes
    says how near a guess was."""
    return hashlib.sha256(token.encode()).hexdigest()


def bearer(authorization: str) -> str | None:
    """The token of an `Authorization` header, if there is one in it."""
    scheme, _, token = authorization.partition(" ")
    return token.strip() or None if scheme.lower() == "bearer" else None
