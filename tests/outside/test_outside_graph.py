"""A pipeline of tasks, the board, and approvals, as a person and an agent drive them."""

from pathlib import Path
from typing import Any

import pytest
from outside_house import Browser, House, Room, until
from outside_pages import got, send
from outside_talk import Stalls, demo, script, status, wakeups


@pytest.fixture
def stalls(room: Room, tmp_path: Path) -> Stalls:
    return Stalls(room, tmp_path / "stalls")


@pytest.fixture
def browser(shared: House) -> Browser:
    return Browser(shared)


def moved(room: Room, task: Any, to: str, **more: object) -> Any:
    return room.house.post(f"/tasks/{task['id']}/move", {"status": to, **more})


def finished(room: Room, task: Any) -> None:
    """By a person's hand."""
    moved(room, task, "in_progress")
    moved(room, task, "done")


def approval_of(room: Room, task: Any) -> Any:
    def look() -> Any:
        asked = {"task_id": task["id"], "status": "requested"}
        return (room.house.get("/approvals", **asked)["items"] or [None])[0]

    return until(look)


# --- the pipeline --------------------------------------------------------------------------------


def waits(house: House, repo: Path, number: int, word: str) -> None:
    until(
        lambda: house.cli("task", "show", f"T-{number}", "--json", at=repo).json["status"] == word
    )


@pytest.mark.slow
@pytest.mark.proves("K-54 approval", "K-53", "K-06", "K-74", "C-97", "A-03 hard")
def test_spec_build_review_ship_with_a_person_only_at_the_gates(running: House) -> None:
    house, repo = running, running.repository()
    assert house.cli("init", "--base", "main", at=repo).code == 0
    house.git("checkout", "-q", "-b", "mine", at=repo)
    agent = ("agent", "add", "--adapter", "demo", "--name", "demo", "--cooldown", "0")
    assert house.cli(*agent, at=repo).code == 0

    def add(title: str, description: str, *more: str) -> str:
        done = house.cli("task", "add", title, "--description", description, *more, at=repo)
        assert done.code == 0, done.said
        return done.out

    add("Spec", script("say It does one thing"), "--requires-approval")
    told = add("Build", script("write build.txt made"), "--after", "T-1", "--delivery", "auto")
    assert "It waits for T-1." in told
    add("Review", script("say Looked at build.txt"), "--after", "T-2")
    ship = ("--after", "T-3", "--after", "T-2", "--requires-approval")
    add("Ship", script("say Shipped"), *ship)

    waits(house, repo, 1, "in_review")
    shown = house.cli("task", "list", at=repo).out
    assert "T-3, T-2" in shown or "T-2, T-3" in shown
    assert "It waits for T-1 to be done." in house.cli("task", "show", "T-2", at=repo).out
    listed = house.cli("approval", "list", at=repo).out
    assert "T-1" in listed and "Spec" in listed and "T-4" not in listed
    (asked,) = house.cli("approval", "list", "--json", at=repo).json
    said = house.cli("approval", "approve", asked["id"][-8:], "--note", "Build it", at=repo)
    assert (said.code, said.out) == (0, "Approved. T-1 is done.\n")

    waits(house, repo, 4, "in_review")
    assert [one["status"] for one in house.cli("task", "list", "--json", at=repo).json] == [
        "in_review",
        "done",
        "done",
        "done",
    ]
    review = house.cli("runs", "list", "--json", at=repo).json
    assert len(review) == 4, "each ran once"
    (asked,) = house.cli("approval", "list", "--json", at=repo).json
    assert house.cli("approval", "reject", asked["id"], "--note", "Not today", at=repo).code == 0
    until(lambda: len(house.cli("runs", "list", "--json", at=repo).json) == 5)
    waits(house, repo, 4, "in_review")
    (asked,) = house.cli("approval", "list", "--json", at=repo).json
    assert house.cli("approval", "approve", asked["id"], at=repo).code == 0
    waits(house, repo, 4, "done")
    assert house.git("show", "main:build.txt", at=repo).strip() == "made"


