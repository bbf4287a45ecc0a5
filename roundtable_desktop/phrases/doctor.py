"""What the doctor says of each finding, and the cure for those that need one."""

from collections.abc import Mapping

from roundtable_desktop.phrases.marking import N_

DOCTOR: Mapping[str, str] = {
    "doctor_database": N_("The database {path} is sound ({megabytes} MB)."),
    "doctor_no_database": N_("There is no database at {path} yet; the first start makes it."),
    "doctor_damaged": N_(
        "The database {path} is damaged ({text}). The newest sound backup is of {at}: {backup}"
    ),
    "doctor_unreadable": N_(
        "{path} cannot be read as a database ({text}). The newest sound backup is of {at}: {backup}"
    ),
    "doctor_empty": N_("{path} is empty. The newest sound backup is of {at}: {backup}"),
    "doctor_older": N_("The database is of an older version; the next start brings it up."),
    "doctor_no_home": N_("There is nothing at {path} yet."),
    "doctor_sqlite": N_("SQLite is set to {settings}."),
    "doctor_private": N_("The home and its files are yours alone."),
    "doctor_loose": N_("Others may read or write {count} of the home's files, such as {path}."),
    "doctor_disk": N_("{free} are free on the home's disk."),
    "doctor_disk_low": N_("Only {free} are free on the home's disk."),
    "doctor_sockets": N_(
        "{count} sockets are left of runs that are over; nothing uses them any more."
    ),
    "doctor_aside": N_("A database that was replaced lies in {path} ({megabytes} MB)."),
    "doctor_no_git": N_("git is not found; nothing can be done without it."),
    "doctor_no_backup": N_("There is no backup yet."),
    "doctor_backup": N_("The newest backup is of {at} ({count} kept): {path}"),
    "doctor_backup_old": N_("The newest backup is old, of {at}: {path}"),
    "doctor_clock": N_("The clock shows {now}."),
    "doctor_clock_back": N_(
        "The clock shows {now}, but something was written at {last}: it was set back."
    ),
    "doctor_intake_open": N_("Waiting wakeups are taken up."),
    "doctor_intake_paused": N_("All is paused: nothing new is started."),
    "doctor_intake_stopped": N_("All is stopped: nothing new is started."),
    "doctor_intake_leaving": N_("You are leaving: nothing new is started."),
    "doctor_intake_copied": N_(
        "This home is a copy of the one that ran last in {source}, here or on another machine: "
        "nothing is started, and no routine fires."
    ),
    "doctor_copied": N_(
        "This home is a copy: its database is not the one that ran last in {source}, here or on "
        "another machine. The next start starts no agent before you resume."
    ),
    "doctor_webhook_secret": N_(
        "A webhook of the routine “{routine}” has no secret any more: it refuses every call. "
        "Backups hold no secrets."
    ),
    "doctor_lease": N_(
        "Run {run} is over, but its task is still kept for it, so that no other run can begin."
    ),
    "doctor_runs": N_("Runs at work: {count}."),
    "doctor_orphans": N_("Processes of a run that is over still live: {pids} (run {run})."),
    "doctor_forgotten": N_(
        "Processes of a run that the database knows nothing of, as after a restore, still live: "
        "{pids} (run {run}). Its task may be given to a second agent."
    ),
    "doctor_copy_before": N_(
        "A working copy of before a restore, or of a copied home, was kept under another name: "
        "{path}"
    ),
    "doctor_copy": N_("A working copy belongs to no task that is known: {path}"),
    "doctor_agent": N_("{agent}: its program is {place}."),
    "doctor_agent_built_in": N_("{agent} is built in."),
    "doctor_agent_missing": N_("{agent}: the program “{program}” is not found."),
    "doctor_agent_login": N_("{agent}: “{program}” said in its last run that it is not signed in."),
    "doctor_agent_no_login": N_("{agent}: there is no sign that “{program}” is signed in."),
    "doctor_agent_key": N_(
        "{agent}: {variable} is set where Roundtable runs, but no agent gets a key by itself."
    ),
    "doctor_owner": N_("Roundtable runs (process {pid}) at {url}."),
    "doctor_port": N_("The next start takes the port {port}."),
    "doctor_port_taken": N_(
        "Another program has the port {port}; the next start takes the next one that is free."
    ),
    "doctor_port_moved": N_(
        "Another program had the port {port} at the start, so the dashboard is at {url}: bookmarks "
        "of before lead to that program, or nowhere."
    ),
    "doctor_no_owner": N_(
        "Roundtable is not running. Start it by “roundtable start”, or with a tray icon by "
        "“roundtable-desktop”."
    ),
    "doctor_owner_hangs": N_("Roundtable holds the home (process {pid}), but does not answer."),
}

