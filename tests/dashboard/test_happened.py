"""Every event as a sentence: none without one, none with a name that nobody fills in."""

from dataclasses import replace
from datetime import UTC, datetime
from string import Formatter
from typing import Any, get_args

import pytest
from hostile_text import PAYLOADS

from roundtable_desktop.dashboard import happened
from roundtable_desktop.dashboard.figures import Figures
from roundtable_desktop.dashboard.pages.activity import Group
from roundtable_desktop.engine.desk.look_activity import Happened
from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.model.proposals import Proposal
from roundtable_desktop.model.records import Event
from roundtable_desktop.model.states import ProposalStatus
from roundtable_desktop.phrases.happened import GROUP_NAMES, GROUPS, HAPPENED

FIGURES = Figures("UTC")


def event(kind: str, **data: object) -> Happened:
    told = Event(
        id=7,
        at=datetime(2026, 3, 1, 12, 0, tzinfo=UTC),
        kind=kind,
        actor_type="person",
        actor_id="owner",
        workspace_id=None,
        subject_type="task",
        subject_id="t",
        data=data,
    )
    nothing: dict[str, Any] = dict.fromkeys(Happened.__dataclass_fields__)
    return Happened(**{**nothing, "event": told})


@pytest.mark.proves("K-60 feed")
def test_every_kind_of_event_has_one_sentence_in_one_group() -> None:
    told = [kind for group in GROUPS.values() for kind in group]
    assert sorted(told) == sorted(map(str, Kind))
    assert set(GROUPS) == set(GROUP_NAMES) == set(get_args(Group))


@pytest.mark.proves("K-60 feed")
@pytest.mark.parametrize("kind", HAPPENED)
def test_its_sentence_is_whole_whatever_is_gone_by_now(kind: str) -> None:
    names = {name for _text, name, _spec, _how in Formatter().parse(HAPPENED[kind]) if name}
    assert names <= {name for name, _ in happened._values(event(kind), FIGURES)}
    told = str(happened.told(event(kind), FIGURES))
    plain = told.replace("<strong>", "").replace("</strong>", "")
    assert plain[0].isupper() or HAPPENED[kind][0] == "{", told
    assert plain[-1] == "." and "{" not in plain


def test_a_kind_of_tomorrow_is_told_by_its_name() -> None:
    assert str(happened.told(event("moon.<rose>"), FIGURES)) == "moon.&lt;rose&gt;"


@pytest.mark.proves("S-33")
@pytest.mark.parametrize("text", PAYLOADS)
def test_what_it_names_is_text_and_nothing_else(text: str) -> None:
    one = event("delivery.intended", branch=text)
    told = str(happened.told(one, FIGURES))
    assert "<" not in told.replace("<strong>You</strong>", ""), told
    changed = str(happened.told(event("settings.changed", **{text: 1}), FIGURES))
    assert "<" not in changed.replace("<strong>You</strong>", ""), changed


@pytest.mark.proves("K-60 feed")
def test_it_says_who_did_what() -> None:
    one = event("control.changed", intake="paused")
    assert str(happened.told(one, FIGURES)) == "<strong>You</strong> set new work to: Paused."
    system = replace(one, event=replace(one.event, actor_type="system"))
    assert "Roundtable" in str(happened.told(system, FIGURES))
    changed = event("settings.changed", backup_hours=3)
    assert "backup hours" in str(happened.told(changed, FIGURES))
    stale = event("wakeup_stale_cancelled", reason="assignee_changed")
    assert "another agent has the task" in str(happened.told(stale, FIGURES))


@pytest.mark.proves("K-60 feed")
def test_what_no_run_made_is_proposed_by_a_mission_and_not_by_nobody() -> None:
    moment = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
    offered = Proposal(
        id="p" * 26,
        workspace_id="w",
        task_id="t",
        run_id=None,
        base_commit="a" * 40,
        head_commit="b" * 40,
        status=ProposalStatus.PENDING,
        files=(),
        held=None,
        created_at=moment,
        updated_at=moment,
        revision=1,
    )
    said = happened.told(replace(event("proposal.created"), proposal=offered), FIGURES)
    assert said.startswith("A mission proposes changes: ")
