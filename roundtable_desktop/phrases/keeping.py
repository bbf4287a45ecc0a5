"""What is said of the database's safety: damage, backups, and going back to one."""

from collections.abc import Mapping

from roundtable_desktop.phrases.marking import N_

KEEPING: Mapping[str, str] = {
    "database_empty": N_(
        "{path} is empty, and was left as it is. Start Roundtable to go on from the newest sound "
        "backup; if there is none, put one in its place: “roundtable restore FILE”."
    ),
    "database_unreadable": N_(
        "{path} cannot be read as a database ({text}), and was left as it is. Start Roundtable to "
        "go on from the newest sound backup; if there is none, put one in its place: “roundtable "
        "restore FILE”."
    ),
    "database_empty_lost": N_(
        "{path} is empty, and there is no sound backup in {backups}. It was left as it is. Put a "
        "backup of yours in its place: “roundtable restore FILE”. To begin anew, remove it."
    ),
    "database_unreadable_lost": N_(
        "{path} cannot be read as a database ({text}), and there is no sound backup in {backups}. "
        "It was left as it is. Put a backup of yours in its place: “roundtable restore FILE”."
    ),
    "database_foreign": N_(
        "{path} is not a database of Roundtable. It was left as it is. Move it away, or put a "
        "backup in its place: “roundtable restore FILE”."
    ),
    "database_newer": N_(
        "The database is of a newer version ({found}; this one knows {known}). It was left as it "
        "is: install that version again."
    ),
    "database_hard_linked": N_(
        "{path} has a second name (a hard link): two programs could write it without seeing each "
        "other's locks. It was left as it is. Remove the other name, then start again."
    ),
    "database_gone": N_(
        "There is no database at {path}, but there are backups of one. Put the newest in its "
        "place: “roundtable restore {backup:word}”. To begin anew instead, move the backups away."
    ),
    "database_damaged": N_(
        "The database {path} is damaged ({text}), and was left as it is. Start again to go on from "
        "the newest sound backup; if there is none, put one in its place: “roundtable restore "
        "FILE”."
    ),
    "database_damaged_lost": N_(
        "The database {path} is damaged ({text}), and there is no sound backup in {backups}. It "
        "was left as it is. Put a backup of yours in its place: “roundtable restore FILE”."
    ),
    "upgrade_begins": N_(
        "The database is of an older version ({found}; this one is {known}). It is brought up, "
        "after a backup ({megabytes} MB)."
    ),
    "upgrade_step": N_("Step {number} of {known} to this version."),
    "migration_failed": N_(
        "The step to database version {number} failed ({text}). Nothing of it was kept."
    ),
    "backup_failed": N_(
        "The backup {path} could not be made ({text}). Name another file, or make room on the disk."
    ),
    "backup_exists": N_("{path} is there already and was left as it is. Name another file."),
    "backup_not_there": N_("There is no file {path}."),
    "backup_is_link": N_("{path} is a symbolic link. Name the file itself; nothing was changed."),
    "backup_foreign": N_("{path} is no backup of Roundtable's database. Nothing was changed."),
    "backup_damaged": N_("{path} is damaged ({text}). Nothing was changed; take another backup."),
    "backup_newer": N_(
        "{path} is of a newer version ({found}; this one knows {known}). Nothing was changed; "
        "install that version first."
    ),
    "machine_refuses": N_("{path}: {text}. It was not done; put that right and do it again."),
    "machine_refuses_it": N_("The machine says: {text}. It was not done; see to the disk."),
    "nothing_to_back_up": N_("There is no database at {path} yet."),
    "restored_damaged": N_(
        "The database was damaged. It goes on from {source}, as of {as_of}; what was there lies in "
        "{aside}. Nothing is started until you resume."
    ),
    "restored_unreadable": N_(
        "The database could not be read as one. It goes on from {source}, as of {as_of}; what was "
        "there lies in {aside}. Nothing is started until you resume."
    ),
    "restored_empty": N_(
        "The database was empty. It goes on from {source}, as of {as_of}; what was there lies in "
        "{aside}. Nothing is started until you resume."
    ),
    "restored_older": N_(
        "The database in {source} is older than what lies beside it: what happened after {as_of} "
        "is not in it. If the home was copied, copy it again, with roundtable.db-wal. Nothing is "
        "started until you resume."
    ),
    "older_and": N_(
        "It is older than what lies beside it: if the home was copied, copy it again, with "
        "roundtable.db-wal. {then}"
    ),
    "restored_asked": N_(
        "The database goes on from {source}, as of {as_of}. Nothing is started until you resume."
    ),
    "inbox_restored": N_(
        "The database goes on from {source}, as of {as_of}: what happened since is forgotten "
        "({forgotten} runs are known by their folders only). {waiting} wakeups of that time wait "
        "and may have run already; routines go on from now. {runs} {copies} {deliveries} "
        "Nothing is started until you resume."
    ),
    "restored_copied": N_(
        "This home is a copy: its database is not the one that ran last in {source}, here or on "
        "another machine. What waits here waits there too. Nothing is started, and no routine "
        "fires, until you resume; do so only if the other home no longer runs."
    ),
    "inbox_copied": N_(
        "This home is a copy: its database is not the one that ran last in {source}, here or on "
        "another machine. {waiting} wakeups wait here and there, and may have run there already. "
        "{copies} {deliveries} Nothing is started, and no routine fires, until you resume. If the "
        "other home no longer runs, or this one is all that is left, resume here, and this is the "
        "home from then on. Else let the other one go on, and stop this one."
    ),
    "deliveries_none": N_("Nothing was to be delivered."),
    "deliveries_held": N_(
        "{count} deliveries that were to be made then wait for your word: see the inbox."
    ),
    "forgotten_none": N_("None of them was still at work."),
    "forgotten_ended": N_("Still at work were, and have been ended: {ended}."),
    "forgotten_alive": N_(
        "Still at work were {ended}; not all of that could be ended: end the processes {alive}, or "
        "“roundtable doctor --fix”, before you resume."
    ),
    "copies_none": N_("No working copy is older or newer than its task."),
    "copies_away": N_(
        "Working copies that may hold work of that time were kept under other names: {away}. "
        "Tasks begin again with what the branch has now."
    ),
    "inbox_database_damaged": N_(
        "The database is damaged ({text}). Stop Roundtable and start it again: it goes on from the "
        "newest sound state, and keeps this one aside."
    ),
    "inbox_backup_failed": N_(
        "No backup could be made ({text}). Make room on the disk; the next try is within an hour."
    ),
}
