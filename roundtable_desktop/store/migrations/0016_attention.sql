-- The hours in which this program was awake, one row each, by their beginning (N-20).
CREATE TABLE awake_hours (
    hour_at INTEGER PRIMARY KEY
) STRICT;

-- What is asked for of a workspace and not decided (C-76): of what is over there is ever more.
CREATE INDEX approvals_requested ON approvals (workspace_id) WHERE status = 'requested';
