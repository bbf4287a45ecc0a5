"""The tables of `roundtable run` as peewee models, bound to no database."""

import peewee as pw

from roundtable_desktop.model import missions
from roundtable_desktop.store.fields import CodeField, InstantField, JsonField, Table


class Sittings(Table):
    id = pw.TextField(primary_key=True)
    workspace_id = pw.TextField()
    mission_id = pw.TextField()
    headless = pw.BooleanField()
    pace = JsonField()
    cycles = pw.IntegerField(default=0)
    exit = pw.TextField(null=True)
    started_at = InstantField()
    ended_at = InstantField(null=True)


class MissionSnapshots(Table):
    sitting_id = pw.TextField()
    mission_id = pw.TextField()
    kind = pw.TextField()
    state = CodeField(missions.MissionState)
    phase = CodeField(missions.Phase)
    counts = JsonField()
    at = InstantField()

    class Meta:
        primary_key = pw.CompositeKey("sitting_id", "kind")


SITTING_TABLES: tuple[type[Table], ...] = (Sittings, MissionSnapshots)
