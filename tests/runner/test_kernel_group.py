"""Stop means stop: the kernel's group of a run, and what is done where there is none."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from runner_bench import PYTHON, QUICK, Bench, until
from storming import storm

from roundtable_desktop.adapters import processes
from roundtable_desktop.adapters.runners import kernel_groups
from roundtable_desktop.model.messages import AgentBorn, Hello
from roundtable_desktop.runner import kernel_group
from roundtable_desktop.runner.kernel_group import RECORD, KernelGroup

OWN = kernel_group.own()
needed = pytest.mark.skipif(
    OWN is None or not os.access(OWN, os.W_OK), reason="no control group of ours to make one in"
)
SLEEPS = "import time; print('up', flush=True); time.sleep(60)"
HIDES = f"""
import os, sys, time
if os.fork() == 0:
    os.setsid()
    os.execve({sys.executable!r}, ["hidden", "-c", "import time; time.sleep(60)"], {{}})
time.sleep(0.3)
print("up", flush=True)
time.sleep(60)
"""
LEAVES = """
import os, sys, time
if os.fork() == 0:
    os.setsid()
    open(sys.argv[1] + "/cgroup.procs", "w").write("0")
    time.sleep(60)
time.sleep(0.2)
print("up", flush=True)
time.sleep(60)
"""
TAKES_US_IN = """
import os, time
group = open(os.path.dirname(os.environ["ROUNDTABLE_RESULT_FILE"]) + "/kernel-group").read()
os.mkdir(group + "/below")
open(group + "/below/cgroup.procs", "w").write(str(os.getppid()))
print("up", flush=True)
time.sleep(60)
"""


THREADED = """
import os, time
group = open(os.path.dirname(os.environ["ROUNDTABLE_RESULT_FILE"]) + "/kernel-group").read()
os.mkdir(group + "/below")
with open(group + "/below/cgroup.type", "w") as file: file.write("threaded")
if os.fork() == 0:
    os.setsid()
    with open(group + "/below/cgroup.threads", "w") as file: file.write("0")
    os.execve("/bin/sleep", ["sleep", "60"], {})
time.sleep(0.2)
print("up", flush=True)
time.sleep(60)
"""


def started(bench: Bench, *code: str, run: str | None = None, kernel: bool = True) -> str:
    """A run that has said "up", with a short ladder."""
    order = bench.order(*PYTHON, *code, **({"run": run} if run else {}))
    bench.started[-1] = order.run
    path = bench.prepare(order) / "launch.json"
    words = {**json.loads(path.read_text()), "agent_ladder": QUICK}
    path.write_text(json.dumps(words))
    if not kernel:  # what somebody else has put there is not written over
        (path.parent / RECORD).touch()
    bench.start_runner(order.run)
    until(lambda: "up" in bench.printed(order.run))
    return order.run


def group_of(bench: Bench, run: str) -> Path:
    group = kernel_groups.group_of(bench.folder(run))
    assert group is not None and group.is_dir()
    return group


def members(group: Path) -> set[int]:
    return {int(pid) for pid in (group / "cgroup.procs").read_text().split()}


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """Of a run whose group is made here."""
    made = tmp_path / "runs" / "run"
    made.mkdir(parents=True)
    yield made
    kernel_groups.end_group(made)


def inside(group: KernelGroup, code: str = SLEEPS) -> subprocess.Popen[bytes]:
    child = subprocess.Popen([*PYTHON, code], stdout=subprocess.PIPE, preexec_fn=group.enter)
    assert child.stdout is not None and child.stdout.readline() == b"up\n"
    return child


@pytest.mark.slow
@pytest.mark.proves("F-34", "F-35", "F-36")
@pytest.mark.parametrize("kernel", [pytest.param(True, marks=needed), False])
def test_a_storm_of_forks_is_stopped(bench: Bench, kernel: bool) -> None:
    """Half of its links leave their session, none heeds SIGTERM, and each look at /proc is old
    news when it is read."""
    run = started(bench, *storm(20, 60), kernel=kernel)
    assert (bench.folder(run) / RECORD).exists() == kernel
    time.sleep(1.5)
    began = time.monotonic()
    bench.runners.control(run, {"do": "cancel"})
    end = bench.finish(run)
    assert time.monotonic() - began < 15
    assert (end.why, end.survivors) == ("cancelled", [])
    assert end.swept > 1
    assert bench.left(run) == []
    assert not (bench.folder(run) / RECORD).exists()


@needed
@pytest.mark.proves("F-35", "F-36")
def test_a_group_holds_the_agent_and_not_its_runner_and_goes_with_the_run(bench: Bench) -> None:
    run = started(bench, SLEEPS)
    group = group_of(bench, run)
    assert members(group) == {bench.first(run, AgentBorn).pid}
    bench.runners.control(run, {"do": "cancel"})
    bench.finish(run)
    assert not group.exists() and not (bench.folder(run) / RECORD).exists()


@needed
@pytest.mark.proves("F-35", "C-71")
def test_what_dropped_its_mark_is_ended_also_after_its_runner_was_killed(bench: Bench) -> None:
    """Nobody else could find it: it is no child of ours, in a session of its own, and says
    nothing of its run. The run's name does not matter."""
    run = started(bench, HIDES, run=f"run {os.getpid()} ü $(x) [0]")
    group = group_of(bench, run)
    assert len(members(group)) == 2
    bench.kill_runner(run)
    assert len(members(group)) == 2
    assert list(bench.new_runners().sweep(run)) == []
    assert not group.exists() and not (bench.folder(run) / RECORD).exists()


