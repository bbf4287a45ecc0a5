"""A page that renews itself says what is so now: what was kept before changes nothing of it."""

from types import SimpleNamespace
from typing import Any

import pytest
from engine_stage import Stage
from flask.testing import FlaskClient
from ground import JOAN

from roundtable_desktop.dashboard.app import Parts, flask_app
from roundtable_desktop.dashboard.pages import all_of_them
from roundtable_desktop.dashboard.routes import Api
from roundtable_desktop.dashboard.signin import Caller
from roundtable_desktop.dashboard.templates import Kept
from roundtable_desktop.engine.desk.look import Look
from roundtable_desktop.model.records import Agent, Run, Task, Workspace
from roundtable_desktop.model.states import Health, TaskStatus
from roundtable_desktop.store import tasks, view
from roundtable_desktop.store.tables import Agents, Runs, Tasks, Workspaces

ROWS: Any = ((Runs, Run), (Tasks, Task), (Agents, Agent), (Workspaces, Workspace))
PATHS = ("/runs", "/", "/agents", "/wakeups", "/activity", "/board")


def client(stage: Stage) -> FlaskClient:
    nobody: Any = None
    alone = lambda _process: False  # noqa: E731
    at, made = stage.ground, stage.folders
    look = Look(at.reader, at.clock, stage.git, nobody, nobody, nobody, made.copies, alone, dict)
    health = lambda: Health.OK  # noqa: E731
    caller = Caller(JOAN, "cookie", "secret")
    signin: Any = SimpleNamespace(identify=lambda: caller, check_csrf=lambda _: None)
    pages = all_of_them(stage.desk, look, health, "UTC", nobody, nobody)
    api = Api("Roundtable Desktop", "1")
    parts = Parts(
        doors=nobody, ids=nobody, signin=signin, health=lambda: "ok", api=api, pages=pages
    )
    return flask_app(parts).test_client()


def said(pages: FlaskClient) -> dict[str, str]:
    answers = {path: pages.get(path) for path in PATHS}
    assert {one.status_code for one in answers.values()} == {200}
    return {path: one.get_data(as_text=True) for path, one in answers.items()}


def rows(stage: Stage, *, keeps: bool) -> list[Any]:
    with stage.ground.reader.snapshot() as now:
        now.keeps = keeps
        texts = (
            (record, table, f"SELECT * FROM {table._meta.table_name}") for table, record in ROWS
        )
        return [now.records(*one) for one in texts]


class Renewed:
    """The same pages three times: twice with whatever was kept, and by another application that
    has kept nothing, from rows that are all read anew."""

    def __init__(self, stage: Stage) -> None:
        self.stage, self.pages, self.anew = stage, client(stage), client(stage)
        self.before: dict[str, str] = {}

    def differ(self) -> None:
        """They say what is so; and something of it is another thing than the time before."""
        now = said(self.pages)
        assert said(self.pages) == now
        assert rows(self.stage, keeps=True) == rows(self.stage, keeps=False)
        view._kept.cache_clear()
        environment: Any = self.anew.application.jinja_env
        environment.extensions[Kept.identifier]._parts.clear()
        assert said(self.anew) == now
        assert now != self.before
        self.before = now


@pytest.mark.slow
@pytest.mark.proves("W-20", "G13")
def test_after_each_change_a_warm_page_is_the_one_that_is_made_anew(stage: Stage) -> None:
    workspace = stage.workspace()
    agent = stage.agent(workspace)
    renewed = Renewed(stage)
    renewed.differ()
    task = stage.task(workspace, agent, title="Tea")
    renewed.differ()
    run = stage.launch()
    renewed.differ()
    stage.clock.forward(seconds=75)  # a run that is at work gets older, and no row tells it
    renewed.differ()
    with stage.store.transaction() as tx:
        tasks.change(tx, task, JOAN, title="Coffee <b>")
    renewed.differ()
    assert "Coffee &lt;b&gt;" in renewed.before["/runs"] and "Tea" not in renewed.before["/runs"]
    with stage.store.transaction() as tx:
        tx.write_sql("UPDATE agents SET name = 'Grace' WHERE id = ?", (agent.id,))
    renewed.differ()
    assert "Grace" in renewed.before["/runs"]
    with stage.store.transaction() as tx:
        tx.write_sql("UPDATE runs SET waiting_since = ? WHERE id = ?", (1, run.id))
    renewed.differ()
    assert "Waits for you" in renewed.before["/runs"]
    stage.finish(run)
    renewed.differ()
    now = stage.ground.get_task(task.id)
    with stage.store.transaction() as tx:
        tasks.move(tx, now, TaskStatus.CANCELLED, actor=JOAN)
    renewed.differ()
    with stage.store.transaction() as tx:  # back to what a row said once before
        tx.write_sql("UPDATE agents SET name = ? WHERE id = ?", (agent.name, agent.id))
    renewed.differ()
    assert "Grace" not in renewed.before["/runs"]


def test_a_row_with_much_text_is_not_kept(stage: Stage) -> None:
    workspace = stage.workspace()
    short = stage.task(workspace, description="x" * 100)
    long = stage.task(workspace, description="x" * view.LARGE)
    found = [{one.id: one for one in rows(stage, keeps=True)[1]} for _time in range(2)]
    assert found[0] == found[1]
    assert found[0][short.id] is found[1][short.id]
    assert found[0][long.id] is not found[1][long.id]


def test_who_writes_reads_every_row_anew(stage: Stage) -> None:
    made = stage.task(stage.workspace())
    with stage.store.transaction() as tx:
        assert tasks.get(tx, made.id) is not tasks.get(tx, made.id)
