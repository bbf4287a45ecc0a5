"""Every page for real work, true to the database: what ran, what it left, and why."""

import os
import re
import signal
from typing import Any

import pytest
from outside_house import Browser, House, Room, until
from outside_pages import Page, check_inert, got
from outside_talk import demo, item_of, script

PARTS = ("transcript", "changes", "prompt", "result", "events", "why", "processes")


@pytest.fixture(scope="module")
def browser(shared: House) -> Browser:
    return Browser(shared)


@pytest.fixture(scope="module")
def worked(shared: House) -> tuple[Room, Any, Any, Any]:
    """A room with a task that ended well: (room, task, run, proposal)."""
    room = shared.room("worked")
    agent = demo(room, "ada")
    lines = script("write a.txt one", "usage 61000 4200", "say I wrote it.")
    task = room.task("Write a file", agent, description=lines)
    run = room.ended(task)
    return room, task, run, room.proposal(task)


def addresses(worked: tuple[Room, Any, Any, Any]) -> list[str]:
    _, task, run, proposal = worked
    parts = [f"/runs/{run['id']}?part={part}" for part in PARTS]
    things = [f"/tasks/{task['id']}", f"/runs/{run['id']}", f"/proposals/{proposal['id']}"]
    lists = ["/", "/inbox", "/inbox?status=resolved", "/runs", "/runs?status=live", "/control"]
    return [*lists, *things, *parts, f"/runs/{run['id']}/transcript"]


@pytest.mark.proves("S-21")
def test_a_link_from_elsewhere_shows_the_signed_out_page_with_the_way_back(
    worked: tuple[Room, Any, Any, Any], browser: Browser
) -> None:
    navigation = {
        "Sec_Fetch_Site": "cross-site",
        "Sec_Fetch_Mode": "navigate",
        "Sec_Fetch_Dest": "document",
    }
    for path in addresses(worked):
        answer = browser.ask("GET", path, **navigation)
        assert answer.status == 401
        assert path in check_inert(answer.text).links


def test_an_unknown_thing_is_a_page_that_says_so(browser: Browser) -> None:
    for path in ("/tasks/zzzzzzzz", "/runs/zzzzzzzz", "/proposals/zzzzzzzz", "/nothing"):
        page = got(browser, path, 404)
        assert "Not found" in page.text and "/" in page.links
    for path in ("/?from=mail", "/inbox?x=%00", "/runs?x=1&x=2", "/control?x"):
        assert got(browser, path).text, "what others hang on to an address changes nothing"
    for path in ("/runs?status=odd", "/inbox?cursor=%00", "/runs/zzzzzzzz?part=odd"):
        assert got(browser, path, 422).text


def test_a_short_end_of_an_id_leads_there(
    worked: tuple[Room, Any, Any, Any], browser: Browser
) -> None:
    _, task, run, proposal = worked
    for noun, thing in (("tasks", task), ("runs", run), ("proposals", proposal)):
        short = got(browser, f"/{noun}/{thing['id'][-8:]}")
        assert "Write a file" in short.text


@pytest.mark.proves("K-61 run")
def test_a_run_shows_result_prompt_summary_context_and_output(
    worked: tuple[Room, Any, Any, Any], browser: Browser
) -> None:
    _, task, run, proposal = worked

    def part(name: str) -> Page:
        return got(browser, f"/runs/{run['id']}?part={name}")

    flat = " ".join(run["assembled_prompt"].split())
    assert "Write a file" in flat and flat in part("prompt").text
    result = part("result")
    for name in ("result_json", "summary_injected", "context_snapshot"):
        assert name in result.text
    assert run["output_summary"] and " ".join(run["output_summary"].split()) in result.text
    for told in (run["result_json"], run["context_snapshot"]):
        assert told, "there is something to be shown"
        for key in told:
            assert f'"{key}"' in result.text
    transcript = part("transcript")
    for line in browser.house.transcript(run["id"]).splitlines():
        assert " ".join(line.split()) in transcript.text
    assert "+one" in part("changes").text
    assert f"/proposals/{proposal['id']}" in part("changes").links
    head = part("events")
    assert "The agent was started" in head.text
    assert "61000" in head.text and "4200" in head.text
    assert f"/tasks/{task['id']}" in head.links


