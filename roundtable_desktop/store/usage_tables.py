"""The tables of usage and budgets as peewee models (`tables` has the others)."""

import peewee as pw

from roundtable_desktop.model.usage import CostSource
from roundtable_desktop.store.fields import CodeField, InstantField, JsonField, Table


class UsageEntries(Table):
    id = pw.IntegerField(primary_key=True)
    at = InstantField()
    workspace_id = pw.TextField()
    agent_id = pw.TextField()
    run_id = pw.TextField()
    task_id = pw.TextField(null=True)
    project = pw.TextField(null=True)
    routine_id = pw.TextField(null=True)
    model = pw.TextField(null=True)
    reply = pw.TextField()
    thread = pw.TextField(null=True)
    sums = JsonField(null=True)
    input_tokens = pw.IntegerField(null=True)
    output_tokens = pw.IntegerField(null=True)
    cached_tokens = pw.IntegerField(null=True)
    cost_nano = pw.IntegerField(null=True)
    cost_source = CodeField(CostSource, null=True)
    raw = JsonField(default=dict)

    class Meta:
        table_name = "usage_entries"


class QuotaWindows(Table):
    account = pw.TextField()
    name = pw.TextField()
    status = pw.TextField()
    used_permille = pw.IntegerField(null=True)
    resets_at = InstantField(null=True)
    seen_at = InstantField()
    run_id = pw.TextField()

    class Meta:
        table_name = "quota_windows"
        primary_key = pw.CompositeKey("account", "name")


USAGE_TABLES: tuple[type[Table], ...] = (UsageEntries, QuotaWindows)
