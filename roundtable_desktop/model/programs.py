"""Which programs of agents are known, and what is told of one that is on this machine."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol


class SignIn(StrEnum):
    """kept: the program left the file in which it keeps a login; nothing in it is read. variable:
    a key is set where Roundtable runs, which agents do not get by themselves. none: neither, where
    the program would have left a file. unknown: nobody can tell without reading what is secret."""

    KEPT = "kept"
    VARIABLE = "variable"
    NONE = "none"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """A program of an agent. command: how it is started so that it speaks ACP. package: of npm,
    where the first word of that command is another program than this one. files: below the
    person's folder, and variables, that it signs in by; only_sign: whether one of these files is
    there whenever it is signed in on Linux."""

    name: str
    command: tuple[str, ...]
    package: str = ""
    files: tuple[str, ...] = ()
    variables: tuple[str, ...] = ()
    only_sign: bool = True


KNOWN = (
    Known(
        name="claude",
        command=("claude-agent-acp",),
        package="@agentclientprotocol/claude-agent-acp",
        files=(".claude/.credentials.json",),
        variables=("ANTHROPIC_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN"),
    ),
    Known(
        name="codex",
        command=("codex-acp",),
        package="@agentclientprotocol/codex-acp",
        files=(".codex/auth.json",),
        variables=("OPENAI_API_KEY", "CODEX_API_KEY"),
    ),
    Known(
        name="gemini",
        command=("gemini", "--acp"),
        files=(".gemini/oauth_creds.json",),
        variables=("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    ),
    Known(
        name="opencode",
        command=("opencode", "acp"),
        files=(".local/share/opencode/auth.json",),
        only_sign=False,
    ),
    Known(
        name="qwen",
        command=("qwen", "--acp"),
        files=(".qwen/oauth_creds.json",),
        variables=("OPENAI_API_KEY", "DASHSCOPE_API_KEY"),
    ),
    Known(name="goose", command=("goose", "acp"), only_sign=False),
)


def known(program: str) -> Known | None:
    """By its own name, or by that of the program through which it speaks."""
    return next((one for one in KNOWN if program in (one.name, one.command[0])), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """One that is here. place: of its file, or of the one through which it speaks where that alone
    is here. version: its own first line, "" where it said none in time. variable: which one is
    set. missing: the program through which it would speak and which is not here; then it cannot
    be added yet, and `package` has it."""

    name: str
    place: str
    version: str
    sign_in: SignIn
    command: tuple[str, ...]
    variable: str = ""
    missing: str = ""
    package: str = ""


class Programs(Protocol):
    """What can be started on this machine, by the same search path that agents get."""

    def path(self) -> str:
        """Folders, with colons between them."""

    def place(self, name: str) -> str | None: ...

    def sign_in(self, name: str) -> tuple[SignIn, str]:
        """And the variable that is set, if that is the sign."""

    def found(self) -> Sequence[Found]:
        """Those of KNOWN that are here; each was asked for its version once."""

    def look_anew(self) -> None:
        """The login shell is asked again, and so is every version."""


def searched(environment: Mapping[str, str], path: str) -> dict[str, str]:
    """The environment with that search path."""
    return {**environment, **({"PATH": path} if path else {})}
