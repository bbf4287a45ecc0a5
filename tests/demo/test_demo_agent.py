"""The demo agent as a program: each `@demo` line, over ACP and as a plain command."""

import json
import os
import statistics
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from roundtable_desktop.adapters.runners import own_program
from roundtable_desktop.demo.acts import ACTS, WORDS

PROGRAM = own_program("demo-agent")
LINES = (
    "write append sleep say usage ask fail limit block crash hang silent flood spawn ignore-term"
    " noresult commit tool subtask"
)
"""Of the contract; `once` is no act, `subtask` and `tool` need the bridge."""


class Client:
    """The other side: asks one thing at a time and keeps what it is told meanwhile."""

    def __init__(self, folder: Path, **environment: str) -> None:
        self.folder = folder
        self.told: list[dict[str, Any]] = []
        self.asked: list[dict[str, Any]] = []
        self.option = "yes"
        self.number = 0
        self.home = folder.with_name(f"{folder.name}-home")
        base = {"PATH": os.environ["PATH"], "HOME": str(self.home)}
        self.process = subprocess.Popen(
            PROGRAM,
            cwd=folder,
            env={**base, **environment},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def send(self, **message: object) -> None:
        assert self.process.stdin
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self.process.stdin.flush()

    def call(self, method: str, **params: object) -> dict[str, Any]:
        self.begin(method, **params)
        return self.wait()

    def begin(self, method: str, **params: object) -> None:
        self.number += 1
        self.send(id=self.number, method=method, params=params)

    def wait(self) -> dict[str, Any]:
        assert self.process.stdout
        for line in self.process.stdout:
            message = json.loads(line)
            if message.get("id") == self.number and "method" not in message:
                return dict(message)
            if message.get("method") == "session/request_permission":
                self.asked.append(message["params"])
                outcome = {"outcome": "selected", "optionId": self.option}
                self.send(id=message["id"], result={"outcome": outcome})
            else:
                self.told.append(message["params"]["update"])
        raise EOFError

    def open(self) -> str:
        assert self.call("initialize")["result"]["agentCapabilities"]["loadSession"]
        return str(self.call("session/new", cwd=str(self.folder))["result"]["sessionId"])

    def prompt(self, session: str, text: str) -> dict[str, Any]:
        return self.call("session/prompt", sessionId=session, prompt=[{"text": text}])

    def obey(self, *lines: str) -> dict[str, Any]:
        """One turn with these lines; its report, or {} without one."""
        answer = self.prompt(self.open(), "".join(f"@demo {line}\n" for line in lines))
        assert answer["result"]["stopReason"] == "end_turn"
        return self.report()

    def said(self) -> str:
        return "".join(
            update["content"]["text"]
            for update in self.told
            if update["sessionUpdate"] == "agent_message_chunk"
        )

    def report(self) -> dict[str, Any]:
        _, fence, rest = self.said().rpartition("```roundtable-result\n")
        return dict(json.loads(rest.partition("\n```")[0])) if fence else {}

    def end(self) -> tuple[int, str]:
        """Closes its input; its exit code and what it said on the error channel."""
        told = self.process.communicate(timeout=10)[1]
        return self.process.returncode, told


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    client = Client(tmp_path)
    yield client
    client.process.kill()
    client.process.communicate()


def test_every_line_of_the_contract_has_its_act() -> None:
    assert ACTS.keys() == set(LINES.split())


@pytest.mark.proves("N-19 practice")
def test_it_writes_says_spends_and_reports(client: Client) -> None:
    report = client.obey("write docs/a.txt one", "append docs/a.txt two", "usage 7 5", "say hi")
    assert report == {"status": "completed", "summary": "wrote docs/a.txt; appended to docs/a.txt"}
    assert (client.folder / "docs/a.txt").read_text() == "one\ntwo\n"
    kinds = [update["sessionUpdate"] for update in client.told]
    assert kinds.count("tool_call") == kinds.count("tool_call_update") == 2
    so_far = {"_meta": {"usage": {"inputTokens": 7, "outputTokens": 5}}}
    told = {"sessionUpdate": "usage_update", "used": 12, "size": 128_000, **so_far}
    assert told in client.told
    assert client.said().startswith("hi\n")
    assert client.end() == (0, "")


def test_without_a_line_it_writes_a_file_after_the_task(client: Client) -> None:
    client.prompt(client.open(), "# Your task\n\nT-14: Boil water\n\nHot.\n")
    assert (client.folder / "task-14.md").read_text() == "Boil water\n"
    assert client.report()["summary"] == "wrote task-14.md"


def test_the_script_comes_first_and_once(tmp_path: Path) -> None:
    (tmp_path / "script").write_text("@demo write a 1\n@demo once\n@demo write b 2\n")
    for attempt, made in (("2", {"a"}), ("1", {"a", "b"})):
        client = Client(tmp_path, ROUNDTABLE_DEMO_SCRIPT="script", ROUNDTABLE_ATTEMPT=attempt)
        client.prompt(client.open(), "@demo write c 3")
        assert {path.name for path in tmp_path.glob("?")} == made
        client.end()


@pytest.mark.parametrize(("option", "word"), [("yes", "allowed"), ("no", "refused")])
def test_it_asks_and_tells_the_answer(client: Client, option: str, word: str) -> None:
    client.option = option
    assert client.obey("ask delete it all")["summary"] == f"{word}: delete it all"
    [asked] = client.asked
    assert asked["toolCall"]["title"] == "delete it all"
    assert [one["kind"] for one in asked["options"]] == ["allow_once", "reject_once"]


def test_reports_that_are_no_success(client: Client) -> None:
    assert client.obey("fail task_failed no luck")["error"] == {
        "kind": "task_failed",
        "text": "no luck",
    }
    assert client.obey("block which one?")["blocked"] == {"owner": "user", "action": "which one?"}
    assert client.obey("dance")["error"]["text"] == "no such @demo line: dance"


@pytest.mark.parametrize("line", ["noresult", "fail no_result"])
def test_it_can_keep_its_result_even_when_asked_again(client: Client, line: str) -> None:
    session = client.open()
    client.prompt(session, f"@demo {line}")
    client.prompt(session, "Report, please.")
    assert client.report() == {}


def test_a_later_prompt_gives_the_result_again_or_a_new_one(client: Client) -> None:
    session = client.open()
    client.prompt(session, "@demo write a 1")
    client.prompt(session, "And?")
    assert client.report() == {"status": "completed", "summary": ""}
    client.prompt(session, "@demo fail task_failed after all")
    assert client.report()["status"] == "failed"


@pytest.mark.parametrize("kind", sorted(WORDS))
def test_other_faults_are_errors_in_their_usual_words(client: Client, kind: str) -> None:
    error = client.prompt(client.open(), f"@demo fail {kind} resets 5pm (UTC)")["error"]
    assert error["code"] == (-32000 if kind == "auth_required" else -32603)
    assert WORDS[kind] in error["message"]
    assert error["message"].endswith("resets 5pm (UTC)")
    assert client.end()[0] == 0


def test_it_crashes_and_tells_limits_on_the_error_channel(tmp_path: Path) -> None:
    for line, code, told in (("crash 7", 7, ""), ("limit resets 5pm", 1, "resets 5pm\n")):
        client = Client(tmp_path)
        with pytest.raises(EOFError):
            client.prompt(client.open(), f"@demo {line}")
        assert client.end() == (code, told)


@pytest.mark.parametrize("line", ["sleep 600", "silent 600", "ask may I"])
def test_a_cancel_ends_the_turn(client: Client, line: str) -> None:
    session = client.open()
    client.begin("session/prompt", sessionId=session, prompt=[{"text": f"@demo {line}"}])
    client.send(method="session/cancel", params={"sessionId": session})
    assert client.wait()["result"] == {"stopReason": "cancelled"}
    assert client.end()[0] == 0


@pytest.mark.proves("K-48")
def test_a_session_outlives_the_process(tmp_path: Path) -> None:
    first = Client(tmp_path)
    session = first.open()
    first.prompt(session, "@demo say hello")
    first.end()
    [kept] = first.home.rglob("*.json")
    assert kept.relative_to(first.home) == Path(
        f".local/state/roundtable-demo-agent/{session}.json"
    )
    assert kept.stat().st_mode & 0o777 == 0o600
    second = Client(tmp_path)
    assert "result" in second.call("session/load", sessionId=session, cwd=str(tmp_path))
    kinds = [update["sessionUpdate"] for update in second.told]
    assert kinds == ["user_message_chunk", "agent_message_chunk"]
    second.told.clear()
    second.prompt(session, "@demo say again")
    assert second.said().startswith("Going on after 1 earlier turns.\nagain\n")
    second.end()


@pytest.mark.parametrize("identity", ["0" * 16, "../../etc/passwd", ""])
def test_an_unknown_session_is_an_error(client: Client, identity: str) -> None:
    client.open()
    assert client.call("session/load", sessionId=identity)["error"]["code"] == -32602
    assert client.call("session/prompt", sessionId=identity)["error"]["code"] == -32602
    assert client.call("session/dance")["error"]["code"] == -32601


def test_without_a_home_it_remembers_nothing_and_works(tmp_path: Path) -> None:
    client = Client(tmp_path, HOME="")
    assert client.obey("say hi")["status"] == "completed"
    assert not list(tmp_path.rglob("*.json"))
    client.end()


def test_only_the_newest_hundred_sessions_are_kept(tmp_path: Path) -> None:
    state = tmp_path / "roundtable-demo-agent"
    state.mkdir()
    for number in range(120):
        (state / f"{number:016x}.json").write_text("{}")
    client = Client(tmp_path, XDG_STATE_HOME=str(tmp_path))
    session = client.open()
    client.prompt(session, "@demo say hi")
    client.end()
    assert len(list(state.iterdir())) == 100
    assert (state / f"{session}.json").exists()


def test_it_commits_in_its_copy(client: Client) -> None:
    subprocess.run(["git", "init", "-q", str(client.folder)], check=True)
    assert client.obey("write a 1", "commit Add a")["summary"] == "wrote a; committed Add a"
    log = ["git", "-C", str(client.folder), "log", "--format=%s %an"]
    told = subprocess.run(log, capture_output=True, text=True, check=True).stdout
    assert told == "Add a Demo Agent\n"
    assert client.obey("commit Nothing")["summary"] == "could not commit"


@pytest.mark.parametrize("words", [[], ["--command"]])
def test_a_prompt_makes_it_a_plain_command(tmp_path: Path, words: list[str]) -> None:
    result = tmp_path / "result.json"
    told = subprocess.run(
        [*PROGRAM, *words],
        cwd=tmp_path,
        env={"ROUNDTABLE_RESULT_FILE": str(result)},
        input="T-3: Stir\n\n@demo write a 1\n@demo ask sure\n@demo say hi\n",
        capture_output=True,
        text=True,
        check=True,
    )
    assert told.stdout == "hi\nwrote a; allowed: sure\n"
    assert json.loads(result.read_text()) == {
        "status": "completed",
        "summary": "wrote a; allowed: sure",
    }


@pytest.mark.parametrize(
    ("line", "code", "status"),
    [
        ("fail task_failed no", 0, "failed"),
        ("block so", 0, "blocked"),
        ("noresult", 0, None),
        ("fail network down", 1, None),
        ("limit resets 5pm", 1, None),
        ("crash 3", 3, None),
    ],
)
def test_a_plain_command_ends_as_it_should(
    tmp_path: Path, line: str, code: int, status: str | None
) -> None:
    result = tmp_path / "result.json"
    told = subprocess.run(
        PROGRAM,
        cwd=tmp_path,
        env={"ROUNDTABLE_RESULT_FILE": str(result)},
        input=f"@demo {line}",
        capture_output=True,
        text=True,
        check=False,
    )
    assert told.returncode == code
    assert (json.loads(result.read_text())["status"] if result.exists() else None) == status


def test_it_starts_quickly(tmp_path: Path) -> None:
    times = []
    for _ in range(7):
        started = time.perf_counter()
        client = Client(tmp_path)
        client.call("initialize")
        times.append(time.perf_counter() - started)
        client.end()
    print(f"demo agent, start to answer: {1000 * statistics.median(times):.0f} ms")
    assert min(times) < 1


def test_it_needs_few_modules() -> None:
    told = subprocess.run(
        [PROGRAM[0], "-I", "-X", "importtime", *PROGRAM[2:]],
        input="@demo noresult",
        capture_output=True,
        text=True,
        check=True,
    ).stderr
    for heavy in ("asyncio", "subprocess", "pydantic", "pathlib", "email", "inspect"):
        assert f"| {heavy}\n" not in told.replace("  ", "")
