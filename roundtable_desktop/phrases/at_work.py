"""What agents are told when one of their tools cannot do what they asked."""

from collections.abc import Mapping

from roundtable_desktop.phrases.artifacts import ARTIFACTS
from roundtable_desktop.phrases.marking import N_

AT_WORK: Mapping[str, str] = {
    **ARTIFACTS,
    "takes_longer": N_(
        "This takes longer, and goes on. Make the same call with the same words in a few seconds: "
        "it is not done twice, and you get its answer."
    ),
    "no_resource": N_(
        "A resource is a path of the repository or a name of that form, such as src/app: no empty "
        "part, no “..”, at most 512 bytes."
    ),
    "claimed_by_another": N_(
        "{agent} keeps {resource} for itself. Work on something else, or end your turn with "
        "wake_self and try again later; claim_list shows who has what."
    ),
    "too_many_claims": N_("A run keeps at most {most} things for itself. Let go of some first."),
    "leads_no_mission": N_(
        "Only who works on the root task of a mission says what a change means for it."
    ),
    "name_a_task_below": N_("Name the task that is to change: one below your own."),
    "name_a_task": N_("Your turn is about no task. Name the one that is blocked."),
    "nothing_to_change": N_("Name at least one thing that is to change."),
    "not_below_yours": N_(
        "T-{number} is not below your task, so it is not yours to change. Say what you want with "
        "task_comment instead."
    ),
    "too_many_turns": N_("You asked for {most} turns within an hour. A turn is given again later."),
    "unknown_memory": N_("There is no such memory in this workspace."),
    "too_many_memories": N_(
        "This workspace remembers {most} things, and no more. Name one in “replaces” that is true "
        "no more."
    ),
    "checks_of_missions": N_(
        "Checks are run on what a mission has merged, and your task is of none. Run the command in "
        "your copy instead."
    ),
    "name_or_check_id": N_("Give one of the two: the name of a check, or a check_id."),
    "turn_waits": N_(
        "It is not your turn yet; before you: {place}. Go on with something else, or end: you are "
        "woken when it is."
    ),
    "turn_of_another_run": N_("Another run of yours has this turn. It ends with that run."),
    "no_turn": N_("No turn of yours is open. Ask for one with turn_request."),
    "turn_not_started": N_("You have not taken a turn. Call turn_start first."),
    "no_such_path": N_(
        "There is no {path} at that commit. repo_read without a path shows the top."
    ),
    "too_far_in": N_("So far into a file nothing is read: at most 8 MiB. Search it instead."),
    "git_refused": N_("It was git that refused: {text}"),
    "only_looks": N_("T-{number} is only to look: nothing is handed in for it. Report instead."),
    "unknown_base": N_(
        "A patch is made against the commit that your turn began at, or against the newest of "
        "{branch}. Name one of the two, or leave base out."
    ),
    "patch_changes_nothing": N_("This patch changes nothing on its base. Hand in another one."),
    "patch_does_not_apply": N_(
        "The patch does not apply to its base. Make it anew with git diff against that commit. "
        "git says: {text}"
    ),
    "patch_not_text": N_(
        "A patch is of text files only. Write what is no text into your copy; it is collected when "
        "you end."
    ),
    "patch_too_large": N_(
        "A patch has at most {bytes} KiB and {files} files. Hand in a part, or leave it in your "
        "copy."
    ),
    "patch_names_git": N_("{path} has a name that git keeps for itself. Leave it out."),
    "patch_mode": N_(
        "{path} would be a link or a submodule (mode {mode}). A patch makes plain files only."
    ),
}