# --- the API -------------------------------------------------------------------------------------


@pytest.mark.proves("K-74", "C-64", "C-65", "A-03 hard", "C-25")
def test_both_spellings_of_edges_are_taken_and_one_is_shown(room: Room) -> None:
    first, second = room.task("First"), room.task("Second")
    edges = [{"task_id": first["id"], "type": "hard", "reason": "It needs it"}]
    third = room.task("Third", depends_on=edges, blocked_by=[second["id"]])
    assert third["depends_on"] == [
        {
            "depends_on_task_id": first["id"],
            "dependency_type": "hard",
            "reason": "It needs it",
            "source": "user",
        },
        {
            "depends_on_task_id": second["id"],
            "dependency_type": "hard",
            "reason": "",
            "source": "user",
        },
    ]
    assert [one["number"] for one in third["waiting_for"]] == [1, 2]
    assert third["status"] == "todo", "waiting is not blocked"
    path = f"/tasks/{third['id']}"
    same = room.house.program("PATCH", path, {"depends_on": third["depends_on"]})
    assert same.json["depends_on"] == third["depends_on"]
    less = room.house.program("PATCH", path, {"blocked_by": [first["id"]]}).json
    assert [one["number"] for one in less["waiting_for"]] == [1]
    listed = room.house.get("/tasks", workspace_id=room.id)["items"]
    assert [[b["number"] for b in one["waiting_for"]] for one in listed] == [[1], [], []]


@pytest.mark.proves("B-106", "A-03 hard")
def test_a_circle_is_refused_with_the_path_and_the_place(room: Room) -> None:
    first = room.task("First")
    second = room.task("Second", blocked_by=[first["id"]])
    body = {"blocked_by": [second["id"]]}
    answer = room.house.program("PATCH", f"/tasks/{first['id']}", body)
    assert answer.status == 422 and answer.json["code"] == "dependency_circle"
    assert "T-1 → T-2 → T-1" in answer.json["detail"]
    assert answer.json["errors"][0]["pointer"] == "/blocked_by/0"
    for kind in ("soft", "conflict", "serialization"):
        edges = [{"depends_on_task_id": first["id"], "dependency_type": kind}]
        words = {"workspace_id": room.id, "title": "No", "depends_on": edges}
        answer = room.house.program("POST", "/tasks", words)
        assert (answer.status, answer.json["code"]) == (422, "dependency_type_unused")
    gates = {"workspace_id": room.id, "title": "No", "gates": [{"kind": "review"}]}
    assert room.house.program("POST", "/tasks", gates).status == 422


@pytest.mark.proves("K-09", "W-26")
def test_a_move_is_the_machines_and_takes_other_spellings(room: Room) -> None:
    task = room.task("Moves")
    assert moved(room, task, "IN_PROGRESS")["status"] == "in_progress"
    assert moved(room, task, "completed")["status"] == "done"
    path = f"/tasks/{task['id']}/move"
    refused = room.house.program("POST", path, {"status": "in_review"})
    assert (refused.status, refused.json["code"]) == (409, "illegal_move")
    for word in ("blocked", "failed", "nowhere", 1):
        assert room.house.program("POST", path, {"status": word}).status == 422
    stale = room.house.program("POST", path, {"status": "todo"}, **{"If-Match": '"1"'})
    assert stale.status == 412
    body = {"owner": "user", "action": "Decide", "reason": "Unclear"}
    other = room.task("Blocked")
    shown = room.house.post(f"/tasks/{other['id']}/block", body)
    assert shown["status"] == "blocked" and shown["blocked"] == body
    nobody = room.house.program("POST", f"/tasks/{other['id']}/block", {"action": "x"})
    assert nobody.status == 422
    assert room.house.post(f"/tasks/{other['id']}/cancel", {})["status"] == "cancelled"


