"""What is said when a bundle cannot be written or taken over."""

from collections.abc import Mapping

from roundtable_desktop.phrases.marking import N_

BUNDLES: Mapping[str, str] = {
    "bundle_is_link": N_("{path} is, or holds, a symbolic link. Name the real folder instead."),
    "bundle_no_folder": N_("{path} is not a folder."),
    "bundle_elsewhere": N_(
        "{path} holds something else. It was left as it is; name an empty or a new folder."
    ),
    "bundle_not_there": N_("There is no {path}. Name a folder that “roundtable export” wrote."),
    "bundle_unreadable": N_("{path} cannot be read: {text}. Nothing was changed."),
    "bundle_file": N_("{path} cannot be taken over: {text}. Nothing was changed."),
    "bundle_invalid": N_("The bundle cannot be taken over, nothing was changed. {first}"),
    "bundle_field": N_("{text}"),
    "bundle_redacted": N_(
        "This bundle is redacted: parts of it are missing. Export it without --redacted."
    ),
    "bundle_name_taken": N_(
        "The workspace {name} is that of {path} here. Give one of them another name; nothing was "
        "changed."
    ),
    "bundle_adapter": N_(
        "The agent {name} of {workspace} has another adapter here, which cannot be changed. Give "
        "one of them another name; nothing was changed."
    ),
    "bundle_twice": N_("Two of the {part} of {workspace} have one name. Nothing was changed."),
    "bundle_maimed": N_(
        "The command of the agent {name} of {workspace} holds {mark}: a secret was taken out of it "
        "at the export. Write the command in the bundle anew, with the secret as a variable of the "
        "agent or in a file; nothing was changed."
    ),
    "bundle_no_agent": N_("The routine {routine} names an agent {name} that is nowhere."),
}
