-- The hours in which this program was awake, one row each, by their beginning (N-20).
CREATE TABLE awake_hours (
    hour_at INTEGER PRIMARY KEY
) STRICT;
