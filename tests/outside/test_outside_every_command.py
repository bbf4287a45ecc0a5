"""Every command and every route: each route has a command that asks it, and each command works."""

import itertools
import shlex
import subprocess
from typing import Any

import click
import pytest
from outside_commands import Commands, commands
from outside_house import House, Room, until
from outside_talk import demo, script

from roundtable_desktop.cli.main import cli

WITHOUT_COMMAND = {
    ("GET", "/api/v1/missions/{ref}/waves"): "`mission show --wave` asks it for a wave of before",
    ("GET", "/api/v1/control"): "`stop --wait` and `leave --wait` ask it, and `status` says it",
    ("GET", "/api/v1/openapi.json"): "it is for programs that make clients",
    ("GET", "/api/v1/search"): "it is for the palette; lists have filters of their own",
    ("GET", "/api/v1/runs/download"): "`runs list --json` tells the same",
    ("GET", "/api/v1/events/stream"): "`watch --follow` never ends; it has tests of its own",
    ("GET", "/api/v1/workspaces/{ref}/config"): "`workspace config` looks by POST, which asks too",
    ("GET", "/api/v1/workspaces/{ref}/runs/status"): "it is for programs; `run` shows the same",
    ("POST", "/api/v1/workspaces/{ref}/runs/{action}"): "it is for programs of the seed's words",
    ("POST", "/api/routine-triggers/{public_id}/fire"): "its sender signs it and has no token",
}
BY_HAND = {
    ("demo",): "is a whole practice, with tests of its own",
    ("start",): "is the owner itself",
    ("init",): "also works without an owner, and is tested so",
    ("backup",): "writes the file itself",
    ("restore",): "wants no owner",
    ("parse-limit",): "asks nobody",
    ("cron",): "asks nobody",
    ("completion",): "asks nobody",
    ("mcp", "stdio"): "is an agent's own, with tests of its own",
    ("mcp", "inspect"): "asks nobody",
    ("stop",): "would stop the shared owner's work",
    ("leave",): "would stop the shared owner's work",
    ("force-stop",): "would end the shared owner's work",
}


@pytest.fixture
def told(shared: House, monkeypatch: pytest.MonkeyPatch) -> Commands:
    return Commands(shared, monkeypatch)


def test_every_command_has_an_example_that_can_be_typed() -> None:
    for words, command in commands():
        assert command.epilog and "Example:" in command.epilog, words
        line = command.epilog.strip().splitlines()[-1].strip()
        given = list(itertools.takewhile(lambda word: word not in "<>", shlex.split(line)))
        assert tuple(given[1 : len(words) + 1]) == words, line
        parsed: click.Command = command
        with parsed.make_context(words[-1], given[len(words) + 1 :]):
            pass


def test_every_reader_gives_json_after_the_command() -> None:
    for words, command in commands():
        if words[-1] in ("list", "show", "explain", "status", "comments", "events", "diff"):
            options = [one for param in command.params for one in param.opts]
            assert "--json" in options, words


@pytest.mark.slow
def test_every_route_has_a_command_and_every_command_works(told: Commands) -> None:
    room = told.house.room("every-command")
    for part in (of_home, of_workspaces, of_agents, of_tasks, of_runs, of_proposals):
        part(told, room)
    for part in (of_asks, of_routines, of_waking, of_bundles, of_budgets, of_memories, of_missions):
        part(told, room)
    assert set(told.routes) - told.asked - set(WITHOUT_COMMAND) == set()
    known = {words for words, _ in commands()}
    assert known - told.used - set(BY_HAND) == set()
    assert told.used & set(BY_HAND) == set() == told.asked & set(WITHOUT_COMMAND)


def here(room: Room) -> tuple[str, str]:
    return "--workspace", room.shown["name"]


def of_home(told: Commands, room: Room) -> None:
    told.both("status"), told.both("settings", "list")
    assert all(told.done(*words, code=None) for words in (("doctor",), ("doctor", "--fix")))
    told.done("settings", "set", "backup_hours", "48")
    assert told.both("settings", "show", "backup_hours")["value"] == 48
    told.done("settings", "edit", "backup_hours", "36")
    told.done("settings", "clear", "backup_hours")
    told.both("settings", "list", *here(room))
    told.done("settings", "set", "projects.web.model", "opus", *here(room))
    told.done("settings", "clear", "projects", *here(room))
    told.json("pause"), told.json("resume")
    assert told.done("open", "--print").startswith("http://")
    assert told.done("watch").strip() and told.done("watch", "--json").startswith("{")
    told.both("simulate", "--days", "0.1", *here(room))
    told.both("agenda", "--days", "2", *here(room))


