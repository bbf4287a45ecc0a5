"""What is said and when: quiet hours, a press and what comes of it, the scheduler's own news."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

import pytest
from PySide6.QtCore import QObject, Signal

from roundtable_desktop.engine.desk.look_tray import NO_HOURS, Hours
from roundtable_desktop.model.states import Health, Severity
from roundtable_desktop.tray.notify import DEFAULT, LATER, Notice
from roundtable_desktop.tray.shown import Crash, Slept, Waiting
from roundtable_desktop.tray.speaker import Speaker

pytestmark = pytest.mark.usefixtures("application")

AN_END = datetime(2026, 3, 1, 7, 0, tzinfo=UTC)
QUIET = Hours(quiet_until=AN_END)


class Screen(QObject):
    """A notifier that keeps what is shown; a press leaves it to us what becomes of it."""

    activated = Signal(str, str)

    def __init__(self) -> None:
        super().__init__()
        self.shown: dict[str, Notice] = {}
        self.said: list[Notice] = []

    def notify(self, notice: Notice) -> None:
        self.said.append(notice)
        self.shown[notice.key] = notice

    def renew(self, notice: Notice) -> None:
        if notice.key in self.shown:
            self.shown[notice.key] = notice

    def close(self, key: str) -> None:
        self.shown.pop(key, None)


@dataclass
class Room:
    screen: Screen = field(default_factory=Screen)
    now: float = 0.0
    opened: list[str] = field(default_factory=list)
    pressed: list[tuple[str, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.speaker = Speaker(lambda: self.now)
        self.speaker.attach(self.screen)
        self.speaker.open.connect(self.opened.append)
        self.speaker.pressed.connect(lambda key, action: self.pressed.append((key, action)))

    def titles(self) -> list[str]:
        return [one.title for one in self.screen.said]

    def later(self, seconds: float, waiting: Sequence[Waiting], hours: Hours = NO_HOURS) -> None:
        """The timer that would speak is of another clock."""
        self.now += seconds
        self.speaker._due.stop()
        self.speaker.hear(waiting, hours)


@pytest.fixture
def room() -> Room:
    return Room()


def item(number: int, severity: Severity = Severity.ATTENTION, *answers: str) -> Waiting:
    buttons = tuple((one, one.title()) for one in answers)
    return Waiting(str(number), severity, f"Ask {number}", "?", "", f"/inbox/{number}", buttons)


@pytest.mark.proves("N-11 notices", "N-12")
def test_quiet_hours_hold_all_but_what_is_critical_and_end_with_one_digest(room: Room) -> None:
    asked = [item(2), item(1)]
    room.speaker.hear(asked, QUIET)
    assert room.screen.said == []
    critical = item(3, Severity.CRITICAL)
    room.later(30, [critical, *asked], QUIET)
    assert room.titles() == ["Ask 3"] and room.screen.said[0].urgency == "critical"
    room.later(30, [item(4), critical, *asked], QUIET)
    assert len(room.screen.said) == 1
    room.later(30, [item(4), critical, *asked])
    assert room.titles() == ["Ask 3", "4 items need you"], "one, for all that was held"
    room.later(30, [])
    assert room.screen.shown == {}


@pytest.mark.proves("N-11 notices")
def test_what_is_critical_is_held_too_where_that_is_wanted(room: Room) -> None:
    strict = replace(QUIET, critical_passes=False)
    room.speaker.hear([item(1, Severity.CRITICAL)], strict)
    assert room.screen.said == []
    room.later(1, [item(1, Severity.CRITICAL)], Hours(muted_until=AN_END, critical_passes=False))
    assert room.screen.said == []
    room.later(1, [item(1, Severity.CRITICAL)])
    assert room.titles() == ["Ask 1"]


@pytest.mark.proves("N-11 notices")
def test_what_was_answered_in_quiet_hours_is_not_told_after_them(room: Room) -> None:
    room.speaker.hear([item(1), item(2)], QUIET)
    room.later(60, [item(2)], QUIET)
    room.later(60, [item(2)])
    assert room.titles() == ["Ask 2"]


@pytest.mark.proves("N-12", "D-05")
def test_six_an_hour_and_the_rest_together(room: Room) -> None:
    waiting: list[Waiting] = []
    for number in range(12):
        waiting.insert(0, item(number))
        room.later(60, waiting)
    assert room.titles() == [f"Ask {number}" for number in range(6)]
    room.later(3600, waiting)
    assert room.titles()[6:] == ["12 items need you"]
    assert room.speaker._untold == []


@pytest.mark.proves("D-05")
def test_only_what_wants_somebody_is_said(room: Room) -> None:
    room.speaker.hear([item(1, Severity.INFO)], Hours())
    assert room.screen.said == []


@pytest.mark.proves("D-05 press")
def test_a_press_becomes_what_came_of_it(room: Room) -> None:
    asked = [item(1, Severity.ATTENTION, "retry")]
    room.speaker.hear(asked, Hours())
    [note] = room.screen.said
    assert [name for name, _label in note.actions] == [DEFAULT, "retry", LATER]
    room.screen.activated.emit("1", "retry")
    assert room.pressed == [("1", "retry")] and room.opened == []
    room.speaker.hear([], Hours())
    assert "1" in room.screen.shown, "its item is gone, and what came of it is to be said there"
    room.speaker.became("1", "It is tried again")
    after = room.screen.shown["1"]
    assert (after.title, after.body, after.actions) == ("It is tried again", "?", ())
    room.screen.activated.emit("1", DEFAULT)
    assert room.opened == ["/inbox/1"] and room.screen.shown == {}


@pytest.mark.proves("D-05 press")
def test_a_button_that_was_not_shown_counts_for_nothing(room: Room) -> None:
    """Another program of the session may say that it was pressed."""
    room.speaker.hear([item(1, Severity.ATTENTION, "retry")], Hours())
    for key, action in (("1", "allow_once"), ("1", "revive"), ("2", DEFAULT), ("2", "retry")):
        room.screen.activated.emit(key, action)
    assert room.pressed == [] and room.opened == [] and set(room.screen.shown) == {"1"}


@pytest.mark.proves("D-05 press")
def test_a_test_is_said_once_at_once_and_any_press_on_it_counts(room: Room) -> None:
    room.speaker.hear([], QUIET)
    assert room.speaker.hear_test(7) and not room.speaker.hear_test(7)
    [note] = room.screen.said
    assert [name for name, _label in note.actions] == ["works"]
    room.screen.activated.emit("test", LATER)
    assert room.pressed == []
    room.screen.activated.emit("test", DEFAULT)  # a click, where no button can be shown
    assert room.pressed == [("test", DEFAULT)] and room.opened == []
    room.speaker.became("test", "Notifications work")
    room.screen.activated.emit("test", DEFAULT)
    assert len(room.pressed) == 1 and room.screen.shown == {}
    assert room.speaker.hear_test(8), "asked for again, it is said again"


@pytest.mark.proves("D-05 press")
def test_a_press_that_did_nothing_says_why(room: Room) -> None:
    room.speaker.hear([item(1, Severity.ATTENTION, "retry")], Hours())
    room.screen.activated.emit("1", "retry")
    room.speaker.became("1", "This was not done", "Somebody was faster.")
    assert room.screen.shown["1"].body == "Somebody was faster."
    room.speaker.became("gone", "Nobody was told of it")
    assert set(room.screen.shown) == {"1"}


@pytest.mark.proves("F-09", "F-52")
def test_a_crash_is_mentioned_and_the_last_one_is_critical(room: Room) -> None:
    room.speaker.hear_health(Health.OK, None)
    room.speaker.hear_past(None, Crash(7, "OSError: \x1b[31mgone\n"))
    [note] = room.screen.said
    assert note.urgency == "low" and "OSError" in note.body and note.body.isprintable()
    room.speaker.hear_past(None, Crash(7, "OSError: gone"))
    room.speaker.hear_health(Health.DEAD, None)
    assert room.screen.said[-1].urgency == "critical"
    assert [name for name, _label in room.screen.said[-1].actions] == [DEFAULT, "log", "revive"]
    room.screen.activated.emit("health", "revive")
    assert room.pressed == [("health", "revive")]
    room.speaker.hear_health(Health.OK, None)
    assert "health" not in room.screen.shown


@pytest.mark.proves("N-01 told", "N-11 notices")
def test_a_sleep_is_told_in_one_line_and_not_to_who_wants_only_asks(room: Room) -> None:
    room.speaker.hear([], QUIET)
    room.speaker.hear_past(Slept("02:00", "08:10", 3, 1), None)
    assert room.screen.said == [], "it is quiet"
    room.speaker.hear_past(Slept("02:00", "08:10", 4, 2), None)
    room.speaker.hear([], Hours())
    [note] = room.screen.said
    assert note.body == "Asleep 02:00 to 08:10: 4 fires missed, 2 of them are made up for."
    room.speaker.hear([], Hours(only_needed=True))
    room.speaker.hear_past(Slept("12:00", "13:10", 1, 0), Crash(9, "gone"))
    assert len(room.screen.said) == 1


@pytest.mark.proves("C-92")
def test_what_it_tells_of_and_nothing_else(room: Room) -> None:
    """Items that want somebody, what a gap left behind, and the scheduler's own failure."""
    room.speaker.hear([item(1, Severity.INFO)], NO_HOURS)
    assert room.screen.said == []
    room.later(60, [item(2), item(1, Severity.INFO)])
    room.later(60, [item(1, Severity.INFO)])  # it is put off, or answered
    room.later(60, [item(2), item(1, Severity.INFO)])  # its time has come
    room.speaker.hear_past(Slept("02:00", "08:10", 3, 1), None)
    room.speaker.hear_health(Health.DEAD, None)
    assert room.titles() == [
        *("Ask 2", "Ask 2"),
        *("While the machine slept", "The scheduler has stopped"),
    ]
