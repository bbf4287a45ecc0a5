"""The table of artifacts as a peewee model, bound to no database."""

import peewee as pw

from roundtable_desktop.store.fields import InstantField, Table


class Artifacts(Table):
    id = pw.TextField(primary_key=True)
    workspace_id = pw.TextField()
    run_id = pw.TextField()
    number = pw.IntegerField()
    path = pw.TextField()
    kind = pw.TextField()
    size = pw.IntegerField(null=True)
    sha256 = pw.TextField(null=True)
    fault = pw.TextField(null=True)
    created_at = InstantField()
