"""What is said about repositories, and why a delivery into one is held."""

from collections.abc import Mapping

from roundtable_desktop.phrases.marking import N_

GIT: Mapping[str, str] = {
    "git_missing": N_("No git was found. Install git and try again."),
    "git_too_old": N_("This git ({found}) is too old: {needed} or newer is needed. Update it."),
    "not_a_repository": N_("This folder is in no git repository. “git init” makes it one."),
    "inside_git_dir": N_("This is git's own folder. Name the working tree instead."),
    "bare_repository": N_(
        "This is a bare repository. Register a clone of it that has a working tree."
    ),
    "no_commit": N_("This repository has no commit yet. Make a first one, then try again."),
    "no_identity": N_(
        "In {path} git does not know who you are. Set user.name and user.email with “git config”."
    ),
    "bad_branch_name": N_("This is not a name that a branch can have here."),
    "unknown_branch": N_("There is no branch “{branch}”."),
}

HELD: Mapping[str, str] = {
    "branch_missing": N_("The branch “{branch}” is gone. Create it again, then deliver."),
    "branch_moved": N_("The branch moved during the delivery. Deliver again."),
    "checked_out": N_(
        "The branch is checked out. Deliver into the working tree, or switch to another branch."
    ),
    "checked_out_twice": N_(
        "The branch is checked out in more than one place. Leave it in all but one, then deliver."
    ),
    "git_busy": N_("There is a git command under way: {file} shows it. Finish that, then deliver."),
    "git_locked": N_(
        "{file} is in the way: a git command is at work there, or left it when it was broken off. "
        "If none is at work any more, remove that file; then deliver."
    ),
    "path_changed": N_(
        "You have changes of your own in {path}. Commit or undo them, then deliver."
    ),
    "path_in_the_way": N_("{path} exists and is not part of the branch. Move it, then deliver."),
    "path_marked": N_(
        "{path} is marked assume-unchanged or skip-worktree. Take the mark away, then deliver."
    ),
    "submodule": N_("{path} is a submodule. Look at it and merge it yourself."),
    "filter": N_("{path} goes through a filter of git. Look at it and merge it yourself."),
    "symlinked_folder": N_("{path} lies behind a symbolic link. Merge it yourself."),
    "conflict_marks": N_(
        "There are conflict marks left in {paths}. Have them settled, or look at them yourself."
    ),
    "symlink_outside": N_("{path} is a symbolic link that leads out of the repository."),
    "git_name": N_("{path} has a name that git keeps for itself. It is not delivered."),
    "repository_configuration_changed": N_(
        "The agent changed git's configuration or hooks in its copy. They are not delivered; look "
        "at the files before you deliver them."
    ),
    "paths_changed": N_(
        "You have changes of your own in {paths}. Commit or undo them, then deliver."
    ),
    "paths_in_the_way": N_(
        "{paths} exist and are not part of the branch. Move them, then deliver."
    ),
    "repository_missing": N_(
        "There is no git repository at {path} any more. Put it back where it was, then deliver."
    ),
    "conflict": N_(
        "This conflicts with what the branch has by now: {paths}. Have it brought onto the "
        "branch anew (“roundtable proposal rebase”), or merge it by hand and deliver again."
    ),
    "special_file": N_(
        "{path} is no file, and git expects one there: a pipe or a device it would wait for for "
        "ever, and a folder or a link in a circle stops it. Clear the way with “{mend}”, then try "
        "again."
    ),
    "inbox_special_file": N_(
        "{path} is no file, and git expects one there: a pipe or a device it would wait for for "
        "ever, and a folder or a link in a circle stops it. Nothing more is tried by itself. Clear "
        "the way with “{mend}”, then try again."
    ),
    "git_timeout": N_(
        "In {path} git did not answer within {text}, three times in a row. See what keeps it, such "
        "as a disk that does not answer; then deliver again."
    ),
    "hooks_switched_off": N_(
        "No program may be run from {path}, the folder for temporary files: git would pass over "
        "the hook that keeps a delivery to its branch. Set TMPDIR to another folder, start "
        "Roundtable anew and deliver again."
    ),
    "git_failed": N_("It was git that refused: {text}"),
    "restored": N_(
        "The database has been put back to an earlier state since this was decided: it may be on "
        "the branch already, and what you took away since would come back. Look at it before you "
        "deliver it."
    ),
    "copied": N_(
        "This home was copied since this was decided: the home that it is a copy of may have put "
        "it on the branch, and what you took away since would come back. Look at it before you "
        "deliver it."
    ),
    "word_waits": N_(
        "Something was said, or begun anew, after the task's rule had decided: its agent hears "
        "that first. Deliver it yourself if it is right as it is."
    ),
    "word_unheard": N_(
        "Something was said after the task's rule had decided, and nobody has heard it: the wake "
        "that it made ended without a run. Deliver it if it is right as it is, or let its agent "
        "hear what was said first."
    ),
    "left_by_a_run": N_(
        "A run without a task left this; nobody has asked for it. Look at it before you deliver it."
    ),
    "run_lives": N_("It is being worked on. Wait until that is over."),
    "run_left_nothing": N_("There is nothing of that run that is not on its branch or proposed."),
    "proposed_already": N_("What it left is proposed already: see proposal {proposal}."),
    "not_the_last_attempt": N_(
        "A later attempt has worked on in the same copy: recover run {run} instead."
    ),
    "copy_in_use": N_("It is in use."),
    "copy_undelivered": N_("It stays: its work is not delivered yet."),
    "copy_over": N_("It is done with, and goes after {free_at}."),
    "copy_kept": N_(
        "It stays: this is nowhere else: {holds}. Take out what you need, then remove the folder."
    ),
    "copy_unknown": N_("It is no working copy that Roundtable knows, and stays."),
    "inbox_delivery_blocked": N_("T-{number} could not be delivered onto {branch}. {why}"),
    "not_in_review": N_("T-{number} is {status}: there is nothing of it to be done anew."),
}

ON_PAGES: Mapping[str, str] = {
    "conflict": N_(
        "This conflicts with what the branch has by now: {paths}. Have it reworked, or merge "
        "it by hand and deliver again."
    ),
}
