"""The tables of routines as peewee models, bound to no database."""

import peewee as pw

from roundtable_desktop.model import states
from roundtable_desktop.model.webhooks import SigningMode
from roundtable_desktop.store.fields import CodeField, InstantField, JsonField, Table


class Routines(Table):
    id = pw.TextField(primary_key=True)
    workspace_id = pw.TextField()
    name = pw.TextField()
    description = pw.TextField(default="")
    assignee_agent_id = pw.TextField()
    status = CodeField(states.RoutineStatus)
    concurrency_policy = CodeField(states.ConcurrencyPolicy)
    catch_up_policy = CodeField(states.CatchUpPolicy)
    catch_up_max = pw.IntegerField(default=25)
    task_template = pw.TextField(default="")
    variables = JsonField(default=list)
    priority = pw.IntegerField(default=0)
    probe = CodeField(states.Probe, default="none")
    last_started_at = InstantField(null=True)
    last_succeeded_at = InstantField(null=True)
    deleted_at = InstantField(null=True)
    created_at = InstantField()
    updated_at = InstantField()
    revision = pw.IntegerField(default=1)

    class Meta:
        table_name = "office_routines"


class Triggers(Table):
    id = pw.TextField(primary_key=True)
    routine_id = pw.TextField()
    kind = CodeField(states.TriggerKind)
    cron_expression = pw.TextField(null=True)
    timezone = pw.TextField(null=True)
    next_run_at = InstantField(null=True)
    last_fired_at = InstantField(null=True)
    enabled = pw.BooleanField(default=True)
    public_id = pw.TextField(null=True)
    signing_mode = CodeField(SigningMode, null=True)
    previous_until = InstantField(null=True)
    secret_missing = pw.BooleanField(default=False)

    class Meta:
        table_name = "office_routine_triggers"


class Firings(Table):
    id = pw.TextField(primary_key=True)
    workspace_id = pw.TextField()
    routine_id = pw.TextField()
    trigger_id = pw.TextField()
    source = CodeField(states.FiringSource)
    status = CodeField(states.FiringStatus)
    reason = pw.TextField(null=True)
    trigger_payload = JsonField(default=dict)
    missed = JsonField(null=True)
    scheduled_at = InstantField()
    wakeup_id = pw.TextField(null=True)
    run_id = pw.TextField(null=True)
    linked_task_id = pw.TextField(null=True)
    coalesced_into_run_id = pw.TextField(null=True)
    dispatch_fingerprint = pw.TextField()
    started_at = InstantField()
    completed_at = InstantField(null=True)
    unfilled = JsonField(null=True)

    class Meta:
        table_name = "office_routine_runs"
