"""What must not be found: the token, the secrets of agents, and doors for agents to other doors."""

import base64
import json
import re
import sys
from pathlib import Path
from typing import Any
from urllib.parse import quote

import psutil
import pytest
from outside_files import holders
from outside_house import Browser, House, Room, until

CANARY = "sk-CANARY/7f3a+92==pq&Zz"
SPEAK = """
import base64, os, sys, time, urllib.parse
secret = os.environ["ANTHROPIC_API_KEY"]
raw = secret.encode()
out = sys.stdout
print("plain", secret, "end", flush=True)
print("b64", base64.b64encode(raw).decode(), base64.b64encode(b"k=" + raw).decode())
print("url64", base64.urlsafe_b64encode(raw).decode())
print("hex", raw.hex(), raw.hex().upper())
print("url", urllib.parse.quote(secret), urllib.parse.quote(secret, safe=""), flush=True)
for piece in (secret[:7], secret[7:15], secret[15:]):
    os.write(1, piece.encode()); time.sleep(0.05)
os.write(1, b"\\n")
os.write(1, b"\\x1b[31m" + raw[:9] + b"\\x1b[1m" + raw[9:] + b"\\x1b[0m\\n")
print("err", secret, file=sys.stderr, flush=True)
open("plain.txt", "w").write("nothing here\\n")
raise ValueError("bad key " + secret)
"""


def spellings(secret: str) -> list[bytes]:
    raw = secret.encode()
    return [
        raw,
        base64.b64encode(raw),
        base64.b64encode(b"k=" + raw)[4:],
        base64.urlsafe_b64encode(raw),
        raw.hex().encode(),
        raw.hex().upper().encode(),
        quote(secret).encode(),
        quote(secret, safe="").encode(),
        json.dumps(secret)[1:-1].encode(),
    ]


@pytest.mark.slow
@pytest.mark.proves("S-71", "W-10")
def test_a_canary_is_redacted_in_every_spelling_and_place(house: House) -> None:
    house.start()
    room = house.room()
    agent = room.python(SPEAK, env={"ANTHROPIC_API_KEY": CANARY})
    task = room.task("Speak", agent, retry_budget=0)
    run = room.ended(task)
    transcript = house.transcript(run["id"])
    assert transcript.count("[redacted]") >= 9
    assert "plain [redacted] end" in transcript and "bad key [redacted]" in run["error"]["text"]
    needles = spellings(CANARY)
    answers = [
        house.program("GET", path).body
        for path in (
            "/agents",
            f"/agents/{agent}",
            f"/runs/{run['id']}",
            f"/runs/{run['id']}/transcript",
            f"/runs/{run['id']}/events",
            "/events",
            "/wakeups",
            f"/tasks/{task['id']}/explain",
            "/proposals",
            "/status",
        )
    ]
    page = Browser(house).ask("GET", "/").body
    assert not [needle for needle in needles for body in (*answers, page) if needle in body]
    assert house.get(f"/agents/{agent}")["env_names"] == ["ANTHROPIC_API_KEY"]
    known = {house.home / "secrets" / f"{agent}.json", *house.home.glob("runs/*/launch.json")}
    for _ in range(2):  # once more when the log has been closed and the WAL folded in
        found = [path for path in holders(house.home, needles) if path not in known]
        assert found == []
        if house.owner:
            house.end()
    assert CANARY.encode() not in (house.root / "owner.stderr").read_bytes()


@pytest.mark.slow
@pytest.mark.proves("S-72")
def test_an_agent_gets_the_allowed_names_its_own_and_the_mark(house: House) -> None:
    loud = {
        "ANTHROPIC_API_KEY": "sk-of-the-person",
        "SSH_AUTH_SOCK": "/somewhere",
        "GIT_DIR": "/somewhere/else",
        "DBUS_SESSION_BUS_ADDRESS": "unix:path=/x",
        "MY_SECRET": "abcdef",
        "PYTHONPATH": "/evil",
        "LD_PRELOAD": "",
        "TZ": "Europe/Berlin",
    }
    house.start("--port", "0", **loud)
    room = house.room()
    agent = room.shell(
        "env -0 > env.txt; cat /proc/$PPID/environ > up.txt", env={"OWN_KEY": "mine"}
    )
    task = room.task("Dump", agent)
    run = room.ended(task)
    copy = house.home / "copies" / "1" / "t1"
    found = dict(
        pair.partition("=")[::2] for pair in (copy / "env.txt").read_text().split("\0") if pair
    )
    allowed = {"PATH", "HOME", "LC_ALL", "TZ", "PWD", "SHLVL", "OLDPWD", "_"}
    ours = {"ROUNDTABLE_RUN", "ROUNDTABLE_TASK", "ROUNDTABLE_ATTEMPT", "ROUNDTABLE_RESULT_FILE"}
    assert found.keys() - allowed == ours | {"OWN_KEY"}
    assert (found["OWN_KEY"], found["TZ"]) == ("mine", "Europe/Berlin")
    assert (found["ROUNDTABLE_RUN"], found["ROUNDTABLE_ATTEMPT"]) == (run["id"], "1")
    assert found["ROUNDTABLE_TASK"] == task["id"]
    launch = json.loads((house.home / "runs" / run["id"] / "launch.json").read_text())
    for secret in (house.token, launch["control_key"], house.browser_host.partition(".")[0]):
        assert secret not in str(found)
        assert secret.encode() not in (copy / "up.txt").read_bytes()


