"""What reviewers found, in words for the author of the work; and where they must stay within."""

from collections.abc import Mapping, Sequence

from roundtable_desktop.model.gates import Verdict
from roundtable_desktop.model.records import Json
from roundtable_desktop.rules.redact import clip

DEVELOPER = "The developer"
BYTES = 32 * 1024
"""Of all that is told of one round."""

_WORDS = {
    "approve": "approves",
    "approve_with_notes": "approves, with notes",
    "revise": "asks for changes",
    "reject": "rejects it",
    "abstain": "has no opinion",
    "veto": "vetoes it",
}


def returned(given: Sequence[Verdict], names: Mapping[str, str]) -> str:
    """All verdicts of the round that sent the work back, those of approval too: their notes are
    of the same work. names: of agents, by their ids."""
    parts = [told(one, names) for one in given if one.note or one.findings or one.word is not None]
    return clip("\n\n".join(parts), BYTES, keep="start")


def told(verdict: Verdict, names: Mapping[str, str]) -> str:
    who = DEVELOPER if verdict.author_type == "person" else names.get(verdict.author_id, "An agent")
    said = f": {verdict.note}" if verdict.note else "."
    lines = [f"{who} {_WORDS[str(verdict.word)]}{said}"]
    return "\n".join([*lines, *(f"- {finding(one)}" for one in verdict.findings)])


def finding(one: Json) -> str:
    """`src/app.py:12 (major): the text`."""
    line = f":{one['line']}" if one.get("line") else ""
    about = f", {one['about']}" if one.get("about") else ""
    return f"{one['path']}{line} ({one['severity']}{about}): {one['text']}"
