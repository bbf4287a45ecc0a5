"""When agents are asked where they are before their person leaves, and in which words (N-10)."""

from datetime import datetime, timedelta

LEAD = timedelta(seconds=60)
"""An answer of a model takes some seconds, on a busy day half a minute."""
SHARE = 3
"""Of a short time no more than this part is taken from the work."""

STAYS = "The developer stays after all: your turn is not broken off. Go on as before."
"""To one that was told of it."""


def asks_at(now: datetime, until: datetime) -> datetime:
    """From then on turns are broken off to be asked, so that nothing runs at `until`."""
    return until - min(LEAD, (until - now) / SHARE)


def question(until: datetime) -> str:
    """The last thing that is said to the agent in this run."""
    return (
        "# Checkpoint\n\n"
        f"The developer leaves, and everything here stops at {_moment(until)}. Your turn was broken"
        " off for this; what you have changed stays in your copy as it is. Start nothing new.\n\n"
        "Answer at once, in a few sentences, as a note to yourself: what is done, what is half done"
        " and where, and what you would do next. You get it back when you go on. It is no result:"
        " give none, unless the work is done already.\n"
    )


def notice(until: datetime, *, of_review: bool = False) -> str:
    """Told in the middle of a turn, with the answer of a tool. of_review: a verdict is all that it
    can say (K-71)."""
    say = (
        "if you know what you think of it, say so with vote_cast now."
        if of_review
        else "say with task_progress where you are: what is done, what is half done, what comes"
        " next."
    )
    return (
        f"The developer leaves at {_moment(until)}; about a minute before, your turn is broken off,"
        " and you go on later in the same copy. Bring what you do to a good place to stop, and"
        f" {say}"
    )


def _moment(at: datetime) -> str:
    return f"{at:%Y-%m-%dT%H:%M:%SZ}"
