"""The model that a run uses: four levels say it, the run keeps it, and the agent is told."""

import sys

import pytest
from outside_house import Browser, House, Room
from outside_talk import demo, script

SAYS = "import os, sys; print(sys.argv[1:], os.environ.get('ROUNDTABLE_MODEL'))"


def set_up(room: Room, key: str, value: str) -> None:
    words = ["settings", "set", key, value, "--workspace", room.shown["name"]]
    assert room.house.cli(*words).code == 0


def sentence(house: House, run: dict[str, object]) -> str:
    (behind,) = house.get(f"/runs/{run['id']}/explain")["more"]
    return next(str(one["sentence"]) for one in behind["gates"] if one["gate"] == "executor")


@pytest.mark.slow
@pytest.mark.proves("K-45")
def test_the_first_level_that_names_a_model_decides_and_the_run_says_which(
    shared: House, room: Room
) -> None:
    agent = room.agent(sys.executable, "-c", SAYS, "--model={model}")
    task = room.task("Say it", agent, project="web")
    nobody = room.ended(task)
    assert nobody["error"]["kind"] == "model_unavailable" and nobody["exit_code"] is None
    assert nobody["model"] is None and "own default" in sentence(shared, nobody)
    assert shared.get(f"/tasks/{task['id']}")["status"] == "blocked"
    why = shared.get(f"/runs/{nobody['id']}/explain")["sentence"]
    assert "settings set --workspace" in why

    levels = [
        ("workspace", lambda: set_up(room, "default_model", "of-workspace")),
        ("project", lambda: set_up(room, "projects.web.model", "of-project")),
        ("agent", lambda: shared.program("PATCH", f"/agents/{agent}", {"model": "of-agent"})),
        ("task", lambda: shared.cli("task", "edit", task["id"][-8:], "--model", "of-task")),
    ]
    for number, (level, say) in enumerate(levels, 2):
        say()
        shared.post(f"/tasks/{task['id']}/run")
        run = room.ended(task, number)
        assert (run["model"], run["model_from"]) == (f"of-{level}", level)
        assert f"['--model=of-{level}'] of-{level}" in shared.transcript(run["id"])
        assert f"of-{level}, named by the {level}" in sentence(shared, run)
    assert f"model of-{level}" in " ".join(shared.cli("runs", "show", run["id"]).out.split())
    page = Browser(shared).ask("GET", f"/runs/{run['id']}").text
    assert "<code>of-task</code> (said by the task)" in page

    shared.cli("task", "edit", task["id"][-8:], "--model", "")
    shared.cli("agent", "edit", "worker", "--no-model", "--workspace", room.shown["name"])
    shared.post(f"/tasks/{task['id']}/run")
    assert room.ended(task, 6)["model_from"] == "project"


@pytest.mark.proves("K-45")
def test_the_built_in_agent_is_told_its_model_in_its_session_and_says_it(
    shared: House, room: Room
) -> None:
    task = room.task(
        "Brew", demo(room), model="practice-large", description=script("write a.txt one")
    )
    run = room.ended(task)
    assert run["outcome"] == "done" and run["model"] == "practice-large"
    assert "Working with the model practice-large." in shared.transcript(run["id"])


@pytest.mark.proves("K-45")
def test_a_model_that_the_agent_does_not_offer_is_no_other_one(shared: House, room: Room) -> None:
    task = room.task("Brew", demo(room), model="giant", description=script("write a.txt one"))
    run = room.ended(task)
    assert run["error"]["kind"] == "model_unavailable"
    assert "giant" in run["error"]["text"] and "practice-small" in run["error"]["text"]
    assert shared.get(f"/tasks/{task['id']}")["status"] == "blocked"
    assert shared.get("/proposals", task_id=task["id"])["items"] == []


@pytest.mark.slow
@pytest.mark.proves("K-45")
def test_a_conversation_goes_on_with_another_model_and_never_keeps_an_old_one(
    shared: House, room: Room
) -> None:
    task = room.task("Brew", demo(room), model="practice-large", description=script("say one"))
    first = room.ended(task)
    shared.cli("task", "edit", task["id"][-8:], "--model", "practice-small")
    shared.post(f"/tasks/{task['id']}/run")
    second = room.ended(task, 2)
    assert second["session_id"] == first["session_id"]
    assert "practice-small" in shared.transcript(second["id"])
    shared.cli("task", "edit", task["id"][-8:], "--model", "")
    shared.post(f"/tasks/{task['id']}/run")
    third = room.ended(task, 3)
    assert third["session_id"] != first["session_id"]
    assert "Working with the model" not in shared.transcript(third["id"])


@pytest.mark.parametrize("field", ["model", "project"])
@pytest.mark.parametrize("word", ["--flag", "two words", ""])
def test_a_word_that_could_be_an_option_is_no_model_and_no_project(
    shared: House, room: Room, field: str, word: str
) -> None:
    body = {"workspace_id": room.id, "title": "No", field: word}
    assert shared.program("POST", "/tasks", body).status == 422
