"""The tables of missions' offers as peewee models, bound to no database."""

import peewee as pw

from roundtable_desktop.model import merges
from roundtable_desktop.store.fields import CodeField, InstantField, Table


class MissionOffers(Table):
    id = pw.TextField(primary_key=True)
    workspace_id = pw.TextField()
    mission_id = pw.TextField()
    status = CodeField(merges.OfferStatus)
    proposal_id = pw.TextField(null=True)
    created_at = InstantField()
    ended_at = InstantField(null=True)


MERGE_TABLES: tuple[type[Table], ...] = (MissionOffers,)
