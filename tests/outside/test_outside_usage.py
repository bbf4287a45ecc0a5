"""Budgets and usage from outside: the demo agent says what it uses, and is stopped for it."""

import json
from typing import Any

import pytest
from outside_house import Browser, House, until
from outside_pages import Form, Page, got, sent
from outside_talk import demo, office, script, wakeups


@pytest.fixture
def browser(shared: House) -> Browser:
    return Browser(shared)


def limit(house: House, room: Any, **words: Any) -> Any:
    given = {"scope": "workspace", "meter": "tokens", "period": "day", "limit": 1000}
    return house.post("/budgets", {"workspace_id": room.id, **given, **words})


def of_budget(page: Page, made: Any) -> Form:
    return next(one for one in page.forms if one.fields.get("budget") == made["id"])


def budget(house: House, made: Any) -> Any:
    return house.get(f"/budgets/{made['id']}")


@pytest.mark.slow
@pytest.mark.proves("K-44", "B-178", "C-81", "B-177", "usage")
def test_an_agent_is_stopped_when_it_crosses_and_goes_on_at_a_person_s_word(
    house: House,
) -> None:
    house.start()
    room = house.room()
    made = limit(house, room, action_on_exceed="pause_agent")
    agent = demo(room)
    lines = script("usage 990 20", "sleep 120", "write late.txt too late")
    task = room.task("Spend", agent, description=lines)
    run = room.ended(task)
    assert run["outcome"] == "interrupted", run
    why = house.get(f"/runs/{run['id']}/explain")
    assert why["code"] == "run_over_budget"
    assert run["usage"]["input_tokens"] == 990 and run["usage"]["cost_source"] == "included"
    until(lambda: house.get(f"/agents/{agent}")["status"] == "paused")
    now = budget(house, made)
    assert (now["spent"], now["percent"], now["paused_agents"]) == (1010, 101, ["demo"])
    [item] = house.get("/inbox", kind="budget")["items"]
    assert item["severity"] == "critical"
    house.end()
    house.start()
    assert budget(house, made)["percent"] == 101
    house.post(f"/inbox/{item['id']}/act", {"action": "resume"})
    assert house.get(f"/agents/{agent}")["status"] in ("idle", "working")
    live = room.live(task)
    assert live["attempt_index"] == 2
    house.post(f"/runs/{live['id']}/cancel")
    now = budget(house, made)
    assert now["waived_until"] is not None and now["paused_agents"] == []
    assert house.get("/inbox", kind="budget", status="open")["items"] == []


@pytest.mark.slow
@pytest.mark.proves("K-44", "K-70 costs", "B-180", "C-67 budgets", "K-60")
def test_what_is_used_up_is_skipped_told_and_counted(running: House) -> None:
    room = running.room("counted")
    agent = demo(room, "ada", cooldown_sec=0)
    for title, lines in (("One", "usage 700 50"), ("Two", "say nothing")):
        room.ended(room.task(title, agent, description=script(lines), project="web"))
    made = limit(running, room, scope="project", project="web", limit=700)
    free = room.task("Free", agent, description=script("usage 1 1"))
    room.ended(free)
    held = room.task("Held", agent, description=script("usage 1 1"), project="web")
    until(lambda: budget(running, made)["blocked_wakeups"] == 1)
    [wakeup] = wakeups(room, held)
    assert (wakeup["status"], wakeup["outcome"]) == ("skipped", "budget_blocked")
    why = running.get(f"/wakeups/{wakeup['id']}/explain")
    assert "budget is used up" in why["sentence"] and why["gates"][-1]["gate"] == "budget"
    told = running.get("/events", kind="wakeup_budget_blocked", limit=50)["items"]
    assert [one["data"]["scope"] for one in told] == ["project"]
    seen = running.get("/usage", by="task", workspace_id=room.id)
    assert seen["total"]["input_tokens"] == 701 and seen["total"]["unknown_tokens_runs"] == 1
    by_name = {one["name"].partition(" ")[2]: one for one in seen["items"]}
    assert by_name["Two"]["input_tokens"] is None and by_name["One"]["output_tokens"] == 50
    for by in ("agent", "routine", "model", "day", "all"):
        found = running.get("/usage", by=by, workspace_id=room.id)["items"]
        assert sum(one["input_tokens"] or 0 for one in found) == 701, by
    done = running.cli("budget", "edit", made["id"][-8:], "--limit", "5000")
    assert done.code == 0 and "750 of 5,000" in done.out
    room.ended(held)


