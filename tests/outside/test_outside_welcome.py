"""The first ten minutes: `init` finds the agents of this machine, and /welcome leads on."""

import json
import os
import pty
import subprocess
from pathlib import Path
from typing import Any

import pytest
from outside_house import ROUNDTABLE, Browser, House, until
from outside_pages import Page, got, send, sent

STEPS = ("repository", "agents", "test", "routine", "notification")


def programs(folder: Path) -> dict[str, str]:
    """Stand-ins for two agents, of which one can be added: the environment that finds them."""
    folder.mkdir(exist_ok=True)
    for name, version in (("opencode", "1.18.33"), ("claude", "2.1.332 (Claude Code)")):
        (folder / name).write_text(f"#!/bin/sh\npwd >> {folder}/asked\necho '{version}'\n")
        (folder / name).chmod(0o755)
    return {"PATH": f"{folder}:{os.environ['PATH']}"}


def states(page: Page) -> list[str]:
    """How each step stands, by the chip in its heading."""
    heads = (page.raw.split(f'id="step-{step}"')[1].split("</summary>")[0] for step in STEPS)
    return [Page(head).text.rsplit(" ", 1)[-1] for head in heads]


def recurring(house: House) -> list[Any]:
    sent = {"Authorization": f"Bearer {house.token}"}
    answer = house.ask("GET", "/api/office/routines", headers=sent)
    found: list[Any] = answer.json["items"]
    return found


def is_open(page: Page, step: str) -> bool:
    head = page.raw.split(f'id="step-{step}"')[1].split("<summary>")[0]
    return "<details open>" in head


@pytest.mark.slow
@pytest.mark.proves("D-09")
def test_init_says_what_it_found_and_adds_what_it_is_told_to(shared: House, tmp_path: Path) -> None:
    env, repo = programs(tmp_path / "tools"), shared.repository("offers")
    done = shared.cli("init", at=repo, env=env)
    assert done.code == 0, done.said
    [row] = [line for line in done.out.splitlines() if line.startswith("opencode ")]
    assert "1.18.33" in row and "unknown" in row and row.endswith("tools/opencode")
    assert "2.1.332 (Claude Code)" in done.out and "no sign of a sign-in" in done.out
    assert "npm install --global @agentclientprotocol/claude-agent-acp" in done.out
    add = "roundtable agent add --adapter acp --name opencode -- opencode acp"
    assert f"To add it: {add}" in done.out
    assert len(done.out.split("Next:")[1].strip().splitlines()) == 3
    asked = (tmp_path / "tools" / "asked").read_text().splitlines()
    assert asked and str(repo) not in asked, "not in the repository of whoever it is"
    refused = shared.cli("init", "--agents", "claude", at=repo, env=env)
    assert refused.code == 2 and "what can: opencode" in refused.err
    added = shared.cli("init", "--agents", "auto", "--json", at=repo, env=env).json
    assert added["agents"] == ["opencode"]
    [_claude, seen] = added["programs"]
    assert (seen["version"], seen["sign_in"], seen["missing"]) == ("1.18.33", "unknown", None)
    again = shared.cli("init", "--agents", "opencode", "--json", at=repo, env=env).json
    assert again["agents"] == [] and again["id"] == added["id"]
    kept = shared.get("/agents", workspace_id=added["id"])["items"]
    assert [one["command"] for one in kept] == [["opencode", "acp"]]


@pytest.mark.proves("D-09")
def test_init_without_an_owner_asks_at_a_terminal_once(house: House, tmp_path: Path) -> None:
    env = house.env | programs(tmp_path / "tools")
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [ROUNDTABLE, "init"],
        cwd=house.repository(),
        env=env,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    said, answered = b"", False
    while True:
        try:
            more = os.read(ours, 4096)
        except OSError:  # the other end is closed
            break
        if not more:
            break
        said += more
        if not answered and b"[Y/n]" in said:
            answered = True
            os.write(ours, b"\n")
    assert process.wait(30) == 0, said
    assert said.count(b"[Y/n]") == 1 and b"Added the agent opencode." in said, said
    os.close(ours)


