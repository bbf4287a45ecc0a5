"""What a person does on the pages, by forms that work without scripts."""

from typing import Any

import pytest
from outside_house import Browser, House, Room, alive, until
from outside_pages import FORM, Form, check_inert, got, send, sent
from outside_talk import comment, demo, item_of, resolved, script, status, wakeups


@pytest.fixture(scope="module")
def browser(shared: House) -> Browser:
    return Browser(shared)


def asking(room: Room) -> tuple[Any, Any]:
    """A task whose agent asks, and the open item."""
    lines = script("ask May I write it?", "write a.txt one")
    task = room.task("Ask first", demo(room, "ada"), description=lines)
    return task, item_of(room, task)


# --- the inbox ----------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("place", ["/", "/inbox"])
def test_a_question_is_answered_in_place(room: Room, browser: Browser, place: str) -> None:
    task, item = asking(room)
    page = got(browser, place)
    assert "May I write it?" in page.text and "ada" in page.text
    assert {f"/tasks/{task['id']}", f"/runs/{item['data']['run_id']}"} <= set(page.links)
    form = page.form(f"/inbox/{item['id']}/act")
    assert [value for _, value in form.choices] == [one["id"] for one in item["data"]["options"]]
    answer = send(browser, form, action=item["data"]["options"][0]["id"])
    assert (answer.status, answer["Location"]) == (303, f"{place}?answered={item['id']}")
    assert not got(browser, answer["Location"]).has_form(form.action), "nobody answers it again"
    assert resolved(room, item)["resolution"]["by"] == "person"
    assert room.ended(task)["outcome"] == "done"
    done = got(browser, "/inbox?status=resolved").text
    assert f"You answered: {item['data']['options'][0]['name']}" in done
    assert "May I write it?" not in got(browser, "/inbox").text


def test_a_question_that_is_answered_or_over_says_so_on_the_page(
    room: Room, browser: Browser
) -> None:
    task, item = asking(room)
    one, two = got(browser, "/inbox"), got(browser, "/inbox")
    action = item["data"]["options"][0]["id"]
    sent(browser, one.form(f"/inbox/{item['id']}/act"), action=action)
    resolved(room, item)
    late = send(browser, two.form(f"/inbox/{item['id']}/act"), action=action)
    assert late.status == 409
    page = check_inert(late.text)
    assert "This was answered already." in page.text and "/inbox?status=resolved" in page.links
    [here] = [found["content"] for tag, found in page.tags if found.get("name") == "here"]
    assert here == "/inbox", "the page renews itself from where it can be got"
    room.ended(task)
    odd = send(browser, two.form(f"/inbox/{item['id']}/act"), action="odd", once="other")
    assert odd.status == 409


def test_an_answer_sent_twice_is_given_once(room: Room, browser: Browser) -> None:
    task, item = asking(room)
    form = got(browser, "/inbox").form(f"/inbox/{item['id']}/act")
    action = item["data"]["options"][0]["id"]
    sent(browser, form, action=action)
    resolved(room, item)
    assert send(browser, form, action=action).status == 303, "the same is done already"
    room.ended(task)
    assert len(room.house.get(f"/tasks/{task['id']}/attempts")["items"]) == 1


# --- tasks --------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.proves("C-94", "K-04")
def test_what_a_bridge_brings_from_a_chat_is_the_persons_word_and_says_its_way(
    room: Room, browser: Browser
) -> None:
    task = room.task("Talk", demo(room, "ada"), description=script("write a.txt one"))
    room.ended(task)
    path = f"/tasks/{task['id']}/comments"
    body = {"text": "Please go on.", "via": "telegram"}
    first = room.house.post(path, body, Idempotency_Key="chat-17")
    assert room.house.post(path, body, Idempotency_Key="chat-17")["id"] == first["id"]
    assert (first["author_type"], first["via"]) == ("person", "telegram")
    run = room.ended(task, 2)
    assert "The developer wrote:" in run["assembled_prompt"]
    (woken,) = wakeups(room, task, "comment")
    assert woken["payload"]["comment_id"] == first["id"]
    assert "You, by telegram" in got(browser, f"/tasks/{task['id']}").text
    assert (
        "you, by telegram: Please go on."
        in room.house.cli("task", "comments", "1", at=room.path).out
    )
    for wrong in ("", "Tele Gram", "<b>", "x" * 33):
        answer = room.house.program("POST", path, {**body, "via": wrong})
        assert answer.status == 422, wrong
    assert len(room.house.get(path)["items"]) == 1


