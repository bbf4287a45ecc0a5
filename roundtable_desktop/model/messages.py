"""What a runner writes into its spool, validated on the reading side.

A spool is one JSON object a line: {"seq", "at", "kind", …}; `seq` counts from 1 without a gap,
`at` is UTC microseconds. `PROTOCOL` is written by `hello`; the app reads this and the previous one.
"""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from roundtable_desktop.model.owners import BLOCKED_OWNER
from roundtable_desktop.model.printed import printed

PROTOCOL = 1
SUMMARY_BYTES = 8 * 1024
ERROR_BYTES = 4 * 1024


Told = Annotated[str, AfterValidator(printed)]
"""What an agent says, as it is read: the transcript alone keeps what drives a terminal (B-137)."""


class Message(BaseModel):
    """Unknown fields are kept out of sight, not refused: an older app may read a newer runner."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    seq: int
    at: int


class Hello(Message):
    """The birth certificate: who the runner is and where it listens."""

    kind: Literal["hello"]
    protocol: int
    pid: int
    boot: str
    ticks: int
    fence: str
    control: str


class Void(Message):
    """Recovery was first: this run was never born, and a child that comes late starts nothing."""

    kind: Literal["void"]


class AgentBorn(Message):
    kind: Literal["agent"]
    pid: int
    ticks: int


class Pulse(Message):
    """A sign of life, at most every 30 s. cpu: share of one core of the whole tree, 0…n."""

    kind: Literal["pulse"]
    processes: int
    cpu: float
    output_bytes: int


class Silent(Message):
    kind: Literal["silent"]
    seconds: float


class Heard(Message):
    """The agent that was silent has said something again."""

    kind: Literal["heard"]


class Deadline(Message):
    kind: Literal["deadline"]
    which: Literal["silence", "soft", "hard"]


class Controlled(Message):
    """A request that came over the control channel and was taken; `heard` when the turn that began
    with a person's `message` has ended."""

    kind: Literal["control"]
    do: str
    message: str = ""


class SessionOpened(Message):
    """The agent's own name for the conversation. note: why an earlier one could not be loaded."""

    kind: Literal["session"]
    id: str
    loaded: bool
    note: str = ""


class Usage(Message):
    """What a reply or a turn used, as the agent says it: figures of two agents do not compare. raw:
    as it came; None is "not said", never 0.

    reply: the agent's own name for what the figures are of, in all of its runs. turn: the number of
    a turn of this run. Either is told again when more is known, and the last word counts.
    thread, sums: what a conversation has used in all so far; fresh: it began in this run.
    of_run: the cost is that of the whole run, with all that was told before.
    """

    kind: Literal["usage"]
    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    cost_usd: float | None = None
    raw: dict[str, Any] = {}
    reply: str = ""
    turn: int | None = None
    thread: str = ""
    sums: dict[Literal["input_tokens", "output_tokens", "cached_tokens", "cost_usd"], float] = {}
    fresh: bool = True
    of_run: bool = False
    model: str = ""


class Quota(Message):
    """What a provider says of one of its windows. used: share, 0…1; resets_at: seconds since 1970;
    either None where it was not said."""

    kind: Literal["quota"]
    window: str
    status: str = ""
    used: float | None = None
    resets_at: int | None = None


class Option(BaseModel):
    """One way to answer; chosen by `kind` (allow_once, allow_always, reject_once, …)."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    id: str
    name: Told
    kind: str


class Ask(Message):
    """The agent wants to do something and waits; `ask` is its number within this run."""

    kind: Literal["ask"]
    ask: str
    text: Told
    options: list[Option]


class Answered(Message):
    """How an ask ended. option: None when no option was taken."""

    kind: Literal["answer"]
    ask: str
    option: str | None
    by: Literal["person", "policy", "deadline", "end"]


class Tool(Message):
    """A tool call of the agent; the runner's silence clock counts it as work."""

    kind: Literal["tool"]
    id: str
    name: Told
    status: Literal["started", "done", "failed"]


class Result(Message):
    """The agent's own report as it was found, checked by `worker_result` on this side.

    block: the fenced `roundtable-result` of its last message. fault: the code for why it is no
    text that could be one; then `text` is what can be shown of it.
    """

    kind: Literal["result"]
    source: Literal["file", "block"]
    text: str
    fault: str = ""


class Fault(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)

    kind: str
    text: Told = ""


class Ended(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)

    pid: int
    name: str = ""


class End(Message):
    """The last message: the tree is gone (but for `survivors`) and the lock will be free next.

    why: exited | spawn_failed | silence | hard | processes | memory | cancelled | interrupted.
    exit_code: of the agent; negative is the signal that ended it; None when it never ran.
    stop_reason: what an ACP agent said of its last turn; nudged: it was asked for a result.
    tail: the last 8 KB of its ordinary output, redacted; stderr: the last 4 KB of its errors.
    swept: processes that the agent left behind and that were ended for it, however many.
    silence: seconds without a word, of an agent that was ended for them.
    memory: bytes that its tree had in use at once; most_memory: that it might. 0: unknown.
    checkpoint: where it is, of an agent that was asked for it because its person leaves.
    """

    kind: Literal["end"]
    why: Literal[
        "exited",
        "spawn_failed",
        "silence",
        "hard",
        "processes",
        "memory",
        "cancelled",
        "interrupted",
    ]
    exit_code: int | None
    error: Fault | None = None
    output_bytes: int = 0
    tail: Told = ""
    stderr: Told = ""
    stop_reason: str | None = None
    nudged: bool = False
    killed: list[Ended] = []
    survivors: list[Ended] = []
    swept: int = 0
    silence: float | None = None
    memory: int = 0
    most_memory: int = 0
    checkpoint: Told = ""


AnyMessage = Annotated[
    Hello
    | Void
    | AgentBorn
    | Pulse
    | Silent
    | Heard
    | Deadline
    | Controlled
    | SessionOpened
    | Usage
    | Quota
    | Ask
    | Answered
    | Tool
    | Result
    | End,
    Field(discriminator="kind"),
]
_ANY: TypeAdapter[Any] = TypeAdapter(AnyMessage)


def read_message(line: bytes) -> Message | None:
    """One line of a spool; None when it is no message that this version knows."""
    try:
        message: Message = _ANY.validate_json(line)
    except ValidationError:
        return None
    return message


class Evidence(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    kind: Literal["command", "file", "note"]
    ref: str = ""
    text: str = ""


class Artifact(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    path: str
    kind: str = "file"


class BlockedOn(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    owner: Annotated[str, Field(pattern=BLOCKED_OWNER)]
    action: Annotated[Told, Field(min_length=1, max_length=2000)]


class WorkerResult(BaseModel):
    """How an agent reports (contract): stored as `result_json`."""

    model_config = ConfigDict(extra="forbid", strict=True)

    status: Literal["completed", "failed", "blocked", "cancelled"]
    summary: Annotated[Told, Field(max_length=SUMMARY_BYTES)] = ""
    evidence: list[Evidence] = []
    artifacts: list[Artifact] = []
    next: str | None = None
    blocked: BlockedOn | None = None
    error: Fault | None = None
    resumable: bool | None = None


def worker_result(text: str) -> WorkerResult | None:
    """A result that does not fit counts as none and is kept by the caller (C-103); `rules.fitting`
    says what of it does not.

    A `blocked` one must say who is to do what (C-24).
    """
    try:
        result = WorkerResult.model_validate_json(text)
    except ValidationError:
        return None
    return None if result.status == "blocked" and result.blocked is None else result
