"""Failures dressed as success: an agent exits 0, and all that it says is what went wrong."""

import re

LONGEST = 2000
"""Characters of an answer that is an error and nothing else."""

SHORT = 800
"""Characters of an answer that only asks for leave; a longer one has something to say."""

_ERROR = re.compile(
    r"\s*(?:\[?api error\b|error when talking to\b|litellm\.\w*error\b|error: (?:\d{3}\b|api\b))",
    re.IGNORECASE,
)
"""As gemini, qwen, claude and aider begin it, each with exit code 0."""

_LEAVE = re.compile(
    r"\b(?:i|we|claude|codex|gemini|qwen|opencode)(?:'d| would)? (?:still )?"
    r"(?:need|require|requested|do(?:n't| not) have|(?:am|is|are) (?:waiting|blocked))\b"
    r"[^.\n]{0,80}\b(?:permissions?|approval)\b"
    r"|\b(?:please|could you|can you|would you) (?:approve|(?:grant|allow|give)\b"
    r"[^.\n]{0,80}\b(?:permissions?|approval|access))\b"
    r"|\byou have(?:n't| not) (?:yet )?(?:granted|approved|allowed)\b"
    r"|\b(?:command|tool|edit|write|action|it|this) (?:requires|needs) (?:your |user )?"
    r"(?:permission|approval)\b",
    re.IGNORECASE,
)


def is_error(answer: str) -> bool:
    """Whether an answer is an error of the model's service and nothing else."""
    return len(answer.strip()) <= LONGEST and bool(_ERROR.match(_plain(answer)))


def asks_leave(answer: str) -> bool:
    """Whether an agent says that it may not do what it was asked for."""
    return len(answer.strip()) <= SHORT and bool(_LEAVE.search(_plain(answer)))


def _plain(answer: str) -> str:
    return answer.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
