"""The feed backwards: filtered, piece by piece without a gap, and what its events name."""

from typing import Any

import pytest
from engine_stage import Stage

from roundtable_desktop.dashboard.figures import Figures
from roundtable_desktop.dashboard.happened import told
from roundtable_desktop.engine.desk.look_lists import LookLists
from roundtable_desktop.model.feed import Sought
from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.store import agents, feed


@pytest.fixture
def worked(stage: Stage) -> Stage:
    """One task that an agent did, and offered."""
    stage.offered(stage.assigned(title="Sow <peas>"), a="one\n")
    return stage


def lists(stage: Stage) -> LookLists:
    return LookLists(stage.ground.reader)


def every(stage: Stage, sought: Sought, limit: int = 3) -> list[int]:
    """All of it, piece by piece."""
    found: list[int] = []
    on: int | None = None
    for _ in range(200):
        piece = lists(stage).happened(on, limit, sought)
        found += [one.event.id for one in piece.found]
        on = piece.on
        if on is None:
            return found
    raise AssertionError("it has no beginning")


def known(stage: Stage) -> list[Any]:
    return list(stage.ground.events())


@pytest.mark.proves("E-03 activity")
@pytest.mark.parametrize("span", [2, 5, 50_000])
def test_it_goes_back_to_the_beginning_without_a_gap(
    worked: Stage, monkeypatch: pytest.MonkeyPatch, span: int
) -> None:
    """However little one look goes through."""
    monkeypatch.setattr(feed, "SPAN", span)
    ids = [one.id for one in known(worked)][::-1]
    assert every(worked, Sought()) == ids
    rare = Sought(kinds=[Kind.WORKSPACE_ADDED])
    wanted = [one.id for one in known(worked) if one.kind == Kind.WORKSPACE_ADDED]
    assert every(worked, rare) == wanted and len(wanted) == 1


@pytest.mark.proves("E-03 activity")
def test_each_filter_leaves_out_what_it_is_for(worked: Stage) -> None:
    events = known(worked)
    run = worked.run
    cases = {
        "actor_type": "person",
        "actor_id": events[0].actor_id,
        "workspace_id": run.workspace_id,
        "subject_type": "run",
        "subject_id": run.id,
    }
    for name, value in cases.items():
        wanted = [one.id for one in events if getattr(one, name) == value][::-1]
        assert every(worked, Sought(**{name: value})) == wanted and wanted, name
    nobody = Sought(workspace_id="0" * 26)
    assert every(worked, nobody) == []


@pytest.mark.proves("E-03 activity")
def test_what_came_since_is_told_apart(worked: Stage) -> None:
    last = known(worked)[-1].id
    assert lists(worked).news(last, 5, Sought()) == []
    run = worked.run
    with worked.ground.reader.snapshot() as view:
        agent = agents.get(view, run.agent_id)
    assert agent is not None
    worked.wake(agent)
    (one,) = [
        it for it in lists(worked).news(last, 5, Sought()) if it.event.kind == "wakeup.queued"
    ]
    assert one.agent is not None and one.wakeup is not None and one.event.id > last


@pytest.mark.proves("K-60 feed")
def test_it_is_told_in_sentences_with_links(worked: Stage) -> None:
    piece = lists(worked).happened(None, 200, Sought())
    said = {one.event.kind: str(told(one, Figures("UTC"))) for one in piece.found}
    run = worked.run
    assert said["task.created"].startswith("<strong>You</strong> made the task <a href=")
    assert "T-1 Sow &lt;peas&gt;</a>." in said["task.created"]
    assert f'<a href="/runs/{run.id}">Run {run.id[-8:]}</a> by Ada ended: done' in said["run.ended"]
    offered = worked.ground.rows("proposals")[0]["id"]
    assert f'<a href="/proposals/{offered}">' in said["proposal.created"]
    for kind, sentence in said.items():
        assert "…" not in sentence and sentence[-1] == ".", kind
