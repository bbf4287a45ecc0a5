"""Which keys of git's configuration make it run a program, and what they are pinned to."""

import re
from collections.abc import Iterable

PINS = {
    "core.hookspath": "/dev/null",
    "core.fsmonitor": "false",
    "core.sshcommand": "",
    "core.askpass": "true",
    "core.pager": "cat",
    "core.editor": "true",
    "core.gitproxy": "",
    "core.alternaterefscommand": "true",
    "core.attributesfile": "/dev/null",
    "sequence.editor": "true",
    "interactive.difffilter": "",
    "diff.external": "",
    "credential.helper": "",
    "gpg.program": "false",
    "gpg.ssh.defaultkeycommand": "false",
    "uploadpack.packobjectshook": "",
    "gc.recentobjectshook": "",
    "protocol.allow": "never",
    "protocol.ext.allow": "never",
    "gc.auto": "0",
    "maintenance.auto": "false",
    "commit.gpgsign": "false",
    "tag.gpgsign": "false",
    "log.showsignature": "false",
    "merge.verifysignatures": "false",
    "merge.autostash": "false",
    "submodule.recurse": "false",
    "transfer.fsckobjects": "true",
    "core.usereplacerefs": "false",
    "core.protecthfs": "true",
    "core.protectntfs": "true",
    "core.safecrlf": "false",
    "core.quotepath": "false",
    "core.trustctime": "true",
    "core.checkstat": "default",
    "checkout.workers": "1",  # no children that write on when the git that began them is ended
}
"""What every git of ours is told, whatever a repository says."""

# (key as a pattern, value that runs nothing). A failing driver is a conflict, never a clean merge.
PER_KEY = tuple(
    (re.compile(pattern, re.DOTALL), value)
    for pattern, value in (
        (r"filter\..+\.(clean|smudge|process)", ""),
        (r"filter\..+\.required", "false"),
        (r"merge\..+\.driver", "false"),
        (r"diff\..+\.(command|textconv)", ""),
        (r"credential\..+\.helper", ""),
        (r"remote\..+\.(uploadpack|receivepack)", "false"),
        (r"remote\..+\.vcs", ""),
        (r"remote\..+\.promisor", "false"),
        (r"branch\..+\.mergeoptions", ""),
        (r"submodule\..+\.update", "none"),
        (r"hook\..+\.enabled", "false"),
        (r"hook\..+\.command", "true"),
        (r"trailer\..+\.(command|cmd)", "true"),
        (r"gpg\..+\.(program|defaultkeycommand)", "false"),
        (r"pager\..+", "false"),
        (r"(difftool|mergetool|guitool|browser|man)\..+\.(cmd|path)", "true"),
        (r"tar\..+\.(command|remote)", "false"),
    )
)

EXECUTABLE = re.compile(
    r"core\.(hookspath|fsmonitor|sshcommand|askpass|pager|editor|gitproxy|alternaterefscommand"
    r"|worktree)"
    r"|sequence\.editor|interactive\.difffilter|diff\.external|credential\.helper"
    r"|gpg\.program|uploadpack\.packobjectshook|gc\.recentobjectshook|init\.templatedir"
    r"|include\.path|includeif\..+\.path|protocol(\..+)?\.allow|alias\..+",
    re.DOTALL,
)


def overrides(keys: Iterable[str]) -> dict[str, str]:
    """The pins for the keys that a repository's own configuration was found to hold."""
    found = {key: value for key in keys if (value := _neutral(key)) is not None}
    # git 2.54 runs hooks named in the configuration, which core.hooksPath does not switch off.
    hooks = {key.rsplit(".", 1)[0] for key in keys if key.startswith("hook.")}
    return found | {f"{hook}.enabled": "false" for hook in sorted(hooks) if hook != "hook"}


def _neutral(key: str) -> str | None:
    return next((value for pattern, value in PER_KEY if pattern.fullmatch(key)), None)


def runs_a_program(key: str) -> bool:
    """Whether git may run what this key names, or read more such keys because of it."""
    return _neutral(key) is not None or EXECUTABLE.fullmatch(key) is not None
