"""The table of memories as a peewee model, bound to no database."""

import peewee as pw

from roundtable_desktop.store.fields import InstantField, Table


class Memories(Table):
    id = pw.TextField(primary_key=True)
    workspace_id = pw.TextField()
    agent_id = pw.TextField()
    run_id = pw.TextField()
    task_id = pw.TextField(null=True)
    topic = pw.TextField()
    text = pw.TextField()
    created_at = InstantField()
