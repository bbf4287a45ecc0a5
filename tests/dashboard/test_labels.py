"""Codes as words, times and sizes for people, and text that others wrote as it may be shown."""

from datetime import UTC, datetime, timedelta

import pytest

from roundtable_desktop.cli import transcripts, workspaces
from roundtable_desktop.cli.output import cell
from roundtable_desktop.dashboard import labels
from roundtable_desktop.dashboard.figures import Figures, aged, known, lasted, span, spelled
from roundtable_desktop.dashboard.inert import inert
from roundtable_desktop.dashboard.pages import agents, task_forms
from roundtable_desktop.dashboard.pages.frame import legible
from roundtable_desktop.model import states
from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.phrases.transcripts import size

AT = datetime(2026, 7, 5, 22, 30, 15, tzinfo=UTC)

SHOWN = (
    states.TaskStatus,
    states.RunStatus,
    states.RunOutcome,
    states.ProposalStatus,
    states.DeliveryStatus,
    states.InboxStatus,
    states.InboxKind,
    states.DeliveryMode,
    states.ErrorKind,
    states.WakeupStatus,
    states.AgentStatus,
    states.Role,
    states.Adapter,
    states.PermissionPolicy,
)

OF_FIRINGS = {"routine.fired", "routine.firing.ended"}
"""Each firing has a line of its own in the routine's history."""


@pytest.mark.parametrize("codes", SHOWN, ids=lambda codes: codes.__name__)
def test_every_code_that_a_page_shows_has_a_word(codes: type[states.StrEnum]) -> None:
    assert not [code for code in codes if code not in labels.LABELS]


def test_every_kind_of_event_of_a_task_or_run_has_a_word() -> None:
    shown = ("task.", "run.", "agent.", "session.", "routine.")
    kinds = {str(kind) for kind in Kind if kind.startswith(shown)} - OF_FIRINGS
    assert kinds | {Kind.RECOVERY_DISPATCH} == labels.EVENTS.keys()


def test_what_wakes_an_agent_and_what_came_of_it_have_words() -> None:
    for code in (*states.Source, *states.WakeupOutcome):
        assert labels.cause_label(code) != code
    assert labels.cause_label("new_reason") == labels.field_label("new_reason") == "new_reason"


def test_every_field_of_our_forms_has_the_name_of_its_label() -> None:
    for fields in (task_forms.Rewritten, agents.Written):
        own = fields.model_fields.keys() - {"seen", "requires_approval"}
        assert own - {"role", "permission_policy", "skip_idle_wakeups"} <= labels.FIELDS.keys()


def test_a_code_without_a_word_is_shown_as_it_is() -> None:
    assert labels.label("new_code") == "new_code" and labels.tone("new_code") == "quiet"
    assert labels.event_label("new.kind") == "new.kind" and labels.gate_label("moon") == "moon"


def test_a_moment_is_shown_in_the_zone_of_who_looks() -> None:
    shown = Figures("Asia/Tokyo").moment(AT)
    assert 'datetime="2026-07-05T22:30:15.000000Z"' in shown
    assert 'title="2026-07-06 07:30:15 Asia/Tokyo"' in shown and ">6 Jul 07:30<" in shown
    assert ">6 Jul 07:30:15<" in Figures("Asia/Tokyo").moment(AT, seconds=True)
    assert Figures("UTC").moment("2026-07-05T22:30:15Z") == Figures("UTC").moment(AT)
    assert Figures("Asia/Tokyo").clock(int(AT.timestamp() * 1e6)) == "07:30:15"
    assert Figures("UTC").clock(None) == ""


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (-1, "0.0 s"),
        (0.34, "0.3 s"),
        (12.4, "12 s"),
        (59.7, "1 min 0 s"),
        (3725, "1 h 2 min"),
        (180_000, "2 d 2 h"),
    ],
)
def test_a_span_is_said_in_few_words(seconds: float, shown: str) -> None:
    assert lasted(timedelta(seconds=seconds)) == shown
    assert span(None, AT) == ""


def test_an_age_is_told_at_a_glance() -> None:
    told = {-5: "just now", 59: "just now", 119: "for 1 min", 3660: "for 1 h 1 min"}
    assert {seconds: aged(timedelta(seconds=seconds)) for seconds in told} == told


def test_a_length_that_was_set_is_told_in_full() -> None:
    told = {0: "0 s", 45: "45 s", 90: "1 min 30 s", 600: "10 min", 14_400: "4 h", 3601: "1 h 1 s"}
    assert {seconds: spelled(seconds) for seconds in told} == told


@pytest.mark.proves("N-18 tree")
def test_what_was_not_measured_is_unknown_and_never_zero() -> None:
    assert size(None) == known(None) == "unknown"
    assert (size(0), known(0)) == ("0 B", 0)
    assert workspaces.size is transcripts.size is size, "the same on pages and at the prompt"
    assert [size(n) for n in (1023, 2048, 5 << 20, 3 << 30)] == ["1023 B", "2 KB", "5 MB", "3.0 GB"]


@pytest.mark.proves("S-35")
def test_active_characters_become_marks_and_the_rest_stays() -> None:
    active = [*range(9), *range(11, 32), *range(0x7F, 0xA0), 0x61C, 0x200B, 0x200E, 0x200F]
    active += [*range(0x2028, 0x202F), *range(0x2060, 0x206A), 0xFEFF]
    for code in active:
        shown = inert(f"a{chr(code)}b")
        assert isinstance(shown, str) and chr(code) not in shown and shown.isprintable(), hex(code)
    for text in ("a\tb\n", "çé 日本 👩\u200d💻 עברית", "", "<b>"):
        assert inert(text) == text
    assert inert("\x1b[31m") == "⟨ESC⟩[31m" and inert(None) is None and inert(7) == 7


def test_the_causes_of_a_run_have_instants_that_people_can_read() -> None:
    kept = {"wakes": [{"at": 1795975683044265, "source": "user"}]}
    told = {"wakes": [{"at": "29 Nov 18:08", "source": "user"}]}
    assert legible(kept, Figures("UTC")) == told


@pytest.mark.proves("N-12 words")
def test_an_instant_in_a_table_is_told_to_the_second_and_other_text_stays() -> None:
    told = cell("2026-07-05T22:30:15.123456Z")
    assert datetime.fromisoformat(told) == AT and "." not in told
    assert cell("2026-07-05T22:30:15Z by me") == "2026-07-05T22:30:15Z by me"
