-- By what a review gate is judged, besides the agents that are named and their number.
ALTER TABLE gates ADD COLUMN policy TEXT NOT NULL DEFAULT '{}';

-- The commits that a gate's reviewers look at where there is no proposal: a merged branch (A-15).
ALTER TABLE gates ADD COLUMN snapshot TEXT;