def of_workspaces(told: Commands, room: Room) -> None:
    more = told.house.repository("one-more")
    made = told.json("workspace", "add", str(more), "--timezone", "Europe/Berlin")
    assert made["timezone"] == "Europe/Berlin"
    listed = told.both("workspace", "list")
    assert {made["id"], room.id} <= {one["id"] for one in listed}
    told.both("workspace", "show", made["name"])
    told.json("workspace", "edit", made["name"], "--delivery", "auto")
    told.both("workspace", "copies", made["name"])
    told.both("workspace", "config", made["name"])
    told.done("workspace", "remove", made["name"])
    assert made["id"] not in {one["id"] for one in told.json("workspace", "list")}


def of_agents(told: Commands, room: Room) -> None:
    add = ("agent", "add", "--adapter", "command", "--cooldown", "0", *here(room))
    told.done(*add, "--name", "worker", "--", "sh", "-c", "echo made > $ROUNDTABLE_RUN.txt")
    told.done(*add, "--name", "teller", "--", "sh", "-c", "echo All is well.")
    told.done(*add, "--name", "broken", "--", "sh", "-c", "echo no >&2; echo x > x.txt; exit 3")
    told.done(*add, "--name", "chair", "--role", "coordinator", "--", "sh", "-c", "echo Nothing.")
    assert {one["name"] for one in told.both("agent", "list", *here(room))} >= {"worker", "chair"}
    told.both("agent", "show", "worker", *here(room))
    told.done("agent", "edit", "worker", "--sessions", "2", *here(room))
    told.done("agent", "pause", "worker", *here(room))
    told.done("agent", "resume", "worker", *here(room))
    told.done("agent", "stop", "teller", *here(room))
    told.done("agent", "resume", "teller", *here(room))
    told.done("agent", "try-now", "teller", *here(room), code=1)  # no limit holds it
    assert "All is well." in told.done("agent", "test", "teller", *here(room))
    told.done("agent", "test", "broken", *here(room), code=1)


def task(told: Commands, room: Room, title: str, *more: str, agent: str = "worker") -> Any:
    who = ("--agent", agent) if agent else ("--unassigned",)
    return told.json("task", "add", title, *who, *here(room), *more)


def of_tasks(told: Commands, room: Room) -> None:
    first, second = task(told, room, "Näher", agent=""), task(told, room, "Second", agent="")
    named = f"T-{first['number']}"
    found = told.both("task", "list", "--text", "näher", *here(room))
    assert [one["id"] for one in found] == [first["id"]]
    told.done("task", "edit", named, "--description", "Mend it.", *here(room))
    told.done("task", "comment", named, "Where is it?", *here(room))
    assert told.both("task", "comments", named, *here(room))[0]["text"] == "Where is it?"
    told.both("task", "show", named, *here(room)), told.both("explain", "task", named, *here(room))
    told.done("task", "depend", f"T-{second['number']}", "--after", named, *here(room))
    told.done("task", "depend", f"T-{second['number']}", "--not-after", named, *here(room))
    told.done("task", "move", named, "in_progress", *here(room))
    told.done("task", "block", named, "--action", "Find it.", *here(room))
    assert told.json("task", "restore", named, *here(room))["status"] == "todo"
    told.done("task", "cancel", named, *here(room))
    assert told.json("task", "restore", named, *here(room))["number"] == second["number"] + 1
    told.done("task", "assign", f"T-{second['number']}", "teller", *here(room))
    room.ended(second)
    told.done("task", "run", f"T-{second['number']}", *here(room))
    room.ended(second, 2)


def of_runs(told: Commands, room: Room) -> None:
    failed = task(told, room, "Fails", "--retry-budget", "0", agent="broken")
    run = room.ended(failed)
    told.both("runs", "list", *here(room), "--agent", "broken", "--task", failed["id"])
    told.json(
        "runs", "list", *here(room), "--since", run["created_at"], "--wakeup", run["wakeup_id"]
    )
    told.both("runs", "show", run["id"]), told.both("runs", "events", run["id"])
    told.both("runs", "diff", run["id"]), told.done("runs", "transcript", run["id"])
    told.done("runs", "transcript", run["id"], "--save", str(room.house.root / "printed.txt"))
    assert told.json("runs", "recover", run["id"])["files"]
    told.both("explain", "run", run["id"])
    demo(room, name="speaker")
    asks = task(told, room, "Sleeps", "--description", script("sleep 60"), agent="speaker")
    live = room.live(asks)
    told.done("runs", "message", live["id"], "Be quick.")
    told.done("runs", "cancel", live["id"])


