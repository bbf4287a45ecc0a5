"""Sentences about what tasks wait for: other tasks, a person's word, a decision."""

from collections.abc import Mapping

from roundtable_desktop.phrases.marking import N_
from roundtable_desktop.phrases.missions import MISSIONS

BOARD: Mapping[str, str] = {
    **MISSIONS,
    "task_waits_for": N_("It waits for {tasks} to be done."),
    "task_waits_below": N_("It waits for its subtasks; its agent is woken when they are over."),
    "task_waits_for_approval": N_(
        "It waits for your approval: “roundtable approval list” shows what you can answer."
    ),
    "task_exhausted": N_(
        "Its runs failed five times, each time for a reason outside of the work, and nothing is "
        "tried again by itself; see the last one. “roundtable task run” tries anew."
    ),
    "task_blocked_blocker_lost": N_(
        "T-{blocker}, which it waits for, is {end}. Decide in the inbox: let it start without "
        "that, cancel it, or have that done again."
    ),
    "task_waits_for_others": N_(
        "T-{number} waits for {tasks}. Finish those first, or take the dependency away."
    ),
    "task_over": N_("T-{number} is {status}. Nothing is added to it any more."),
    "waits_blockers": N_("It waits for {tasks} to be done."),
    "blockers_passed": N_("Nothing that must come first is open."),
    "blockers_waiting": N_("It waits for {tasks} to be done."),
    "dependency_circle": N_("That would be a circle: {path}. Leave out one of these dependencies."),
    "dependency_type_unused": N_(
        "A “{type}” dependency is for two tasks of the same mission. Make it a hard one."
    ),
    "too_many_blockers": N_("A task waits for at most {most} others."),
    "blocker_over": N_(
        "T-{number} is {status} and will never be done. Leave it out, or have it done first."
    ),
    "not_moved_by_hand": N_("A task is not moved to “{status}” by hand."),
    "delivery_waits": N_(
        "T-{number} is merged after T-{other}, for which some of its files are. Try again when "
        "the run of T-{other} is over, or end that."
    ),
    "delivery_under_way": N_("A delivery of T-{number} is under way. Wait a moment and try again."),
    "proposal_waits": N_(
        "A proposal of T-{number} waits for you. Deliver or reject it; done is what is on its "
        "branch."
    ),
    "words_changed_meanwhile": N_(
        "This was changed meanwhile. What you wrote is still here: compare it with what is there "
        "now, and send it again."
    ),
    "unknown_approval": N_("There is no such approval."),
    "approval_not_open": N_("This was {status} already."),
    "inbox_proposal": N_("T-{number} {title}: {stands}"),
    "inbox_approval": N_("T-{number} is ready and needs your approval: {title}"),
    "inbox_approval_asked": N_("An agent asks for your approval, about T-{number}: {text}"),
    "inbox_blocked": N_("{agent} cannot go on and needs you: {action}"),
    "inbox_blocked_on_others": N_("{agent} cannot go on and waits for {owner}: {action}"),
    "inbox_blocker_lost": N_(
        "T-{number} waits for T-{blocker}, which is {end}. Let it start without that (drop_edge), "
        "cancel it, or have T-{blocker} done again (redo)."
    ),
}


BOARD_ON_PAGES: Mapping[str, str] = {
    "task_waits_for_approval": N_("It waits for your approval."),
    "task_exhausted": N_(
        "Its runs failed five times, each time for a reason outside of the work. See the last one, "
        "put that right and run it again."
    ),
    "inbox_blocker_lost": N_(
        "T-{number} waits for T-{blocker}, which is {end}. Decide what is to become of it."
    ),
    "task_blocked_blocker_lost": N_(
        "T-{blocker}, which it waits for, is {end}. Decide in the inbox what is to become of it."
    ),
}
