"""What recurs, what sets it off, and each time that it did, as frozen values."""

import json
from dataclasses import dataclass
from datetime import datetime

from roundtable_desktop.model.records import Json
from roundtable_desktop.model.states import (
    CatchUpPolicy,
    ConcurrencyPolicy,
    FiringSource,
    FiringStatus,
    Probe,
    RoutineStatus,
    TriggerKind,
    VariableType,
)
from roundtable_desktop.model.webhooks import SigningMode

Value = str | int | float | bool


@dataclass(frozen=True, slots=True)
class Variable:
    """A declaration. options: what a select offers. default: None when there is none."""

    name: str
    type: VariableType = VariableType.TEXT
    default: Value | None = None
    required: bool = False
    options: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Template:
    """The task that a heavy routine makes each time; its texts may have places for variables."""

    title: str
    description: str = ""

    def stored(self) -> str:
        return json.dumps({"title": self.title, "description": self.description})


@dataclass(frozen=True, slots=True, kw_only=True)
class Routine:
    """Wakes an agent again and again (table `office_routines`, K-14).

    task_template: JSON of a Template; empty makes it light, a run without a task.
    variables: its declarations, {name, type, default, required, options}.
    priority: of those due at one time, the lower ones come first.
    last_started_at, last_succeeded_at: by the runner's hello, by a run's good end (N-02).
    """

    id: str
    workspace_id: str
    name: str
    description: str
    assignee_agent_id: str
    status: RoutineStatus
    concurrency_policy: ConcurrencyPolicy
    catch_up_policy: CatchUpPolicy
    catch_up_max: int
    task_template: str
    variables: tuple[Json, ...]
    priority: int
    probe: Probe
    last_started_at: datetime | None
    last_succeeded_at: datetime | None
    deleted_at: datetime | None
    created_at: datetime
    updated_at: datetime
    revision: int

    @property
    def template(self) -> Template | None:
        """None for a light one."""
        return Template(**json.loads(self.task_template)) if self.task_template else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Trigger:
    """What sets a routine off (table `office_routine_triggers`, K-20).

    next_run_at: of a schedule that will fire; None for every other trigger.
    The rest is a webhook's: public_id stands in its address; previous_until: until when the secret
    of before counts as well; secret_missing: it has a mode that needs one, and there is none.
    """

    id: str
    routine_id: str
    kind: TriggerKind
    cron_expression: str | None
    timezone: str | None
    next_run_at: datetime | None
    last_fired_at: datetime | None
    enabled: bool
    public_id: str | None = None
    signing_mode: SigningMode | None = None
    previous_until: datetime | None = None
    secret_missing: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Firing:
    """One time that a routine was set off (table `office_routine_runs`, K-24, C-69).

    reason: the code of why it ended so. trigger_payload: the values of its variables.
    missed: {count, first, last} of what had no run of its own, and `left_out` for the part of it
    that has no row either (C-40).
    scheduled_at: the instant that it was due; of any other, when it was asked for.
    unfilled: of a task that a webhook made, its texts before a stranger's values came into them,
    {title, description, made: the hashes of both with them} (S-56).
    """

    id: str
    workspace_id: str
    routine_id: str
    trigger_id: str
    source: FiringSource
    status: FiringStatus
    reason: str | None
    trigger_payload: Json
    missed: Json | None
    scheduled_at: datetime
    wakeup_id: str | None
    run_id: str | None
    linked_task_id: str | None
    coalesced_into_run_id: str | None
    dispatch_fingerprint: str
    started_at: datetime
    completed_at: datetime | None
    unfilled: Json | None = None
