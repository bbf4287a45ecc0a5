"""A home with hostile text in every field that a person, an agent, a repository or a program of
the machine can fill; and with names of one long word."""

import json
import sys
from datetime import UTC, datetime, timedelta

from hostile_text import ALL, LINES, LONG, MARKED, PAYLOADS
from outside_house import House, Room, until
from outside_routines import fired, made
from outside_talk import comment, demo, item_of, script
from outside_webhooks import SECRET, Hook
from pictures.album import Ids

WRITES = """
import json, os, pathlib, subprocess, sys
texts = sys.argv[1:]
print("\\n".join(texts))
print("\\n".join(texts), file=sys.stderr)
for text in texts: pathlib.Path(text.replace("/", "_")[:60]).write_text(text)
all = " ".join(texts)
who = ["-c", "user.name=" + texts[0], "-c", "user.email=x@example.org"]
subprocess.run(["git", "add", "-A"], check=True)
subprocess.run(["git", *who, "commit", "-qm", all], check=True)
pathlib.Path(os.environ["ROUNDTABLE_RESULT_FILE"]).write_text(json.dumps({
    "status": "completed", "summary": all, "next": all,
    "evidence": [{"kind": "note", "ref": all, "text": all}],
    "artifacts": [{"path": texts[1], "kind": texts[0]}]}))
"""
"""Its output, its files, its commit and its report are what it is told."""

ASKS = """
import json, sys
def send(**message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\\n"); sys.stdout.flush()
text, turn = sys.argv[1], 0
def told(**update):
    send(method="session/update", params={"sessionId": text, "update": update})
for line in sys.stdin:
    said = json.loads(line)
    method, number = said.get("method"), said.get("id")
    if method == "initialize":
        send(id=number, result={"protocolVersion": 1, "agentCapabilities": {"loadSession": True}})
    elif method == "session/new":
        modes = {"currentModeId": text, "availableModes": [{"id": text, "name": text}]}
        send(id=number, result={"sessionId": text, "modes": modes})
    elif method == "session/prompt":
        turn = number
        told(sessionUpdate="plan", entries=[{"content": text, "priority": "high",
             "status": "pending"}])
        told(sessionUpdate="tool_call", toolCallId="c", title=text, kind="execute",
             status="failed", locations=[{"path": text}],
             content=[{"type": "content", "content": {"type": "text", "text": text}}])
        options = [{"optionId": text, "name": text, "kind": "allow_once"},
                   {"optionId": "no", "name": text, "kind": "reject_once"}]
        call = {"toolCallId": "c", "title": text, "rawInput": {text: text}}
        send(id=99, method="session/request_permission",
             params={"sessionId": text, "toolCall": call, "options": options})
    elif number == 99:
        send(id=turn, result={"stopReason": "end_turn"})
    elif number is not None and method:
        send(id=number, error={"code": -32601, "message": text})
"""
"""An ACP agent whose session, plan, tools and options are called what it is told."""


BRANCH = "feature/#%40é=1,{{7"
"""What no branch can be called here is refused; this is the worst that can."""

CONFIG = {
    "version": 1,
    "agents": [
        {"id": "writer", "name": LINES[0], "adapter": "command", "command": ["sh", "-c", ALL]}
    ],
    "routines": [{"name": LINES[1], "agent": "writer", "description": ALL}],
}
"""What a repository brings along; YAML reads JSON."""


def fake_program(house: House) -> None:
    """An agent's program on the machine, whose version is hostile; to be made before the start."""
    folder = house.root / "bin"
    folder.mkdir()
    program = folder / "opencode"
    program.write_text(f"#!/bin/sh\ncat <<'END'\n{ALL}\nEND\n")
    program.chmod(0o755)
    house.env["PATH"] = f"{folder}:{house.env['PATH']}"


def plant(house: House) -> Ids:
    """The ids of what shows it, by the noun of its page."""
    for number, line in enumerate(LINES[1:]):
        house.workspace(house.repository(f"{number}{line.replace('/', '_')}"), name=line)
    file = {"README.md": "Hello\n", ".roundtable/config.yaml": json.dumps(CONFIG)}
    place = house.repository(f"r{LINES[0].replace('/', '_')}", file)
    room = house.workspace(place, name=LINES[0])
    room.git("branch", BRANCH)
    tasks = [room.task(line, description=f"{ALL}\n{MARKED}", base_branch=BRANCH) for line in LINES]
    comment(room, tasks[1], f"{ALL}\n{MARKED[:9000]}")
    room.task("Waits", blocked_by=[one["id"] for one in tasks])
    words = {"reason": ALL, "owner": "user", "action": ALL}
    house.post(f"/tasks/{tasks[2]['id']}/block", words)
    house.post(f"/tasks/{tasks[3]['id']}/cancel", {"note": ALL})
    ids = _work(house, room, tasks)
    ids["missions"] = {"hostile": _mission(house)}
    ids["tasks"]["long"], ids["agents"]["long"] = _long(house)
    (house.home / "token").chmod(0o644)  # for the doctor to mend
    return ids


