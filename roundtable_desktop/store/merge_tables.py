"""The tables of missions' offers and of decided attempts as peewee models, bound to no database."""

import peewee as pw

from roundtable_desktop.model import attempts, checks, merges
from roundtable_desktop.store.fields import CodeField, InstantField, JsonField, Table


class MissionOffers(Table):
    id = pw.TextField(primary_key=True)
    workspace_id = pw.TextField()
    mission_id = pw.TextField()
    status = CodeField(merges.OfferStatus)
    proposal_id = pw.TextField(null=True)
    created_at = InstantField()
    ended_at = InstantField(null=True)


class RetryDecisions(Table):
    id = pw.TextField(primary_key=True)
    workspace_id = pw.TextField()
    task_id = pw.TextField()
    run_id = pw.TextField(null=True)
    proposal_id = pw.TextField(null=True)
    attempt = pw.IntegerField()
    action = CodeField(attempts.RetryAction)
    change = CodeField(attempts.Change, null=True)
    reason = pw.TextField()
    cost = pw.IntegerField()
    model = pw.TextField(null=True)
    helper_task_id = pw.TextField(null=True)
    evidence = JsonField(default=dict)
    created_at = InstantField()


class Checks(Table):
    id = pw.TextField(primary_key=True)
    workspace_id = pw.TextField()
    mission_id = pw.TextField()
    proposal_id = pw.TextField(null=True)
    commit_hash = pw.TextField()
    name = pw.TextField()
    command = JsonField()
    status = CodeField(checks.CheckStatus)
    wakeup_id = pw.TextField()
    run_id = pw.TextField(null=True)
    exit_code = pw.IntegerField(null=True)
    created_at = InstantField()
    ended_at = InstantField(null=True)


MERGE_TABLES: tuple[type[Table], ...] = (MissionOffers, RetryDecisions, Checks)
