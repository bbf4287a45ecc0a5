-- A third place where a task's runs may work: a linked working tree of the repository (C-100).
ALTER TABLE tasks ADD COLUMN strategy TEXT NOT NULL DEFAULT 'isolated_copy' CHECK (
    strategy IN ('isolated_copy', 'worktree', 'main')
);
UPDATE tasks SET strategy = workspace_strategy;
ALTER TABLE tasks DROP COLUMN workspace_strategy;
ALTER TABLE tasks RENAME COLUMN strategy TO workspace_strategy;
