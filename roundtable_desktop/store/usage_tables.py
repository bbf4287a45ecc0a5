"""The tables of usage and budgets as peewee models (`tables` has the others)."""

import peewee as pw

from roundtable_desktop.model.budgets import BudgetScope, Meter, OnExceed, Period
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


class Budgets(Table):
    id = pw.TextField(primary_key=True)
    workspace_id = pw.TextField()
    scope = CodeField(BudgetScope)
    scope_id = pw.TextField(default="")
    meter = CodeField(Meter)
    period = CodeField(Period)
    hours = pw.IntegerField(null=True)
    most = pw.IntegerField()
    action_on_exceed = CodeField(OnExceed)
    enabled = pw.BooleanField(default=True)
    extra = pw.IntegerField(default=0)
    extra_until_at = InstantField(null=True)
    waived_until_at = InstantField(null=True)
    created_at = InstantField()
    updated_at = InstantField()
    revision = pw.IntegerField(default=1)

    class Meta:
        table_name = "budgets"


class BudgetBlocks(Table):
    wakeup_id = pw.TextField(primary_key=True)
    budget_id = pw.TextField()
    agent_id = pw.TextField()
    since_at = InstantField()

    class Meta:
        table_name = "budget_blocks"


class BudgetPauses(Table):
    agent_id = pw.TextField(primary_key=True)
    budget_id = pw.TextField()
    since_at = InstantField()

    class Meta:
        table_name = "budget_pauses"


USAGE_TABLES: tuple[type[Table], ...] = (
    UsageEntries,
    QuotaWindows,
    Budgets,
    BudgetBlocks,
    BudgetPauses,
)
