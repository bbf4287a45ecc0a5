"""What is said of a repository's `.roundtable/config.yaml`."""

from collections.abc import Mapping

from roundtable_desktop.phrases.marking import N_

CONFIG: Mapping[str, str] = {
    "inbox_config_new": N_(
        "{path} of {name} asks to set things up here. Nothing in it takes effect until you accept "
        "it. Read it first: the commands in it would run as you."
    ),
    "inbox_config_changed": N_(
        "{path} of {name} is not what you accepted any more; that still holds. Accept it as it is "
        "now, or keep what is. Read it first: the commands in it would run as you."
    ),
    "inbox_config_broken": N_(
        "{path} of {name}, line {line}: {why} Nothing in it takes effect. Put it right, or keep "
        "what is."
    ),
    "inbox_config_unusable": N_(
        "{path} of {name} cannot be used. {why} Nothing in it takes effect. Put it right, or keep "
        "what is."
    ),
    "config_broken": N_("{path}, line {line}: {why} Nothing was changed."),
    "config_unusable": N_("{path} cannot be used. {why} Nothing was changed."),
    "config_is_link": N_(
        "It is a symbolic link, or its folder is, and links are not followed. Put a file there."
    ),
    "config_no_file": N_("It is no regular file. Put one there, or take it away."),
    "config_too_large": N_("It is larger than {limit} KB."),
    "config_too_long": N_("It has more than {limit} lines."),
    "config_unreadable": N_("The system says: {text}."),
    "config_unclear": N_("It is no plain YAML in UTF-8: {text}."),
    "config_secret": N_(
        "It holds what looks like a key or a password, and is hidden where it is shown. Secrets do "
        "not belong here; “roundtable agent edit --env” sets them."
    ),
    "config_field": N_("{pointer}: {text}"),
    "config_twice": N_("Two of them are called {name}. Give one of them another name."),
    "config_too_many_agents": N_("It asks for more than {most} agents."),
    "config_agent_there": N_(
        "There is an agent {name} already that is not this one. Give one of them another name."
    ),
    "config_adapter": N_(
        "{name} has another adapter, which stays what it is. Give it another id: then it is a new "
        "one, and the old one is retired."
    ),
    "config_routine_there": N_(
        "There is a routine {name} already that is not this file's. Give one of them another name."
    ),
    "config_no_agent": N_("There is no agent {name}, neither in this file nor here."),
    "proposal_has_config": N_(
        "It changes .roundtable/config.yaml. Once it is delivered you are asked about that, and "
        "nothing in it takes effect before."
    ),
    "config_gone": N_("There is no {path} any more. What you accepted still holds."),
    "config_is_another": N_(
        "{path} was changed since it was shown to you. Nothing was done. Look at it as it is now, "
        "with “roundtable workspace config” or in the inbox."
    ),
    "config_accepted_already": N_("This is what you accepted. It holds until you accept another."),
    "config_sha_wanted": N_("Say which content you mean: its sha, as it was shown to you."),
    "config_not_written": N_(
        "The file .roundtable/config.yaml was not written. {why} Everything works without it."
    ),
    "config_state_absent": N_("There is no {path}."),
    "config_state_accepted": N_("{path} is what you accepted."),
    "config_state_waiting": N_("{path} waits for your word. Nothing in it takes effect before."),
    "config_state_kept": N_("You kept what is; nothing of this {path} takes effect."),
    "config_state_broken": N_("{path} cannot be accepted as it is. Nothing in it takes effect."),
}

DID: Mapping[str, str] = {
    "added": N_("is added"),
    "changed": N_("is changed"),
    "retired": N_("is retired"),
    "returned": N_("comes back"),
    "archived": N_("is archived"),
}
"""What accepting a file does with each thing that it names, or names no more."""
