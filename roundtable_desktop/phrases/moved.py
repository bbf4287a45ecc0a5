"""What is said of a user's repository that changed while an agent worked beside it."""

from collections.abc import Mapping

from roundtable_desktop.phrases.marking import N_

MOVED: Mapping[str, str] = {
    "inbox_repository_moved": N_(
        "While T-{number} was worked on in a linked working tree, this changed in your "
        "repository: {names}. Nothing was put back. Each is shown with its old and new value and "
        "the command that puts it back."
    ),
    "users_configuration_changed": N_(
        "While it was worked on, git's configuration or hooks of your own repository changed: "
        "{paths}. See the item in the inbox and put right what you did not want; then look at the "
        "files and deliver them."
    ),
    "users_refs_changed": N_(
        "While it was worked on, refs of your own repository changed: {refs}. See the item in the "
        "inbox and put back what you did not want; then look at the files and deliver them."
    ),
    "repository_not_compared": N_(
        "What your repository was like before the run is not known any more, so nobody can tell "
        "whether it was changed. Look at its branches, hooks and configuration yourself."
    ),
    "checked_out_by_agent": N_(
        "The branch is checked out in an agent's working tree, {path}. Free it there, then deliver."
    ),
    "moved_by_agent": N_("The agent moved {name} from {old} to {new}."),
    "moved_by_unknown": N_("{name} changed during the run, from {old} to {new}."),
    "made_by_agent": N_("The agent made {name}, at {new}."),
    "made_by_unknown": N_("{name} was made during the run, at {new}."),
    "gone_by_agent": N_("The agent took {name} away; it was at {old}."),
    "gone_by_unknown": N_("{name} went during the run; it was at {old}."),
    "file_moved": N_("{name} changed during the run."),
    "file_special": N_(
        "{name} became something else than a file during the run, such as a pipe or a folder; git "
        "cannot read it."
    ),
    "file_made": N_("{name} was made during the run."),
    "file_gone": N_("{name} went during the run."),
    "keys_moved": N_("{name} changed during the run: {keys}."),
}


def code_of(told: Mapping[str, object]) -> str:
    """Of the sentence for one change, as an event or an item keeps it."""
    how = "made" if told.get("old") is None else "gone" if told.get("new") is None else "moved"
    if told.get("what") != "file":
        return f"{how}_by_{told.get('by')}"
    if told.get("new") == "special_file":
        return "file_special"
    return "keys_moved" if told.get("keys") and how == "moved" else f"file_{how}"
