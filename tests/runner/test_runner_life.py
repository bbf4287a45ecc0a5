"""What a runner does for a well-behaved agent, and for one that cannot be started."""

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from runner_bench import PYTHON, Bench, until

from roundtable_desktop.model.messages import AgentBorn, End, Hello, Result
from roundtable_desktop.model.ports import SpoolState

RESULT = '{"status": "completed", "summary": "done"}'


def test_a_run_from_hello_to_end(bench: Bench) -> None:
    script = f"cat; echo to-err >&2; echo '{RESULT}' > $ROUNDTABLE_RESULT_FILE; exit 3"
    run = bench.launch("sh", "-c", script, prompt="do it\n")
    end = bench.finish(run)
    assert [type(message) for message in bench.messages(run)] == [Hello, AgentBorn, Result, End]
    assert (end.why, end.exit_code, end.error) == ("exited", 3, None)
    assert (end.tail, end.stderr, end.output_bytes) == ("do it\n", "to-err\n", 13)
    assert (end.killed, end.survivors) == ([], [])
    assert bench.of_kind(run, Result)[0].text == RESULT + "\n"
    assert (bench.printed(run), bench.printed(run, "err")) == ("do it\n", "to-err\n")
    assert (bench.folder(run) / "runner.err").read_text() == ""


def test_hello_is_the_identity_of_the_runner(bench: Bench) -> None:
    run = bench.launch_quick("sleep", "60")
    hello = bench.first(run, Hello)
    fields = Path(f"/proc/{hello.pid}/stat").read_text().rpartition(")")[2].split()
    assert hello.ticks == int(fields[19])
    assert hello.boot == Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    assert (hello.protocol, hello.fence) == (1, "fence-1")
    launch = json.loads((bench.folder(run) / "launch.json").read_text())
    assert hello.control == launch["control_address"]


@pytest.mark.proves("S-72")
def test_the_agent_sees_the_allow_list_and_nothing_else(bench: Bench) -> None:
    given = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
    run = bench.launch("env", "-0", environment=given, secrets={"TOKEN": "no"}, task=None)
    bench.finish(run)
    seen = dict(word.split("=", 1) for word in bench.printed(run).split("\0") if word)
    assert seen == {
        **given,
        "TOKEN": "no",
        "ROUNDTABLE_RUN": run,
        "ROUNDTABLE_ATTEMPT": "1",
        "ROUNDTABLE_RESULT_FILE": str(bench.folder(run) / "result.json"),
    }


@pytest.mark.proves("S-72")
def test_files_are_private_and_the_secrets_leave_the_disk(bench: Bench) -> None:
    run = bench.launch("true", secrets={"TOKEN": "hunter2hunter2"})
    bench.finish(run)
    folder = bench.folder(run)
    assert not (folder / "env.json").exists()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {0o600}
    assert not any(b"hunter2" in path.read_bytes() for path in files)


def test_the_agent_leads_a_session_of_its_own_with_ordinary_signals(bench: Bench) -> None:
    code = (
        "import os, signal; print(os.getsid(0) == os.getpid(),"
        "[signal.getsignal(s) is signal.SIG_IGN for s in (signal.SIGHUP, signal.SIGTERM)],"
        "oct(os.umask(0)), sorted(map(int, os.listdir('/proc/self/fd')))[:3])"
    )
    run = bench.launch(*PYTHON, code)
    mask = os.umask(0)
    os.umask(mask)
    assert bench.finish(run).tail == f"True [False, False] {oct(mask)} [0, 1, 2]\n"


def test_a_prompt_can_be_an_argument(bench: Bench) -> None:
    run = bench.launch("sh", "-c", 'echo "$1"; wc -c', "sh", "<{prompt}>", prompt="{prompt_file}")
    assert bench.finish(run).tail.split() == ["<{prompt_file}>", "0"]


def test_a_prompt_can_be_a_private_file(bench: Bench) -> None:
    run = bench.launch("stat", "-c", "%a %s", "{prompt_file}", prompt="12345")
    assert bench.finish(run).tail == "600 5\n"


def test_a_prompt_that_nobody_reads_holds_nothing_up(bench: Bench) -> None:
    run = bench.launch("sh", "-c", "exit 0", prompt="x" * 2_000_000)
    end = bench.finish(run)
    assert (end.why, end.exit_code) == ("exited", 0)


def test_a_large_prompt_and_a_large_answer_cross_without_a_deadlock(bench: Bench) -> None:
    run = bench.launch("cat", prompt="x" * 2_000_000)
    assert bench.finish(run).output_bytes == 2_000_000


@pytest.mark.parametrize(
    ("write", "fault"),
    [
        ("ln -s /etc/passwd $ROUNDTABLE_RESULT_FILE", "no_file"),
        ("mkfifo $ROUNDTABLE_RESULT_FILE", "no_file"),
        ("mkdir $ROUNDTABLE_RESULT_FILE", "no_file"),
        ("head -c 65537 /dev/zero | tr '\\0' x > $ROUNDTABLE_RESULT_FILE", "too_large"),
        ("printf '\\377' > $ROUNDTABLE_RESULT_FILE", "not_text"),
        ("printf '\\001' > $ROUNDTABLE_RESULT_FILE", "not_text"),
    ],
    ids=["link", "fifo", "folder", "large", "no-utf-8", "control-character"],
)
def test_a_result_that_is_no_small_text_file_is_none_and_it_is_said_why(
    bench: Bench, write: str, fault: str
) -> None:
    run = bench.launch("sh", "-c", write)
    assert bench.finish(run).exit_code == 0
    [kept] = bench.of_kind(run, Result)
    assert kept.fault == f"report_{fault}" and "root" not in kept.text and len(kept.text) <= 8192


