-- Runs without a task work in a copy of their agent's: which one, what they left there, and
-- whether that copy stays as it is because what is in it could not be kept elsewhere.
ALTER TABLE runs ADD COLUMN copy_number INTEGER;
ALTER TABLE runs ADD COLUMN left_commit TEXT;
ALTER TABLE runs ADD COLUMN copy_kept INTEGER NOT NULL DEFAULT 0;
CREATE INDEX wakeups_own ON agent_wakeup_requests (agent_id, requested_at) WHERE source = 'self';
CREATE INDEX runs_copies ON runs (agent_id, copy_number) WHERE copy_kept = 1;
