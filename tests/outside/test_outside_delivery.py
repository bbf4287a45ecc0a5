"""Where work lands: other branches, automatic delivery, conflicts, restarts, odd places."""

import socket
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from outside_house import ROUNDTABLE, Browser, House, Room, alive, until
from outside_talk import wakeups


@pytest.mark.slow
def test_a_branch_that_is_checked_out_nowhere_is_moved_alone(room: Room) -> None:
    room.git("checkout", "-q", "-b", "mine")
    (room.path / "notes.txt").write_text("mine\n")
    before, head = room.git("status", "--porcelain"), room.git("rev-parse", "main")
    task = room.task("Change", room.shell("echo theirs > notes.txt"), base_branch="main")
    room.lands(room.proposal(task))
    assert room.git("rev-parse", "main~1") == head
    assert room.git("show", "main:notes.txt") == "theirs"
    assert room.git("status", "--porcelain") == before
    assert (room.path / "notes.txt").read_text() == "mine\n"


@pytest.mark.slow
def test_automatic_delivery_moves_a_free_branch_and_never_a_working_tree(room: Room) -> None:
    agent = room.shell('echo "$ROUNDTABLE_TASK" > "$ROUNDTABLE_TASK.txt"')
    waits = room.task("Auto", agent, delivery="auto")
    held = until(
        lambda: (
            (seen := room.proposal(waits))["deliveries"]
            and seen["deliveries"][-1]["status"] == "held"
            and seen
        )
    )
    assert (
        "is checked out" in held["sentence"] and "Nothing of yours was touched" in held["sentence"]
    )
    assert room.git("status", "--porcelain") == "" and not list(room.path.glob("0*.txt"))
    explained = room.house.get(f"/tasks/{waits['id']}/explain")
    assert explained["code"] == "task_delivery_held"
    room.git("checkout", "-q", "-b", "away")
    free = room.task("Auto 2", agent, delivery="auto", base_branch="main")
    until(lambda: room.house.get(f"/tasks/{free['id']}")["status"] == "done")
    assert room.git("show", f"main:{free['id']}.txt") == free["id"]
    # What was held is delivered by a person's word, on top of the newer work.
    [item] = room.house.get("/inbox", workspace_id=room.id, kind="delivery_blocked")["items"]
    assert "is checked out" in item["sentence"]
    done = room.house.cli("inbox", "act", item["id"], "retry", at=room.path)
    assert done.code == 0 and "is on main" in done.out, done.said
    assert room.house.get(f"/proposals/{held['id']}")["status"] == "delivered"
    assert room.git("show", f"main:{waits['id']}.txt") == waits["id"]


@pytest.mark.slow
@pytest.mark.proves("delivery table", "B-123", "B-184", "A-26 recovery")
def test_work_that_conflicts_is_held_with_the_paths(room: Room) -> None:
    one = room.task("One", room.shell("echo one > README.md", "one"))
    two = room.task("Two", room.shell("echo two > README.md", "two"))
    first, second = room.proposal(one), room.proposal(two)
    room.lands(first)
    head = room.git("rev-parse", "HEAD")
    done = room.house.cli("proposal", "deliver", second["id"], at=room.path)
    assert done.code == 1 and "conflicts" in done.err and "README.md" in done.err, done.err
    assert room.git("rev-parse", "HEAD") == head
    assert (room.path / "README.md").read_text() == "one\n"
    assert room.git("status", "--porcelain") == ""
    assert not list((room.path / ".git").glob("*_HEAD.lock"))
    answered(room, second)
    again = until(lambda: waits_anew(room, second))
    room.lands(again)
    assert (room.path / "README.md").read_text() == "two\n"


def waits_anew(room: Room, before: Any) -> Any:
    """The proposal that comes of the agent's second run."""
    found = room.house.get("/proposals", task_id=before["task_id"])["items"]
    return found[0]["status"] == "pending" and found[0]["id"] != before["id"] and found[0]


def answered(room: Room, held: Any) -> None:
    """As a person finds it in the inbox, and has the agent bring its work onto the branch."""
    house, at = room.house, room.path
    asked = house.get("/inbox", workspace_id=room.id, kind="delivery_blocked", status="open")
    [item] = asked["items"]
    assert item["data"]["why"]["paths"] == ["README.md"] and "README.md" in item["sentence"]
    listed = house.cli("inbox", "list", at=at).out
    assert "retry, request_changes, discard" in listed
    shown = house.cli("inbox", "show", item["id"], at=at).out
    assert f"git -C {at} merge" in shown and held["id"][-8:] in shown
    seen = house.cli("proposal", "show", held["id"], at=at).out
    assert "README.md" in seen and f"git -C {at} merge" in seen
    browser = Browser(house)
    for page in ("/inbox", f"/proposals/{held['id']}"):
        text = browser.ask("GET", page).text
        assert "README.md" in text and "Have it reworked" in text, page
        assert f"git -C {at} merge" in text
    copies = house.cli("workspace", "copies", at=at).out
    assert "in use" in copies and "in all" in copies
    refused = house.cli("runs", "recover", held["run_id"], at=at)
    assert refused.code == 1 and "proposed already" in refused.err
    done = house.cli("proposal", "rebase", held["id"], at=at)
    assert done.code == 0, done.err
    assert house.get(f"/inbox/{item['id']}")["status"] == "resolved"


