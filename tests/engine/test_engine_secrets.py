"""An agent's variables and its row change together, whenever the owner is killed."""

from contextlib import suppress

import pytest
from engine_stage import Stage

from roundtable_desktop.adapters import home as homes
from roundtable_desktop.engine.desk import Asked, agents, kept_secrets
from roundtable_desktop.model.errors import Conflict
from roundtable_desktop.model.records import SYSTEM, Agent
from roundtable_desktop.store import agents as stored_agents

ASKED = Asked(SYSTEM)


class Killed(BaseException):
    """Nothing of the product handles it; what it would still have written is not written."""


@pytest.fixture
def agent(stage: Stage) -> Agent:
    return stage.agent(stage.workspace(), env={"A": "1", "B": "2"})


def start_anew(stage: Stage) -> None:
    stage.desk.secrets = stage.folders.secrets()
    kept_secrets.settle(stage.desk)


def killed_at(stage: Stage, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    """No further step of the secrets is taken: the process is gone."""

    def gone(*_: object) -> None:
        raise Killed

    for name in ("_adopt", "_drop"):
        monkeypatch.setattr(stage.desk.secrets, name, gone)
    if step == "before the commit":
        monkeypatch.setattr(agents, "_check_variables", gone)


@pytest.mark.proves("D-08 edit")
@pytest.mark.parametrize("step", ["before the commit", "after the commit"])
def test_values_and_their_names_change_together(
    stage: Stage, agent: Agent, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    with monkeypatch.context() as patched, suppress(Killed):
        killed_at(stage, patched, step)
        agents.edit(stage.desk, ASKED, agent.id, env={"A": "other", "B": None})
    start_anew(stage)
    old, new = {"A": "1", "B": "2"}, {"A": "other"}
    holds = old if step == "before the commit" else new
    assert stage.desk.secrets.get(agent.id) == holds
    with stage.ground.reader.snapshot() as view:
        kept = stored_agents.get(view, agent.id)
    assert kept is not None and list(kept.env_names) == sorted(holds)
    folder = stage.folders.root / "secrets"
    assert [path.name for path in folder.iterdir()] == [f"{agent.id}.json"]
    assert stage.folders.secrets().values() == frozenset(holds.values())


@pytest.mark.proves("D-08 edit")
def test_a_refused_change_leaves_the_values(stage: Stage, agent: Agent) -> None:
    late = Asked(SYSTEM, revision=agent.revision)
    agents.edit(stage.desk, late, agent.id, name="Nora")
    with pytest.raises(Conflict):
        agents.edit(stage.desk, late, agent.id, env={"A": "other"})
    assert stage.desk.secrets.get(agent.id) == {"A": "1", "B": "2"}


@pytest.mark.proves("D-08 edit")
def test_an_agent_that_was_never_committed_leaves_no_values(stage: Stage) -> None:
    workspace = stage.workspace()
    folder = stage.folders.root / "secrets"
    homes.write_private(folder / f"{stage.ids.new()}.1.next", '{"A": "secret"}')
    start_anew(stage)
    assert list(folder.iterdir()) == []
    assert stage.agent(workspace, env={"A": "1"}).env_names == ("A",)
