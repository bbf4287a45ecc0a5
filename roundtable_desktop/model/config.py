"""`.roundtable/config.yaml` as it was found, and what a person has said of it (C-105)."""

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Protocol

PATH = ".roundtable/config.yaml"

Wanted = Mapping[str, Any]
"""What a file asks for, once it is known to have the right form; keys that it does not name are
not there."""

Read = Callable[[object], Wanted]
"""Raises InvalidFields for what has not the right form."""


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a file cannot be accepted. code, values: of its sentence; pointer, line: where."""

    code: str
    values: Mapping[str, object] = field(default_factory=dict)
    pointer: str = ""
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """A file as it stood there. sha: of its bytes; of one that cannot be read, of the reason.

    lines: by JSON pointer, where each value begins.
    """

    sha: str
    text: str = ""
    data: object = None
    lines: Mapping[str, int] = field(default_factory=dict)
    fault: Fault | None = None


class ConfigFiles(Protocol):
    """The file in the working trees of repositories. What it says means nothing yet."""

    def read(self, root: str, known: Container[str] = ()) -> Found | None:
        """None when there is none; whatever else stands in its place is a fault. known: contents
        of which the sha is enough."""

    def create(self, root: str, text: str) -> bool:
        """Writes it where nothing is; False when something is. Raises Conflict
        (`config_not_written`)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Consent:
    """What holds of a workspace's file.

    accepted: sha of the content that a person accepted; text: that content as it was shown.
    kept: sha of another one that a person has looked at and does not want.
    agents: ids by the names that the file gives them; resting: of those that it left out later,
    how each of them stood {status, paused_reason}. routines: ids by name.
    checks: what it runs before a delivery, {name, command}.
    """

    accepted: str | None = None
    text: str = ""
    at: datetime | None = None
    kept: str | None = None
    agents: Mapping[str, str] = field(default_factory=dict)
    resting: Mapping[str, Mapping[str, str | None]] = field(default_factory=dict)
    routines: Mapping[str, str] = field(default_factory=dict)
    checks: Sequence[Mapping[str, Any]] = ()


class State(StrEnum):
    ABSENT = "absent"
    ACCEPTED = "accepted"
    WAITING = "waiting"  # for a person's word
    KEPT = "kept"  # it was looked at, and what was accepted before still holds
    BROKEN = "broken"  # nobody could accept it as it is


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that accepting does. what: workspace | agent | routine | check. did: added |
    changed | retired | returned | archived. values: of what is added or changed, by field."""

    what: str
    name: str
    did: str
    key: str = ""
    values: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Seen:
    """What a person is shown: without secrets, and without what drives a terminal.

    difference: from what was accepted, as a unified diff. changes: what accepting it would do.
    """

    state: State
    consent: Consent
    sha: str | None = None
    text: str = ""
    difference: str = ""
    faults: Sequence[Fault] = ()
    changes: Sequence[Change] = ()
