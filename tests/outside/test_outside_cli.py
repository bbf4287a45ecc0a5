"""The command line's manners: help, versions, names, odd input, plain text in a pipe."""

import importlib
import json
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from outside_house import ROUNDTABLE, House, Person, Room

import roundtable_desktop
from roundtable_desktop.cli.main import cli
from roundtable_desktop.cli.rooms import ROOM_OF


def commands(group: click.Group = cli, words: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for name, command in group.commands.items():
        yield (*words, name)
        if isinstance(command, click.Group):
            yield from commands(command, (*words, name))


def one_sentence(text: str) -> bool:
    """The last line says it; click puts the usage before."""
    lines = text.strip().splitlines()
    return bool(lines) and len(lines) <= 4 and len(lines[-1]) > 15


def test_every_command_has_a_help_that_says_what_it_is_for(tmp_path: Path) -> None:
    """In this process, but for two: a hundred starts would say no more."""
    person = Person(tmp_path)
    for words in [(), *commands()]:
        if words in ((), ("task", "add")):
            done = person.cli(*words, "--help")
            assert done.code == 0 and done.err == "", words
            text = done.out
        else:
            text = CliRunner().invoke(cli, [*words, "--help"], prog_name="roundtable").output
        usage, _, rest = text.partition("\n\n")
        assert usage.startswith(" ".join(("Usage: roundtable", *words))), words
        assert re.match(r"  [A-Z“][^\n]+(\n  [^\n]+)*[.:]\n", rest + "\n"), (words, rest)
    assert not (tmp_path / "home").exists()


def test_each_command_is_in_the_room_where_it_is_looked_for() -> None:
    for room in {*ROOM_OF.values()}:
        there = importlib.import_module(f"roundtable_desktop.cli.{room}").COMMANDS
        assert {one.name for one in there} == {n for n, where in ROOM_OF.items() if where == room}
    assert [*cli.commands] == sorted(ROOM_OF)


def test_the_version_is_the_packages(tmp_path: Path) -> None:
    done = Person(tmp_path).cli("--version")
    assert done.out == f"roundtable, version {roundtable_desktop.__version__}\n"


@pytest.mark.parametrize(
    "words", ["nonsense", "task nonsense", "--nonsense", "task add", "start x"]
)
def test_a_word_that_is_no_command_is_a_usage_error(tmp_path: Path, words: str) -> None:
    done = Person(tmp_path).cli(*words.split())
    assert done.code == 2 and done.out == "" and "Usage: roundtable" in done.err


@pytest.mark.slow
def test_lists_name_the_task_and_the_agent(room: Room) -> None:
    task = room.task("Name it", room.shell("echo r > r.txt"))
    room.ended(task), room.proposal(task)
    name, number = "worker", f"T-{task['number']}"
    for words in (("runs", "list"), ("wakeup", "list"), ("proposal", "list"), ("task", "list")):
        listed = room.house.cli(*words, at=room.path).out
        assert any(name in line and f" {number} " in f" {line} " for line in listed.splitlines())


@pytest.mark.slow
def test_every_reader_gives_json(room: Room) -> None:
    task = room.task("Read", room.shell("echo r > r.txt"))
    run, proposal = room.ended(task), room.proposal(task)
    for line in (
        "status",
        "workspace list",
        "agent list",
        "agent show worker",
        "task list",
        "task show 1",
        "runs list",
        f"runs show {run['id']}",
        f"wakeup show {run['wakeup_id'][-8:]}",
        "wakeup list",
        "proposal list",
        f"proposal show {proposal['id'][-8:]}",
        "explain task 1",
        f"explain run {run['id'][-8:]}",
        f"explain wakeup {run['wakeup_id'][-8:]}",
    ):
        done = room.house.cli(*line.split(), "--json", at=room.path)
        assert done.code == 0 and done.err == "", (line, done.err)
        assert isinstance(json.loads(done.out), dict | list)
        plain = room.house.cli(*line.split(), at=room.path)
        assert plain.code == 0 and plain.out.strip(), line


@pytest.mark.slow
def test_a_task_is_named_by_its_number_or_the_end_of_its_id(room: Room) -> None:
    task = room.task("Name me")
    for given in ("T-1", "t-1", "t1", "1", "001", task["id"], task["id"][-8:]):
        done = room.house.cli("task", "show", given, "--json", at=room.path)
        assert done.code == 0, (given, done.err)
        assert done.json["id"] == task["id"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["task", "show", "T-99"], 2, "there is no task T-99 here"),
        (["task", "show", "zzzzzzzz"], 1, "There is no such task"),
        (["task", "show", "T-99999999999"], 2, "T-99999999999"),
        (["task", "show", ""], 2, "“” is no id"),
        (["task", "show", "a/b?c#d"], 2, "a/b?c#d"),
        (["task", "show", "two words"], 2, "two words"),
        (["task", "show", "größe"], 2, "größe"),
        (["runs", "show", "bell\x07bell"], 2, "bell"),
        (["runs", "show", "../tasks"], 2, "../tasks"),
        (["runs", "show", "abcdefgh"], 1, "There is no such run"),
        (["runs", "show", "abc"], 2, "abc"),
        (["wakeup", "show", "%2e%2e/x"], 2, "%2e%2e/x"),
        (["proposal", "show", "a b"], 2, "a b"),
        (["proposal", "deliver", "zzzzzzzz"], 1, "There is no such proposal"),
        (["explain", "task", "T-98"], 2, "there is no task T-98 here"),
        (["explain", "run", "not one"], 2, "not one"),
        (["agent", "show", "nobody"], 2, "no agent is called nobody"),
        (["agent", "show", ""], 2, "no agent is called"),
        (["task", "add", "x", "--agent", "nobody"], 2, "no agent is called nobody"),
        (["task", "assign", "1", "nobody"], 2, "there is no task 1 here"),
        (["task", "list", "--workspace", "nowhere"], 2, "no workspace is called nowhere"),
        (["task", "list", "--status", "odd"], 2, "/status"),
        (["runs", "list", "--limit", "0"], 2, "--limit"),
        (["task", "add", "--unassigned", ""], 2, "/title"),
        (["task", "add", "--unassigned", "   "], 2, "/title"),
        (["task", "add", "--unassigned", "two\nlines"], 2, "/title"),
        (["task", "add", "--unassigned", "bell\x07"], 2, "/title"),
        (["task", "add", "--unassigned", "x" * 201], 2, "/title"),
        (
            ["task", "add", "--unassigned", "x", "--base", "-x"],
            2,
            "not a name that a branch can have",
        ),
        (
            ["task", "add", "--unassigned", "x", "--base", "nobranch"],
            2,
            "There is no branch “nobranch”",
        ),
        (["task", "add", "--unassigned", b"bad \xff bytes"], 2, ""),
        (["agent", "add", "--adapter", "command", "--name", "a\tb", "--", "sh"], 2, "/name"),
        (["agent", "add", "--adapter", "command", "--", ""], 2, "command"),
        (["agent", "add", "--adapter", "command", "--env", "NOVALUE", "--", "sh"], 2, "NAME=VALUE"),
        (["agent", "add", "--adapter", "command", "--env", "1A=x", "--", "sh"], 2, "1A"),
        (["agent", "add", "--adapter", "magic", "--", "sh"], 2, "magic"),
        (["agent", "add", "--adapter", "command"], 2, "command is empty"),
    ],
)
def test_what_cannot_be_understood_is_said_in_one_sentence(
    known: Room, words: list[str | bytes], code: int, said: str
) -> None:
    done = known.house.cli(*words, at=known.path)
    assert done.code == code, done.said
    assert done.out == "" and said in done.err
    assert one_sentence(done.err), done.err
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f]", done.err)


