"""The contract's HTTP page, where no other test walks it: filters, verbs, removing."""

from typing import Any

import pytest
from outside_house import House, Room, until
from outside_routines import fired, made
from outside_talk import comment, demo, item_of, script


def ids(house: House, path: str, **query: object) -> list[str]:
    return [str(one["id"]) for one in house.get(path, **query)["items"]]


@pytest.mark.slow
@pytest.mark.proves("K-58", "C-110")
def test_runs_are_found_by_routine_and_by_time(room: Room) -> None:
    house, agent = room.house, room.shell("echo done")
    task = room.task("Apart", agent)
    apart = room.ended(task)
    light = made(room, agent, name="Light")
    heavy = made(room, agent, name="Heavy", task_template={"title": "Made"})
    seen = {}
    for routine in (light, heavy):
        firing = fired(house, routine)
        query = {"workspace_id": room.id, "routine_id": routine["id"], "status": "finished"}
        seen[routine["id"]] = until(lambda query=query: ids(house, "/runs", **query))
        assert len(seen[routine["id"]]) == 1 and firing["routine_id"] == routine["id"]
    assert not {apart["id"], *seen[light["id"]]} & {*seen[heavy["id"]]}
    here = {"workspace_id": room.id}
    everything = ids(house, "/runs", **here)
    assert everything == sorted(everything, reverse=True) and len(everything) == 3
    middle = house.run(everything[1])["created_at"]
    assert ids(house, "/runs", **here, since=middle) == everything[:2]
    assert ids(house, "/runs", **here, until=middle) == everything[2:]
    assert ids(house, "/runs", **here, since=middle, until=middle) == []
    assert house.program("GET", "/runs?since=yesterday").status == 422


@pytest.mark.proves("C-110")
def test_tasks_are_found_by_their_words(room: Room) -> None:
    house = room.house
    login = room.task("Mend the LOGIN page", description="It says 100%_done! too early.")
    other = room.task("Übersicht", description="Größe der Tabelle")
    said = room.task("Third")
    comment(room, said, "The login of Grace is gone.")

    def found(words: str, **more: object) -> list[str]:
        return ids(house, "/tasks", workspace_id=room.id, q=words, **more)

    assert found("login") == [said["id"], login["id"]]
    assert found("page login") == [login["id"]] and found("page nowhere") == []
    assert found("übersicht") == found("GRÖSSE tabelle".replace("GRÖSSE", "größe")) == [other["id"]]
    assert found("100%_done!") == [login["id"]]
    assert found("%") == [login["id"]] and found("_done") == [login["id"]]
    assert found("login", limit=1) == [said["id"]] and len(found("")) == 3 == len(found("   "))


@pytest.mark.proves("C-110")
def test_the_feed_is_read_by_kind_and_a_list_of_workspaces_by_id(room: Room) -> None:
    house = room.house
    room.task("One")
    kinds = [("kind", "task.created"), ("kind", "workspace.added")]
    query = "&".join(f"{name}={value}" for name, value in kinds)
    items = house.program("GET", f"/events?workspace_id={room.id}&{query}").json["items"]
    assert [one["kind"] for one in items] == ["workspace.added", "task.created"]
    assert ids(house, "/workspaces", workspace_id=room.id) == [room.id]


@pytest.mark.slow
@pytest.mark.proves("C-110")
def test_what_belongs_to_one_thing_is_read_piece_by_piece(room: Room) -> None:
    house = room.house
    run = room.ended(room.task("Talk", room.shell("echo d > d.txt")))
    task = {"id": run["task_id"]}
    for number in range(3):
        comment(room, task, f"Number {number}")
    for path in (f"/tasks/{task['id']}/comments", f"/runs/{run['id']}/events"):
        whole = house.get(path)
        assert len(whole["items"]) >= 3 and whole["next_cursor"] is None
        name = "after" if path.endswith("events") else "cursor"
        seen: list[Any] = []
        more: dict[str, object] = {}
        while True:
            page = house.get(path, limit=2, **more)
            seen += page["items"]
            if page["next_cursor"] is None:
                break
            more = {name: page["next_cursor"]}
        assert seen == whole["items"]
    assert house.program("GET", f"/tasks/{task['id']}/comments?cursor=YWJj").status == 422
    diff = house.get(f"/runs/{run['id']}/diff")
    assert "+d" in diff["diff"] and diff["diff_complete"] and diff["head_commit"]


