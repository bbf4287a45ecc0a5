"""The main story as a person lives it: register, add an agent, add a task, look, deliver."""

import os
import re
import shutil
import stat
import sys
from pathlib import Path

import pytest
from outside_house import House, Room, until


def _wait_for_proposal(house: House, repo: Path) -> str:
    found = until(lambda: house.cli("proposal", "list", "--json", at=repo).json)
    return str(found[0]["id"])


@pytest.mark.slow
@pytest.mark.proves("R-21", "C-100", "C-108", "K-05", "D-08 adapters")
def test_an_agents_work_lands_on_the_branch_and_the_users_own_changes_stay(
    running: House,
) -> None:
    house, repo = running, running.repository()
    (repo / "notes.txt").write_text("my own edit\n")
    (repo / "staged.txt").write_text("staged\n")
    house.git("add", "staged.txt", at=repo)
    (repo / "untracked.txt").write_text("untracked\n")
    theirs = house.git("status", "--porcelain", at=repo).splitlines()

    assert house.cli("init", at=repo).code == 0
    before = house.git("status", "--porcelain", at=repo)
    assert sorted(before.splitlines()) == sorted([*theirs, "?? .roundtable/"])
    added = house.cli(
        "agent", "add", "--adapter", "command", "--", "sh", "-c", "cat > NOTE.md", at=repo
    )
    assert added.code == 0 and "sh can be woken" in added.out
    told = house.cli("task", "add", "Write a note", "--description", "Say hello to Ada.", at=repo)
    assert told.code == 0 and "T-1 is for sh" in told.out
    proposal = _wait_for_proposal(house, repo)
    assert house.git("status", "--porcelain", at=repo) == before

    shown = house.cli("proposal", "show", proposal, at=repo)
    assert "+++ b/NOTE.md" in shown.out and "Say hello to Ada." in shown.out
    delivered = house.cli("proposal", "deliver", proposal[-8:], at=repo)
    assert (delivered.code, delivered.err) == (0, "")
    assert re.fullmatch(r"It is on main as [0-9a-f]{40}\.\n", delivered.out)

    assert house.git("status", "--porcelain", at=repo) == before
    assert "Say hello to Ada." in (repo / "NOTE.md").read_text()
    assert house.git("log", "-1", "--format=%an <%ae> %cn <%ce>", at=repo) == (
        "Grace Höpper <grace@example.org> Grace Höpper <grace@example.org>"
    )
    run = house.cli("runs", "list", "--json", at=repo).json[0]["id"]
    trailer = "%(trailers:key=Roundtable-Run,valueonly)"
    assert house.git("log", "-1", f"--format={trailer}", at=repo).strip() == run
    assert house.git("rev-list", "--count", "HEAD", at=repo) == "2"
    assert house.git("diff", "--name-only", "HEAD~1", "HEAD", at=repo) == "NOTE.md"
    assert house.cli("task", "show", "T-1", "--json", at=repo).json["status"] == "done"


@pytest.mark.proves("C-97")
def test_a_task_is_done_only_when_its_work_is_delivered(room: Room) -> None:
    task = room.task("Write", room.shell("echo hi > made.txt"))
    proposal = room.proposal(task)
    assert room.house.get(f"/tasks/{task['id']}")["status"] == "in_review"
    room.lands(proposal)
    assert room.house.get(f"/tasks/{task['id']}")["status"] == "done"


@pytest.mark.slow
@pytest.mark.proves("K-05")
def test_assigning_a_waiting_task_wakes_the_agent(room: Room) -> None:
    agent = room.shell("echo assigned > a.txt", name="late")
    task = room.task("Later")
    assert not room.house.get("/wakeups", task_id=task["id"])["items"]
    explained = room.house.cli("explain", "task", "T-1", at=room.path)
    assert explained.out.startswith("Nobody is assigned.")
    assert room.house.cli("task", "assign", "1", "late", at=room.path).code == 0
    assert room.ended(task)["status"] == "finished"
    wakeup = room.house.get("/wakeups", task_id=task["id"])["items"][0]
    assert (wakeup["source"], wakeup["reason"]) == ("task_assigned", "assigned")
    assert wakeup["agent_id"] == agent


@pytest.mark.proves("K-61 run")
def test_a_run_shows_its_result_prompt_context_and_output(room: Room) -> None:
    script = (
        'echo working; echo x > x.txt; printf \'{"status":"completed","summary":"Did x",'
        '"evidence":[{"kind":"file","ref":"x.txt","text":"made"}]}\' > "$ROUNDTABLE_RESULT_FILE"'
    )
    task = room.task("Make x", room.shell(script), description="Make the file x.txt.")
    run = room.ended(task)
    assert (run["status"], run["outcome"], run["exit_code"]) == ("finished", "done", 0)
    assert run["result_json"]["summary"] == run["output_summary"] == "Did x"
    assert "Make the file x.txt." in run["assembled_prompt"]
    assert run["summary_injected"] == ""
    assert run["context_snapshot"]
    assert run["task_id"] == task["id"] and run["attempt_index"] == 1
    assert run["base_commit"] == room.git("rev-parse", "HEAD")
    assert room.house.transcript(run["id"]) == "working\n"
    events = [one["kind"] for one in room.house.get(f"/runs/{run['id']}/events")["items"]]
    assert len(events) >= 3 and len(set(events)) == len(events)