@pytest.mark.slow
@pytest.mark.proves("K-04", "W-30 forms")
def test_a_comment_says_whom_it_wakes_and_wakes_it_once(room: Room, browser: Browser) -> None:
    task = room.task("Talk", demo(room, "ada"), description=script("write a.txt one"))
    room.ended(task)
    page = got(browser, f"/tasks/{task['id']}")
    assert "Wakes ada." in page.text
    form = page.form(f"/tasks/{task['id']}/comments")
    text = "Please go on.\r\n" + script("append a.txt two")
    after = sent(browser, form, text=text)
    assert "Please go on." in after.text
    assert send(browser, form, text=text).status == 303
    assert room.ended(task, 2)["outcome"] == "done"
    said = room.house.get(f"/tasks/{task['id']}/comments")["items"]
    assert [one["text"] for one in said] == [text.replace("\r\n", "\n")]
    assert len(wakeups(room, task, "comment")) == 1
    other = send(browser, form, text="Something else")
    assert other.status == 409 and "sent already, with other words" in other.text
    assert "Something else" in check_inert(other.text).text, "what was written is not lost"
    assert after.form(form.action).fields["once"] != form.fields["once"]


def test_a_comment_where_nobody_is_woken_says_so(room: Room, browser: Browser) -> None:
    task = room.task("Alone")
    assert "it wakes nobody" in got(browser, f"/tasks/{task['id']}").text
    done = room.task("Done", demo(room), description=script("say nothing to do"))
    room.ended(done)
    until(lambda: status(room, done) == "done")
    assert "wakes nobody" in got(browser, f"/tasks/{done['id']}").text


@pytest.mark.slow
@pytest.mark.proves("K-55", "W-30 forms")
def test_run_again_starts_one_more_attempt(room: Room, browser: Browser) -> None:
    task = room.task("Fail", room.shell("exit 3"), retry_budget=0)
    room.ended(task)
    until(lambda: status(room, task) == "failed")
    page = got(browser, f"/tasks/{task['id']}")
    assert "Could not do it" in page.text and "Every attempt failed" in page.text
    form = page.form(f"/tasks/{task['id']}/run")
    sent(browser, form)
    assert send(browser, form).status == 303
    room.ended(task, 2)
    (woken,) = wakeups(room, task, "user")
    assert woken["reason"] == "user_run"
    assert len(room.house.get(f"/tasks/{task['id']}/attempts")["items"]) == 2


@pytest.mark.slow
@pytest.mark.proves("K-05")
def test_a_task_is_given_to_an_agent(room: Room, browser: Browser) -> None:
    task = room.task("Alone", description=script("write a.txt one"))
    ada = demo(room, "ada")
    form = got(browser, f"/tasks/{task['id']}").form(f"/tasks/{task['id']}/assign")
    page = sent(browser, form, agent=ada)
    assert "Agent ada" in page.text
    assert room.ended(task)["outcome"] == "done"
    bob = demo(room, "bob")
    sent(browser, page.form(form.action), agent=bob)
    assert send(browser, form, agent=ada).status == 303
    now = room.house.get(f"/tasks/{task['id']}")["assignee_agent_id"]
    assert now == bob, "a form that is sent twice acts once"
    elsewhere = room.house.room(f"{room.path.name}-other")
    stranger = demo(elsewhere, "stranger")
    fresh = got(browser, f"/tasks/{task['id']}").form(form.action)
    wrong = send(browser, fresh, agent=stranger)
    assert wrong.status == 404 and "There is no such agent." in check_inert(wrong.text).text


@pytest.mark.slow
def test_running_what_runs_says_why_not(room: Room, browser: Browser) -> None:
    task = room.task("Wait", room.shell("exit 3"), retry_budget=0)
    room.ended(task)
    until(lambda: status(room, task) == "failed")
    form = got(browser, f"/tasks/{task['id']}").form(f"/tasks/{task['id']}/run")
    agent = room.shell("sleep 300", name="slow")
    room.house.program("PATCH", f"/tasks/{task['id']}", {"assignee_agent_id": agent})
    room.live(task)
    assert not got(browser, f"/tasks/{task['id']}").has_form(form.action)
    late = send(browser, form)
    assert late.status == 409 and "being worked on" in check_inert(late.text).text


