"""How accounts at their limit are shown: who waits, for what and until when."""

from collections.abc import Sequence

from roundtable_desktop.dashboard.api.shapes import Moment, Say, Shown, said
from roundtable_desktop.model.holds import AccountHeld
from roundtable_desktop.model.times import rfc3339

HELD = ("account", "model")
"""By a limit that is not over."""


class Waiting(Shown):
    id: str
    name: str


class Held(Shown):
    """held_by: `account` and `model` wait for a limit's end, `trial` for one run that tries, and
    `spread` for their turn. told: the provider's own words."""

    account: str
    held_by: str
    until: Moment
    since_at: Moment
    kind: str
    model: str | None
    told: str | None
    run_id: str
    agents: list[Waiting]
    sentence: str

    @property
    def can_try(self) -> bool:
        return self.held_by in HELD


def held(found: Sequence[AccountHeld], say: Say = said) -> list[Held]:
    return [_held(one, say) for one in found]


def _held(one: AccountHeld, say: Say) -> Held:
    agents = [Waiting.of(agent) for agent in one.agents]
    values = {
        "account": one.hold.account,
        "until": rfc3339(one.until),
        "agents": [agent.name for agent in one.agents],
    }
    nobody = "" if agents or one.held_by not in HELD else "_nobody"
    sentence = say(f"held_{one.held_by}{nobody}", values)
    return Held.of(one.hold, held_by=one.held_by, until=one.until, agents=agents, sentence=sentence)
