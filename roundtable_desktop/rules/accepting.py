"""By what a task's work is judged, as its agent and its reviewers are told (C-79)."""

from roundtable_desktop.model.records import Task


def judged_by(task: Task) -> list[str]:
    """Lines of the task's part of a prompt."""
    files = f"Expected to change: {', '.join(task.expected_files)}" if task.expected_files else ""
    judged = f"Accepted when:\n{without_lines(task.acceptance)}" if task.acceptance else ""
    return [line for line in (files, judged) if line]


def without_lines(text: str) -> str:
    """What the built-in agent is to do is nothing to judge by, and says nothing to others."""
    return "\n".join(line for line in text.splitlines() if not line.startswith("@demo ")).strip()
