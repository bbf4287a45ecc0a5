"""What is said of work that failed for good: why, how often it was tried, and what to do."""

from collections.abc import Mapping

from roundtable_desktop.phrases.marking import N_

CAUSES: Mapping[str, str] = {
    "rate_limited": N_("The provider's rate limit was reached."),
    "quota_limited": N_("The provider's quota is used up."),
    "overloaded": N_("The provider is overloaded."),
    "auth_required": N_("The agent is not logged in."),
    "billing": N_("The provider refuses for a reason of billing."),
    "model_unavailable": N_("The model is not available."),
    "context_full": N_("The conversation is too long for the model."),
    "network": N_("The network did not work."),
    "cli_missing": N_("The agent's program was not found."),
    "cli_outdated": N_("The agent's program is too old."),
    "permission_denied": N_("The agent was not allowed to do what it needed."),
    "crashed": N_("The agent broke off."),
    "lost": N_("The run vanished without an end."),
    "timed_out": N_("The run took too long, or stood still."),
    "spawn_failed": N_("The agent's program could not be started."),
    "special_file": N_("Something that is no file is in git's way."),
    "no_result": N_("The agent ended without a result."),
    "task_failed": N_("The agent could not do it."),
    "owner_died": N_("Roundtable ended each time while it was being started."),
}
"""By the kind of error; every kind has one."""

_CURES: Mapping[str, str] = {
    "rate_limited": N_("Wait until the limit is over, or give the work to another agent."),
    "quota_limited": N_("Wait until the quota is renewed, or give the work to another agent."),
    "overloaded": N_("Try again later."),
    "auth_required": N_("Start its program in a terminal and log in there."),
    "billing": N_("Look at your account at the provider."),
    "model_unavailable": N_("Name another model for the agent or the task, or none."),
    "context_full": N_("Cut the task into smaller ones."),
    "network": N_("Look at the network."),
    "cli_missing": N_(
        "Install it, or name another one (“roundtable agent edit {agent:word} -- COMMAND”)."
    ),
    "cli_outdated": N_("Update it."),
    "permission_denied": N_("See the run for what it was; allow it, or give the work another way."),
    "crashed": N_("See the run for its last words."),
    "lost": N_("Look whether something ends its processes."),
    "timed_out": N_("See the run for what it was doing."),
    "spawn_failed": N_("See the run for the reason."),
    "special_file": N_("See the run for the path, and take that away."),
    "no_result": N_("See the run for what it did."),
    "task_failed": N_("Say in a comment what to do differently, or see the run."),
    "owner_died": N_("See the log."),
}
"""What a person can do about each."""

FAILURES: Mapping[str, str] = {
    **{f"cause_{kind}": said for kind, said in CAUSES.items()},
    **{f"cure_{kind}": said for kind, said in _CURES.items()},
    "cause_report_unfit": N_(
        "It reported, but not in the form of a result, so that counts as none."
    ),
    "cure_report_unfit": N_("See the run for what does not fit, and correct how it reports."),
    "cause_interface": N_("It says that two parts do not fit each other."),
    "cure_interface": N_("Say in a comment how they are to fit, then run it again."),
    "cause_environment": N_("It says that this machine cannot do it as it is."),
    "cure_environment": N_("See the run for what is missing; put it there, then run it again."),
    "cause_choice": N_("It says that something has to be chosen first."),
    "cure_choice": N_("Say in a comment what you choose, then run it again."),
    "cause_memory": N_(
        "Its processes used {used} MB at once, and one run may use {most} MB. The same again would "
        "end alike."
    ),
    "cure_memory": N_(
        "Let it use more (“roundtable agent edit {agent:word} --memory MB”), or say in a comment "
        "how to do with less."
    ),
    "cause_no_memory": N_("The machine had no memory left; the run used {used} MB."),
    "cure_no_memory": N_("Close other programs, or say in a comment how to do with less."),
    "tried_once": N_("It was tried once."),
    "tried_often": N_("It was tried {count} times."),
    "inbox_failed_task": N_(
        "{agent} failed with T-{number}. {cause} {tried} Nothing more is tried by itself. {cure}"
    ),
    "inbox_failed_wake": N_(
        "{agent} failed. {cause} {tried} Nothing more is tried by itself. {cure}"
    ),
}

ANSWERS: Mapping[str, str] = {
    "agent.error/retry/task": N_(
        "works on the task again, with all its attempts; a note is for the agent"
    ),
    "agent.error/retry": N_("does again what failed"),
    "agent.error/mark_fixed": N_(
        "says that you put it right: the agent goes on if it was paused, and nothing is repeated"
    ),
    "agent.error/pause_agent": N_("starts nothing more of this agent before you resume it"),
    "blocked/retry": N_("lets the agent go on; a note is for it"),
    "blocked/ask_again/gate": N_("wakes those reviewers again whose verdict is missing"),
    "blocked/pass_gate/gate": N_("lets the work pass this gate as it is"),
    "blocked/send_back/gate": N_("sends the work back to its agent once more"),
    "blocked/resume/task": N_("lets its agent go on: it hears what is to be changed"),
    "blocked/cancel/task": N_("cancels the task"),
    "blocked/repair/task": N_("makes a task of what was found, for whose work it is"),
    "blocked/accept/task": N_("lets it stay as it is; the mission goes on"),
    "blocked/retry/mission": N_(
        "opens the mission again and has what is blocked done anew; a note is for those agents"
    ),
    "blocked/skip_optional/mission": N_(
        "opens it again without the blocked tasks that it can do without"
    ),
    "blocked/reopen/mission": N_("opens it again, after you have seen to what is blocked"),
    "blocked/cancel/mission": N_("opens it again without all that is blocked"),
    "blocked/dismiss": N_("closes the question; nothing is done"),
    "blocker_lost/drop_edge": N_("starts the task without what it waits for"),
    "blocker_lost/cancel": N_("cancels the task"),
    "blocker_lost/redo": N_("has what it waits for done again, and waits"),
    "delivery_blocked/retry": N_("tries to deliver it again"),
    "delivery_blocked/request_changes": N_(
        "sends it back: it is brought onto the branch as that is now, and proposed anew"
    ),
    "delivery_blocked/discard": N_("delivers it never; its task is cancelled, its commit is kept"),
    "proposal/deliver": N_("approves it and brings it onto its branch"),
    "proposal/reject": N_("does not take it: its agent reads the note and goes on"),
    "proposal/request_changes": N_("has it done otherwise first; the note says how"),
    "approval/approve": N_("says yes"),
    "approval/reject": N_("says no; a note says why"),
    "config_changed/accept": N_("takes over what the file says"),
    "config_changed/keep": N_("leaves all as it is, and asks no more about this content"),
    "config_changed/seen": N_("closes the item; nothing is done"),
    "budget/raise": N_("adds as much again until its time is over, and what was held back runs"),
    "budget/resume": N_("lets work go on without it until its time is over; then it holds again"),
    "doctor/resume": N_("starts work again"),
}
"""By kind of item and answer (and `task`, where it is about one): what the answer does."""


def does(kind: str, answer: str, subject_type: str) -> str:
    """ "" where the answer is the agent's own and says it by its name."""
    apart = ANSWERS.get(f"{kind}/{answer}/{subject_type}")
    return apart or ANSWERS.get(f"{kind}/{answer}", "")
