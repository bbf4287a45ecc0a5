-- `roundtable run`: who stays with a mission, at which pace, and how the mission stood at both ends.
CREATE TABLE sittings (
    id TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL REFERENCES workspaces (id),
    mission_id TEXT NOT NULL REFERENCES missions (id),
    headless INTEGER NOT NULL CHECK (headless IN (0, 1)),
    pace TEXT NOT NULL,
    cycles INTEGER NOT NULL DEFAULT 0,
    exit TEXT CHECK (exit IN ('over', 'iteration_limit', 'cancelled', 'lost')),
    started_at INTEGER NOT NULL,
    ended_at INTEGER,
    CHECK ((exit IS NULL) = (ended_at IS NULL))
) STRICT;
CREATE INDEX sittings_mission ON sittings (mission_id, started_at);
CREATE UNIQUE INDEX sittings_present ON sittings (mission_id) WHERE ended_at IS NULL;

CREATE TABLE mission_snapshots (
    sitting_id TEXT NOT NULL REFERENCES sittings (id),
    mission_id TEXT NOT NULL REFERENCES missions (id),
    kind TEXT NOT NULL CHECK (kind IN ('initial', 'final')),
    state TEXT NOT NULL,
    phase TEXT NOT NULL,
    counts TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (sitting_id, kind)
) STRICT;
CREATE INDEX mission_snapshots_mission ON mission_snapshots (mission_id, at);