@pytest.mark.proves("K-61 run")
def test_a_transcript_is_followed_while_the_run_lives_and_no_longer(
    room: Room, browser: Browser, tmp_path: Any
) -> None:
    go = tmp_path / "go"
    agent = room.shell(f"echo first; while [ ! -e {go} ]; do sleep 0.05; done; echo second")
    task = room.task("Print", agent)
    run = room.live(task)
    until(lambda: "first" in room.house.transcript(run["id"]))
    page = got(browser, f"/runs/{run['id']}")
    assert "first" in page.text and "second" not in page.text
    (tail,) = [found for tag, found in page.tags if found.get("id") == "tail"]
    assert tail["hx-trigger"] == "every 700ms" and tail["hx-swap"] == "outerHTML"
    assert tail["hx-get"] is not None
    on = tail["hx-get"].replace("/transcript?", "?")
    assert on in page.links, "without scripts a link does the same"
    go.touch()
    room.ended(task)
    rows = got(browser, tail["hx-get"])
    assert "second" in rows.text and "first" not in rows.text
    assert "<html" not in rows.raw and not [
        1 for _, found in rows.tags if found.get("id") == "tail"
    ]
    again = got(browser, on)
    assert "second" in again.text and f"/runs/{run['id']}" in again.links


@pytest.mark.slow
@pytest.mark.proves("K-61 run")
def test_a_long_transcript_is_shown_in_pieces_that_lead_on(room: Room, browser: Browser) -> None:
    script = "for n in range(30000): print('number', n, 'of many lines that fill it')"
    task = room.task("Flood", room.python(script))
    run = room.ended(task)
    path, seen, pieces = f"/runs/{run['id']}", "", 0
    while path:
        page = got(browser, path)
        seen, pieces = seen + page.printed, pieces + 1
        path = next((link for link in page.links if "?after=" in link), "")
    assert seen == room.house.transcript(run["id"]) and pieces > 2


@pytest.mark.proves("S-35")
def test_what_an_agent_prints_is_inert_text(room: Room, browser: Browser) -> None:
    hostile = (
        "\x1b]8;;http://evil.example\x1b\\link\x1b]8;;\x1b\\",
        "\x1b]52;c;ZXZpbA==\x07",
        "\x1b[2J\x1bP1$r\x1b\\",
        "\x9b31m\x84\x8d",
        "safe\u202egnp.exe\u2066\u200f",
        "\x00\x08\x7f\r",
    )
    body = f"import sys\nfor text in {hostile!r}: print(text); print(text, file=sys.stderr)\n"
    task = room.task("Print", room.python(body))
    run = room.ended(task)
    assert "\x1b" in room.house.transcript(run["id"]), "it is kept as it was printed"
    for path in (f"/runs/{run['id']}", f"/runs/{run['id']}?part=result", f"/tasks/{task['id']}"):
        page = got(browser, path)
        active = [c for c in page.raw if (ord(c) < 32 and c not in "\n\t") or 0x7F <= ord(c) < 0xA0]
        assert not active, path
        assert not re.search("[\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]", page.raw)
    shown = got(browser, f"/runs/{run['id']}").text
    assert "⟨U+202E⟩gnp.exe" in shown and " link " in shown
    assert not re.search(r"evil\.example|\[2J|31m|52;c", shown), "no code is left over"
    assert "error output" in shown


@pytest.mark.slow
@pytest.mark.proves("N-18 tree")
def test_a_live_run_shows_its_processes_and_a_dead_one_that_they_are_gone(
    room: Room, browser: Browser
) -> None:
    task = room.task("Wait", room.shell("sleep 300 & sleep 301; wait"))
    run = room.live(task)
    path = f"/runs/{run['id']}?part=processes"
    page = until(lambda: (seen := got(browser, path)) and seen.text.count("sleep") >= 2 and seen)
    for one in room.house.run(run["id"])["processes"]:
        assert f"{one['pid']}" in page.text and one["alive"]
    assert "runner" in page.text and "child" in page.text and "MB" in page.text
    assert "Gone" not in page.text
    listed = got(browser, "/runs?status=live")
    assert f"/runs/{run['id']}" in listed.links
    assert f"/runs/{run['id']}" in got(browser, "/").links
    (agent,) = [one["pid"] for one in run["processes"] if one["role"] == "agent"]
    os.kill(agent, signal.SIGKILL)
    room.ended(task)
    # The runner leaves a moment after its last word.
    page = until(lambda: "Alive" not in (seen := got(browser, path)).text and seen)
    assert "Gone" in page.text and "unknown" in page.text


@pytest.mark.proves("N-02 evidence")
def test_a_run_that_never_started_says_so_and_unknown_is_never_zero(
    room: Room, browser: Browser
) -> None:
    task = room.task("Start", room.agent("/nowhere/agent", name="absent"))
    run = until(lambda: room.house.get("/runs", task_id=task["id"])["items"])[0]
    until(lambda: room.house.run(run["id"])["status"] == "failed")
    seen = room.house.run(run["id"])
    page = got(browser, f"/runs/{run['id']}")
    assert "The agent's program" in page.text
    assert "Tokens and cost unknown" in page.text
    assert seen["error"]["text"] and " ".join(seen["error"]["text"].split()) in page.text
    assert seen["exit_code"] is None and "Exit code unknown" in page.text