@pytest.fixture(scope="module")
def known(shared: House) -> Room:
    """A repository with two agents; tests with it change nothing."""
    room = shared.room("known")
    room.shell("true", "one")
    room.shell("true", "two")
    return room


def test_two_agents_need_a_name_and_are_offered(known: Room) -> None:
    done = known.house.cli("task", "add", "For whom", at=known.path)
    assert done.code == 2 and "--agent" in done.err and ": one, two" in done.err


@pytest.mark.slow
def test_a_folder_in_no_workspace_needs_a_name(known: Room) -> None:
    known.house.room("known-2")
    done = known.house.cli("task", "list", at=known.house.root)
    assert done.code == 2 and "--workspace: " in done.err
    named = known.house.cli("task", "list", "--workspace", "known", at=known.house.root)
    assert named.code == 0
    inside = known.path / "deep" / "er"
    inside.mkdir(parents=True)
    assert known.house.cli("task", "list", at=inside).code == 0
    assert known.house.cli("agent", "list", at=inside).out.count("command") == 2


@pytest.mark.slow
def test_a_folder_that_is_no_fit_repository_is_refused_with_the_reason(shared: House) -> None:
    root = shared.root / "unfit"
    root.mkdir()

    def made(name: str, *words: str) -> Path:
        folder = root / name
        folder.mkdir()
        if words:
            shared.git(*words, at=folder)
        return folder

    detached = shared.repository("unfit/detached")
    shared.git("checkout", "-q", "--detach", at=detached)
    cases = {
        made("plain"): "is in no git repository",
        made("fresh", "init", "-q"): "has no commit yet",
        made("bare", "init", "-q", "--bare"): "is a bare repository",
        detached: "no branch is checked out",
        root / "absent": "There is no such folder",
        root / "a\x07b": "There is no such folder",
    }
    for path, said in cases.items():
        done = shared.cli("init", str(path))
        assert done.code in (1, 2) and said in done.err, done.said
        assert done.out == "" and "\x07" not in done.err
    done = shared.cli("init", str(detached), "--base", "main")
    assert done.code == 0, done.err
    (root / "file").write_text("x")
    done = shared.cli("init", str(root / "file"))
    assert done.code in (1, 2) and len(done.err.splitlines()) <= 2


