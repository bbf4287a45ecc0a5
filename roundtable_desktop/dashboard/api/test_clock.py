"""The API's route that moves a test clock; it is there only while the clock stands."""

from datetime import timedelta
from typing import Annotated, Self

from pydantic import AwareDatetime, Field, model_validator

from roundtable_desktop.dashboard.api.shapes import Moment, Shown, asked
from roundtable_desktop.dashboard.reading import Once, Words
from roundtable_desktop.dashboard.routes import Api
from roundtable_desktop.dashboard.signin import Caller
from roundtable_desktop.engine.desk.test_clock import ClockHands
from roundtable_desktop.phrases import _

CENTURY = 100 * 366 * 86_400

Seconds = Annotated[float, Field(ge=0, le=CENTURY)]


class ClockMove(Words):
    """One of the three. now: only before any work. advance: seconds, from due instant to due
    instant. sleep: seconds, in one jump."""

    now: AwareDatetime | None = None
    advance: Seconds | None = None
    sleep: Seconds | None = None

    @model_validator(mode="after")
    def one_of_them(self) -> Self:
        if len(self.model_dump(exclude_none=True)) != 1:
            raise ValueError(_("Give one of now, advance and sleep."))
        return self


class ClockMoved(Shown):
    """settled: false when 45 s were not enough; the clock stands where it was waited for."""

    now: Moment
    fired: int
    claimed: int
    settled: bool


def declare(api: Api, hands: ClockHands) -> None:
    @api.route("POST", "/api/v1/test/clock")
    def move_clock(caller: Caller, body: ClockMove, once: Once | None) -> ClockMoved:
        """Moves the test clock, and waits until what fell due on the way is taken up."""
        who = asked(caller, once)
        if body.now is not None:
            return ClockMoved.of(hands.put(who, body.now))
        if body.advance is not None:
            return ClockMoved.of(hands.advance(who, timedelta(seconds=body.advance)))
        assert body.sleep is not None, "the model asks for one of the three"
        return ClockMoved.of(hands.sleep(who, timedelta(seconds=body.sleep)))
