"""One definition for each count: API, pages, tray and a count by hand agree in whatever state."""

import json
import re
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from engine_stage import Stage
from ground import JOAN
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from roundtable_desktop.dashboard.api import status
from roundtable_desktop.dashboard.app import Parts, flask_app
from roundtable_desktop.dashboard.pages import all_of_them
from roundtable_desktop.dashboard.routes import Api
from roundtable_desktop.dashboard.signin import Caller
from roundtable_desktop.engine.desk.look import Look
from roundtable_desktop.model.glance import Outstanding
from roundtable_desktop.model.states import Health
from roundtable_desktop.store import counts
from roundtable_desktop.store.db import Tx
from roundtable_desktop.tray.shown import Seen, shown

PROPOSALS = ("pending", "in_review", "approved", "delivered", "rejected")
ITEMS = ("open", "snoozed", "resolved")
STATE = st.fixed_dictionaries(
    {
        "tasks": st.lists(st.sampled_from(["todo", "blocked", "done", "in_review"]), max_size=4),
        # Of a task: its proposal, the last try at delivering it, an item that asks about it.
        "proposals": st.lists(
            st.tuples(
                st.sampled_from(PROPOSALS),
                st.sampled_from([None, "intended", "held", "delivered"]),
                st.sampled_from([None, *ITEMS]),
            ),
            max_size=5,
        ),
        "items": st.lists(st.sampled_from(ITEMS), max_size=4),
    }
)


class Home:
    """One workspace whose rows are laid out anew for each state, and every face on it."""

    def __init__(self, stage: Stage) -> None:
        self.stage, self.ids = stage, stage.ids
        self.workspace = stage.workspace()
        self.agent = stage.agent(self.workspace)
        stage.task(self.workspace, self.agent)
        self.run = stage.launch()
        with stage.ground.reader.snapshot() as view:
            self.columns = [row["name"] for row in view.sql("PRAGMA table_info(runs)")]
        nobody: Any = None
        self.look = Look(
            stage.ground.reader,
            stage.ground.clock,
            stage.git,
            nobody,
            nobody,
            nobody,
            stage.folders.copies,
            lambda _process: False,
            dict,
        )
        self.client = self._faces().test_client()

    def _faces(self) -> Any:
        nobody: Any = None
        health = lambda: Health.OK  # noqa: E731
        api = Api("Roundtable Desktop", "1")
        status.declare(api, self.look, health, "1")
        caller = Caller(JOAN, "cookie", "secret")
        signin: Any = SimpleNamespace(identify=lambda: caller, check_csrf=lambda _: None)
        return flask_app(
            Parts(
                doors=nobody,
                ids=nobody,
                signin=signin,
                health=lambda: "ok",
                api=api,
                pages=all_of_them(self.stage.desk, self.look, health, "UTC", nobody, nobody),
            )
        )

    def lay(self, state: Any) -> None:
        with self.stage.store.transaction() as tx:
            for table in ("deliveries", "proposals", "inbox_items"):
                tx.write_sql(f"DELETE FROM {table}", ())
            tx.write_sql("DELETE FROM runs WHERE id <> ?", (self.run.id,))
            tx.write_sql("DELETE FROM tasks WHERE id <> ?", (self.run.task_id,))
            for status_of in state["tasks"]:
                self._task(tx, status_of)
            for one in state["proposals"]:
                self._proposal(tx, *one)
            for status_of in state["items"]:
                self._item(tx, status_of, "{}")

    def _task(self, tx: Tx, status_of: str) -> str:
        made, number = self.ids.new(), int(self.ids.new())
        tx.write_sql(
            "INSERT INTO tasks (id, workspace_id, number, title, status, base_branch, delivery,"
            " created_at, updated_at) VALUES (?, ?, ?, 'It', ?, 'main', 'approval', 0, 0)",
            (made, self.workspace.id, number, status_of),
        )
        return made

    def _run_of(self, tx: Tx, task: str) -> str:
        """One that is over, else like the live one."""
        made = self.ids.new()
        new = {"id": made, "task_id": task, "idempotency_key": made, "status": "finished"}
        new |= {"mcp_token_hash": None}
        taken = ", ".join("?" if name in new else name for name in self.columns)
        text = f"INSERT INTO runs ({', '.join(self.columns)}) SELECT {taken} FROM runs WHERE id = ?"
        given = [new[name] for name in self.columns if name in new]
        tx.write_sql(text, (*given, self.run.id))
        return made

    def _proposal(self, tx: Tx, status_of: str, last: str | None, item: str | None) -> None:
        made, task = self.ids.new(), self._task(tx, "in_review")
        tx.write_sql(
            "INSERT INTO proposals (id, workspace_id, task_id, run_id, base_commit, head_commit,"
            " status, created_at, updated_at) VALUES (?, ?, ?, ?, 'a', 'b', ?, 0, 0)",
            (made, self.workspace.id, task, self._run_of(tx, task), status_of),
        )
        if last is not None:
            tx.write_sql(
                "INSERT INTO deliveries (id, workspace_id, proposal_id, branch, into_checkout,"
                " status, created_at) VALUES (?, ?, ?, 'main', 0, ?, 0)",
                (self.ids.new(), self.workspace.id, made, last),
            )
        if item is not None:
            self._item(tx, item, json.dumps({"proposal_id": made, "why": {}}))

    def _item(self, tx: Tx, status_of: str, data: str) -> None:
        made = self.ids.new()
        tx.write_sql(
            "INSERT INTO inbox_items (id, workspace_id, kind, severity, key, subject_type,"
            " subject_id, status, data, created_at, updated_at)"
            " VALUES (?, ?, 'blocked', 'info', ?, 'run', ?, ?, ?, 0, 0)",
            (made, self.workspace.id, made, self.run.id, status_of, data),
        )


