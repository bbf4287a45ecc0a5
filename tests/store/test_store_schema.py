"""The tables: their names, columns, indexes and constraints are the promised ones."""

import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import peewee as pw
import pytest
from ground import Ground

from roundtable_desktop.model import callers, proposals, records, summaries
from roundtable_desktop.store.db import Store
from roundtable_desktop.store.tables import TABLES

TYPES = {"TEXT": "TEXT", "INTEGER": "INTEGER", "INT": "INTEGER", "AUTO": "INTEGER"}

PROMISED = {
    "office_routines": """
        id workspace_id name description assignee_agent_id status concurrency_policy
        catch_up_policy catch_up_max task_template variables priority created_at updated_at""",
    "office_routine_triggers": """
        id routine_id kind cron_expression timezone next_run_at last_fired_at enabled""",
    "office_routine_runs": """
        id routine_id trigger_id source status trigger_payload linked_task_id coalesced_into_run_id
        dispatch_fingerprint started_at completed_at wakeup_id run_id""",
    "agent_wakeup_requests": """
        id agent_id source reason payload status coalesced_count idempotency_key context_snapshot
        run_id requested_at claimed_at finished_at retry_count scheduled_retry_at cancel_reason
        outcome task_id workspace_id rank held_by decisions scope coalesced_into""",
    "runs": """
        id agent_id task_id wakeup_id status outcome payload result_json assembled_prompt
        summary_injected context_snapshot idempotency_key attempt_index fence base_commit
        spool_offset created_at started_at last_pulse_at ended_at exit_code output_summary
        error_kind error_text error_signature""",
    "agent_continuation_summaries": """
        agent_id scope content content_tokens updated_at updated_by_run_id""",
}

INDEXES = {
    "wakeups_agent_status": ["agent_id", "status"],
    "wakeups_idempotency_key": ["idempotency_key"],
    "wakeups_waiting": ["agent_id", "rank", "requested_at", "id"],
    "wakeups_deferred": ["scheduled_retry_at"],
    "wakeups_keyed": ["finished_at"],
    "runs_live": ["status", "id"],
    "runs_wakeup": ["wakeup_id"],
    "leases_run": ["run_id"],
    "events_subject": ["subject_type", "subject_id", "id"],
}


def columns(ground: Ground, table: str) -> dict[str, dict[str, Any]]:
    with ground.reader.snapshot() as view:
        return {str(row["name"]): dict(row) for row in view.sql(f"PRAGMA table_info({table})")}


@pytest.mark.parametrize("model", TABLES, ids=lambda model: model._meta.table_name)
def test_the_models_say_what_the_database_says(ground: Ground, model: Any) -> None:
    found = columns(ground, model._meta.table_name)
    fields = {field.column_name: field for field in model._meta.sorted_fields}
    assert list(fields) == list(found)
    keys = [field.column_name for field in model._meta.get_primary_keys()]
    for name, field in fields.items():
        kind = "INTEGER" if isinstance(field, pw.BooleanField) else TYPES[field.field_type]
        assert found[name]["type"] == kind, name
        # SQLite reports NOT NULL only where it is written; a primary key of ours never is NULL.
        assert bool(found[name]["notnull"]) == (not field.null) or name in keys, name
        assert bool(found[name]["pk"]) == (name in keys), name


def test_there_is_no_table_without_a_model(ground: Ground) -> None:
    with ground.reader.snapshot() as view:
        rows = view.sql("SELECT name FROM sqlite_master WHERE type = 'table'")
    theirs = {str(row["name"]) for row in rows if not str(row["name"]).startswith("sqlite_")}
    assert theirs == {model._meta.table_name for model in TABLES}


@pytest.mark.proves("K-56 tables", "K-49", "C-20", "C-60")
@pytest.mark.parametrize("table", PROMISED)
def test_the_promised_columns_are_there(ground: Ground, table: str) -> None:
    assert set(PROMISED[table].split()) <= set(columns(ground, table))


