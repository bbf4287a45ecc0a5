-- The model that an agent is to use, where somebody names one (K-45); NULL is nobody.
ALTER TABLE agents ADD COLUMN model TEXT;
ALTER TABLE tasks ADD COLUMN project TEXT;
ALTER TABLE tasks ADD COLUMN model TEXT;
ALTER TABLE runs ADD COLUMN model TEXT;
ALTER TABLE runs ADD COLUMN model_from TEXT CHECK (
    model_from IN ('task', 'agent', 'project', 'workspace')
);

-- Keys that count no more once they are a day old (C-06). A resume asks by its key whether it
-- brought a wakeup back before, whenever that was.
CREATE INDEX wakeups_keyed ON agent_wakeup_requests (finished_at)
    WHERE idempotency_key IS NOT NULL AND finished_at IS NOT NULL
    AND substr(idempotency_key, 1, 7) <> 'resume:';