@needed
@pytest.mark.proves("F-35", "F-36")
def test_two_runs_do_not_touch_each_other(bench: Bench) -> None:
    one, other = started(bench, SLEEPS), started(bench, SLEEPS)
    bench.kill_runner(one)
    bench.runners.sweep(one)
    assert bench.left(one) == []
    assert members(group_of(bench, other)) == {bench.first(other, AgentBorn).pid}
    bench.runners.control(other, {"do": "cancel"})
    assert bench.finish(other).why == "cancelled"


@needed
@pytest.mark.proves("F-35")
def test_what_leaves_its_group_is_found_by_its_mark(bench: Bench) -> None:
    run = started(bench, LEAVES, str(OWN))
    assert len(members(group_of(bench, run))) == 1 and len(bench.left(run)) == 2
    bench.runners.control(run, {"do": "cancel"})
    assert (bench.finish(run).survivors, bench.left(run)) == ([], [])


@needed
@pytest.mark.proves("F-36")
def test_an_agent_cannot_take_its_runner_along(bench: Bench) -> None:
    """It has the rights to put it in its group, and in one that it made below."""
    run = started(bench, TAKES_US_IN)
    group = group_of(bench, run)
    assert bench.first(run, Hello).pid in members(group / "below")
    bench.runners.control(run, {"do": "cancel"})
    assert (bench.finish(run).why, bench.left(run)) == ("cancelled", [])
    assert not group.exists()


@needed
@pytest.mark.proves("F-35")
@pytest.mark.parametrize("swept", [False, True])
def test_an_agent_that_makes_a_threaded_group_gains_nothing(bench: Bench, swept: bool) -> None:
    """Of such a one the kernel tells no processes, and kills none; here it holds what dropped its
    mark."""
    run = started(bench, THREADED)
    group = group_of(bench, run)
    [hidden] = map(int, (group / "below/cgroup.threads").read_text().split())
    assert hidden in members(group) and len(bench.left(run)) == 1
    if swept:
        bench.kill_runner(run)
        assert list(bench.runners.sweep(run)) == []
    else:
        bench.runners.control(run, {"do": "cancel"})
        assert bench.finish(run).survivors == []
    assert processes.identify(hidden) is None
    assert bench.left(run) == [] and not group.exists()