def of_proposals(told: Commands, room: Room) -> None:
    offered = []
    for title in ("One", "Two", "Three"):
        made = task(told, room, title)
        offered.append(room.proposal(made))
        room.ended(made)
    first, second, third = (one["id"] for one in offered)
    told.both("proposal", "list", *here(room)), told.both("proposal", "show", first)
    told.done("proposal", "reject", first, "--note", "Not this.")
    told.done("proposal", "rebase", second)
    told.done("proposal", "deliver", third)
    judged = ("--review", "speaker", "--approval", "--acceptance", "It is there.")
    fourth = room.proposal(task(told, room, "Four", *judged))["id"]
    until(lambda: room.house.get(f"/proposals/{fourth}")["gates"][1]["status"] == "asked")
    found = "ONE.md:1(major) say more"
    said = told.done("proposal", "verdict", fourth, "revise", "--finding", found)
    assert said == "A revision was asked for.\n"
    assert "ONE.md:1 (major): say more" in told.done("proposal", "show", fourth)


def of_asks(told: Commands, room: Room) -> None:
    gates = [task(told, room, f"Gate {n}", "--requires-approval", agent="") for n in (1, 2)]
    for one in gates:
        told.done("task", "move", f"T-{one['number']}", "in_progress", *here(room))
        told.done("task", "move", f"T-{one['number']}", "in_review", *here(room))
    first, second = told.both("approval", "list", *here(room))
    told.both("approval", "show", first["id"])
    told.done("approval", "approve", first["id"])
    told.done("approval", "reject", second["id"])
    failed = [
        one for one in told.json("inbox", "list", *here(room)) if one["kind"] == "agent.error"
    ]
    item = failed[0]["id"]
    told.both("inbox", "show", item)
    assert told.json("inbox", "ack", item)["acked_at"]
    assert told.json("inbox", "snooze", item, "--until", "2h")["status"] == "snoozed"
    assert told.json("inbox", "resolve", item)["status"] == "resolved"
    asks = task(told, room, "Asks", "--description", script("ask May I?"), agent="speaker")
    question = until(lambda: told.json("inbox", "list", *here(room), "--kind", "permission"))
    told.done("inbox", "resolve", question[0]["id"], code=1)
    told.json("inbox", "act", question[0]["id"], "allow_once")
    room.ended(asks)


def of_budgets(told: Commands, room: Room) -> None:
    what = ("--meter", "runs", "--period", "day", "--limit", "1000")
    made = told.json("budget", "add", *what, *here(room))
    told.both("budget", "list", *here(room))
    told.both("budget", "show", made["id"])
    told.done("budget", "edit", made["id"], "--limit", "2000")
    told.done("budget", "remove", made["id"])
    told.both("usage", "--by", "task", *here(room))
    told.both("usage", "--ahead", *here(room))


def of_memories(told: Commands, room: Room) -> None:
    note = 'tool memory_record {"topic": "tests", "text": "They run by make."}'
    room.ended(room.task("Note", demo(room, "notes"), description=script(note)))
    (run,) = told.json("runs", "list", "--agent", "notes", *here(room))
    assert told.both("runs", "artifacts", run["id"]) == []
    reports = '{"status": "completed", "artifacts": [{"path": "notes.txt"}]}'
    hand = room.shell(f"echo {shlex.quote(reports)} > $ROUNDTABLE_RESULT_FILE", name="reporter")
    made = room.ended(room.task("Keep", hand))
    saved = str(told.house.root / "saved-artifact.txt")
    told.done("runs", "artifacts", made["id"], "--save", "1", saved)
    (kept,) = told.both("memory", "list", "--query", "make", *here(room))
    assert told.done("memory", "forget", kept["id"][-8:]).strip() == "It is forgotten."
    assert told.json("memory", "list", *here(room)) == []


