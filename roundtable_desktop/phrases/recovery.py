"""What is said of wakeups that were set aside, and of a disk or a database that does not do."""

from collections.abc import Mapping

from roundtable_desktop.phrases.marking import N_

STANDS: Mapping[str, str] = {
    "disk_full": N_("The disk is full, so nothing is started. Make room; it goes on then."),
    "database_busy": N_(
        "Another program holds the database, so nothing is started. Close that program."
    ),
    "database_fault": N_(
        "The database cannot be written, so nothing is started. Look at the disk and at the log."
    ),
    "database_damaged": N_(
        "The database is damaged, so nothing is started. Stop Roundtable and start it again: it "
        "goes on from the newest sound backup, and keeps this file aside."
    ),
    "log_full": N_(
        "Another program has been reading the database for so long that its log has come to 128 "
        "MB: nothing is started until you close that program."
    ),
    "session_ends": N_(
        "The desktop session ends, so nothing is started. If it does not end, work goes on within "
        "two minutes, or as soon as you resume it."
    ),
}
"""Why the owner takes nothing up (`View.stands`)."""

RECOVERY: Mapping[str, str] = {
    **{f"waits_{code}": said for code, said in STANDS.items()},
    **{f"owner_{code}": said for code, said in STANDS.items()},
    "wakeup_quarantined": N_(
        "It was set aside after {setbacks} failures in a row. Nothing more is tried by "
        "itself: see “roundtable inbox list”."
    ),
    "task_blocked_quarantine": N_(
        "It is blocked: its wakeup was set aside after three failures in a row. See the log; "
        "“roundtable task run” tries anew."
    ),
    "inbox_quarantined": N_(
        "A wakeup was set aside: {setbacks} times in a row Roundtable could not start it. The rest "
        "goes on. The log has the details; retry tries it anew."
    ),
    "inbox_malformed": N_(
        "A wakeup could not be read ({fields}) and was set aside. Retry runs its task anew."
    ),
    "inbox_circuit_open": N_(
        "{agent} was paused: five runs in a row could not work. {error_kind} Put that right, then "
        "say that it is fixed; what waits for it comes back."
    ),
    "inbox_gave_up": N_(
        "{agent} was paused: {count} wakeups in a row failed for good, each after all of its "
        "retries. {error_kind} Put that right, then say that it is fixed; what waits for it comes "
        "back."
    ),
    "disk_full": N_(
        "The disk is full: nothing was changed. Make room and do it again; what waits goes on by "
        "itself."
    ),
    "trouble_disk_full": N_(
        "The disk is full: nothing new is started, and nothing is lost. Make room; it goes on by "
        "itself."
    ),
    "trouble_database_busy": N_(
        "The database is busy: another program holds it. Close that program; what waits goes on by "
        "itself, and nothing is lost."
    ),
    "trouble_database_fault": N_(
        "The database cannot be written. Nothing new is started, and nothing is lost. Look at the "
        "disk and at the log."
    ),
    "trouble_database_damaged": N_(
        "The database is damaged. Nothing new is started. Stop Roundtable and start it again: it "
        "goes on from the newest sound backup, and keeps this file aside."
    ),
    "trouble_database_read": N_(
        "Another program has been reading the database for long, so that its log grows. Close that "
        "program; from 128 MB on nothing new is started."
    ),
    "snapshot_kept_too_long": N_(
        "Reading the database took longer than five seconds and was broken off. Ask for less, or "
        "try again when there is less to do."
    ),
    "database_busy": N_(
        "Another program holds the database. Nothing was changed; try again in a moment."
    ),
    "stopped_unwritten": N_(
        "Every process of the agents was ended (runs: {count}). It could not be written down: "
        "{why} When that is mended, their work is taken up again, unless you stop all once more."
    ),
    "stopped_unwritten_left": N_(
        "The agents were told to end (runs: {count}), and these processes could not be ended: "
        "{left}. It could not be written down: {why}"
    ),
    "database_replaced": N_(
        "{path} is gone, or is another file than the one that Roundtable works with. Nothing was "
        "changed. Put it back where it was, or stop Roundtable and start it again."
    ),
    "database_fault": N_(
        "The database could not be read or written ({text}). Nothing was changed. Look at the disk "
        "and at the log."
    ),
}
