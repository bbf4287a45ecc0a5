"""Gates as a person meets them: reviewers look at the work, and a person acts at the gates."""

import json
import re
from typing import Any

import pytest
from outside_house import Browser, House, Room, until
from outside_pages import got, send, sent
from outside_talk import script

REVISE = {
    "verdict": "revise",
    "note": "Say more.",
    "findings": [{"path": "build.txt", "line": 1, "text": "too short", "severity": "major"}],
}
AGAIN = script("once", f"tool vote_cast {json.dumps(REVISE)}")


@pytest.mark.slow
@pytest.mark.proves("K-54 gates", "C-26", "W-16", "A-15 snapshot", "C-51", "C-104 gates")
def test_spec_build_review_ship_and_a_person_acts_at_the_gates_alone(running: House) -> None:
    house, repo = running, running.repository()
    assert house.cli("init", "--base", "main", at=repo).code == 0
    house.git("checkout", "-q", "-b", "mine", at=repo)
    for name in ("builder", "first", "second"):
        words = ("agent", "add", "--adapter", "demo", "--name", name, "--cooldown", "0")
        assert house.cli(*words, at=repo).code == 0

    def add(title: str, description: str, *more: str) -> None:
        words = ("--agent", "builder", "--description", description, *more)
        done = house.cli("task", "add", title, *words, at=repo)
        assert done.code == 0, done.said

    def task(number: int) -> Any:
        return house.cli("task", "show", f"T-{number}", "--json", at=repo).json

    def reaches(number: int, word: str) -> None:
        until(lambda: task(number)["status"] == word)

    def question() -> Any:
        return until(lambda: house.cli("approval", "list", "--json", at=repo).json)[0]

    add("Spec", script("say It does one thing"), "--review", "first", "--approval")
    build = ("--after", "T-1", "--delivery", "auto", "--review", "first", "--review", "second")
    add("Build", script("write build.txt made"), *build, "--acceptance", f"It is long.\n{AGAIN}")
    add("Ship", script("say Shipped"), "--after", "T-2", "--requires-approval")

    asked = question()
    shown = house.cli("task", "show", "T-1", at=repo).out
    assert "1. Review (first; 1 of 1): passed" in shown and "2. Your approval: asked" in shown
    assert task(1)["gates"][0]["status"] == "passed"
    said = house.cli("approval", "approve", asked["id"][-8:], "--note", "Build it", at=repo)
    assert (said.code, said.out) == (0, "Approved. T-1 is done.\n")

    reaches(3, "in_review")
    assert task(2)["status"] == "done"
    assert house.git("show", "main:build.txt", at=repo).strip() == "made"
    newest, oldest = task(2)["proposals"]
    assert (newest["status"], oldest["status"]) == ("delivered", "revision_requested")
    told = house.cli("proposal", "show", oldest["id"], at=repo).out
    assert "first: asks for changes - Say more." in told
    assert "build.txt:1 (major): too short" in told
    runs = house.cli("runs", "list", "--json", at=repo).json
    prompts = [house.run(one["id"])["assembled_prompt"] for one in runs]
    (second,) = [one for one in prompts if "not accepted as it is" in one]
    assert second.count("build.txt:1 (major): too short") == 2, "of both, in one turn"
    reviews = [one for one in prompts if "# How to vote" in one]
    assert len(reviews) == 5 and not any("vote_cast {" in one for one in reviews)
    assert len([one for one in prompts if "T-2: Build" in one and one not in reviews]) == 2
    assert house.cli("approval", "approve", question()["id"], at=repo).code == 0
    reaches(3, "done")


@pytest.mark.proves("C-79", "C-104 gates", "S-69 verdicts")
def test_the_api_takes_gates_and_verdicts_and_says_what_it_does_not_take(room: Room) -> None:
    house = room.house
    first = room.agent("true", name="first", adapter="acp")
    worker = room.shell("echo made > made.txt", name="worker")
    house.post(f"/agents/{first}/pause", {})
    other = house.room("elsewhere")
    for gates, status, pointer in (
        ([{"kind": "review", "agents": []}], 422, "/gates/0/agents"),
        ([{"kind": "review", "agents": ["first"], "needed": 2}], 422, "/gates/0/needed"),
        ([{"kind": "review", "agents": ["worker"]}], 422, "/gates/0/agents/0"),
        ([{"kind": "review", "agents": ["nobody"]}], 404, None),
        ([{"kind": "review", "agents": [other.agent("true", adapter="acp")]}], 404, None),
        ([{"kind": "wave"}], 422, "/gates/0/kind"),
    ):
        body = {"workspace_id": room.id, "title": "No", "gates": gates}
        refused = house.program("POST", "/tasks", body)
        assert refused.status == status, refused.text
        if pointer:
            assert refused.json["errors"][0]["pointer"] == pointer
    made = room.task(
        "Make",
        worker,
        gates=[{"kind": "review", "agents": ["first"]}, {"kind": "approval"}],
        acceptance="It is there.",
        expected_files=["made.txt"],
    )
    assert [(one["kind"], one["agents"], one["status"]) for one in made["gates"]] == [
        ("review", [first], "waiting"),
        ("approval", [], "waiting"),
    ]
    proposal = room.proposal(made)
    path = f"/proposals/{proposal['id']}"
    shown = until(lambda: (one := house.get(path))["gates"][0]["stuck"] and one)
    assert shown["gates"][0]["waits_for"] == ["first"] and shown["gate_open"]
    refused = house.program("POST", f"{path}/deliver", {})
    assert (refused.status, refused.json["code"]) == (409, "gate_open")
    assert "first" in refused.json["detail"]
    bare = house.program("POST", f"{path}/verdicts", {"verdict": "revise"})
    assert (bare.status, bare.json["code"]) == (422, "verdict_without_reason")
    judged = house.post(f"{path}/verdicts", {"verdict": "approve_with_notes", "note": "Good."})
    (mine,) = judged["verdicts"]
    assert (mine["author_type"], mine["verdict"]) == ("person", "approve_with_notes")
    shown = house.get(path)
    assert [one["status"] for one in shown["gates"]] == ["passed", "asked"]
    assert shown["sentence"] == "It waits for your approval." and not shown["gate_open"]
    assert "expected_files" in made and made["acceptance"] == "It is there."
    run = house.get("/runs", task_id=made["id"])["items"][0]
    prompt = house.run(run["id"])["assembled_prompt"]
    assert "Accepted when:\nIt is there." in prompt and "Expected to change: made.txt" in prompt
    changed = house.program("PATCH", f"/tasks/{made['id']}", {"gates": []})
    assert changed.json["gates"] == []