@pytest.mark.slow
@pytest.mark.proves("N-14", "N-04 holds")
def test_the_week_to_come_is_reckoned_from_what_each_routine_used(running: House) -> None:
    room = running.room("ahead")
    ahead = f"/usage?workspace={room.id}&ahead=1"
    assert "No routine has a run" in got(Browser(running), ahead).text
    agent = demo(room, "clock", skip_idle_wakeups=False)
    made = office(
        running,
        "POST",
        "",
        {
            "workspace_id": room.id,
            "name": "Nightly",
            "assignee_agent_id": agent,
            "description": script("usage 100 20"),
            "triggers": [{"kind": "schedule", "cron_expression": "0 3 * * *", "timezone": "UTC"}],
        },
    )
    fired = office(running, "POST", f"/{made.json['id']}/fire", {"variables": {}})
    assert (made.status, fired.status) == (201, 202)
    until(
        lambda: (
            running.get("/usage", by="routine", workspace_id=room.id)["total"]
            and running.get("/usage", by="routine", workspace_id=room.id)["items"][0][
                "input_tokens"
            ]
        )
    )
    until(lambda: not running.get("/runs", workspace_id=room.id, status="running")["items"])
    seen = running.post("/usage/forecast", {"days": 7, "workspace_id": room.id})
    [nightly] = seen["items"]
    assert (nightly["name"], nightly["runs"]) == ("Nightly", 7)
    assert (nightly["tokens_p50"], nightly["tokens_p90"], nightly["included"]) == (840, 840, True)
    assert seen["tokens_p50"] == 840 and seen["unknown_routines"] == 0
    text = running.cli("usage", "--ahead", "--workspace", "ahead")
    assert text.code == 0 and "Nightly" in text.out and "included" in text.out


@pytest.mark.proves("C-30", "usage")
def test_the_commands_say_what_is_allowed_and_what_was_used(shared: House) -> None:
    room = shared.room("commands")
    worker = demo(room, "bob")
    added = shared.cli(
        *("budget", "add", "--workspace", "commands", "--agent", "bob", "--meter", "money"),
        *("--period", "rolling", "--hours", "5", "--limit", "2.5", "--json"),
    ).json
    assert (added["limit"], added["agent_id"], added["hours"]) == (2.5, worker, 5)
    listed = shared.cli("budget", "list", "--workspace", "commands")
    assert "$0.00 of $2.50 (0 %)" in listed.out and "bob" in listed.out
    shown = shared.cli("budget", "show", added["id"][-8:], "--json").json
    assert shown["action_on_exceed"] == "pause_agent" and shown["spent"] == 0
    off = shared.cli("budget", "edit", added["id"][-8:], "--off")
    assert off.code == 0 and "switched off" in off.out
    assert shared.cli("budget", "edit", added["id"][-8:]).code == 2
    assert shared.cli("budget", "add", "--workspace", "commands").code == 2
    assert shared.cli("budget", "remove", added["id"][-8:]).code == 0
    assert shared.cli("budget", "show", added["id"][-8:]).code == 1
    assert shared.cli("usage", "--by", "day", "--workspace", "commands").code == 0


@pytest.mark.parametrize(
    "wrong",
    [
        {"meter": "moons"},
        {"limit": -1},
        {"period": "rolling"},
        {"period": "window"},
        {"scope": "agent"},
        {"scope": "project"},
        {"scope": "agent", "agent_id": "zzzzzzzzzz"},
        {"surprise": 1},
    ],
    ids=json.dumps,
)
def test_a_budget_that_makes_no_sense_is_refused(shared: House, wrong: dict[str, Any]) -> None:
    room = shared.room()
    plain = {"workspace_id": room.id, "meter": "tokens", "period": "day", "limit": 5}
    assert shared.program("POST", "/budgets", {**plain, **wrong}).status in (404, 422)
    assert shared.get("/budgets", workspace_id=room.id)["items"] == []


@pytest.mark.slow
@pytest.mark.proves("usage", "N-13 windows")
def test_the_page_shows_what_was_used_and_its_forms_work_without_scripts(
    shared: House, browser: Browser
) -> None:
    room = shared.room("paged")
    event = {"rateLimitType": "five_hour", "status": "allowed", "utilization": 0.5}
    told = [
        {"type": "assistant", "message": {"id": "m1", "usage": {"input_tokens": 7}}},
        {"type": "rate_limit_event", "rate_limit_info": event},
    ]
    words = "\n".join(json.dumps(one) for one in told)
    agent = room.shell(f"cat <<'END'\n{words}\nEND", "printer", account="the plan")
    room.ended(room.task("Print", agent))
    here = f"/usage?workspace={room.id}"
    page = got(browser, here)
    assert "printer" in page.text and "1 run unknown" in page.text
    assert "the plan: five_hour" in page.text and "50.0 % of it is used" in page.text
    form = page.form("/usage/budgets")
    words_of = {"whose": "workspace", "meter": "tokens", "period": "day", "limit": "50"}
    after = sent(browser, form, **words_of, action_on_exceed="notify_only")
    [made] = shared.get("/budgets", workspace_id=room.id)["items"]
    assert (made["limit"], made["action_on_exceed"]) == (50, "notify_only")
    assert "7 of 50 (14 %)" in after.text and "cannot see 1 run" in after.text
    changing = of_budget(got(browser, here), made)
    sent(browser, changing, do="save", limit="80", enabled="true", action_on_exceed="pause_agent")
    assert shared.get(f"/budgets/{made['id']}")["limit"] == 80
    for span in ("today", "week", "month"):
        for by in ("agent", "routine", "task", "model", "day"):
            assert "What was used" in got(browser, f"{here}&span={span}&by={by}").text
    removing = of_budget(got(browser, here), made)
    sent(browser, removing, do="remove")
    assert shared.get("/budgets", workspace_id=room.id)["items"] == []
