"""The table of reviews of merged work as a peewee model, bound to no database."""

import peewee as pw

from roundtable_desktop.model.merged_reviews import ReviewStatus
from roundtable_desktop.store.fields import CodeField, InstantField, JsonField, Table


class MissionReviews(Table):
    id = pw.TextField(primary_key=True)
    workspace_id = pw.TextField()
    mission_id = pw.TextField()
    number = pw.IntegerField()
    task_id = pw.TextField(null=True)
    base_commit = pw.TextField()
    head_commit = pw.TextField()
    reasons = JsonField(default=list)
    merged = JsonField(default=list)
    status = CodeField(ReviewStatus)
    created_at = InstantField()
    updated_at = InstantField()
    ended_at = InstantField(null=True)
    revision = pw.IntegerField(default=1)

    class Meta:
        table_name = "mission_reviews"
