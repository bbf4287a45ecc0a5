"""Which wakes are one wake: the same agent, source and scope while nobody took up the first."""

from roundtable_desktop.model.states import Source

NEVER = frozenset({Source.USER})
"""A person's wake is its own, whatever waits already (C-53)."""

REPEATING = frozenset(
    {
        Source.COMMENT,
        Source.TASK_BLOCKERS_RESOLVED,
        Source.APPROVAL_RESOLVED,
        Source.AGENT_ERROR,
        Source.BUDGET_ALERT,
    }
)
"""They come in bursts: the first waits for the window, so that the rest can join it (K-13)."""


def merges(source: Source) -> bool:
    """Whether a wake of this source may join one like it that waits."""
    return source not in NEVER


def repeats(source: Source) -> bool:
    """Whether the first of its scope waits a little for the rest."""
    return source in REPEATING
