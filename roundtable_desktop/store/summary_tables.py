"""The table of continuation summaries as a peewee model, bound to no database."""

import peewee as pw

from roundtable_desktop.store.fields import InstantField, Table


class Summaries(Table):
    agent_id = pw.TextField()
    scope = pw.TextField()
    content = pw.TextField(default="")
    content_tokens = pw.IntegerField(default=0)
    updated_at = InstantField()
    updated_by_run_id = pw.TextField(default="")

    class Meta:
        table_name = "agent_continuation_summaries"
        primary_key = pw.CompositeKey("agent_id", "scope")
