-- Where a task's runs work (A-19, C-100): in a copy whose changes are proposed, or, to look only, in
-- one whose changes are discarded (C-55).
ALTER TABLE tasks ADD COLUMN workspace_strategy TEXT NOT NULL DEFAULT 'isolated_copy' CHECK (
    workspace_strategy IN ('isolated_copy', 'main')
);