@pytest.mark.slow
@pytest.mark.proves("S-28")
def test_the_token_is_in_no_command_line_environment_or_log(house: House) -> None:
    house.hurried = False  # else the kernel would tell another command line and environment
    house.start()
    room = house.room()
    run = room.live(room.task("Live", room.shell("sleep 60 & wait")))
    house.cli("status")
    house.cli("task", "list", at=room.path)
    link = house.cli("open", "--print").out.strip()
    code = re.search(r"once=([\w-]+)", link)
    assert code is not None
    launch = json.loads((house.home / "runs" / run["id"] / "launch.json").read_text())
    secrets = [house.token.encode(), code[1].encode()]
    seen = 0
    for process in psutil.process_iter():
        for name in ("cmdline", "environ"):
            try:
                content = Path(f"/proc/{process.pid}/{name}").read_bytes()
            except OSError:
                continue
            seen += 1
            assert not any(secret in content for secret in secrets), process.pid
            assert launch["control_key"].encode() not in content
    assert seen > 8
    kept = [path for path in holders(house.home, secrets) if path.name not in ("token",)]
    assert kept == []
    assert not any(secret in (house.root / "owner.stderr").read_bytes() for secret in secrets)


@pytest.mark.proves("S-20", "S-19", "S-18")
def test_only_the_whole_token_in_its_header_opens_the_api(shared: House) -> None:
    token = shared.token
    for path in ("/api/v1/status", "/api/v1/tasks", "/api/v1/openapi.json", "/api/v1/none", "/"):
        for query in (f"?token={token}", f"?access_token={token}", f"?once={token}"):
            assert shared.ask("GET", path + query).status == 401
        for value in (
            f"Bearer {token}X",
            f"Bearer {token[:-1]}",
            f"Bearer {token.swapcase()}",
            "Bearer",
            "Bearer ",
            token,
            f"Basic {base64.b64encode(b'x:' + token.encode()).decode()}",
            f"bearer  {token}",
        ):
            answer = shared.ask("GET", path, headers={"Authorization": value})
            assert answer.status == 401, value
            assert token not in answer.text
    for cookie in (f"__Host-roundtable={token}", f"token={token}"):
        asked = shared.ask("GET", "/", headers={"Cookie": cookie}, host=shared.browser_host)
        assert asked.status == 401
    health = shared.ask("GET", "/healthz")
    assert (health.status, health.json) == (200, {"status": "ok"})


@pytest.mark.slow
@pytest.mark.proves("S-71")
def test_a_new_agents_secret_is_known_to_the_log_at_once(running: House) -> None:
    """An agent's variable that a person also writes into a title comes out where it is logged."""
    room = running.room()
    agent = room.agent("/no/such/" + CANARY.replace("/", "_"), env={"K": CANARY.replace("/", "_")})
    task = room.task("Start what is not there", agent, retry_budget=0)
    run = room.ended(task)
    assert CANARY.replace("/", "_") not in json.dumps(run["error"])
    log = (running.home / "logs/roundtable.log").read_text()
    assert CANARY.replace("/", "_") not in log


def test_a_refused_request_keeps_no_secret_behind(room: Room) -> None:
    """An agent that was not made leaves no file."""
    before = set(room.house.home.glob("secrets/*"))
    body: dict[str, Any] = {
        "workspace_id": room.id,
        "name": "twice",
        "adapter": "command",
        "command": [sys.executable],
        "env": {"KEY": "value-of-key"},
    }
    assert room.house.program("POST", "/agents", body).status == 201
    assert room.house.program("POST", "/agents", body).status == 409
    assert room.house.program("POST", "/agents", body | {"workspace_id": "absent0"}).status == 404
    after = set(room.house.home.glob("secrets/*"))
    assert len(after - before) == 1
    assert until(lambda: room.house.ask("GET", "/healthz").json == {"status": "ok"})
