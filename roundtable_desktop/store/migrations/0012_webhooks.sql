-- Webhooks: what a stranger sets off who can sign (K-21, C-68).

-- A check cannot be changed in place, so both tables are made anew.
CREATE TABLE new_triggers (
    id TEXT PRIMARY KEY,
    routine_id TEXT NOT NULL REFERENCES office_routines (id),
    kind TEXT NOT NULL CHECK (kind IN ('schedule', 'webhook', 'manual')),
    cron_expression TEXT,
    timezone TEXT,
    next_run_at INTEGER,
    last_fired_at INTEGER,
    enabled INTEGER NOT NULL DEFAULT 1,
    public_id TEXT,
    signing_mode TEXT CHECK (signing_mode IN ('none', 'bearer', 'hmac_sha256')),
    previous_until INTEGER,
    secret_missing INTEGER NOT NULL DEFAULT 0
) STRICT;
INSERT INTO new_triggers (
    id, routine_id, kind, cron_expression, timezone, next_run_at, last_fired_at, enabled
) SELECT
    id, routine_id, kind, cron_expression, timezone, next_run_at, last_fired_at, enabled
FROM office_routine_triggers;
DROP TABLE office_routine_triggers;
ALTER TABLE new_triggers RENAME TO office_routine_triggers;
CREATE INDEX triggers_routine ON office_routine_triggers (routine_id);
CREATE INDEX triggers_due ON office_routine_triggers (next_run_at) WHERE next_run_at IS NOT NULL;
CREATE UNIQUE INDEX triggers_public ON office_routine_triggers (public_id)
    WHERE public_id IS NOT NULL;

CREATE TABLE new_firings (
    id TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL REFERENCES workspaces (id),
    routine_id TEXT NOT NULL REFERENCES office_routines (id),
    trigger_id TEXT NOT NULL,
    source TEXT NOT NULL CHECK (source IN ('cron', 'webhook', 'manual')),
    status TEXT NOT NULL CHECK (status IN (
        'received', 'task_created', 'done', 'skipped', 'coalesced', 'failed', 'cancelled'
    )),
    reason TEXT,
    trigger_payload TEXT NOT NULL DEFAULT '{}',
    missed TEXT,
    scheduled_at INTEGER NOT NULL,
    wakeup_id TEXT,
    run_id TEXT,
    linked_task_id TEXT,
    coalesced_into_run_id TEXT,
    dispatch_fingerprint TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    completed_at INTEGER,
    unfilled TEXT
) STRICT;
INSERT INTO new_firings (
    id, workspace_id, routine_id, trigger_id, source, status, reason, trigger_payload, missed,
    scheduled_at, wakeup_id, run_id, linked_task_id, coalesced_into_run_id, dispatch_fingerprint,
    started_at, completed_at
) SELECT
    id, workspace_id, routine_id, trigger_id, source, status, reason, trigger_payload, missed,
    scheduled_at, wakeup_id, run_id, linked_task_id, coalesced_into_run_id, dispatch_fingerprint,
    started_at, completed_at
FROM office_routine_runs;
DROP TABLE office_routine_runs;
ALTER TABLE new_firings RENAME TO office_routine_runs;
CREATE UNIQUE INDEX firings_instant ON office_routine_runs (trigger_id, scheduled_at);
CREATE INDEX firings_routine ON office_routine_runs (routine_id, id);
CREATE INDEX firings_ran ON office_routine_runs (routine_id, id) WHERE run_id IS NOT NULL;
CREATE INDEX firings_wakeup ON office_routine_runs (wakeup_id) WHERE wakeup_id IS NOT NULL;
CREATE INDEX firings_task ON office_routine_runs (linked_task_id)
    WHERE linked_task_id IS NOT NULL;

-- A delivery counts once, by its sender's id and by what was signed, while its row is there.
CREATE TABLE webhook_deliveries (
    id TEXT PRIMARY KEY,
    routine_id TEXT NOT NULL REFERENCES office_routines (id),
    trigger_id TEXT NOT NULL,
    delivery_id TEXT,
    signed_hash TEXT,
    at INTEGER NOT NULL,
    last_at INTEGER NOT NULL,
    repeats INTEGER NOT NULL DEFAULT 0,
    became TEXT NOT NULL,
    firing_id TEXT,
    payload TEXT
) STRICT;
CREATE UNIQUE INDEX deliveries_named ON webhook_deliveries (trigger_id, delivery_id)
    WHERE delivery_id IS NOT NULL;
CREATE UNIQUE INDEX deliveries_signed ON webhook_deliveries (trigger_id, signed_hash)
    WHERE signed_hash IS NOT NULL;
CREATE INDEX deliveries_routine ON webhook_deliveries (routine_id, id);
CREATE INDEX deliveries_kept ON webhook_deliveries (trigger_id, id) WHERE payload IS NOT NULL;
CREATE INDEX deliveries_old ON webhook_deliveries (at);