@pytest.mark.proves("K-56 tables")
@pytest.mark.parametrize("name", INDEXES)
def test_the_promised_indexes_are_there(ground: Ground, name: str) -> None:
    with ground.reader.snapshot() as view:
        found = [row["name"] for row in view.sql(f"PRAGMA index_info({name})")]
    assert found == INDEXES[name]


@pytest.mark.proves("K-56 tables", "C-87", "C-06", "C-23")
@pytest.mark.parametrize(
    ("table", "unique"),
    [
        ("agent_wakeup_requests", ["idempotency_key"]),
        ("runs", ["idempotency_key"]),
        ("runs", ["task_id", "attempt_index"]),
        ("leases", ["kind", "key"]),
        ("tasks", ["workspace_id", "number"]),
        ("proposals", ["run_id"]),
        ("workspaces", ["path"]),
        ("agent_continuation_summaries", ["agent_id", "scope"]),
    ],
)
def test_what_must_be_unique_is_unique(ground: Ground, table: str, unique: list[str]) -> None:
    with ground.reader.snapshot() as view:
        indexes = [row for row in view.sql(f"PRAGMA index_list({table})") if row["unique"]]
        found = [
            [part["name"] for part in view.sql(f"PRAGMA index_info({row['name']})")]
            for row in indexes
        ]
    assert unique in found


@pytest.mark.proves("K-70")
@pytest.mark.parametrize(
    ("table", "column", "default"),
    [
        ("tasks", "checkout_agent_id", None),
        ("tasks", "checkout_at", None),
        ("agents", "max_concurrent_sessions", "1"),
        ("agents", "cooldown_sec", "10"),
        ("agents", "last_wakeup_finished_at", None),
        ("runs", "payload", "'{}'"),
        ("runs", "idempotency_key", None),
    ],
)
def test_the_columns_beside_those_tables_are_there(
    ground: Ground, table: str, column: str, default: str | None
) -> None:
    assert columns(ground, table)[column]["dflt_value"] == default


@pytest.mark.proves("C-87")
def test_attempts_are_a_view_over_runs(ground: Ground) -> None:
    with ground.reader.snapshot() as view:
        rows = view.sql("SELECT type, sql FROM sqlite_master WHERE name = 'task_attempts'")
    assert rows[0]["type"] == "view"
    assert "FROM runs" in str(rows[0]["sql"])


WORDS = {
    ("tasks", "status"): "todo in_progress in_review blocked interrupted done failed cancelled",
    ("runs", "status"): "starting running finished failed cancelled",
    ("missions", "state"): """
        starting active paused_intake draining stopping degraded stopped completed blocked
        failed""",
}


@pytest.mark.proves("C-01 names", "C-02")
@pytest.mark.parametrize(("table", "column"), WORDS)
def test_a_state_is_one_column_with_the_promised_words(
    ground: Ground, table: str, column: str
) -> None:
    with ground.reader.snapshot() as view:
        (row,) = view.sql("SELECT sql FROM sqlite_master WHERE name = ?", (table,))
    lists = re.findall(rf"CHECK \({column} IN \(([^)]*)\)\)", str(row["sql"]))
    assert [re.findall(r"'(\w+)'", found) for found in lists] == [WORDS[table, column].split()]


@pytest.mark.proves("C-20", "C-60")
def test_an_agent_has_one_name_in_each_table_and_never_one_of_the_seeds(ground: Ground) -> None:
    """`agent_id` for the agent of a row; who has a task or a routine is its assignee, who leads a
    mission its coordinator."""
    names = {
        "tasks": {"assignee_agent_id", "checkout_agent_id"},
        "office_routines": {"assignee_agent_id"},
        "missions": {"coordinator_agent_id"},
    }
    own = {"agent_wakeup_requests", "runs", "agent_continuation_summaries", "sessions"}
    for model in TABLES:
        table = model._meta.table_name
        found = {
            name for name in columns(ground, table) if "agent" in name and "agents" not in name
        }
        assert not {name for name in found if "instance" in name or "profile" in name}, table
        assert names.get(table, set()) <= found, table
        assert table not in own or "agent_id" in found, table
    with ground.reader.snapshot() as view:
        tables = {str(row["name"]) for row in view.sql("SELECT name FROM sqlite_master")}
    assert not tables & {"office_wakeup_queue", "wakeup_requests"}