def _mission(house: House) -> str:
    """Paused, so that it stays as it is."""
    room = house.workspace(house.repository("mission"), name=f"M {LINES[0]}")
    body = {"workspace_id": room.id, "goal": f"{LINES[0]}\n{ALL}\n{MARKED}"}
    made = str(house.post("/missions", body)["id"])
    until(lambda: house.get(f"/missions/{made}")["state"] == "active")
    house.post(f"/missions/{made}/pause")
    first = room.task(LINES[1], mission_id=made, write_area=[*LINES, LONG], description=ALL)
    edge = {"depends_on_task_id": first["id"], "dependency_type": "soft", "reason": ALL[:2000]}
    policy = {"kind": "agent_select", "models": [PAYLOADS[0]]}
    room.task(LONG + LONG, mission_id=made, depends_on=[edge], model_policy=policy)
    change = {"text": ALL, "task_ids": [first["id"]]}
    house.post(f"/missions/{made}/requirements", change)
    return made


def _work(house: House, room: Room, tasks: list[dict[str, str]]) -> dict[str, dict[str, str]]:
    """What agents say, ask, leave and end with, and what wakes them."""
    actor = demo(room, LINES[0], max_concurrent_sessions=4, account=LINES[0])
    command = (sys.executable, "-c", WRITES, *PAYLOADS)
    writer = room.agent(*command, name=LINES[1], account=LINES[1], model=PAYLOADS[0])
    limit = demo(room, "limited", account=LINES[2])
    asker = room.agent(sys.executable, "-c", ASKS, ALL, name=LINES[2], adapter="acp")
    written = room.task("Write", writer)
    gated = room.task(LINES[2], description=ALL, requires_approval=True)
    for to in ("in_progress", "in_review"):
        house.post(f"/tasks/{gated['id']}/move", {"status": to, "note": ALL})
    failed = room.task(
        "Fail", actor, description=script(f"say {ALL}", f"fail task_failed {ALL}"), retry_budget=0
    )
    blocked = room.task("Block", actor, description=script(f"block {ALL}"))
    limited = room.task("Wait", limit, description=script(f"limit {ALL} try again in 5 hours"))
    asked = room.task("Ask", asker)
    absent = room.task("Start", room.agent(f"/nowhere/{ALL}", name=LINES[3]), retry_budget=0)
    item = item_of(room, asked)
    routine = made(
        room,
        actor,
        name=LINES[2],
        description=f"{{{{what}}}} {ALL}\n{script(f'say {ALL}')}",
        variables=[{"name": "what", "default": ALL}],
        task_template={"title": f"{{{{what}}}} {LINES[0][:150]}"},
        triggers=[{"kind": "webhook", "secret": SECRET}],
    )
    own = next(one for one in routine["triggers"] if one["kind"] == "webhook")
    named = "".join(one for one in ALL if "!" <= one <= "~")[:200]
    Hook(house, routine, own, SECRET).call({"what": ALL[:2000], ALL[:200]: ALL}, named)
    fired(house, routine)
    over = [room.ended(one)["id"] for one in (written, failed, blocked, absent)]
    room.ended(limited)
    proposal = room.proposal(written)["id"]
    return {
        "routines": {"hostile": routine["id"]},
        "tasks": {
            "hostile": tasks[1]["id"],
            "failed": failed["id"],
            "blocked": tasks[2]["id"],
            "gated": gated["id"],
        },
        "runs": {"written": over[0], "failed": over[1], "absent": over[3]},
        "proposals": {"hostile": proposal},
        "inbox": {"asked": item["id"]},
        "wakeups": {"hostile": _woken(house, actor)},
        "agents": {"hostile": writer},
    }


def _woken(house: House, agent: str) -> str:
    """One whose words are hostile, that waits."""
    at = datetime.now(UTC) + timedelta(days=99)
    later = {"context": ALL, "at": f"{at:%Y-%m-%dT%H:%M:%SZ}"}
    return str(house.post(f"/agents/{agent}/wake", later)["id"])


def _long(house: House) -> tuple[str, str]:
    """A task and an agent where every name is one word, and so is every path and command."""
    room = house.workspace(house.repository(LONG + LONG[:80]), name=LONG)
    agent = room.agent(f"/{LONG}", f"--{LONG}", name=LONG, model=LONG, account=LONG)
    task = room.task(LONG + LONG, agent, description=LONG * 5, retry_budget=0)
    made(room, agent, name=LONG, variables=[{"name": LONG[:60]}], description=LONG)
    comment(room, task, LONG * 3)
    until(lambda: house.get("/runs", task_id=task["id"])["items"])
    changed = house.program(
        "PATCH", f"/workspaces/{room.id}/settings", {"default_model": PAYLOADS[0]}
    )
    assert changed.status == 200, changed.text
    return task["id"], agent
