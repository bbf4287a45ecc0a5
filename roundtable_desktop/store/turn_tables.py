"""The table of turns as a peewee model, bound to no database, and what came with it."""

import peewee as pw

from roundtable_desktop.model.turns import TurnStatus
from roundtable_desktop.store.artifact_tables import Artifacts
from roundtable_desktop.store.fields import CodeField, InstantField, Table
from roundtable_desktop.store.memory_tables import Memories


class Turns(Table):
    id = pw.TextField(primary_key=True)
    workspace_id = pw.TextField()
    mission_id = pw.TextField(null=True)
    scope = pw.TextField()
    agent_id = pw.TextField()
    task_id = pw.TextField(null=True)
    asked_in = pw.TextField()
    request_event = pw.IntegerField()
    reason = pw.TextField()
    status = CodeField(TurnStatus)
    outcome = pw.TextField(null=True)
    tries = pw.IntegerField(default=0)
    misses = pw.IntegerField(default=0)
    wakeup_id = pw.TextField(null=True)
    run_id = pw.TextField(null=True)
    scheduled_at = InstantField(null=True)
    started_at = InstantField(null=True)
    overdue_at = InstantField(null=True)
    ended_at = InstantField(null=True)
    created_at = InstantField()


TURN_TABLES: tuple[type[Table], ...] = (Turns, Memories, Artifacts)
