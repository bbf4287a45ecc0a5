"""opencode works for the product: a real owner, a real repository, and only the model is a stub."""

import contextlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest
from living_home import PATIENCE, Json, LivingHome, marked, process_of, until
from opencode import Settings
from stub_model import StubModel

pytestmark = [pytest.mark.agents, pytest.mark.timeout(300)]

DONE = "STUB-RESULT completed It is there."
WRITE = f"Please:\nSTUB-WRITE notes/hello.txt good morning\n{DONE}"
GONE = 30.0  # seconds until nothing of a run is left (C-71)
SILENCE = 12

Join = Callable[..., None]


@pytest.fixture
def join(home: LivingHome, opencode_command: list[str], opencode_env: Settings) -> Join:
    """Adds opencode as the workspace's agent, as a person does."""

    def add(**permissions: str) -> None:
        pairs = [f"{name}={value}" for name, value in opencode_env(**permissions).items()]
        env = [word for pair in pairs for word in ("--env", pair)]
        words = ("--adapter", "acp", "--name", "opencode", "--cooldown", "0")
        home.cli("agent", "add", *words, *env, "--", *opencode_command)

    return add


def add_impatient(home: LivingHome, command: list[str], env: dict[str, str]) -> None:
    """By the API: the command line leaves the limits as they are."""
    workspace = home.get("/workspaces")["items"][0]["id"]
    agent = {"workspace_id": workspace, "name": "opencode", "adapter": "acp", "cooldown_sec": 0}
    home.post("/agents", agent | {"command": command, "env": env, "silence_limit_sec": SILENCE})


def wakeup_of(home: LivingHome, run: Json) -> Json:
    seen: Json = home.get(f"/wakeups/{run['wakeup_id']}")
    return seen


def is_planned_again(home: LivingHome, run: Json) -> None:
    """The same wakeup waits for its next try, and says so (N-03)."""
    wakeup = wakeup_of(home, run)
    assert (wakeup["status"], wakeup["held_by"], wakeup["retry_count"]) == ("queued", "retry", 1)
    assert wakeup["scheduled_retry_at"] > run["ended_at"]
    assert "It is tried again at" in home.cli("explain", "wakeup", wakeup["id"])


@pytest.mark.proves("D-08 adapters", "C-100")
def test_what_it_wrote_is_proposed_and_delivered(home: LivingHome, join: Join) -> None:
    join()
    task = home.task("Say good morning", WRITE)
    run = home.ended(task)
    assert (run["status"], run["outcome"]) == ("finished", "done"), run
    assert run["result_json"] == {
        "status": "completed",
        "summary": "It is there.",
        "evidence": [],
        "artifacts": [],
    }
    assert marked(run["id"]) == []
    offered = home.proposal(task)
    assert [change["path"] for change in offered["files"]] == ["notes/hello.txt"]
    assert "+good morning" in offered["diff"]
    assert not (home.repository / "notes").exists()
    assert home.deliver(task)["status"] == "delivered"
    assert (home.repository / "notes/hello.txt").read_text() == "good morning\n"
    assert home.git("status", "--porcelain") == "?? .roundtable/"
    assert home.git("log", "-1", "--format=%an <%ae> %s") == (
        "Grace <grace@example.org> T-1: Say good morning"
    )
    assert home.get(f"/tasks/{task}")["status"] == "done"


@pytest.mark.proves("D-08 adapters")
@pytest.mark.parametrize(("by", "choice"), [("cli", "allow_once"), ("api", "reject_once")])
def test_it_asks_a_person_before_it_writes(
    home: LivingHome, join: Join, by: str, choice: str
) -> None:
    join(edit="ask")
    task = home.task("Ask me", WRITE, "--retry-budget", "0")
    [item] = until(lambda: home.get("/inbox", status="open", kind="permission")["items"])
    assert {"allow_once", "reject_once"} <= {one["kind"] for one in item["data"]["options"]}
    assert "waits for your answer" in home.cli("explain", "task", "T-1")
    if by == "cli":
        home.cli("inbox", "act", item["id"], choice)
    else:
        home.post(f"/inbox/{item['id']}/act", {"action": choice})
    run = home.ended(task)
    assert home.get(f"/inbox/{item['id']}")["resolution"]["by"] == "person"
    if choice == "allow_once":
        assert home.proposal(task)["files"][0]["path"] == "notes/hello.txt"
        return
    assert home.get("/proposals", task_id=task)["items"] == []
    assert list(home.home.glob("copies/*/*/notes")) == []
    assert run["outcome"] == "no_result"
    assert home.get(f"/tasks/{task}")["status"] == "failed"
    assert "no_result" not in home.cli("task", "show", "T-1"), "in words"


