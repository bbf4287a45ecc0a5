"""The tables of gates and verdicts as peewee models, bound to no database."""

import peewee as pw

from roundtable_desktop.model import gates
from roundtable_desktop.store.fields import CodeField, InstantField, JsonField, Table


class Gates(Table):
    id = pw.TextField(primary_key=True)
    workspace_id = pw.TextField()
    task_id = pw.TextField()
    place = pw.IntegerField()
    kind = CodeField(gates.GateKind)
    agents = JsonField(default=list)
    needed = pw.IntegerField()
    status = CodeField(gates.GateStatus)
    round = pw.IntegerField(default=0)
    returns = pw.IntegerField(default=0)
    stuck = JsonField(null=True)
    proposal_id = pw.TextField(null=True)
    approval_id = pw.TextField(null=True)
    created_at = InstantField()
    updated_at = InstantField()
    revision = pw.IntegerField(default=1)
    policy = JsonField(default=dict)
    snapshot = JsonField(null=True)


class Verdicts(Table):
    id = pw.TextField(primary_key=True)
    workspace_id = pw.TextField()
    task_id = pw.TextField()
    gate_id = pw.TextField()
    round = pw.IntegerField()
    proposal_id = pw.TextField(null=True)
    author_type = pw.TextField()
    author_id = pw.TextField()
    status = CodeField(gates.VerdictStatus)
    word = CodeField(gates.Word, null=True)
    note = pw.TextField(default="")
    findings = JsonField(default=list)
    why = pw.TextField(null=True)
    times = pw.IntegerField(default=1)
    wakeup_id = pw.TextField(null=True)
    run_id = pw.TextField(null=True)
    decided_at = InstantField(null=True)
    created_at = InstantField()
    updated_at = InstantField()
    revision = pw.IntegerField(default=1)
