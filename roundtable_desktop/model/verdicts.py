"""The answers of a gate, and what they amount to for somebody who asks why (law 4)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from roundtable_desktop.model.states import WakeupOutcome

Values = dict[str, object]


@dataclass(frozen=True, slots=True)
class Go:
    """Passed; `detail` holds the values it was judged by."""

    detail: Values = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Finish:
    """Settled without a run, and not tried again by itself (K-40)."""

    outcome: WakeupOutcome
    detail: Values = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Skip:
    """Kept from running, and brought back when what keeps it is over (C-81)."""

    outcome: WakeupOutcome
    detail: Values = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Hold:
    """Back to the queue until `until`, without spending a retry (C-98)."""

    held_by: str
    until: datetime
    detail: Values = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Cancel:
    """No longer relevant (K-29)."""

    reason: str
    detail: Values = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Fail:
    """Cannot be done, however often it is tried."""

    outcome: WakeupOutcome
    detail: Values = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Launched:
    """The last gate was passed and the run's row exists, `starting` (C-48)."""

    run_id: str
    detail: Values = field(default_factory=dict)


Answer = Go | Finish | Skip | Hold | Cancel | Fail | Launched


@dataclass(frozen=True, slots=True)
class Explanation:
    """code and values make the sentence; gates are {gate, verdict, detail, at} in order."""

    code: str
    values: Mapping[str, object]
    gates: Sequence[Mapping[str, object]] = ()
    wakeup_id: str | None = None
    run_id: str | None = None
    more: Sequence["Explanation"] = field(default=())

    @property
    def nearest(self) -> "Explanation":
        """A task's own reason, or that of the wakeup behind it where that says more."""
        behind = self.more[0] if self.more else self
        if self.code == "task_interrupted_goes_on":
            return behind if behind.code in _ON_YOUR_WORD else self
        says_little = self.code in ("task_todo", "task_in_progress", "task_in_progress_waits")
        return behind if says_little else self


_ON_YOUR_WORD = (
    "waits_intake",
    "waits_agent_paused",
    "waits_agent_stopped",
    "waits_mission_paused",
)
"""What waits for these does not go on by itself."""