# --- proposals ----------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.proves("W-30 forms")
def test_a_proposal_is_delivered_once_by_a_form(room: Room, browser: Browser) -> None:
    task = room.task("Write", room.shell("echo x > new.txt; echo y >> notes.txt"))
    room.ended(task)
    proposal = room.proposal(task)
    path = f"/proposals/{proposal['id']}"
    page = got(browser, path)
    for told in ("new.txt", "notes.txt", proposal["base_commit"][:8], "+x", "+y", "To look at"):
        assert told in page.text
    form = page.form(f"{path}/deliver")
    sent(browser, form)
    assert send(browser, form).status == 303
    until(lambda: room.house.get(path)["status"] == "delivered")
    seen = room.house.get(path)
    assert len(seen["deliveries"]) == 1
    page = got(browser, path)
    assert "Delivered" in page.text and seen["deliveries"][0]["new_commit"][:12] in page.text
    assert not page.has_form(form.action)
    assert room.git("show", "main:new.txt") == "x"
    late = send(browser, form, once="another")
    assert late.status == 409 and "can no longer be decided" in check_inert(late.text).text


@pytest.mark.slow
def test_a_held_delivery_shows_the_reason_and_the_command(room: Room, browser: Browser) -> None:
    task = room.task("Write", room.shell("echo x > new.txt"))
    room.ended(task)
    path = f"/proposals/{room.proposal(task)['id']}"
    (room.path / "new.txt").write_text("mine\n")
    form = got(browser, path).form(f"{path}/deliver")
    sent(browser, form)
    until(lambda: room.house.get(path)["deliveries"][-1]["status"] == "held")
    page = got(browser, path)
    command = room.house.get(path)["deliveries"][-1]["reason"]["command"]
    assert "new.txt exists and is not part of the branch" in page.text
    assert " ".join(command.split()) in page.text and "Held" in page.text
    (room.path / "new.txt").unlink()
    sent(browser, page.form(form.action))
    until(lambda: room.house.get(path)["status"] == "delivered")


def test_a_proposal_can_be_seen_and_delivered_where_git_cannot_tell_its_changes(
    room: Room, browser: Browser
) -> None:
    task = room.task("Write", room.shell("echo x > new.txt"))
    room.ended(task)
    proposal = room.proposal(task)
    path = f"/proposals/{proposal['id']}"
    away = room.path.with_name(f"{room.path.name}-away")
    room.path.rename(away)
    page = got(browser, path)
    assert "It was git that refused" in page.text and "It changes no file" not in page.text
    assert (
        "It was git that refused" in got(browser, f"/runs/{proposal['run_id']}?part=changes").text
    )
    assert room.house.program("GET", path).status == 503
    sent(browser, page.form(f"{path}/deliver"))
    away.rename(room.path)
    until(lambda: room.house.get(path)["deliveries"][-1]["status"] != "intended")


@pytest.mark.slow
@pytest.mark.proves("C-104")
def test_what_is_held_for_a_look_needs_a_word_why(room: Room, browser: Browser) -> None:
    task = room.task("Hook", room.shell("git config core.hooksPath x; echo x > new.txt"))
    room.ended(task)
    path = f"/proposals/{room.proposal(task)['id']}"
    form = got(browser, path).form(f"{path}/deliver")
    refused = send(browser, form)
    assert refused.status == 409
    page = check_inert(refused.text)
    assert "held for a look" in page.text and "Deliver it all the same" in page.text
    sent(browser, page.form(form.action), override="true", note="I looked at it.")
    until(lambda: room.house.get(path)["status"] == "delivered")


@pytest.mark.slow
def test_a_long_change_is_cut_and_says_so(room: Room, browser: Browser) -> None:
    script_ = "seq 1 3000 > long.txt; seq 1 90000 > longer.txt; echo x > zuletzt.txt"
    task = room.task("Write", room.shell(script_))
    room.ended(task)
    proposal = room.proposal(task)
    page = got(browser, f"/proposals/{proposal['id']}")
    assert "more lines of this file are not shown" in page.text
    assert "this is their beginning" in page.text and "zuletzt.txt" in page.text
    assert len(page.raw) < 1_000_000
    by_hand = f"git diff {proposal['base_commit'][:12]} {proposal['head_commit'][:12]}"
    assert by_hand in page.text
    assert "+x" in room.git(*by_hand.split()[1:])


