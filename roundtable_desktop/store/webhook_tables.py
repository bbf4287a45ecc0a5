"""The table of webhooks' deliveries as a peewee model, bound to no database."""

import peewee as pw

from roundtable_desktop.store.fields import InstantField, Table


class WebhookDeliveries(Table):
    id = pw.TextField(primary_key=True)
    routine_id = pw.TextField()
    trigger_id = pw.TextField()
    delivery_id = pw.TextField(null=True)
    signed_hash = pw.TextField(null=True)
    at = InstantField()
    last_at = InstantField()
    repeats = pw.IntegerField(default=0)
    became = pw.TextField()
    firing_id = pw.TextField(null=True)
    payload = pw.TextField(null=True)

    class Meta:
        table_name = "webhook_deliveries"