@pytest.mark.proves("F-44")
def test_a_program_that_is_not_there_is_named(bench: Bench) -> None:
    end = bench.finish(bench.launch("no-such-program-anywhere"))
    assert end.error
    assert (end.why, end.error.kind, end.exit_code) == ("spawn_failed", "cli_missing", None)


@pytest.mark.proves("F-44")
def test_a_program_is_looked_up_in_the_path_of_the_agent(bench: Bench, tmp_path: Path) -> None:
    end = bench.finish(bench.launch("true", environment={"PATH": str(tmp_path)}))
    assert end.error and end.error.kind == "cli_missing"


@pytest.mark.proves("F-44")
@pytest.mark.parametrize("mode", [0o600, 0o700], ids=["not-executable", "no-format"])
def test_a_program_that_cannot_be_executed_is_named(bench: Bench, mode: int) -> None:
    program = bench.cwd / "program"
    program.write_bytes(b"\x7fELF nonsense")
    program.chmod(mode)
    end = bench.finish(bench.launch(str(program)))
    assert end.error and end.error.kind == "permission_denied"


def test_a_missing_folder_is_no_missing_program(bench: Bench) -> None:
    end = bench.finish(bench.launch("true", cwd="/no/such/folder"))
    assert end.error and end.error.kind == "spawn_failed"


def test_an_unknown_adapter_ends_as_a_failed_start(bench: Bench) -> None:
    end = bench.finish(bench.launch("true", adapter="telepathy"))
    assert end.error and end.error.kind == "spawn_failed"


@pytest.mark.proves("F-03")
def test_a_runner_that_comes_after_the_void_starts_nothing(bench: Bench) -> None:
    order = bench.order("sh", "-c", "touch born", secrets={"TOKEN": "hunter2hunter2"})
    folder = bench.prepare(order)
    assert bench.runners.void(order.run)
    assert not (folder / "env.json").exists()
    assert bench.start_runner(order.run).wait(60) == 75
    assert not (bench.cwd / "born").exists()
    assert bench.runners.state(order.run) is SpoolState.FREE
    assert b'"void"' in bench.runners.read(order.run, 0)


@pytest.mark.slow
@pytest.mark.proves("F-03")
def test_of_many_runners_of_one_run_one_is_born(bench: Bench) -> None:
    order = bench.order("sh", "-c", "echo born >> births; sleep 0.5")
    bench.prepare(order)
    codes = sorted(child.wait(60) for child in [bench.start_runner(order.run) for _ in range(4)])
    assert codes == [0, 75, 75, 75]
    assert (bench.cwd / "births").read_text() == "born\n"
    assert not list(bench.folder(order.run).glob(".spool*"))
    assert not bench.runners.void(order.run)


def test_the_runner_needs_the_standard_library_only(tmp_path: Path) -> None:
    code = (
        "import sys, roundtable_desktop.runner.main, roundtable_desktop.runner.session\n"
        "names = {name.partition('.')[0] for name in sys.modules} - set(sys.stdlib_module_names)\n"
        "ours = {name for name in sys.modules if name.startswith('roundtable_desktop.')}\n"
        "print(sorted(n for n in names if not n.startswith(('_', 'sitecustomize'))))\n"
        "print(sorted(n for n in ours if not n.startswith('roundtable_desktop.runner')))\n"
    )
    told = subprocess.run(
        [sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    assert told[0] == "['roundtable_desktop']"
    assert told[1] == str(
        [
            "roundtable_desktop.model",
            "roundtable_desktop.model.states",
            "roundtable_desktop.rules",
            "roundtable_desktop.rules.fitting",
            "roundtable_desktop.rules.redact",
            "roundtable_desktop.rules.shapes",
        ]
    )


@pytest.mark.slow
def test_nothing_is_imported_once_the_agent_runs(bench: Bench) -> None:
    """An update may replace the program's files meanwhile."""
    code = (
        "import sys, asyncio\n"
        "late, run = [], asyncio.run\n"
        "def listen(coroutine):\n"
        "    sys.addaudithook(lambda event, a: event == 'import' and late.append(a[0]))\n"
        "    return run(coroutine)\n"
        "asyncio.run = listen\n"
        "from roundtable_desktop.runner.main import main\n"
        "main(sys.argv[1:]); print(late)\n"
    )
    order = bench.order("sh", "-c", "cat; echo $ROUNDTABLE_RUN; sleep 600", prompt="a prompt")
    folder = bench.prepare(order)
    words = [sys.executable, "-I", "-c", code, str(folder)]
    runner = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    until(lambda: bench.printed(order.run))
    bench.runners.attach(order.run)
    until(lambda: not bench.runners.wait(0.2))
    bench.runners.control(order.run, {"do": "cancel"})
    assert runner.communicate(timeout=60)[0] == "[]\n"


def test_an_unknown_part_is_refused() -> None:
    words = [sys.executable, "-I", "-m", "roundtable_desktop", "--part", "nonsense"]
    told = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (told.returncode, told.stderr) == (
        64,
        "--part takes one of: runner, demo-agent, mcp-bridge, simulation\n",
    )


def test_the_prompt_is_a_whole_file_whatever_becomes_of_the_runner(bench: Bench) -> None:
    """From a pipe an agent whose runner was killed would act on half a prompt."""
    told = "import os, stat, sys; print(stat.S_ISREG(os.fstat(0).st_mode), len(sys.stdin.read()))"
    run = bench.launch(sys.executable, "-c", told, prompt="x" * 300_000)
    assert bench.finish(run).tail == "True 300000\n"
