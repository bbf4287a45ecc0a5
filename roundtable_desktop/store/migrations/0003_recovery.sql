-- How far back lost wakes are looked for, from when a task's wakes count, and how often one failed us.

ALTER TABLE workspaces ADD COLUMN recovery_lookback_hours INTEGER NOT NULL DEFAULT 24
    CHECK (recovery_lookback_hours BETWEEN 1 AND 720);

ALTER TABLE tasks ADD COLUMN afresh_at INTEGER NOT NULL DEFAULT 0;
UPDATE tasks SET afresh_at = coalesce(
    (
        SELECT max(at) FROM events
        WHERE subject_type = 'task' AND subject_id = tasks.id AND kind = 'task.assigned'
    ),
    created_at
);
CREATE INDEX tasks_unbegun ON tasks (created_at)
    WHERE status = 'todo' AND assignee_agent_id IS NOT NULL;

ALTER TABLE agent_wakeup_requests ADD COLUMN setbacks INTEGER NOT NULL DEFAULT 0;
