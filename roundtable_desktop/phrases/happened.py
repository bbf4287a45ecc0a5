"""What each event is told as, for people: who did what.

{Run} and {Proposal} begin a sentence, {run} and {proposal} stand within one.
"""

from collections.abc import Mapping

from roundtable_desktop.phrases.marking import N_
from roundtable_desktop.phrases.missions import OF_MISSIONS, STEPS_OF_MISSIONS
from roundtable_desktop.phrases.reviewing import OF_REVIEWS

OF_TASKS: Mapping[str, str] = {
    "task.created": N_("{who} made the task {task}."),
    "task.assigned": N_("{who} gave {task} to {agent}."),
    "task.changed": N_("{who} changed {task}: {changed}."),
    "task.started": N_("Work on {task} began."),
    "task.progress": N_("{who} told how far {task} is."),
    "task.completed": N_("{task} is done."),
    "task.decided": N_("It was decided how {task} goes on after an attempt that failed."),
    "task.failed": N_("{task} failed: every attempt is used up."),
    "task.blocked": N_("{task} is blocked."),
    "task.cancelled": N_("{who} cancelled {task}."),
    "task.interrupted": N_("{task} was broken off."),
    "task.moved": N_("{who} moved {task} from “{before}” to “{after}”."),
    "task.commented": N_("{who} commented on {task}."),
    "task.depends": N_("{who} changed what {task} waits for."),
    "approval.requested": N_("{who} asked for approval of {task}."),
    "approval.moved": N_("{who} decided on {task}: {after}."),
    "recovery_dispatch": N_("{task} had lost its wakeup: {agent} is woken for it again."),
}

OF_RUNS: Mapping[str, str] = {
    "run.ended": N_("{Run} by {agent} ended: {outcome}."),
    "run.voided": N_("Nothing was started for {run}."),
    "run.adopted": N_("{Run} was found again after a restart."),
    "run.deadline": N_("{Run} came to a time limit."),
    "run.stopping": N_("{who} told {run} by {agent} to end."),
    "run.told": N_("{who} told {agent} something in {run}."),
    "run.unheard": N_("{Run} was over before {agent} heard what it was told."),
    "run.wake_refused": N_("{agent} woke itself too often in {run}, and was refused."),
    "run.repository_moved": N_("Your repository changed during {run}."),
    "run.changes_discarded": N_("What {run} changed was discarded: it was only to look."),
    "run.spool_damaged": N_("A message of the runner of {run} cannot be read."),
    "session.dropped": N_("The earlier conversation of {run} was given up."),
    "agent.started": N_("{agent} began to work in {run}."),
    "agent.lost": N_("{agent} was lost in {run}."),
    "agent.cancelled": N_("{agent} was ended in {run}."),
    "agent.silent": N_("{agent} has been silent for a while in {run}."),
    "agent.heard": N_("{agent} is heard again in {run}."),
}

STEPS: Mapping[str, str] = {
    "agent.heartbeat": N_("{agent} gave a sign of life in {run}."),
    "run.starting": N_("The launch of {run} by {agent} began."),
    "run.started": N_("The runner of {run} is there."),
    "run.resume_point": N_("It was kept where {run} goes on."),
    "run.controlled": N_("The runner of {run} was told something."),
    "run.claimed": N_("{agent} keeps something for itself in {run}."),
    "run.released": N_("{agent} let go of what it kept for itself in {run}."),
    "run.used": N_("The tokens of a turn of {run} were counted."),
    "session.opened": N_("{agent} opened the conversation of {run}."),
    "wakeup.claimed": N_("The wake of {agent} ({wakeup}) was taken up."),
    "workspace.merge.started": N_("The delivery of {proposal} began."),
    "mission.catch_up.started": N_("A mission's branch takes its base branch in: {proposal}."),
}
"""What only an exact look asks for; left out unless it is asked for."""

OF_AGENTS: Mapping[str, str] = {
    "agent.added": N_("{who} added the agent {agent}."),
    "agent.changed": N_("{who} changed the agent {agent}: {changed}."),
    "agent.moved": N_("{who} changed {agent} from “{before}” to “{after}”."),
    "agent.turn_requested": N_("A turn of {agent} waits."),
    "agent.turn_scheduled": N_("It is the turn of {agent}."),
    "agent.turn_started": N_("{agent} took its turn."),
    "agent.turn_completed": N_("The turn of {agent} is over."),
    "agent.turn_overdue": N_("The turn of {agent} takes long; others may wait for theirs."),
    "agent.turn_lapsed": N_("The turn of {agent} lapsed: {reason}."),
    "memory.recorded": N_("{agent} wrote something down for {workspace}."),
    "memory.forgotten": N_("{who} had something forgotten that {agent} wrote down."),
    "account.held": N_("The account {account} is at the limit of its provider until {until}."),
    "account.freed": N_("The limit of the account {account} is over."),
    "budget.added": N_("{who} set a budget."),
    "budget.changed": N_("{who} changed a budget."),
    "budget.removed": N_("{who} took a budget away."),
    "budget.reached": N_("A budget is nearly used up, or is."),
    "budget.freed": N_("A budget has room again; what it held back is taken up."),
}