@pytest.mark.slow
def test_a_person_without_a_name_in_git_is_told_to_set_one(house: House) -> None:
    repo = house.repository()
    (house.folder / ".gitconfig").unlink()
    done = house.cli("init", str(repo))
    assert done.code == 2 and "git does not know who you are" in done.err
    assert "git config" in done.err


@pytest.mark.slow
def test_a_description_comes_from_stdin_and_a_huge_one_is_refused(known: Room) -> None:
    given = "Première ligne\n\ttab\n" * 100
    words = ["task", "add", "Read", "--description", "-", "--unassigned", "--json"]
    done = known.house.cli(*words, at=known.path, given=given)
    assert done.code == 0 and done.json["description"] == given
    long = known.house.cli(*words, at=known.path, given="x" * 70_000)
    assert long.code == 2 and "/description" in long.err
    huge = known.house.cli(*words, at=known.path, given="x" * 10_000_000)
    assert huge.code == 1 and "too large" in huge.err, huge.err
    odd = known.house.cli(*words, at=known.path, given=b"caf\xe9 \xff\x00")
    assert odd.code in (0, 2) and (odd.code == 0 or one_sentence(odd.err))
    assert known.house.ask("GET", "/healthz").json == {"status": "ok"}


@pytest.mark.slow
def test_what_agents_and_titles_hold_cannot_drive_a_terminal(room: Room) -> None:
    evil = "a\x1b]52;c;aGk=\x07b\u202ec\x9bd\x1b[2J"
    script = f"import sys\nsys.stdout.write({evil!r})\nopen({'f' + chr(0x1B) + '[2Jx'!r}, 'w')\n"
    task = room.task("Title \u202e‮", room.python(script), description=evil)
    run = room.ended(task)
    proposal = room.proposal(task)
    for words in (
        ["runs", "show", run["id"], "--transcript"],
        ["runs", "show", run["id"], "--prompt"],
        ["runs", "show", run["id"]],
        ["task", "show", "1"],
        ["task", "list"],
        ["status"],
        ["proposal", "show", proposal["id"]],
        ["proposal", "list"],
        ["explain", "task", "1"],
    ):
        done = room.house.cli(*words, at=room.path)
        assert done.code == 0, done.err
        assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", done.out)