@pytest.mark.proves("C-26", "C-104 gates")
def test_pages_show_gates_and_take_a_verdict_without_a_script(room: Room) -> None:
    house = room.house
    browser = Browser(house)
    first = room.agent("true", name="first", adapter="acp")
    worker = room.shell("echo made > made.txt", name="worker")
    house.post(f"/agents/{first}/pause", {})
    page = got(browser, f"/tasks/new?workspace={room.id}")
    assert f'name="reviewer-{first}"' in page.raw
    assert f'name="reviewer-{worker}"' not in page.raw, "it has no tools"
    words = {
        "place": f"{room.id}:{worker}",
        "title": "Make",
        "description": "",
        f"reviewer-{first}": "true",
        "needed": "1",
        "acceptance": "It is there.",
    }
    answer = send(browser, page.form("/tasks/new"), **words)
    assert answer.status == 303, answer.text
    where = re.sub(r"\?.*", "", answer["Location"])
    task = house.get(f"/tasks/{where.rsplit('/', 1)[1]}")
    assert [one["kind"] for one in task["gates"]] == ["review"]
    proposal = room.proposal(task)
    until(lambda: house.get(f"/proposals/{proposal['id']}")["gates"][0]["stuck"])
    shown = got(browser, where)
    assert "Gates" in shown.text and "It is there." in shown.text
    assert "its review cannot end by itself" in shown.text
    path = f"/proposals/{proposal['id']}"
    shown = got(browser, path)
    assert "Your verdict" in shown.text and "have not let it pass yet" in shown.text
    assert "Waits for you" in got(browser, f"/board?workspace={room.id}").text
    paused = "first is paused; its review goes on when you resume it"
    assert paused in got(browser, "/inbox").text
    shown = sent(browser, shown.form(f"{path}/verdicts"), verdict="approve", note="Good.")
    assert "Good." in shown.text and "It passed its gates." in shown.text
    assert not shown.has_form(f"{path}/verdicts")
    assert paused not in got(browser, "/inbox").text
    edit = got(browser, where).form(f"{where}/edit")
    words = {"title": "Make", "description": "", "acceptance": "It is big.", "waits_for": ""}
    words |= {"project": "", "model": "", f"reviewer-{first}": "true", "needed": ""}
    assert "It is big." in sent(browser, edit, **words, expected_files="made.txt\nb.txt").text
    kept = house.get(f"/tasks/{task['id']}")
    assert kept["expected_files"] == ["made.txt", "b.txt"]
    assert kept["gates"][0]["status"] == "passed", "the same gates are no other ones"


@pytest.mark.proves("C-79", "C-26")
def test_a_form_that_changes_only_words_leaves_the_gates_as_they_are(room: Room) -> None:
    house, browser = room.house, Browser(room.house)
    who = [room.agent("true", name=name, adapter="acp") for name in ("first", "second")]
    made = room.task("Make", gates=[{"kind": "review", "agents": who}])
    house.program("PATCH", f"/agents/{who[0]}", {"adapter": "command"})
    where = f"/tasks/{made['id']}"
    page = got(browser, where)
    boxes = {f"reviewer-{one}": "true" for one in who}
    assert all(f'name="{one}"' in page.raw for one in boxes), "also of one that cannot vote now"
    words = {"title": "Make it", "description": "", "acceptance": "", "waits_for": ""}
    words |= {"project": "", "model": "", "needed": "", "expected_files": ""}
    for turn in (boxes, dict(reversed(boxes.items()))):
        words["title"] += "!"
        assert words["title"] in sent(browser, page.form(f"{where}/edit"), **words, **turn).text
        page = got(browser, where)
    (gate,) = house.get(where)["gates"]
    assert (gate["id"], gate["agents"]) == (made["gates"][0]["id"], who)
