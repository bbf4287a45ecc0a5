-- The model that an agent is to use, where somebody names one (K-45); NULL is nobody.
ALTER TABLE agents ADD COLUMN model TEXT;
ALTER TABLE tasks ADD COLUMN project TEXT;
ALTER TABLE tasks ADD COLUMN model TEXT;
ALTER TABLE runs ADD COLUMN model TEXT;
ALTER TABLE runs ADD COLUMN model_from TEXT CHECK (
    model_from IN ('task', 'agent', 'project', 'workspace')
);