OF_WAKEUPS: Mapping[str, str] = {
    "wakeup.queued": N_("{agent} is to be woken ({wakeup}): {reason}."),
    "wakeup.coalesced": N_("A wake of {agent} ({wakeup}) was merged into one that waited."),
    "wakeup.requeued": N_("The wake of {agent} ({wakeup}) waits again: {held_by}."),
    "wakeup.settled": N_("The wake of {agent} ({wakeup}) is settled: {outcome}."),
    "wakeup_retry_cancelled": N_("A retry for {agent} ({wakeup}) was cancelled: {reason}."),
    "wakeup_idle_skipped": N_("{agent} was not woken ({wakeup}): it has no task to do."),
    "wakeup_budget_blocked": N_("{agent} was not woken ({wakeup}): a budget is used up."),
    "wakeup_stale_cancelled": N_("A wake of {agent} ({wakeup}) was cancelled: {reason}."),
    "recovery_sweep_complete": N_(
        "Roundtable looked for lost wakeups; made again: {dispatched_count}."
    ),
}

OF_ROUTINES: Mapping[str, str] = {
    "routine.added": N_("{who} made the routine {routine}."),
    "routine.changed": N_("{who} changed the routine {routine}."),
    "routine.moved": N_("{who} changed the routine {routine} from “{before}” to “{after}”."),
    "routine.removed": N_("{who} took the routine {routine} away."),
    "routine.fired": N_("{routine} fired {source}. {became}"),
    "routine.stumbled": N_("{routine} could not be fired, and is tried again."),
    "routine.firing.ended": N_("What {routine} had set off is over: {after}."),
}

OF_INBOX: Mapping[str, str] = {
    "inbox.opened": N_("Something waits for you: {item}."),
    "inbox.asked_again": N_("It waits for you once more: {item}."),
    "inbox.acked": N_("{who} has seen: {item}."),
    "inbox.snoozed": N_("{who} put off: {item}."),
    "inbox.resolved": N_("{who} settled: {item}."),
}

OF_WORK: Mapping[str, str] = {
    **OF_REVIEWS,
    "proposal.created": N_("{author} proposes changes: {proposal}."),
    "proposal.strayed": N_("{Proposal} changes files that its task was not to change."),
    "proposal.moved": N_("{Proposal} went from “{before}” to “{after}”."),
    "workspace.merge.completed": N_("{Proposal} is on {branch} now."),
    "workspace.merge.conflicted": N_("{Proposal} was not delivered: it conflicts."),
    "workspace.merge.failed": N_("{Proposal} was not delivered."),
    "mission.catch_up.intended": N_(
        "{who} had {proposal} brought onto its base branch as that is now."
    ),
    "mission.catch_up.completed": N_("{branch} has what its base branch has by now."),
    "delivery.intended": N_("{who} had {proposal} delivered to {branch}."),
    "copy.freed": N_("The working copy {copy} was removed: all of its work is kept elsewhere."),
    "copy.kept": N_("The working copy {copy} stays: it holds work that is nowhere else."),
}

OF_HOME: Mapping[str, str] = {
    "workspace.added": N_("{who} registered the repository {workspace}."),
    "workspace.changed": N_("{who} changed {workspace}: {changed}."),
    "workspace.removed": N_("{who} took a repository off the list."),
    "config.written": N_("{who} wrote .roundtable/config.yaml of {workspace}."),
    "config.accepted": N_("{who} accepted .roundtable/config.yaml of {workspace}."),
    "config.kept": N_("{who} kept what holds for {workspace}, beside .roundtable/config.yaml."),
    "settings.changed": N_("{who} changed settings: {changed}."),
    "welcome.skipped": N_("{who} passed over a step of setting up, or took that back."),
    "notification.asked": N_("{who} asked for a test notification."),
    "notification.sent": N_("The tray handed the test notification to the desktop."),
    "notification.pressed": N_("{who} pressed the button of the test notification."),
    "person.signed_in": N_("{who} signed in with a browser."),
    "control.changed": N_("{who} set new work to: {intake}."),
    "control.stopped": N_("{who} ended everything that ran."),
    "clock.moving": N_("{who} moves the test clock."),
    "clock.moved": N_("The test clock was moved."),
    "owner.started": N_("Roundtable was started."),
    "owner.stopped": N_("Roundtable was stopped."),
    "owner.crashed": N_("The scheduler broke off; its log says why."),
    "owner.late": N_("The scheduler was late: something took long."),
    "owner.log_long": N_("The log of the database has grown long: another program reads it."),
    "database.restored": N_("The database was brought back from a backup."),
    "database.copied": N_("This home was found to be a copy; nothing was started."),
}

GROUPS: Mapping[str, Mapping[str, str]] = {
    "tasks": OF_TASKS,
    "runs": OF_RUNS,
    "wakeups": OF_WAKEUPS,
    "routines": OF_ROUTINES,
    "agents": OF_AGENTS,
    "inbox": OF_INBOX,
    "work": OF_WORK,
    "missions": OF_MISSIONS,
    "home": OF_HOME,
    "steps": {**STEPS, **STEPS_OF_MISSIONS},
}
"""What belongs together when somebody looks for it; each kind is in one of them."""

HAPPENED: Mapping[str, str] = {
    kind: told for group in GROUPS.values() for kind, told in group.items()
}

GROUP_NAMES: Mapping[str, str] = {
    "tasks": N_("Tasks"),
    "runs": N_("Runs"),
    "wakeups": N_("Wakeups"),
    "routines": N_("Routines"),
    "agents": N_("Agents and accounts"),
    "inbox": N_("What needs you"),
    "work": N_("Proposals and deliveries"),
    "missions": N_("Missions"),
    "home": N_("Settings, control and Roundtable itself"),
    "steps": N_("Single steps and signs of life"),
}