def by_hand(state: Any) -> dict[str, int]:
    """Counted from what was laid out, in other words than the product's."""
    waits = [
        (item in ("open", "snoozed"))
        for status_of, last, item in state["proposals"]
        if status_of in ("pending", "in_review") or (status_of == "approved" and last != "intended")
    ]
    asked = [item for _status, _last, item in state["proposals"] if item == "open"]
    items = len(asked) + state["items"].count("open")
    return {
        "items": items,
        "proposals": len(waits),
        "needs_you": items + waits.count(False),
        "blocked": state["tasks"].count("blocked"),
    }


def figures(page: str) -> Iterator[int]:
    """Of the cards on the overview: what needs you, what runs, proposals."""
    return (int(found) for found in re.findall(r'<span class="figure">(\d+)</span>', page))


def faces_agree(home: Home, state: Any) -> None:
    home.lay(state)
    wanted = by_hand(state)
    told = home.client.get("/api/v1/status").json
    assert {name: told[name] for name in wanted} == wanted
    page = home.client.get("/").get_data(as_text=True)
    needs_you, running, proposals = figures(page)
    assert (needs_you, running, proposals) == (wanted["needs_you"], 1, wanted["proposals"])
    badge = re.search(r'<span class="badge">(\d+)<', page)
    assert int(badge[1] if badge else 0) == wanted["needs_you"]
    tray = shown(Seen(glance=home.look.glance(Health.OK), waiting=()))
    number = re.search(r"\d+", tray.needs_you)
    assert int(number[0] if number else 0) == wanted["needs_you"]
    listed = home.look.inbox(None, 200, status="open")
    assert len(listed) == wanted["items"], "as many as the inbox shows"


@pytest.mark.slow
@pytest.mark.proves("W-21")
def test_every_face_counts_alike(stage: Stage) -> None:
    home = Home(stage)

    @settings(
        max_examples=15,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(STATE)
    def agree(state: Any) -> None:
        faces_agree(home, state)

    agree()


@pytest.mark.proves("W-21")
def test_a_proposal_and_the_item_that_asks_about_it_are_one_thing(stage: Stage) -> None:
    home = Home(stage)
    for item, needs_you in ((None, 1), ("open", 1), ("snoozed", 0), ("resolved", 1)):
        home.lay({"tasks": [], "proposals": [("approved", "held", item)], "items": []})
        counts = home.look.counts()
        assert (counts.needs_you, counts.proposals) == (needs_you, 1), item


@pytest.mark.proves("C-76")
def test_what_a_workspace_waits_for_is_counted_in_one_read(stage: Stage) -> None:
    home = Home(stage)
    states = ("pending", "in_review", "revision_requested", "approved", "delivered", "rejected")
    offered = [(one, None, None) for one in states]
    home.lay({"tasks": ["blocked", "blocked", "todo"], "proposals": offered, "items": []})
    with stage.store.transaction() as tx:
        for number, state in enumerate(("requested", "approved", "withdrawn")):
            tx.write_sql(
                "INSERT INTO approvals (id, workspace_id, task_id, status, created_at, updated_at)"
                " VALUES (?, ?, ?, ?, 0, 0)",
                (f"a{number}", home.workspace.id, home.run.task_id, state),
            )
    look = home.look.lists
    assert look.counts_of(home.workspace) == Outstanding(
        active_deliberations=0, open_proposals=3, pending_approvals=1, blockers=3
    )
    with stage.store.transaction() as tx:  # the rejected one is answered by a newer one
        rejected = tx.sql("SELECT task_id FROM proposals WHERE status = 'rejected'")[0]["task_id"]
        tx.write_sql("UPDATE proposals SET task_id = ? WHERE status = 'delivered'", (rejected,))
        tx.write_sql("UPDATE proposals SET id = 'z' || id WHERE status = 'delivered'", ())
    assert look.counts_of(home.workspace).blockers == 2
    stage.ground.workspace()
    with stage.ground.reader.snapshot() as view:
        plan = view.sql(f"EXPLAIN QUERY PLAN {counts._OF_WORKSPACE}", {"workspace_id": "w"})
    assert not [row["detail"] for row in plan if row["detail"].startswith("SCAN p")]