def of_missions(told: Commands, room: Room) -> None:
    words = ("--headless", "--max-iterations", "2", "--interval", "10ms")
    assert "iteration_limit" in told.done("run", "--root", str(room.path), "--goal", "Go", *words)
    made = told.json("mission", "add", "Bake bread", *here(room))
    listed = told.both("mission", "list", *here(room))
    assert made["id"] in {one["id"] for one in listed}
    told.both("mission", "show", "bake-bread", *here(room))
    until(lambda: told.json("mission", "show", "bake-bread", *here(room))["state"] == "active")
    told.done("mission", "require", "bake-bread", "With rye.", *here(room))
    told.done("mission", "assess", "bake-bread", "implementation", *here(room))
    for action in ("pause", "resume", "stop"):
        told.done("mission", action, "bake-bread", *here(room))
    until(lambda: told.json("mission", "show", "bake-bread", *here(room))["state"] == "stopped")
    for action in ("reopen", "force-stop"):
        told.done("mission", action, "bake-bread", *here(room))


def of_routines(told: Commands, room: Room) -> None:
    told.json("routine", "add", "Look", "--agent", "teller", "--cron", "0 9 * * 1", *here(room))
    told.both("routine", "list", *here(room)), told.both("routine", "show", "Look", *here(room))
    told.done("routine", "edit", "Look", "--priority", "5", *here(room))
    told.done("routine", "fire", "Look", *here(room))
    of_it = ("runs", "list", "--routine", "Look", *here(room))
    until(lambda: [one for one in told.json(*of_it) if one["status"] == "finished"])
    told.both("routine", "explain", "Look", *here(room))
    told.both("explain", "routine", "Look", *here(room))
    of_webhooks(told, room)
    told.done("routine", "pause", "Look", *here(room))
    told.done("routine", "resume", "Look", *here(room))
    told.done("routine", "archive", "Look", *here(room))
    told.done("routine", "remove", "Look", *here(room))
    told.done("routine", "remove", "Coordinator heartbeat", *here(room))
    told.done("routine", "install-heartbeat", "chair", *here(room))


def of_webhooks(told: Commands, room: Room) -> None:
    hook = ("routine", "webhook")
    made = told.json(*hook, "add", "Look", *here(room))
    sent = subprocess.run(
        ["sh", "-c", told.done(*hook, "rotate", "Look", *here(room)).partition("\n\n")[2]],
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert '"source":"webhook"' in sent.stdout, sent
    (kept,) = told.both(*hook, "list", "Look", *here(room))
    assert (kept["id"], kept["secret"]) == (made["id"], None)
    told.done("routine", "edit", "Look", "--cron", "0 8 * * 1", *here(room))
    assert kept["url"] in told.done(*hook, "call", "Look", *here(room))
    (came,) = told.both(*hook, "deliveries", "Look", *here(room))
    assert came["became"] == "fired"
    told.done(*hook, "edit", "Look", "--mode", "bearer", *here(room))
    told.done(*hook, "off", "Look", *here(room)), told.done(*hook, "on", "Look", *here(room))
    told.done(*hook, "edit", "Look", "--mode", "none", *here(room), code=1)
    told.done(*hook, "remove", "Look", *here(room))
    told.done(*hook, "call", "Look", *here(room), code=2)


def of_waking(told: Commands, room: Room) -> None:
    made = told.json("agent", "wake", "teller", "--at", "8h", *here(room))
    told.both("wakeup", "show", made["id"]), told.both("explain", "wakeup", made["id"])
    listed = told.both("wakeup", "list", "--source", "user", "--status", "queued", *here(room))
    assert made["id"] in {one["id"] for one in listed}
    told.done("wakeup", "cancel", made["id"])


def of_bundles(told: Commands, room: Room) -> None:
    folder = str(room.house.root / "every-command-bundle")
    told.done("export", folder)
    told.json("import", folder, "--dry-run")


@pytest.mark.slow
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_is_told_how_to_complete_and_gets_our_words(house: House, shell: str) -> None:
    done = house.cli("completion", shell)
    assert done.code == 0 and f"_ROUNDTABLE_COMPLETE={shell}_complete" in done.out
    for words, number, wanted in (
        ("roundtable ta", "1", "task"),
        ("roundtable task res", "2", "restore"),
        ("roundtable inbox list --severity c", "4", "critical"),
    ):
        asked = {"_ROUNDTABLE_COMPLETE": f"{shell}_complete", "COMP_WORDS": words}
        last = words.rpartition(" ")[2]
        where = last if shell == "fish" else number
        answered = house.cli(env=asked | {"COMP_CWORD": where})
        assert wanted in answered.out, (shell, words, answered.said)
    assert cli.commands["completion"].epilog
