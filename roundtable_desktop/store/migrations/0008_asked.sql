-- What happened in a workspace without the scheduler's own book-keeping, which is most of it: the
-- probe asks for it at each heartbeat, and reads nothing else then.
CREATE INDEX events_asked ON events (workspace_id, id) WHERE kind NOT IN (
    'wakeup.queued', 'wakeup.coalesced', 'wakeup.claimed',
    'wakeup.requeued', 'wakeup.settled', 'wakeup_idle_skipped',
    'routine.fired', 'routine.firing.ended'
);
