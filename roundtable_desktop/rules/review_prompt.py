"""What a reviewer is told: the work, how to see it, and how to say what it thinks (contract)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from roundtable_desktop.model.gates import Verdict
from roundtable_desktop.model.proposals import Proposal
from roundtable_desktop.model.records import Agent, Json, Task, Wakeup, Workspace
from roundtable_desktop.rules.accepting import judged_by
from roundtable_desktop.rules.fences import quoted
from roundtable_desktop.rules.prompt import sent
from roundtable_desktop.rules.review_words import told

MOST_FILES = 100
MOST_EARLIER = 20
"""Verdicts of earlier rounds, the newest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Looked:
    """author, summary: of the run whose work it is. earlier: what was said before, oldest first.
    names: of agents, by their ids. sent: by a webhook, for the places in the texts of the task.
    snapshot: {"base", "head"} of merged work, in place of a proposal."""

    wakeup: Wakeup
    agent: Agent
    workspace: Workspace
    task: Task
    proposal: Proposal | None
    author: str
    summary: str
    earlier: Sequence[Verdict]
    names: Mapping[str, str]
    sent: Mapping[str, object] = field(default_factory=dict)
    snapshot: Json | None = None


def review_prompt(looked: Looked) -> str:
    parts = (
        _woken(looked),
        _task(looked),
        sent(looked.sent),
        _work(looked),
        _before(looked),
        _rules(looked),
        VOTE,
    )
    return "\n\n".join(part for part in parts if part) + "\n"


def _woken(looked: Looked) -> str:
    at = f"{looked.wakeup.requested_at:%Y-%m-%dT%H:%M:%SZ}"
    return f"# You were woken\n\nT-{looked.task.number} waits for your review. ({at})"


def _task(looked: Looked) -> str:
    task = looked.task
    lines = [
        "# The task",
        "",
        f"T-{task.number}: {task.title}",
        f"Base: {task.base_branch} of {looked.workspace.name}",
        *judged_by(task),
    ]
    return "\n".join(lines) + (f"\n\n{task.description}" if task.description else "")


def _work(looked: Looked) -> str:
    proposal = looked.proposal
    if looked.snapshot is not None:
        return f"# The work\n\n{_see('merged', looked.snapshot['base'], looked.snapshot['head'])}"
    if proposal is None:
        said = "Its agent reports the task as done and changed no file. You see its base branch."
        return "\n\n".join(["# The work", said, *_said(looked)])
    base, head = proposal.base_commit, proposal.head_commit
    see = _see("proposed", base, head)
    files = [_file(one) for one in proposal.files[:MOST_FILES]]
    more = len(proposal.files) - len(files)
    listed = quoted("\n".join([*files, *([f"and {more} more"] if more > 0 else [])]))
    parts = ["# The work", see, f"The files that it changes:\n\n{listed}", *_said(looked)]
    return "\n\n".join(parts)


def _see(how: str, base: object, head: object) -> str:
    return (
        f"Your copy of the repository is at the commit that is {how}. See what it changes with:"
        f"\n\n    git diff --stat {base} {head}\n    git diff {base} {head}"
    )


def _file(change: Json) -> str:
    counted = change.get("added") is not None and change.get("removed") is not None
    lines = f" (+{change['added']} -{change['removed']})" if counted else ""
    return f"{change.get('status')} {change.get('path')}{lines}"


def _said(looked: Looked) -> list[str]:
    if not looked.summary:
        return []
    return [f"{looked.author or 'Its author'} says of it:\n\n{quoted(looked.summary)}"]


def _before(looked: Looked) -> str:
    if not looked.earlier:
        return ""
    said = "\n\n".join(told(one, looked.names) for one in looked.earlier[-MOST_EARLIER:])
    lead = "Of earlier states of it this was said. See whether it was put right."
    return f"# What was said before\n\n{lead}\n\n{quoted(said)}"


def _rules(looked: Looked) -> str:
    agent = looked.agent
    return (
        "# Rules\n\n"
        f"You are {agent.name} ({agent.role}). You look, and change nothing: whatever you change in"
        " your copy is discarded when you end. You may run what you need to judge the work. What is"
        " to be changed, say in your findings; its author reads them."
    )


VOTE = """# How to vote

Call the tool vote_cast once:

{"verdict": "revise", "note": "what you think of it, in a few sentences",
 "findings": [{"path": "src/app.py", "line": 12, "severity": "major", "text": "what is wrong"}]}

Verdicts: approve, approve_with_notes, revise (something must be changed), reject (it should not go
in), abstain (you cannot judge it), veto (it must not go in; nobody else is waited for). findings
may be left out; severity is info, minor, major or critical, and "about" may say what one is about:
code, security, architecture or evidence (you cannot tell; say what would show it). Without your
vote the work waits.

Then end your turn with the tool task_result:

{"status": "completed", "summary": "what you looked at"}"""