@pytest.mark.slow
@pytest.mark.proves("C-110")
def test_an_agent_is_tested_once_and_what_came_of_it_is_said(room: Room) -> None:
    house = room.house
    good = room.shell("cat > /dev/null; echo Ready when you are.", "good")
    absent = room.agent("no-such-program-anywhere", name="absent")
    ends = room.shell("echo Not today. >&2; kill -9 $$", "ends")
    assert house.get(f"/agents/{good}/test")["state"] == "never"
    before = len(ids(house, "/inbox", workspace_id=room.id))
    outcome = {}
    for agent in (good, absent, ends):
        asked = house.program("POST", f"/agents/{agent}/test", {}, Idempotency_Key=f"t-{agent}")
        assert asked.status == 202 and asked.json["follow"] == f"/api/v1/agents/{agent}/test"
        again = house.program("POST", f"/agents/{agent}/test", {}, Idempotency_Key=f"t-{agent}")
        assert again.json["wakeup"]["id"] == asked.json["wakeup"]["id"]
        path = asked.json["follow"].removeprefix("/api/v1")

        def over(path: str = path) -> Any:
            seen = house.get(path)
            return seen["state"] in ("passed", "failed") and seen

        outcome[agent] = until(over)
    assert outcome[good]["state"] == "passed" and "Ready when you are." in outcome[good]["sentence"]
    told = house.run(outcome[good]["run"]["id"])["assembled_prompt"]
    assert "tests whether you can be started" in told and "change nothing" in told
    for agent in (absent, ends):
        assert outcome[agent]["state"] == "failed" and len(outcome[agent]["sentence"]) > 40
        [wakeup] = house.get("/wakeups", agent_id=agent)["items"]
        assert (wakeup["reason"], wakeup["status"]) == ("agent_test", "finished")
        assert len(ids(house, "/runs", agent_id=agent)) == 1
    assert len(ids(house, "/inbox", workspace_id=room.id)) == before


@pytest.mark.slow
@pytest.mark.proves("C-110")
def test_a_paused_agents_test_says_that_it_is_paused(room: Room) -> None:
    house, agent = room.house, room.shell("echo x")
    house.post(f"/agents/{agent}/pause")
    house.post(f"/agents/{agent}/test")
    seen = until(lambda: (s := house.get(f"/agents/{agent}/test"))["state"] == "failed" and s)
    assert "paused" in seen["sentence"] and seen["run"] is None


@pytest.mark.slow
@pytest.mark.proves("C-110", "N-12")
def test_an_item_is_seen_and_closed_apart_from_its_answer(room: Room) -> None:
    house = room.house
    asks = room.task("Ask", demo(room), description=script("ask May I?"))
    item = item_of(room, asks)
    assert item["acked_at"] is None
    first = house.post(f"/inbox/{item['id']}/ack")
    assert first["acked_at"] and first["status"] == "open" and first["revision"] > item["revision"]
    again = house.post(f"/inbox/{item['id']}/ack")
    assert again["acked_at"] == first["acked_at"]
    late = house.program("POST", f"/inbox/{item['id']}/ack", {}, If_Match='"1"')
    assert late.status == 412
    refused = house.program("POST", f"/inbox/{item['id']}/resolve", {})
    assert (refused.status, refused.json["code"]) == (409, "inbox_needs_answer")
    assert "allow_once" in refused.json["detail"]
    house.post(f"/inbox/{item['id']}/act", {"action": "allow_once"})
    room.ended(asks)
    broken = room.task("Broken", room.agent("no-such-program", name="broken"))
    wrong = until(lambda: house.get("/inbox", workspace_id=room.id, kind="agent.error")["items"])
    closed = house.post(f"/inbox/{wrong[0]['id']}/resolve")
    assert closed["status"] == "resolved" and closed["resolution"] == {"by": "person"}
    assert house.program("POST", f"/inbox/{wrong[0]['id']}/ack", {}).status == 409
    assert house.get(f"/tasks/{broken['id']}")["status"] == "blocked"