@pytest.mark.slow
@pytest.mark.proves("N-03 why")
def test_task_and_run_say_why_with_the_gates_of_the_code_that_decided(
    room: Room, browser: Browser
) -> None:
    agent = room.shell("true", cooldown_sec=600)
    first = room.task("First", agent)
    run = room.ended(first)
    waits = room.task("Second", agent)
    until(lambda: room.house.get(f"/tasks/{waits['id']}/explain")["more"][0]["gates"])
    why = room.house.get(f"/tasks/{waits['id']}/explain")
    page = got(browser, f"/tasks/{waits['id']}")
    assert "rests 600 s between runs" in page.text
    for gate in why["more"][0]["gates"]:
        assert gate["sentence"].partition("until")[0].strip() in page.text
    assert "rests 600 s between runs" in got(browser, "/").text
    told = room.house.get(f"/runs/{run['id']}/explain")
    page = got(browser, f"/runs/{run['id']}?part=why")
    assert told["sentence"] in page.text and told["gates"]
    for gate in told["gates"]:
        assert gate["sentence"] in page.text


@pytest.mark.slow
@pytest.mark.proves("N-03 why")
def test_the_overview_shows_each_thing_once_and_counts_what_waits(running: House) -> None:
    browser, room = Browser(running), running.room()
    empty = running.room("nothing-to-do")
    task = room.task("Write", room.shell("echo x > new.txt"))
    proposal = room.proposal(task)
    until(lambda: running.get(f"/tasks/{task['id']}")["status"] == "in_review")

    def main() -> str:
        return got(browser, "/").text.partition("Stop all")[2]

    page = main()
    assert "Proposals to look at1" in page and "Open tasks" not in page
    assert "Needs you1" in page and "1 proposal waits for you" in got(browser, "/inbox").text
    assert page.count("T-1 Write") == 2, "as the last run and as what waits"
    assert page.index(str(room.path)) < page.index(str(empty.path)), "work stands first"
    assert "roundtable" not in got(browser, f"/tasks/{task['id']}").text
    room.lands(proposal)
    page = until(lambda: "Proposals to look at0" in (seen := main()) and seen)
    assert "No open tasks" in page and "Needs you0" in page
    assert "All clear" in got(browser, "/inbox").text


@pytest.mark.slow
def test_runs_are_filtered_and_paged_by_plain_links(room: Room, browser: Browser) -> None:
    task = room.task("Fail", room.shell("exit 3"), retry_budget=0)
    run = room.ended(task)
    assert run["status"] == "failed"
    assert f"/runs/{run['id']}" in got(browser, "/runs?status=failed").links
    assert f"/runs/{run['id']}" not in got(browser, "/runs?status=finished").links
    room.ended(room.task("Another", room.shell("true", name="another")))
    seen: list[str] = []
    path = "/runs?limit=1"
    while True:
        page = got(browser, path)
        seen += [link for link in page.links if re.fullmatch(r"/runs/[0-9a-z]{26}", link)]
        on = [link for link in page.links if "cursor=" in link]
        if not on or len(seen) > 3:
            break
        path = f"{on[0]}&limit=1"
    assert len(set(seen)) == len(seen) > 1


def test_the_navigation_says_where_one_is_and_counts_what_waits(
    room: Room, browser: Browser
) -> None:
    task = room.task("Ask", demo(room, "asker"), description=script("ask May I?"))
    item = item_of(room, task)
    page = got(browser, "/inbox")
    current = [found["href"] for _, found in page.tags if found.get("aria-current") == "page"]
    assert "/inbox" in current and "/" not in current and "/runs" not in current
    assert re.search(r"Inbox \d+ need you", page.text)
    assert page.tags[[tag for tag, _ in page.tags].index("body") + 1][1]["href"] == "#main"
    room.house.post(f"/inbox/{item['id']}/act", {"action": item["data"]["options"][0]["id"]})
    room.ended(task)


@pytest.mark.slow
def test_a_home_without_anything_says_what_to_do(running: House) -> None:
    browser = Browser(running)
    assert "roundtable init" in got(browser, "/").text
    assert "All clear" in got(browser, "/inbox").text
    assert "Nothing was answered" in got(browser, "/inbox?status=resolved").text
    assert "roundtable task add" in got(browser, "/runs").text
    assert "No runs match this filter. Clear" in got(browser, "/runs?status=live").text
    assert "Nothing runs now" in got(browser, "/control").text
    for path in ("/board", "/agents", "/tasks/new", "/agents/new"):
        assert "roundtable init" in got(browser, path).text
    room = running.room()
    assert "roundtable task add" in got(browser, "/").text
    task = room.task("Alone")
    page = got(browser, f"/tasks/{task['id']}")
    assert f"/agents/new?workspace={room.id}" in page.links and "It was not tried yet" in page.text
    assert "No tasks match" in got(browser, "/board?q=nothing").text
    assert "Nobody to work yet" in got(browser, "/agents").text