# --- control ------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.proves("W-30 forms")
def test_pause_resume_and_stop_all_by_forms(running: House) -> None:
    browser, room = Browser(running), running.room()
    agent = room.shell("sleep 300", max_concurrent_sessions=2)
    task = room.task("Wait", agent)
    run = room.live(task)
    pids = [one["pid"] for one in run["processes"]]

    def frame(path: str) -> Any:
        return next(one for one in got(browser, path).forms if one.action == "/control")

    form = frame(f"/tasks/{task['id']}")
    paused = sent(browser, form, action="pause")
    assert running.get("/control")["intake"] == "paused"
    assert "Paused: nothing new is started" in paused.text and "Wait" in paused.text
    later = room.task("Later", agent)
    assert "Nothing new is started" in got(browser, f"/tasks/{later['id']}").text
    resumed = sent(browser, frame("/runs"), action="resume")
    assert "Runs" in resumed.text and running.get("/control")["intake"] == "open"
    room.live(later)
    confirm = got(browser, "/control")
    for pid in pids:
        assert str(pid) in confirm.text, "what would be ended is named"
    stop = confirm.form("/control")
    assert ("action", "force-stop") in stop.choices
    answer = send(browser, stop, action="force-stop")
    assert answer.status == 200
    page = check_inert(answer.text)
    for pid in pids:
        assert f"Ended {pid}" in page.text and not alive(pid)
    assert "Everything is stopped" in page.text
    sent(browser, frame("/"), action="resume")
    run = room.live(task)
    again = check_inert(send(browser, stop, action="force-stop").text)
    assert f"Ended {pids[0]}" in again.text, "the same request has the same answer"
    assert "Everything is stopped" not in again.text and "Resume" not in again.text
    assert all(alive(one["pid"]) for one in run["processes"]), "loading it again stops nothing"


# --- the door -----------------------------------------------------------------------------------


@pytest.mark.proves("S-09", "S-10", "S-18")
def test_no_form_is_taken_from_elsewhere(room: Room, browser: Browser) -> None:
    house = room.house
    task = room.task("Quiet")
    form = got(browser, f"/tasks/{task['id']}").form(f"/tasks/{task['id']}/comments")
    other = Browser(house).csrf()
    assert send(browser, form, text="x", csrf=other).status == 403
    assert send(browser, form, text="x", csrf="").status == 403
    body = f"csrf={form.fields['csrf']}&once=k&text=x"
    for headers in ({"Origin": "http://evil.example"}, {"Sec_Fetch_Site": "same-site"}):
        foreign = browser.ask("POST", form.action, body, Content_Type=FORM, **headers)
        assert foreign.status == 403
    signed_out = house.ask(
        "POST", form.action, body, {"Content-Type": FORM}, host=house.browser_host
    )
    assert signed_out.status == 401
    for path in ("/control", f"/tasks/{task['id']}/run", "/inbox/zzzzzzzz/act"):
        assert send(browser, Form("post", path)).status == 403
    assert not house.get(f"/tasks/{task['id']}/comments")["items"]


def test_a_form_is_read_strictly(room: Room, browser: Browser) -> None:
    task = room.task("Quiet")
    form = got(browser, f"/tasks/{task['id']}").form(f"/tasks/{task['id']}/comments")
    for wrong in ({"text": ""}, {"text": "x" * 16_385}, {"text": "x\0"}, {"text": "x", "odd": "y"}):
        assert send(browser, form, **wrong).status == 422, wrong
    assert send(browser, form, text="x", once="").status == 400
    assert send(browser, form, text="x" * (1 << 20)).status == 413
    big = send(browser, form, text="x" * 900_000)
    assert big.status == 422, "the limit is the one of every body"
    program = {"Authorization": f"Bearer {room.house.token}", "Content-Type": "application/json"}
    assert room.house.ask("POST", form.action, "{}", program).status == 415
    assert not room.house.get(f"/tasks/{task['id']}/comments")["items"]
    comment(room, task, "said")
    assert "said" in got(browser, f"/tasks/{task['id']}").text