@pytest.mark.proves("C-110", "K-09")
def test_a_task_is_restored_and_a_cancelled_one_is_made_anew(room: Room) -> None:
    house, agent = room.house, room.shell("echo never", max_concurrent_sessions=1)
    house.post(f"/agents/{agent}/pause")
    first = room.task("First", description="In full", project="web")
    second = room.task("Second", blocked_by=[first["id"]])
    gone = house.post(f"/tasks/{first['id']}/cancel", {"note": "No."})
    assert house.get(f"/tasks/{second['id']}")["status"] == "blocked"
    anew = house.post(f"/tasks/{first['id']}/restore", If_Match=f'"{gone["revision"]}"')
    assert anew["id"] != first["id"] and anew["status"] == "todo"
    assert (anew["title"], anew["description"], anew["project"]) == ("First", "In full", "web")
    waits = house.get(f"/tasks/{second['id']}")
    assert [one["id"] for one in waits["waiting_for"]] == [anew["id"]]
    assert waits["status"] == "todo" and house.get(f"/tasks/{first['id']}")["status"] == "cancelled"
    refused = house.program("POST", f"/tasks/{anew['id']}/restore", {})
    assert (refused.status, refused.json["code"]) == (409, "illegal_move")
    house.post(f"/tasks/{anew['id']}/move", {"status": "in_progress"})
    assert house.program("POST", f"/tasks/{anew['id']}/restore", {}).status == 409
    house.post(f"/tasks/{anew['id']}/move", {"status": "done"})
    back = house.post(f"/tasks/{anew['id']}/restore")
    assert (back["id"], back["status"]) == (anew["id"], "todo")


@pytest.mark.slow
@pytest.mark.proves("C-110", "W-26")
def test_a_workspace_without_history_is_removed_with_all_that_was_set_up(room: Room) -> None:
    house = room.house
    key = {"Idempotency_Key": f"add-{room.id}"}
    body = {"path": str(house.repository("to-go"))}
    gone = house.post("/workspaces", body, **key)
    other = Room(house, room.path, gone)
    agent = other.shell("echo x", env={"TOKEN_OF_MINE": "sesame-4711"})
    house.post(f"/agents/{agent}/pause")
    task = other.task("Set up", blocked_by=[other.task("Before")["id"]])
    comment(other, task, "Soon.")
    made(
        other, agent, name="Weekly", triggers=[{"kind": "schedule", "cron_expression": "0 9 * * 1"}]
    )
    house.program("PATCH", f"/workspaces/{gone['id']}/settings", {"default_model": "x"})
    secret = house.home / "secrets" / f"{agent}.json"
    assert secret.exists()
    path = f"/workspaces/{gone['id']}"
    assert house.program("DELETE", path, If_Match='"999"').status == 412
    assert house.program("DELETE", path).status == 204
    assert not secret.exists()
    for absent in (path, f"/agents/{agent}", f"/tasks/{task['id']}"):
        assert house.program("GET", absent).status == 404
    for table in ("agents", "tasks", "comments", "office_routines", "task_dependencies"):
        column = "workspace_id" if table in ("agents", "tasks", "office_routines") else "task_id"
        wanted = gone["id"] if column == "workspace_id" else task["id"]
        assert house.query(f"SELECT 1 FROM {table} WHERE {column} = '{wanted}'") == []
    assert house.query("PRAGMA foreign_key_check") == []
    told = house.program("GET", f"/events?workspace_id={gone['id']}&kind=workspace.removed").json
    assert told["items"][0]["data"]["path"] == body["path"]
    assert (other.path / "README.md").exists()
    anew = house.post("/workspaces", body, **key)
    assert anew["id"] != gone["id"]
    run = room.ended(room.task("Worked", room.shell("echo w")))
    kept = house.program("DELETE", f"/workspaces/{run['workspace_id']}")
    assert (kept.status, kept.json["code"]) == (409, "workspace_has_history")


@pytest.mark.proves("W-27")
def test_a_repository_that_is_gone_is_no_conflict(room: Room) -> None:
    room.path.rename(room.path.with_name("elsewhere"))
    asked = room.house.program("POST", "/tasks", {"workspace_id": room.id, "title": "x"})
    assert asked.status in (422, 503) and asked.json["code"] in ("git_failed", "unknown_branch")
    assert asked.status == 422 or int(asked["Retry-After"]) >= 1