@pytest.mark.proves("K-48", "K-04")
def test_a_comment_goes_on_with_the_conversation(
    home: LivingHome, join: Join, stub: StubModel
) -> None:
    join()
    task = home.task("Remember", f"STUB-REMEMBER walnut\n{WRITE}")
    first = home.ended(task)
    home.cli("task", "comment", "T-1", "STUB-RECALL\nSTUB-RESULT completed Recalled.")
    second = home.ended(task, 2)
    assert second["session_id"] == first["session_id"] != ""
    events = home.get(f"/runs/{second['id']}/events")["items"]
    [opened] = [one for one in events if one["kind"] == "session.opened"]
    assert opened["data"]["loaded"] is True
    assert "I remember walnut." in home.transcript(second["id"])
    told, new = stub.asked()[-1].user_texts
    assert "# Your task" in told and "walnut" in told
    assert "# New since your last turn" in new and "STUB-RECALL" in new
    assert "# Your task" not in new and "walnut" not in new


@pytest.mark.proves("A-21", "K-34", "N-03 why")
def test_a_limit_without_end_runs_into_the_silence_limit(
    home: LivingHome, opencode_command: list[str], opencode_env: Settings, stub: StubModel
) -> None:
    add_impatient(home, opencode_command, opencode_env())
    task = home.task("Be refused", "STUB-429")
    assert stub.wait(1, PATIENCE)
    run = home.ended(task, seconds=SILENCE + PATIENCE)
    assert (run["status"], run["outcome"]) == ("failed", "limited"), run
    assert marked(run["id"]) == []
    assert "Rate limit reached for stub-model" in run["error"]["text"]
    is_planned_again(home, run)
    assert "The provider refused it for now" in home.cli("explain", "run", run["id"])


@pytest.mark.proves("F-06", "F-35", "K-34")
@pytest.mark.parametrize("victims", [("agent",), ("runner", "agent")], ids="+".join)
def test_killed_in_a_tool_call_nothing_of_it_is_left(
    home: LivingHome, join: Join, victims: tuple[str, ...]
) -> None:
    join()
    task = home.task("Sleep", "STUB-BASH sleep 600")
    run = home.live(task)
    until(lambda: "sleep" in map(name_of, marked(run["id"])))
    for process in [process_of(run, role) for role in victims]:
        with contextlib.suppress(psutil.NoSuchProcess):  # it went with the one before
            process.kill()
    until(lambda: not marked(run["id"]), GONE)
    ended = home.ended(task)
    outcome = "lost" if "runner" in victims else "crashed"
    assert (ended["status"], ended["outcome"]) == ("failed", outcome), ended
    is_planned_again(home, ended)


def name_of(process: psutil.Process) -> str:
    """Of one that may be gone in this moment: then it has none."""
    with contextlib.suppress(psutil.NoSuchProcess):
        return process.name()
    return ""


@pytest.mark.proves("D-08 adapters", "S-71")
def test_its_tools_are_the_tasks_and_its_key_is_kept_nowhere(
    home: LivingHome, join: Join, stub: StubModel
) -> None:
    join()
    result = {"status": "completed", "summary": "By the tool."}
    script = [
        "STUB-WRITE a.txt x",
        "STUB-BASH printenv ROUNDTABLE_MCP_TOKEN",
        'STUB-TOOL task_comment {"text": "Half way, with STUB-LAST."}',
        f"STUB-TOOL task_result {json.dumps(result)}",
        "STUB-SAY I told the tool.",
    ]
    run = home.ended(home.task("Use the tools", "\n".join(script)))
    assert run["outcome"] == "done", run
    assert run["result_json"].items() >= result.items()
    [comment] = home.get(f"/tasks/{run['task_id']}/comments")["items"]
    assert comment["author_type"] == "agent"
    assert comment["text"] == "Half way, with [redacted]."
    texts = [text for seen in stub.asked() for text in seen.user_texts]
    assert len(set(texts)) == 1  # nobody asked for the result once more
    token = token_in(stub)
    holders = [str(path) for path in files_of(home) if token.encode() in path.read_bytes()]
    assert holders == []


def token_in(stub: StubModel) -> str:
    """What `printenv` said: the answer to the second tool call."""
    said = [one for one in stub.asked()[-1].body["messages"] if one["role"] == "tool"]
    token = str(said[1]["content"]).strip()
    assert len(token) >= 32 and "\n" not in token, token
    return token


def files_of(home: LivingHome) -> Iterator[Path]:
    """The whole home with its database, spools, transcripts and logs, and the owner's stderr."""
    return (path for path in home.short.rglob("*") if path.is_file())
