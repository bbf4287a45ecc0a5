"""The windows of providers, as their agents told of them (N-13)."""

from collections.abc import Mapping
from typing import Any

from roundtable_desktop.model.records import Run
from roundtable_desktop.model.usage import QuotaWindow
from roundtable_desktop.store.db import Tx, View
from roundtable_desktop.store.rows import read
from roundtable_desktop.store.usage_tables import QuotaWindows

_IN_SCOPE = """
SELECT * FROM quota_windows WHERE account IN (
    SELECT account FROM agents
    WHERE workspace_id = :workspace_id AND status <> 'retired' AND :agent_id IN ('', id)
) ORDER BY account, name
"""


def put(tx: Tx, run: Run, account: str, values: Mapping[str, Any]) -> None:
    """values: name, status, used_permille, resets_at. The last word about a window counts."""
    tx.write(QuotaWindows.replace(account=account, seen_at=tx.now, run_id=run.id, **values))


def every(view: View) -> list[QuotaWindow]:
    rows = view.sql("SELECT * FROM quota_windows ORDER BY account, name")
    return [read(QuotaWindow, QuotaWindows, row) for row in rows]


def of(view: View, workspace_id: str, agent_id: str = "") -> list[QuotaWindow]:
    """Those of whoever pays for the agents of a workspace, or for one of them."""
    rows = view.sql(_IN_SCOPE, {"workspace_id": workspace_id, "agent_id": agent_id})
    return [read(QuotaWindow, QuotaWindows, row) for row in rows]