@pytest.mark.proves("C-23")
def test_a_lease_has_a_holder_and_no_end_of_its_own(ground: Ground) -> None:
    found = columns(ground, "leases")
    assert set(found) == {"kind", "key", "run_id", "created_at"}
    assert {name for name, one in found.items() if one["pk"]} == {"kind", "key"}


@pytest.mark.proves("K-56 tables", "C-20")
def test_a_retired_or_unknown_word_is_refused_by_the_table(ground: Ground) -> None:
    agent = ground.agent(ground.workspace())
    wakeup = ground.wakeup(agent)
    raw = sqlite3.connect(ground.path)
    retry = ("status", "scheduled-retry")  # it is `queued` with a time
    for column, word in (("source", "heartbeat"), ("status", "asleep"), ("rank", 4), retry):
        with pytest.raises(sqlite3.IntegrityError):
            raw.execute(
                f"UPDATE agent_wakeup_requests SET {column} = ? WHERE id = ?", (word, wakeup.id)
            )
    raw.close()


def test_times_are_shown_to_who_opens_the_file_himself(ground: Ground) -> None:
    ground.agent(ground.workspace())
    with ground.reader.snapshot() as view:
        shown = view.sql("SELECT created_at, last_wakeup_finished_at FROM v_agents")[0]
    assert str(shown["created_at"]).startswith("2026-03-01T12:00:00")
    assert shown["last_wakeup_finished_at"] is None


def test_every_record_has_the_columns_of_its_table(ground: Ground) -> None:
    pairs = {
        "workspaces": records.Workspace,
        "agents": records.Agent,
        "tasks": records.Task,
        "agent_wakeup_requests": records.Wakeup,
        "runs": records.Run,
        "agent_processes": records.Process,
        "proposals": proposals.Proposal,
        "deliveries": proposals.Delivery,
        "events": records.Event,
        "web_sessions": callers.WebSession,
        "agent_continuation_summaries": summaries.Summary,
    }
    for table, record in pairs.items():
        assert set(columns(ground, table)) == set(record.__dataclass_fields__), table


@pytest.mark.proves("D-02")
def test_the_database_keeps_a_write_ahead_log_and_its_foreign_keys(ground: Ground) -> None:
    with ground.store.transaction() as tx:
        assert tx.sql("PRAGMA journal_mode")[0]["journal_mode"] == "wal"
        assert tx.sql("PRAGMA foreign_keys")[0]["foreign_keys"] == 1
        assert tx.sql("PRAGMA synchronous")[0]["synchronous"] == 2
    assert Path(f"{ground.path}-wal").exists()


@pytest.mark.proves("F-16")
@pytest.mark.parametrize("side", ["store", "reader"])
def test_every_connection_is_durable_and_waits(ground: Ground, side: str) -> None:
    opened = ground.store.transaction() if side == "store" else ground.reader.snapshot()
    with opened as view:
        found = {
            name: next(iter(view.sql(f"PRAGMA {name}")[0].values()))
            for name in ("journal_mode", "synchronous", "foreign_keys", "trusted_schema")
        }
        waits = next(iter(view.sql("PRAGMA busy_timeout")[0].values()))
    assert found == {
        "journal_mode": "wal",
        "synchronous": 2,
        "foreign_keys": 1,
        "trusted_schema": 0,
    }
    assert int(str(waits)) >= 5000


@pytest.mark.proves("F-16")
def test_only_a_copy_that_is_thrown_away_does_not_wait_for_the_disk(ground: Ground) -> None:
    copy = Store(ground.path, ground.clock, durable=False)
    with closing(copy), copy.transaction() as tx:
        assert tx.sql("PRAGMA synchronous")[0]["synchronous"] == 0