@pytest.mark.proves("N-18 tree")
def test_a_live_run_shows_its_processes_with_their_use(room: Room) -> None:
    task = room.task("Sleep", room.shell("sleep 60 & sleep 61 & wait"))
    run = room.live(task)
    tree = until(
        lambda: (seen := room.house.run(run["id"])["processes"]) and len(seen) >= 4 and seen
    )
    roles = sorted(one["role"] for one in tree)
    assert roles == ["agent", "child", "child", "runner"]
    assert all(one["alive"] and one["pid"] > 1 and one["rss"] > 0 for one in tree)
    assert all(one["started_at"].endswith("Z") and one["cpu"] is not None for one in tree)
    shown = room.house.cli("runs", "show", run["id"][-10:], at=room.path).out
    assert "sleep" in shown and "runner" in shown


@pytest.mark.slow
@pytest.mark.proves("D-09 offline")
def test_the_story_needs_nothing_on_the_path_but_git(house: House, tmp_path: Path) -> None:
    programs = tmp_path / "programs"
    programs.mkdir()
    for name in ("git", "sh", "cat"):
        found = shutil.which(name)
        assert found is not None
        (programs / name).symlink_to(found)
    house.env["PATH"] = str(programs)
    # A proxy that answers nothing: whoever asks the network fails loudly.
    dead = dict.fromkeys(("http_proxy", "https_proxy", "all_proxy"), "http://127.0.0.1:9")
    house.env |= dead | {name.upper(): value for name, value in dead.items()}
    house.start()
    room = house.room()
    task = room.task("Offline", room.agent(sys.executable, "-c", "open('o.txt','w').write('o')"))
    room.lands(room.proposal(task))
    assert (room.path / "o.txt").read_text() == "o"
    assert house.cli("status", at=room.path).code == 0


@pytest.mark.slow
def test_a_repository_with_spaces_and_other_letters_in_its_path_works(shared: House) -> None:
    room = shared.room("mein Projekt, ünï 日本 'q' $HOME")
    task = room.task("Täsk “x”", room.shell("echo ü > 'dätei mit raum.txt'"), description="日本")
    proposal = room.proposal(task)
    assert [one["path"] for one in proposal["files"]] == ["dätei mit raum.txt"]
    room.lands(proposal)
    assert (room.path / "dätei mit raum.txt").read_text() == "ü\n"
    shown = shared.cli("task", "show", "1", at=room.path)
    assert shown.code == 0 and "Täsk “x”" in shown.out
    attempt = next(line for line in shown.out.splitlines() if line.startswith("1 "))
    assert re.search(r" done +\w{26} +[\d-]{10} [\d:]{8}Z +[\d-]{10} [\d:]{8}Z$", attempt)
    offered = shared.cli("proposal", "list", at=room.path).out
    assert re.search(r" [\d-]{10} [\d:]{8}Z +dätei mit raum.txt$", offered, re.MULTILINE), offered


@pytest.mark.proves("R-21", "C-100")
def test_an_agent_cannot_move_the_users_branches_from_its_copy(room: Room) -> None:
    head = room.git("rev-parse", "HEAD")
    refs = room.git("for-each-ref", "refs/heads", "refs/tags")
    script = (
        "git checkout -q -b other; echo bad > bad.txt; git add -A; "
        "git -c user.name=x -c user.email=x@x commit -q -m bad; git branch -f main; git tag t; "
        "git push -q origin HEAD:main; git push -q origin HEAD:new; "
        "git update-ref -d refs/heads/main"
    )
    task = room.task("Move", room.shell(script + "; exit 0"))
    room.ended(task)
    assert room.git("rev-parse", "HEAD") == head
    assert room.git("for-each-ref", "refs/heads", "refs/tags") == refs
    assert room.git("status", "--porcelain") == ""


@pytest.mark.slow
@pytest.mark.proves("C-104")
def test_a_held_proposal_needs_an_override_and_a_note(room: Room) -> None:
    task = room.task("Link out", room.shell("ln -s /etc/passwd link"))
    proposal = room.proposal(task)
    assert proposal["held"]
    house, ref = room.house, proposal["id"][-8:]
    plain = house.cli("proposal", "deliver", ref, at=room.path)
    assert (
        plain.code == 1
        and "--override and --note" in plain.err
        and "symlink_outside" not in plain.err
    )
    shown = house.cli("proposal", "show", ref, at=room.path).out
    assert "is a symbolic link that leads out of the repository" in shown
    silent = house.cli("proposal", "deliver", ref, "--override", at=room.path)
    assert silent.code == 1
    assert house.get(f"/proposals/{proposal['id']}")["status"] == "pending"
    loud = house.cli("proposal", "deliver", ref, "--override", "--note", "I know it", at=room.path)
    assert loud.code == 0, loud.err
    assert stat.S_ISLNK(os.lstat(room.path / "link").st_mode)
    events = house.get("/events", workspace_id=room.id)["items"]
    noted = [one for one in events if one["data"].get("note") == "I know it"]
    assert [one["data"]["override"] for one in noted] == [True]
    assert (noted[0]["actor_type"], noted[0]["subject_id"]) == ("person", proposal["id"])


@pytest.mark.slow
def test_a_delivery_that_would_touch_the_users_edit_is_held_with_the_reason(room: Room) -> None:
    (room.path / "notes.txt").write_text("mine\n")
    task = room.task("Change", room.shell("echo theirs > notes.txt"))
    proposal = room.proposal(task)
    held = room.house.cli("proposal", "deliver", proposal["id"], at=room.path)
    assert held.code == 1
    assert "You have changes of your own in notes.txt" in held.err
    assert (room.path / "notes.txt").read_text() == "mine\n"
    explained = room.house.cli("explain", "task", "1", at=room.path)
    assert "delivery is held" in explained.out
    room.git("checkout", "-q", "notes.txt")
    again = room.house.cli("proposal", "deliver", proposal["id"], at=room.path)
    assert again.code == 0, again.err
    assert (room.path / "notes.txt").read_text() == "theirs\n"