def test_a_task_that_runs_is_not_run_twice(room: Room) -> None:
    task = room.task("Long", room.shell("sleep 60"))
    run = room.live(task)
    done = room.house.cli("task", "run", "1", at=room.path)
    assert done.code == 1 and "T-1 is being worked on" in done.err
    assert [one["id"] for one in room.house.get("/runs", task_id=task["id"])["items"]] == [
        run["id"]
    ]


@pytest.mark.slow
def test_a_subfolder_or_a_link_registers_the_repository_once(shared: House) -> None:
    repo = shared.repository("deep-repo")
    inside = repo / "a" / "b"
    inside.mkdir(parents=True)
    link = shared.root / "link-to-deep"
    link.symlink_to(repo)
    done = shared.cli("init", at=inside)
    assert done.code == 0 and f"Registered {repo} as deep-repo" in done.out
    again = shared.cli("init", str(link))
    assert again.code == 0 and "deep-repo is registered already, as deep-repo" in again.out
    assert shared.cli("agent", "list", at=link / "a").code == 0


def test_what_agents_ignore_or_leave_in_gits_way_is_no_part_of_a_proposal(room: Room) -> None:
    script = "echo '*.log' > .gitignore; echo 1 > a.log; mkdir empty; echo x > x.txt; rm notes.txt"
    task = room.task("Files", room.shell(script))
    proposal = room.proposal(task)
    assert sorted(one["path"] for one in proposal["files"]) == [".gitignore", "notes.txt", "x.txt"]
    room.lands(proposal)
    assert not (room.path / "notes.txt").exists() and not (room.path / "a.log").exists()
    assert room.git("status", "--porcelain") == ""


@pytest.mark.slow
@pytest.mark.proves("C-103")
def test_a_valid_result_counts_whatever_the_exit_code(room: Room) -> None:
    said = '{"status":"completed","summary":"All done"}'
    script = f"echo x > x.txt; printf '{said}' > \"$ROUNDTABLE_RESULT_FILE\"; exit 7"
    run = room.ended(room.task("Odd end", room.shell(script, "odd")))
    assert (run["status"], run["outcome"], run["exit_code"]) == ("finished", "done", 7)
    garbled = room.shell('printf \'{"status": 7\' > "$ROUNDTABLE_RESULT_FILE"; exit 1', "garbled")
    run = room.ended(room.task("Garbled", garbled, retry_budget=0))
    assert run["status"] == "failed" and run["outcome"] == "task_failed"


@pytest.mark.slow
@pytest.mark.proves("C-101")
def test_slow_and_idle_connections_do_not_hold_the_stop_up(running: House) -> None:
    idle = [socket.create_connection(("127.0.0.1", running.port), 10) for _ in range(20)]
    for number, one in enumerate(idle):
        if number % 2:
            one.sendall(b"GET /healthz HTTP/1.1\r\nHost: x")
    began = time.monotonic()
    assert running.end() == (0, b"")
    assert time.monotonic() - began < 10
    for one in idle:
        one.close()


@pytest.mark.slow
@pytest.mark.proves("C-101", "A-35")
def test_a_stop_in_the_middle_of_many_launches_loses_none(house: House) -> None:
    house.start()
    room = house.room()
    agent = room.shell("sleep 0.3; echo done > done.txt", max_concurrent_sessions=3)
    tasks = [room.task(f"Number {n}", agent) for n in range(8)]
    for _ in range(3):
        time.sleep(0.4)  # somewhere in the middle of the work
        house.end()
        house.start()
    for task in tasks:
        until(lambda task=task: house.get(f"/tasks/{task['id']}")["status"] == "in_review", 60)
        *before, last = house.get(f"/tasks/{task['id']}/attempts")["items"]
        assert last["outcome"] == "done"
        # A stop leaves what is decided and not begun, and the next start cannot launch that run:
        # whoever would still start it must find it taken (C-58). So it is lost, and at no cost.
        assert [one for one in before if one["outcome"] != "lost" or one["started_at"]] == []
        assert [one["retry_count"] for one in wakeups(room, task)] == [0]
    assert not [
        one for one in house.processes() if one.pid != house.facts["pid"] and alive(one.pid)
    ]


@pytest.mark.slow
def test_a_start_without_a_reader_of_its_ready_line_still_serves(
    house: House, tmp_path: Path
) -> None:
    with open(tmp_path / "log", "wb") as log:
        owner = subprocess.Popen(
            ["sh", "-c", f"exec '{ROUNDTABLE}' start --port 0 >&-"], env=house.env, stderr=log
        )
    try:
        until(lambda: (house.home / "owner.json").exists())
        assert until(lambda: house.cli("status").code == 0)
    finally:
        owner.terminate()
        code = owner.wait(30)
    assert code == 0, (tmp_path / "log").read_text()[-2000:]
