"""What is said of work that does not fit its branch, and of attempts that failed in a mission."""

from collections.abc import Mapping

from roundtable_desktop.phrases.marking import N_

MERGING: Mapping[str, str] = {
    "task_blocked_settle_conflict": N_(
        "Its work does not fit onto {branch}: {paths}. Nobody could settle that. Say in a comment "
        "which side counts, or run it again: its copy is brought to the newest state."
    ),
    "task_blocked_repair_lost": N_(
        "Its work does not fit onto its mission's branch, and T-{repair}, which was to repair "
        "that, is not going to. Look at T-{repair}, or run this one again."
    ),
    "task_blocked_attempts_spent": N_(
        "{agent} tried it as often as it may, and nothing more is tried by itself. See its last "
        "run; say in a comment what to do differently, or run it again."
    ),
    "task_blocked_cause_interface": N_(
        "{agent} says that two parts do not fit each other. Say in a comment how they are to fit, "
        "then run it again."
    ),
    "task_blocked_cause_environment": N_(
        "{agent} says that this machine cannot do it as it is. See its last run for what is "
        "missing, put it there, then run it again."
    ),
    "task_blocked_cause_choice": N_(
        "{agent} says that something has to be chosen first. Say in a comment what you choose, "
        "then run it again."
    ),
    "inbox_merge_conflict": N_(
        "T-{number} does not fit onto {branch}: {paths}. Nobody could settle that. Let it be tried "
        "again, with a note on which side counts. {by_hand}"
    ),
    "task_delivering": N_("Its work is being delivered."),
    "task_delivery_waits": N_(
        "Its work is merged after T-{other}, for which some of its files are. You need to do "
        "nothing for that."
    ),
    "outside_area": N_("It changes files that its task was not to change: {paths}."),
    "outside_area_of": N_("Those are for {tasks}."),
    "outside_area_waits": N_("It is merged after T-{number}, for which those files are."),
    "catches_up": N_(
        "It does not fit onto {base_branch}. The mission's branch takes in what that has by now; "
        "then all of it is offered again."
    ),
    "caught_up": N_(
        "It did not fit onto {base_branch}. The mission's branch has what that has by now, and a "
        "task settles what clashes there: {named}. Then all of it is offered again."
    ),
    "caught_up_clean": N_(
        "The mission's branch has what {base_branch} has by now, and nothing clashes. All of it is "
        "offered again."
    ),
    "catch_up_held": N_(
        "It does not fit onto its branch, and the mission's branch could not take in what that has "
        "by now. {why} Nothing of yours was touched."
    ),
    "base_missing": N_("The branch “{branch}” is gone. Create it again, then have it tried again."),
    "mission_checked_out": N_(
        "The mission's own branch is checked out in {path}, and no file of yours is changed for "
        "that. Switch to another branch there, then have it tried again."
    ),
    "check_missing": N_(
        "What is checked before a delivery came to no end, so that nobody knows whether it would"
        " have passed: {names}."
    ),
    "check_failed": N_("What is checked before a delivery failed: {names}. See its run."),
    "checks_open": N_(
        "These checks of it have not ended: {names}. Wait for them, or deliver it all the same "
        "with override and a note."
    ),
    "mission_has_no_branch": N_("There is no branch “{branch}” yet. Try again in a moment."),
    "unknown_check": N_(
        "The workspace has no check “{name}”. It has: {known}. They are named in the repository's "
        "file."
    ),
    "no_checks": N_("The workspace has no checks. They are named in the repository's file."),
    "unknown_check_run": N_("There is no such check."),
    "too_many_checks": N_("{most} checks of this mission are under way. Wait for those first."),
    "executor_fallback": N_(
        "It is told to use the model {model}: an earlier attempt failed with another one."
    ),
    "executor_cross_model": N_(
        "It is told to use the model {model}: what it looks at was made with {author}."
    ),
    "decided_retry": N_("Decision {attempt}: it was tried again. {why}"),
    "decided_retry_model": N_("Decision {attempt}: it was tried again with {model}. {why}"),
    "decided_retry_commands": N_("Decision {attempt}: it was tried again in another way. {why}"),
    "decided_retry_serial": N_(
        "Decision {attempt}: it was tried again with nobody beside it. {why}"
    ),
    "decided_debug": N_("Decision {attempt}: {helper} was made to mend it. {why}"),
    "decided_skip": N_("Decision {attempt}: the mission goes on without it. {why}"),
    "decided_block": N_("Decision {attempt}: somebody has to say how it goes on. {why}"),
    "decided_cancel": N_("Decision {attempt}: it is not wanted any more. {why}"),
    "why_not_wanted": N_("What it was for was cancelled."),
    "why_model_unavailable": N_("Its model could not be had."),
    "why_interface_mismatch": N_("Two parts do not fit each other."),
    "why_environment": N_("This machine cannot do it as it is."),
    "why_choice_needed": N_("Something has to be chosen first."),
    "why_permission": N_("The agent was not allowed to do what it needed."),
    "why_budget_spent": N_("Its attempts are used up."),
    "why_same_failure": N_("It failed as it had before."),
    "why_failed": N_("It failed."),
    "why_merge_conflict": N_("What it changed did not fit onto its branch any more."),
    "why_requirement_changed": N_(
        "What is asked for was changed meanwhile, and what that means is not said yet."
    ),
    "why_conflict_again": N_("What it changed does not fit, whoever repairs it."),
}