CURES: Mapping[str, str] = {
    "doctor_loose": N_("Make them yours alone: roundtable doctor --fix"),
    "doctor_sockets": N_("Remove them: roundtable doctor --fix"),
    "doctor_orphans": N_("End them: roundtable doctor --fix"),
    "doctor_disk_low": N_("Make room; what waits goes on by itself."),
    "doctor_aside": N_(
        "Keep it until you are sure that you miss nothing; then remove that folder."
    ),
    "doctor_no_git": N_("Install git 2.38 or newer, and start again."),
    "doctor_no_backup": N_("Start Roundtable: it makes one. Or: roundtable backup FILE"),
    "doctor_backup_old": N_(
        "Make one now: roundtable backup FILE. Why none was made stands in the log."
    ),
    "doctor_clock_back": N_("Set the machine's clock right."),
    "doctor_intake_paused": N_("Let it go on: roundtable resume"),
    "doctor_intake_stopped": N_("Let it go on: roundtable resume"),
    "doctor_intake_leaving": N_("Let it go on: roundtable resume"),
    "doctor_intake_copied": N_("If that home no longer runs: roundtable resume"),
    "doctor_copied": N_(
        "If that home no longer runs, start this one, then: roundtable resume. Else leave it be."
    ),
    "doctor_lease": N_(
        "Stop Roundtable and start it again: that gives the task free. Agents at work go on."
    ),
    "doctor_forgotten": N_("End them: roundtable doctor --fix"),
    "doctor_copy_before": N_("Look whether it holds work that you miss; then remove that folder."),
    "doctor_copy": N_("Look whether it holds work that you miss; then remove that folder."),
    "doctor_agent_missing": N_(
        "Install it where a new terminal finds it, and look again; or name another one: roundtable "
        "agent edit {agent:word} -- COMMAND"
    ),
    "doctor_agent_login": N_(
        "Start “{program}” in a terminal and sign in there; then run its task again: roundtable "
        "task run. If the agent is paused: roundtable agent resume"
    ),
    "doctor_agent_no_login": N_("Start “{program}” in a terminal and sign in there."),
    "doctor_agent_key": N_(
        "Hand it on, in a terminal where it is set: roundtable agent edit {agent:word} --env "
        "{variable}"
    ),
    "doctor_owner_hangs": N_(
        "End process {pid}, and start Roundtable again: agents go on meanwhile. Why it hangs may "
        "stand in its log."
    ),
    "doctor_older": N_("Start Roundtable: a backup is made first."),
    "doctor_damaged": N_("Stop Roundtable and start it again: it goes on from that backup."),
    "doctor_unreadable": N_("Stop Roundtable and start it again: it goes on from that backup."),
    "doctor_empty": N_("Stop Roundtable and start it again: it goes on from that backup."),
    "doctor_port_taken": N_("End that program, or: roundtable start --port NUMBER"),
    "doctor_port_moved": N_(
        "Open it by “roundtable open”. To go back, end that program; then: roundtable settings set "
        "port {port}, and start again."
    ),
    "doctor_webhook_secret": N_(
        "Give it a new one, and tell its sender: roundtable routine webhook rotate {routine:word}"
    ),
}
"""Where the sentence does not say it itself."""

WAYS: Mapping[str, tuple[str, str]] = {
    "doctor_no_backup": ("/settings", N_("Make one in the settings")),
    "doctor_backup_old": ("/settings", N_("Make one in the settings")),
    "doctor_intake_paused": ("/control", N_("Let it go on")),
    "doctor_intake_stopped": ("/control", N_("Let it go on")),
    "doctor_intake_leaving": ("/control", N_("Let it go on")),
    "doctor_webhook_secret": ("/routines", N_("Give it a new one on its routine's page")),
}
"""On a page, instead of the cure: the page where it is done, and what the link to it says."""

CHECKS: Mapping[str, str] = {
    "database": N_("Database"),
    "sqlite": N_("SQLite"),
    "modes": N_("Who may read it"),
    "disk": N_("Disk"),
    "sockets": N_("Sockets"),
    "aside": N_("Replaced databases"),
    "git": N_("git"),
    "owner": N_("Roundtable"),
    "port": N_("Port"),
    "backups": N_("Backups"),
    "clock": N_("Clock"),
    "intake": N_("Intake"),
    "leases": N_("Tasks held"),
    "runs": N_("Runs"),
    "processes": N_("Processes"),
    "copies": N_("Working copies"),
    "agents": N_("Agents"),
    "webhooks": N_("Webhooks"),
    "home": N_("Home"),
}
"""What was looked at, as a heading."""

MEANINGS: Mapping[str, str] = {
    "database": N_("All that must last is in it."),
    "sqlite": N_("How it is written, so that a power failure loses nothing."),
    "modes": N_("The home holds secrets: nobody else may read or write it."),
    "disk": N_("Without room nothing can be written, and nothing new is started."),
    "sockets": N_("By them runs are told what to do; those left over do no harm."),
    "aside": N_("Kept until you remove it, so that nothing is lost by a restore."),
    "git": N_("Agents work in copies that git makes, and git delivers their work."),
    "owner": N_("The one program that holds this home."),
    "port": N_("Where the dashboard is, so that bookmarks lead to it."),
    "backups": N_("What to go back to if the database is damaged."),
    "clock": N_("Schedules, retries and the order of what happened go by it."),
    "intake": N_("Whether anything new is started."),
    "leases": N_("A task that is held for a run that is over cannot be worked on."),
    "runs": N_("Agents that work now; they go on if Roundtable ends."),
    "processes": N_("A process that outlives its run may work beside its successor."),
    "copies": N_("A copy that belongs to nothing may hold work that is nowhere else."),
    "agents": N_("Whether each agent's program can be found and is signed in."),
    "webhooks": N_("Whether each can tell who may set it off; backups hold no secrets."),
    "home": N_("The folder in which everything of Roundtable is."),
}
"""What each of them is looked at for."""

NEXT_START: Mapping[str, str] = {
    "next_opens": N_("It opens the database as it is."),
    "next_port": N_("It takes the port {port} if that is free, else the next one that is."),
    "next_port_any": N_("It takes any free port."),
    "next_runs": N_(
        "It finds the runs at work again, and follows each from where it was: {count}."
    ),
    "next_no_runs": N_("No run is at work that it would have to find again."),
    "next_waiting": N_("It goes on with what waits in the queue: {count}."),
    "next_waiting_closed": N_(
        "What waits in the queue goes on waiting until you resume: {count}. The intake is {intake}."
    ),
    "next_deliveries": N_("It finishes deliveries that were begun: {count}."),
}
"""What a start would do now."""
