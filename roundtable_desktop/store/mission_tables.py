"""The tables of missions as peewee models, bound to no database."""

import peewee as pw

from roundtable_desktop.model import missions
from roundtable_desktop.model.states import DeliveryMode
from roundtable_desktop.store.fields import CodeField, InstantField, JsonField, Table


class Missions(Table):
    id = pw.TextField(primary_key=True)
    workspace_id = pw.TextField()
    seq = pw.IntegerField()
    slug = pw.TextField()
    goal = pw.TextField()
    base_branch = pw.TextField()
    base_commit = pw.TextField()
    integration_branch = pw.TextField()
    root_task_id = pw.TextField()
    coordinator_agent_id = pw.TextField(null=True)
    delivery = CodeField(DeliveryMode)
    state = CodeField(missions.MissionState)
    phase = CodeField(missions.Phase)
    outcome = CodeField(missions.MissionOutcome, null=True)
    reason = pw.TextField(null=True)
    report = JsonField(null=True)
    last_exit = JsonField(null=True)
    error = JsonField(null=True)
    consecutive_errors = pw.IntegerField(default=0)
    seen_event = pw.IntegerField(default=0)
    look_at = InstantField(null=True)
    started_at = InstantField()
    opened_at = InstantField(null=True)
    ended_at = InstantField(null=True)
    created_at = InstantField()
    updated_at = InstantField()
    revision = pw.IntegerField(default=1)


class Waves(Table):
    id = pw.TextField(primary_key=True)
    workspace_id = pw.TextField()
    mission_id = pw.TextField()
    number = pw.IntegerField()
    plan = JsonField()
    created_at = InstantField()
    ended_at = InstantField(null=True)


class WaveTasks(Table):
    wave_id = pw.TextField()
    task_id = pw.TextField()
    wakeup_id = pw.TextField()

    class Meta:
        primary_key = pw.CompositeKey("wave_id", "task_id")


MISSION_TABLES: tuple[type[Table], ...] = (Missions, Waves, WaveTasks)
