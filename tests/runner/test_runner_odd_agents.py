"""Agents as they are found in the field: they read on, leave corpses, and err without saying so."""

import os
import signal
import time

import psutil
import pytest
from acp_agents import agent, prompt
from runner_bench import PYTHON, Bench, until

from roundtable_desktop.adapters import processes
from roundtable_desktop.model.messages import AgentBorn, Hello, SessionOpened
from roundtable_desktop.model.ports import Deadlines

READS_ALL = """
import subprocess, sys
told = sys.stdin.read()
again = subprocess.run([sys.executable, '-I', '-S', '-c', 'import sys; print(sys.stdin.read())'],
                       capture_output=True, text=True).stdout
print(len(told), repr(again), sys.argv[1:])
"""


@pytest.mark.proves("B-078")
@pytest.mark.parametrize(
    ("words", "said"), [((), "5 '\\n' []"), (("exec", "{prompt}"), "0 '\\n' ['exec', 'do it']")]
)
def test_an_agent_that_reads_to_the_end_and_its_child_get_it_at_once(
    bench: Bench, words: tuple[str, ...], said: str
) -> None:
    """As `codex exec` does, which waits for the end of its input before it begins."""
    began = time.monotonic()
    run = bench.launch(*PYTHON, READS_ALL, *words, prompt="do it")
    assert bench.finish(run).tail.strip() == said
    assert time.monotonic() - began < 10


@pytest.mark.slow
@pytest.mark.proves("B-078")
def test_one_that_is_spoken_to_and_only_reads_is_ended_by_its_silence(bench: Bench) -> None:
    """Such a program under the wrong adapter: its input is open for as long as it is spoken to."""
    limits = Deadlines(silent=0.3, silence_limit=1.0, soft=60, hard=60)
    run = bench.launch_quick(*PYTHON, READS_ALL, adapter="acp", deadlines=limits)
    end = bench.finish(run)
    assert (end.why, end.survivors) == ("silence", [])


WORKER = """
import subprocess, sys
raise SystemExit(subprocess.run([sys.executable, '-I', '-S', '-c', sys.argv[1]]).returncode)
"""


@pytest.mark.slow
@pytest.mark.proves("B-085")
def test_a_worker_that_goes_on_speaking_for_its_killed_parent_is_ended(bench: Bench) -> None:
    """As with qwen and gemini: the worker has the pipes, and survives."""
    speaks = prompt("while True: say('on\\n'); time.sleep(0.1)")[-1]
    run = bench.launch_quick(*PYTHON, WORKER, speaks, adapter="acp")
    until(lambda: "on" in bench.printed(run))
    born = bench.first(run, AgentBorn)
    (worker,) = psutil.Process(born.pid).children()
    os.kill(born.pid, signal.SIGKILL)
    end = bench.finish(run, seconds=15)
    assert (end.exit_code, end.swept, end.error and end.error.kind) == (-9, 1, "crashed")
    assert not worker.is_running() and bench.left(run) == []


@pytest.mark.slow
@pytest.mark.proves("B-093")
def test_a_zombie_that_its_wrapper_keeps_is_neither_alive_nor_work(bench: Bench) -> None:
    """The wrapper holds the pipes as well, so that only silence tells."""
    limits = Deadlines(silent=0.3, silence_limit=1.0, soft=60, hard=60)
    run = bench.launch_quick(
        *("sh", "-c", "sh -c 'echo said; exit 3' & exec sleep 600"), deadlines=limits
    )
    wrapper = psutil.Process(bench.first(run, AgentBorn).pid)
    (corpse,) = until(lambda: [one for one in wrapper.children() if one.status() == "zombie"])
    assert processes.identify(corpse.pid) is None
    assert corpse.pid not in bench.left(run)
    end = bench.finish(run)
    assert (end.why, end.swept, end.survivors) == ("silence", 0, [])
    assert end.silence and 1.0 <= end.silence < 20
    assert not psutil.pid_exists(corpse.pid)


@pytest.mark.slow
@pytest.mark.proves("B-097")
def test_each_that_is_left_is_counted_and_the_agent_itself_is_not(bench: Bench) -> None:
    """More than are named; and an agent that was ended itself left only the others."""
    many = "for n in $(seq 60); do sleep 900 & done; exit 0"
    run = bench.launch_quick("sh", "-c", many)
    end = bench.finish(run)
    assert (end.swept, len(end.killed), end.survivors) == (60, 50, [])
    run = bench.launch_quick("sh", "-c", "sleep 900 & setsid sleep 901 & echo up; wait")
    until(lambda: bench.printed(run))
    bench.runners.control(run, {"do": "cancel"})
    end = bench.finish(run)
    assert (end.why, end.swept, len(end.killed)) == ("cancelled", 2, 3)


@pytest.mark.slow
@pytest.mark.proves("B-096")
def test_a_silent_agent_that_stood_still_with_its_runner_gets_its_limit_anew(bench: Bench) -> None:
    limits = Deadlines(silent=0.5, silence_limit=2.0, soft=60, hard=60)
    run = bench.launch_quick("sleep", "600", deadlines=limits)
    agent_pid, runner = bench.first(run, AgentBorn).pid, bench.first(run, Hello).pid
    time.sleep(1)  # a part of its silence
    for pid in (runner, agent_pid):
        os.kill(pid, signal.SIGSTOP)
    time.sleep(4)  # the sleep of the machine
    for pid in (agent_pid, runner):
        os.kill(pid, signal.SIGCONT)
    resumed = time.monotonic()
    assert bench.finish(run).why == "silence"
    assert time.monotonic() - resumed >= 2.0


STATUS = "update('session_info_update', _meta={'codex': {'threadStatus': {'type': %r}}})"


@pytest.mark.proves("B-081")
@pytest.mark.parametrize(
    ("told", "kind"), [(("systemError", "idle"), "crashed"), (("systemError", "active"), None)]
)
def test_a_turn_that_the_agent_itself_calls_an_error_is_one(
    bench: Bench, told: tuple[str, ...], kind: str | None
) -> None:
    """codex ends such a turn as any other, with the error as its words."""
    lines = [STATUS % one for one in told]
    run = bench.launch_quick(
        *prompt("say('stream disconnected before completion')", *lines), adapter="acp", nudge="so?"
    )
    end = bench.finish(run)
    assert (end.error and end.error.kind, end.nudged) == (kind, kind is None)
    if kind:
        assert end.error and end.error.text == "stream disconnected before completion"


@pytest.mark.proves("B-087")
@pytest.mark.parametrize("message", ["No session found with id s0", "Resource not found"])
def test_a_session_that_is_not_known_any_more_is_begun_anew_with_everything(
    bench: Bench, message: str
) -> None:
    does = (
        f"def load(p): return {{'error': {{'code': -32603, 'message': {message!r}}}}}\n"
        "def prompt(text, turn): say(text); report()\n"
    )
    run = bench.launch_quick(
        *agent(does), adapter="acp", session="s0", prompt="all of it", resume_prompt="what is new"
    )
    assert bench.finish(run).error is None
    (opened,) = bench.of_kind(run, SessionOpened)
    assert (opened.id, opened.loaded, opened.note) == ("s1", False, message)
    assert bench.printed(run).startswith("all of it")
