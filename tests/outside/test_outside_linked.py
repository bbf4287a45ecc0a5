"""Agents in a linked working tree of the user's repository: chosen, compared, told."""

import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest
from outside_house import Browser, House, Room, until

EVIL = (
    'E=$(git rev-parse --git-common-dir)/hooks; mkdir -p "$E"; printf "#!/bin/sh\\ntouch $P\\n" '
    '> "$E/post-merge"; chmod +x "$E/post-merge"; cp "$E/post-merge" "$E/post-checkout"; '
    'git config core.fsmonitor "$E/post-merge"; rm -f "$P"; '
)
MOVES = (
    "echo done > done.txt; git add done.txt; git commit -q -m x; git update-ref refs/heads/dev HEAD"
)


def told(house: House, run: Any) -> dict[str, Any]:
    return {Path(one["name"]).name: one for one in house.run(run["id"])["repository_moved"]}


def paste(command: str) -> None:
    subprocess.run(command, shell=True, check=True, timeout=60, capture_output=True)


@pytest.mark.slow
@pytest.mark.proves("C-100 worktree", "S-65")
def test_what_an_agent_changed_of_the_users_is_on_every_face(room: Room, tmp_path: Path) -> None:
    house, planted = room.house, tmp_path / "PWNED"
    room.git("branch", "dev")
    old, config = room.git("rev-parse", "dev"), (room.path / ".git/config").read_bytes()
    agent = room.shell(f"{MOVES}; {EVIL}", env={"P": str(planted)})
    name = room.shown["name"]
    words = ("--agent", "worker", "--where", "worktree", "--workspace", name, "--json")
    task = house.cli("task", "add", "Work beside me", *words).json
    assert (task["workspace_strategy"], task["assignee_agent_id"]) == ("worktree", agent)
    run = room.ended(task)
    proposal = room.proposal(task)
    assert proposal["held"]["code"] == "users_configuration_changed"
    assert "hooks of your own repository" in proposal["sentence"]
    refused = house.program("POST", f"/proposals/{proposal['id']}/deliver", {})
    assert refused.status == 409
    found = told(house, run)
    assert set(found) == {"config", "post-merge", "post-checkout", "dev"}
    assert (found["dev"]["old"], found["dev"]["by"]) == (old, "agent")
    assert found["config"]["keys"] == ["core.fsmonitor"]
    (item,) = house.get("/inbox", workspace_id=room.id, kind="config_changed")["items"]
    shown = house.cli("inbox", "show", item["id"]).out, house.cli("runs", "show", run["id"]).out
    browser = Browser(house)
    pages = [browser.ask("GET", path).text for path in ("/inbox", f"/runs/{run['id']}")]
    for text in (*shown, *pages):
        assert f"The agent moved refs/heads/dev from {old}" in text
        assert "update-ref" in text
    assert "linked working tree" in browser.ask("GET", f"/tasks/{task['id']}").text
    assert not planted.exists()
    for one in found.values():
        paste(one["command"])
    assert room.git("rev-parse", "dev") == old
    assert (room.path / ".git/config").read_bytes() == config
    house.cli("inbox", "act", item["id"], "seen")
    done = room.delivered(proposal, override=True, note="put back")
    assert done["status"] == "delivered", done["sentence"]
    assert not planted.exists() and (room.path / "done.txt").exists()
    room.git("fsck")


@pytest.mark.slow
@pytest.mark.proves("C-100 worktree", "A-19")
def test_where_agents_work_is_a_setting_that_says_what_it_risks(room: Room) -> None:
    name = room.shown["name"]
    listed = room.house.cli("settings", "list", "--workspace", name).out
    assert "move your branches" in " ".join(listed.split())
    done = room.house.cli("settings", "set", "--workspace", name, "workspace_strategy", "worktree")
    assert done.code == 0, done.err
    assert room.task("Later")["workspace_strategy"] == "worktree"
    apart = room.task("Apart", workspace_strategy="isolated_copy")
    assert apart["workspace_strategy"] == "isolated_copy"
    both = ("--look-only", "--where", "worktree", "--unassigned", "--workspace", name)
    assert room.house.cli("task", "add", "x", *both).code == 2
    body = {"workspace_id": room.id, "title": "x", "workspace_strategy": "elsewhere"}
    assert room.house.program("POST", "/tasks", body).status == 422


@pytest.mark.slow
@pytest.mark.proves("C-100 worktree", "A-35")
def test_it_is_told_although_the_owner_was_killed_meanwhile(running: House) -> None:
    room, go = running.room(), running.root / "go"
    room.git("branch", "dev")
    script = f"until test -e {go}; do sleep 0.05; done; {MOVES}"
    task = room.task("Go on", room.shell(script), workspace_strategy="worktree")
    run = room.live(task)
    assert running.owner is not None
    running.end(signal.SIGKILL)
    go.touch()
    agent = next(one for one in run["processes"] if one["role"] == "agent")
    until(lambda: not Path(f"/proc/{agent['pid']}").exists())
    running.start()
    run = room.ended(task)
    assert told(running, run)["dev"]["by"] == "agent"
    assert room.proposal(task)["held"]["code"] == "users_refs_changed"
