"""The table of hours in which this program was awake, bound to no database."""

from roundtable_desktop.store.fields import InstantField, Table


class AwakeHours(Table):
    hour_at = InstantField(primary_key=True)

    class Meta:
        table_name = "awake_hours"
