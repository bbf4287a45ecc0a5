-- What all processes of one run may have in memory at once (F-37); 0: half of the machine's.
ALTER TABLE agents ADD COLUMN memory_limit_mb INTEGER NOT NULL DEFAULT 0;