@pytest.mark.slow
def test_a_reader_that_goes_away_is_no_error(known: Room) -> None:
    done = subprocess.run(
        ["sh", "-c", f"'{ROUNDTABLE}' task list | head -c 1; '{ROUNDTABLE}' status --json >&-"],
        cwd=known.path,
        env=known.house.env,
        capture_output=True,
        timeout=60,
    )
    assert b"Traceback" not in done.stderr, done.stderr.decode()


def test_a_terminal_gets_heads_in_bold_and_a_pipe_does_not(known: Room) -> None:
    reader, writer = os.openpty()
    done = subprocess.Popen(
        [ROUNDTABLE, "agent", "list"],
        cwd=known.path,
        env=known.house.env | {"TERM": "xterm"},
        stdout=writer,
        stdin=writer,
    )
    os.close(writer)
    seen = b""
    try:
        while piece := os.read(reader, 4096):
            seen += piece
    except OSError:  # a pty ends so
        pass
    os.close(reader)
    assert done.wait(30) == 0 and b"\x1b[1m" in seen and b"one" in seen


@pytest.mark.slow
def test_a_repository_that_is_not_registered_is_never_taken_for_another(known: Room) -> None:
    other = known.house.repository("unregistered")
    for words in (("agent", "list"), ("task", "list"), ("task", "add", "Mine")):
        done = known.house.cli(*words, at=other)
        assert done.code == 2 and "is not registered" in done.err, words
    assert known.house.cli("task", "list", "--workspace", known.shown["name"], at=other).code == 0


def test_a_refusal_is_said_once_and_several_faults_each(shared: House, room: Room) -> None:
    room.shell("true", name="taken")
    where = ("--workspace", room.shown["name"])
    done = shared.cli(
        "agent", "add", "--adapter", "demo", "--name", "taken", *where, "--model", "small"
    )
    assert done.code == 1 and done.err == "The name “taken” is taken. Choose another one.\n"
    done = shared.cli("agent", "add", "--adapter", "demo", "--model", "two words", *where)
    first, *more = done.err.splitlines()
    assert done.code == 2 and first.endswith("each is listed with the reason.")
    assert len(more) == 1 and more[0].startswith("  /model: ")


def test_a_home_is_named_before_or_after_the_command(room: Room) -> None:
    house = room.house
    away = {"ROUNDTABLE_HOME": str(house.root / "nowhere")}
    assert house.cli("status", env=away).code == 3
    for words in (("--home", str(house.home), "status"), ("status", "--home", str(house.home))):
        assert house.cli(*words, env=away).code == 0, words
    shown = house.cli("task", "list", "--home", str(house.home), "--json", env=away, at=room.path)
    assert json.loads(shown.out) == []


def test_a_reader_that_always_answers_in_json_takes_the_option_too(room: Room) -> None:
    done = room.house.cli("parse-limit", "--json", given="Retry-After: 3600")
    assert json.loads(done.out)["kind"] == "limit"


@pytest.mark.slow
def test_every_command_that_needs_an_owner_says_how_to_start_one(tmp_path: Path) -> None:
    person = Person(tmp_path)
    asking = ("status", "open --print", "task list", "task add x", "task show 1", "agent list")
    for line in (
        *asking,
        "runs list",
        "runs show abcdef",
        "wakeup list",
        "proposal deliver abcdef",
        "explain run abcdef",
        "workspace list",
    ):
        done = person.cli(*line.split())
        assert done.code == 3 and done.out == "", line
        assert "No owner is running" in done.err and "roundtable start" in done.err
    assert not (tmp_path / "home").exists()