@pytest.mark.proves("K-09")
def test_cancelling_what_runs_ends_its_processes(room: Room) -> None:
    task = room.task("Long", demo(room), description=script("sleep 600"))
    run = room.live(task)
    until(lambda: room.house.run(run["id"])["status"] == "running")
    room.house.cli("task", "cancel", "T-1", "--note", "Enough", at=room.path)
    ended = room.ended(task)
    assert (ended["status"], ended["outcome"]) == ("cancelled", "cancelled")
    until(lambda: not any(one["alive"] for one in room.house.run(run["id"])["processes"]))
    (wakeup,) = wakeups(room, task)
    assert (wakeup["status"], wakeup["outcome"]) == ("cancelled", "user_cancelled")
    assert status(room, task) == "cancelled"


# --- agents --------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.proves("K-74", "K-53", "K-06", "C-52")
def test_an_agent_orders_its_subtasks_and_is_woken_when_they_are_over(stalls: Stalls) -> None:
    room = stalls.room
    task = room.task("Whole", stalls.agent())
    demo(room, "helper")
    seat = stalls.seat(task)
    words = {"assignee_agent": "helper", "description": script("say done")}
    first = seat.call("task_create", title="First", description=script("sleep 1"))
    second = seat.call("task_create", title="Second", blocked_by=[first["id"]], **words)
    other = room.task("Another's")
    for given in (other["id"], task["id"]):
        refused = seat.call("task_create", title="No", blocked_by=[given])
        assert refused["code"] == "unknown_task"
    seat.call("task_result", status="completed", summary="It is divided")
    seat.leave()
    room.ended(task)
    assert status(room, task) == "in_progress", "its subtasks are open"
    explained = room.house.get(f"/tasks/{second['id']}/explain")
    assert "T-2" in explained["sentence"]
    assert until(lambda: wakeups(room, second)[0]["held_by"]) == "blockers"
    finished(room, first)
    assert room.ended(second)["outcome"] == "no_changes"
    (woken,) = until(lambda: wakeups(room, task, "task_children_completed"))
    assert woken["payload"] == {"task_id": task["id"]}
    again = until(lambda: (s := stalls.seat(task)).run != seat.run and s)
    again.call("task_result", status="completed", summary="All of it")
    again.leave()
    until(lambda: status(room, task) == "done")


@pytest.mark.slow
@pytest.mark.proves("K-67")
def test_an_agents_question_is_answered_and_wakes_it(stalls: Stalls) -> None:
    room = stalls.room
    task = room.task("Careful", stalls.agent())
    seat = stalls.seat(task)
    answer = seat.call("approval_request", text="May I drop the table?")
    blocked = {"owner": "user", "action": "Answer"}
    seat.call("task_result", status="blocked", summary="Asked", blocked=blocked)
    seat.leave()
    room.ended(task)
    item = until(
        lambda: [
            one
            for one in room.house.get("/inbox", kind="approval", status="open")["items"]
            if one["data"]["approval_id"] == answer["approval_id"]
        ]
    )[0]
    assert item["sentence"] == "An agent asks for your approval, about T-1: May I drop the table?"
    room.house.post(f"/approvals/{answer['approval_id']}/reject", {"note": "Rename it"})
    (woken,) = wakeups(room, task, "approval_resolved")
    assert woken["payload"]["status"] == "rejected"
    assert woken["payload"]["decision_note"] == "Rename it"
    again = until(lambda: (s := stalls.seat(task)).run != seat.run and s)
    again.leave()