@pytest.mark.slow
@pytest.mark.proves("D-09", "N-20 words")
def test_the_five_steps_lead_from_nothing_to_a_routine(house: House, tmp_path: Path) -> None:
    house.start("--port", "0", **programs(tmp_path / "tools"))
    browser, repo = Browser(house), house.repository()
    assert "/welcome" in got(browser, "/").links
    page = got(browser, "/welcome")
    assert states(page) == ["Open"] * 5 and is_open(page, "repository")
    assert "opencode · version: 1.18.33 · sign-in: unknown" in page.text
    assert "@agentclientprotocol/claude-agent-acp" in page.printed
    wrong = send(browser, page.form("/welcome/repository"), path="code/app")
    assert wrong.status == 422 and "Write the whole path" in wrong.text
    missing = send(browser, page.form("/welcome/repository"), path=str(tmp_path / "none"))
    assert missing.status == 422 and f'value="{tmp_path / "none"}"' in missing.text
    page = got(browser, "/welcome")
    page = sent(browser, page.form("/welcome/repository"), path="~/../repo")
    assert states(page)[0] == "Done" and str(repo) in page.text and is_open(page, "agents")
    page = sent(browser, page.form("/welcome/agents"), program="opencode")
    assert "It starts" not in page.text and is_open(page, "agents")
    gone = send(browser, page.form("/welcome/agents"), program="claude")
    assert gone.status == 404 and "not found any more" in gone.text
    page = sent(browser, got(browser, "/welcome").form("/welcome/agents"), program="practice")
    names = {one["name"]: one for one in house.get("/agents")["items"]}
    assert names["opencode"]["command"] == ["opencode", "acp"]
    assert names["practice"]["adapter"] == "demo"
    page = sent(browser, page.form("/welcome/test"), agent=names["practice"]["id"])
    until(lambda: states(got(browser, "/welcome"))[2] == "Done")
    page = got(browser, "/welcome")
    assert "weekdays" in page.text.lower() or "Monday" in page.text
    told = {"routine": "todos", "agent": names["practice"]["id"], "begin": "paused"}
    page = sent(browser, page.form("/welcome/routine"), **told)
    [routine] = recurring(house)
    assert routine["status"] == "paused" and routine["next_run_at"] is None
    again = send(browser, got(browser, "/welcome").form("/welcome/routine"), **told)
    assert again.status == 409 and is_open(Page(again.text), "routine")
    begun = told | {"routine": "tests", "begin": "active"}
    page = sent(browser, got(browser, "/welcome").form("/welcome/routine"), **begun)
    assert "Nightly tests · next:" in page.text and states(page)[:4] == ["Done"] * 4


@pytest.mark.proves("D-09", "E-frame")
def test_set_up_is_found_again_once_there_is_work(shared: House) -> None:
    room, browser = shared.room(), Browser(shared)
    for path in ("/", "/runs", f"/settings?workspace={room.id}"):
        assert "/welcome" in got(browser, path).links, path
    assert "/welcome" in got(browser, "/search?q=set+up").links


@pytest.mark.slow
@pytest.mark.proves("D-09")
def test_steps_are_passed_over_and_taken_up_and_login_is_turned(house: House) -> None:
    house.start()
    browser = Browser(house)
    page = got(browser, "/welcome")
    page = sent(browser, page.form("/welcome/notification"))
    assert "no tray has taken it so far" in page.text and is_open(page, "notification")
    for step in STEPS:
        form = page.form("/welcome/skip")
        page = sent(browser, form, step=step, skip="yes")
    assert states(page) == ["over"] * 5 and "Nothing is left to do here" in page.text
    house.end()
    house.start()
    browser = Browser(house)
    page = sent(browser, got(browser, "/welcome").form("/welcome/skip"), step="test", skip="no")
    assert states(page) == ["over", "over", "Open", "over", "over"] and is_open(page, "test")
    file = house.folder / ".config" / "autostart" / "roundtable-desktop.desktop"
    page = sent(browser, page.form("/welcome/login"), turn="on")
    assert file.is_file() and "starts with your session" in page.text
    page = sent(browser, page.form("/welcome/login"), turn="off")
    assert not file.exists() and "does not start by itself" in page.text
    kept = {one["key"] for one in house.get("/settings")["items"]}
    assert "port" in kept, json.dumps(sorted(kept))


@pytest.mark.proves("D-09", "S-72")
def test_an_agent_is_started_where_a_new_terminal_would_find_it(shared: House) -> None:
    below = shared.folder / ".local" / "bin"
    below.mkdir(parents=True, exist_ok=True)
    (below / "only-there").write_text('#!/bin/sh\nprintf "%s" "$PATH" > path.txt\n')
    (below / "only-there").chmod(0o755)
    room = shared.room()
    run = room.ended(room.task("Once", room.agent("only-there", name="there")))
    assert run["outcome"] == "done", run
    seen = {one["values"].get("agent"): one for one in shared.get("/doctor")["items"]}["there"]
    assert seen["values"]["place"] == str(below / "only-there") and seen["state"] == "ok"