@needed
@pytest.mark.proves("F-36")
@pytest.mark.parametrize("kernel_kills", [True, False])
def test_a_group_is_killed_whole_also_by_an_older_kernel(
    folder: Path, kernel_kills: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not kernel_kills:
        monkeypatch.setattr(kernel_group, "_KILL", "cgroup.unknown")
    group = KernelGroup.made(folder)
    with inside(group, f"import os; os.fork(); {SLEEPS}") as child:
        until(lambda: len(group.pids()) == 2)
        group.remove()
        assert not group.empty() and (folder / RECORD).exists()
        group.kill()
        assert child.wait(60) == -signal.SIGKILL
        until(group.empty)
    group.remove()
    assert not (folder / RECORD).exists() and kernel_groups.group_of(folder) is None


@needed
@pytest.mark.proves("C-71")
@pytest.mark.parametrize("kernel_kills", [True, False])
def test_a_sweep_tells_first_and_kills_what_does_not_hear(
    folder: Path, kernel_kills: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernel_groups, "TERM_SECONDS", 0.3)
    if not kernel_kills:
        monkeypatch.setattr(kernel_groups, "KILL", "cgroup.unknown")
    group = KernelGroup.made(folder)
    deaf = f"import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); {SLEEPS}"
    with inside(group) as polite, inside(group, deaf) as rude:
        assert list(kernel_groups.end_group(folder)) == []
        assert (polite.wait(60), rude.wait(60)) == (-signal.SIGTERM, -signal.SIGKILL)
    assert not (folder / RECORD).exists()


@needed
@pytest.mark.proves("C-71")
def test_an_empty_group_that_a_crash_left_goes_with_the_next_sweep(bench: Bench) -> None:
    order = bench.order("true")
    KernelGroup.made(bench.prepare(order))
    group = group_of(bench, order.run)
    (group / "below").mkdir()
    assert list(bench.runners.sweep(order.run)) == []
    assert not group.exists() and not (bench.folder(order.run) / RECORD).exists()


@needed
@pytest.mark.proves("F-38")
def test_the_next_run_takes_away_what_lost_its_home(monkeypatch: pytest.MonkeyPatch) -> None:
    """But none that holds a process, and none that is young: its agent is about to come."""
    assert OWN is not None
    above = OWN / f"test-{os.getpid()}"
    lost, used, ours = (above / f"roundtable-{name}" for name in ("lost", "used", "ours"))
    for group in (above, lost, used, ours, above / "other"):
        group.mkdir()
    with inside(KernelGroup(used)) as child:
        kernel_group._tidy(above, ours)
        assert [group.exists() for group in (lost, used, ours)] == [True, True, False]
        monkeypatch.setattr(kernel_group, "OLD", -1.0)
        kernel_group._tidy(above, ours)
        assert [group.exists() for group in (lost, used)] == [False, True]
        child.kill()
    assert (above / "other").exists()
    KernelGroup(above).remove()
    assert not above.exists()


@needed
def test_a_moved_home_has_its_groups_and_a_copied_one_has_none(folder: Path) -> None:
    KernelGroup.made(folder)
    copy = shutil.copytree(folder, folder.parent / "copy")
    assert kernel_groups.group_of(copy) is None and list(kernel_groups.end_group(copy)) == []
    group = kernel_groups.group_of(folder)
    assert group is not None and group.is_dir() and (copy / RECORD).exists()
    moved = folder.rename(folder.parent / "moved")
    assert kernel_groups.group_of(moved) == group
    kernel_groups.end_group(moved)
    assert not group.exists()


def test_no_other_place_is_taken_for_a_group(folder: Path) -> None:
    """The agents can write into the run's folder as well as we."""
    name = kernel_group.name_of(folder)
    (folder / name).mkdir()
    for said in (str(folder / name), f"/sys/fs/cgroup/../../{name}", "/sys/fs/cgroup", "", "\0"):
        (folder / RECORD).write_text(said)
        assert kernel_groups.group_of(folder) is None
    (folder / RECORD).unlink()
    os.mkfifo(folder / RECORD)
    assert list(kernel_groups.end_group(folder)) == []


def test_our_own_group_is_what_the_kernel_tells_and_holds_us(tmp_path: Path) -> None:
    """mountinfo and cgroup as on a desktop, in a container that shows its own part, and where the
    two do not fit together."""
    point = tmp_path / "mount"
    (point / "app.scope").mkdir(parents=True)
    proc = tmp_path / "proc"
    (proc / "self").mkdir(parents=True)

    def told(inside: str, root: str, kind: str = "cgroup2") -> Path | None:
        rows = [f"31 23 0:28 / {tmp_path} rw - tmpfs tmpfs rw", f"41 31 0:38 {root} {point} rw"]
        (proc / "self/cgroup").write_text(f"4:memory:/elsewhere\n0::{inside}\n")
        (proc / "self/mountinfo").write_text(f"{rows[0]}\n{rows[1]} shared:9 - {kind} x rw\n")
        return kernel_group.own(proc)

    assert told("/app.scope", "/") is None
    (point / "app.scope/cgroup.procs").write_text(f"1\n{os.getpid()}\n")
    assert told("/app.scope", "/") == point / "app.scope"
    (point / "app.scope" / kernel_group.name_of(tmp_path) / "in the way").mkdir(parents=True)
    KernelGroup.made(tmp_path, proc).kill()  # not ours to make
    assert not (tmp_path / RECORD).exists()
    assert told("/docker/7/app.scope", "/docker/7") == point / "app.scope"
    assert told("/app.scope", "/docker/7") is None
    assert told("/", "/") is None
    assert told("/app.scope", "/", "cgroup") is None
    (proc / "self/cgroup").write_text("4:memory:/app.scope\n")
    assert kernel_group.own(proc) is None and kernel_group.own(tmp_path) is None


def test_without_a_group_nothing_is_recorded_and_nothing_is_in_it(folder: Path) -> None:
    group = KernelGroup.made(folder, proc=folder)
    group.enter()
    group.kill()
    group.remove()
    assert (group.pids(), group.empty(), list(folder.iterdir())) == (set(), True, [])