# --- pages ---------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.proves("K-54 approval", "K-09", "C-42")
def test_the_task_page_moves_answers_and_shows_what_it_waits_for(
    room: Room, browser: Browser
) -> None:
    agent = demo(room)
    quick = {"description": script("say done"), "requires_approval": True}
    first = room.task("First", agent, **quick)
    second = room.task("Second", agent, blocked_by=[first["id"]])
    approval = approval_of(room, first)
    here = f"/tasks/{first['id']}"
    page = got(browser, here)
    assert "It waits for your approval." in page.text
    assert "It waits for T-1 to be done." in got(browser, f"/tasks/{second['id']}").text
    form = page.form(f"{here}/decide")
    assert form.fields["approval"] == approval["id"]
    assert form.choices == [("answer", "approve"), ("answer", "reject")]
    assert send(browser, form, answer="reject", note="Not yet").status == 303
    assert "Not yet" in got(browser, here).text
    approval_of(room, first)
    form = got(browser, here).form(f"{here}/move")
    assert send(browser, form, status="cancelled").status == 303
    assert status(room, first) == "cancelled" and status(room, second) == "blocked"
    inbox = got(browser, "/inbox")
    (item,) = [
        one
        for one in room.house.get("/inbox", kind="blocker_lost", status="open")["items"]
        if one["subject_id"] == second["id"]
    ]
    assert "T-2 waits for T-1, which is cancelled." in inbox.text
    form = inbox.form(f"/inbox/{item['id']}/act")
    assert send(browser, form, action="drop_edge").status == 303
    until(lambda: status(room, second) != "blocked")
    room.ended(second)


@pytest.mark.slow
def test_the_proposal_page_rejects_with_a_word(room: Room, browser: Browser) -> None:
    task = room.task("Change", room.shell("cat > made.txt"))
    proposal = room.proposal(task)
    here = f"/proposals/{proposal['id']}"
    form = got(browser, here).form(f"{here}/reject")
    assert send(browser, form, note="Add a test").status == 303
    assert "It was rejected." in got(browser, here).text
    assert room.ended(task, 2)["outcome"] == "done"
    assert "Add a test" in room.house.run(room.ended(task, 2)["id"])["assembled_prompt"]
    newest = until(
        lambda: (
            len(found := room.house.get("/proposals", task_id=task["id"])["items"]) == 2 and found
        )
    )[0]
    done = room.house.cli("proposal", "reject", newest["id"], "--note", "No", at=room.path)
    assert (done.code, done.out) == (0, "It was rejected.\n")


@pytest.mark.proves("K-09")
def test_a_page_refuses_a_move_that_the_machine_does_not_have(room: Room, browser: Browser) -> None:
    task = room.task("Still")
    here = f"/tasks/{task['id']}"
    page = got(browser, here)
    form = page.form(f"{here}/move")
    assert form.choices == [("status", "in_progress"), ("status", "cancelled")]
    answer = send(browser, form, status="done")
    assert answer.status == 409 and "cannot become done" in answer.text
    assert send(browser, page.form(f"{here}/block"), action="Ask Ada").status == 303
    assert "It waits for you: Ask Ada" in got(browser, here).text


@pytest.mark.slow
@pytest.mark.proves("A-03 hard", "K-09")
def test_the_commands_change_what_a_task_waits_for_and_where_it_stands(room: Room) -> None:
    first = room.task("First")
    room.task("Second")
    cli = lambda *words: room.house.cli("task", *words, at=room.path)  # noqa: E731
    assert cli("depend", "T-2", "--after", "T-1").out == "T-2 waits for T-1.\n"
    circle = cli("depend", "T-1", "--after", "T-2")
    assert circle.code == 2 and "T-1 → T-2 → T-1" in circle.err
    assert cli("move", "T-2", "in_progress").code == 1
    assert cli("depend", "T-2", "--not-after", "T-1").out == "T-2 waits for nothing.\n"
    assert cli("move", "T-2", "in_progress", "--note", "Go").out == "T-2 is in progress now.\n"
    listed = [cli("list", "--status", one).out for one in ("In progress", "in_progress")]
    assert "T-2   in progress" in listed[0] == listed[1] and "T-1" not in listed[0]
    assert cli("block", "T-2", "--action", "Buy a key").out == "T-2 is blocked until then.\n"
    part = cli("add", "Part", "--unassigned", "--parent", "T-1", "--json").json
    assert part["parent_id"] == first["id"]
