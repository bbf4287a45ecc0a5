"""Which programs of agents are on this machine, and how each is made an agent."""

import shutil
from collections.abc import Iterator

from roundtable_desktop.phrases import _

SPEAK_ACP = {
    "opencode": ("opencode", "acp"),
    "gemini": ("gemini", "--acp"),
    "qwen": ("qwen", "--acp"),
    "claude-agent-acp": ("claude-agent-acp",),
    "codex-acp": ("codex-acp",),
}
"""By the program on the PATH, how it is started so that it speaks ACP."""
THROUGH = {
    "claude": ("claude-agent-acp", "@agentclientprotocol/claude-agent-acp"),
    "codex": ("codex-acp", "@agentclientprotocol/codex-acp"),
}
"""Programs that speak it through another one, with the package that has it."""


def offers() -> Iterator[str]:
    """A line for each that was found; nothing is started or added here."""
    for program, command in SPEAK_ACP.items():
        if shutil.which(program):
            add = f"roundtable agent add --adapter acp --name {program} -- {' '.join(command)}"
            yield _("Found {program}: {add}").format(program=program, add=add)
    for program, (bridge, package) in THROUGH.items():
        if shutil.which(program) and not shutil.which(bridge):
            get = f"npm install --global {package}"
            said = _("Found {program}, which works here through {bridge}: {get}")
            yield said.format(program=program, bridge=bridge, get=get)
