"""The control channel: who is let in, and that nobody can hold it up."""

import json
import os
import socket
import stat
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from runner_bench import Bench, until

from roundtable_desktop.adapters.runners.channel import hear, open_channel, tell
from roundtable_desktop.adapters.runners.folder import Address, read_address
from roundtable_desktop.model.ports import RunnerGone


@pytest.fixture
def run(bench: Bench) -> str:
    """A live run whose channel is there."""
    run = bench.launch_quick("sh", "-c", "sleep 600")
    until(lambda: Path(address_of(bench, run).path).exists())
    return run


def address_of(bench: Bench, run: str) -> Address:
    address = read_address(bench.folder(run))
    assert address
    return address


def test_ping_and_an_unknown_request(bench: Bench, run: str) -> None:
    assert bench.runners.control(run, {"do": "ping"}) == {"ok": True, "run": run, "seq": 2}
    for request in ({"do": "dance"}, {}):
        assert bench.runners.control(run, request) == {"ok": False, "why": "unknown"}


def test_the_socket_is_private_and_goes_with_the_run(bench: Bench, run: str) -> None:
    path = Path(address_of(bench, run).path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    bench.runners.control(run, {"do": "cancel"})
    bench.finish(run)
    assert not path.exists()


def test_a_wrong_key_is_refused_on_both_sides(bench: Bench, run: str) -> None:
    path = bench.folder(run) / "launch.json"
    right = path.read_text()
    path.write_text(json.dumps({**json.loads(right), "control_key": "another key"}))
    with pytest.raises(RunnerGone):
        bench.runners.control(run, {"do": "cancel"})
    path.write_text(right)
    assert bench.runners.control(run, {"do": "ping"})["ok"]


def test_nobody_answers_for_a_run_that_has_ended(bench: Bench, run: str) -> None:
    bench.runners.control(run, {"do": "cancel"})
    bench.finish(run)
    for gone in (run, "never-was"):
        with pytest.raises(RunnerGone):
            bench.runners.control(gone, {"do": "ping"})


def test_silent_clients_do_not_hold_up_the_others(bench: Bench, run: str) -> None:
    silent = [socket.socket(socket.AF_UNIX) for _ in range(4)]
    try:
        for line in silent:
            line.connect(address_of(bench, run).path)
        started = time.monotonic()
        assert bench.runners.control(run, {"do": "ping"})["ok"]
        assert time.monotonic() - started < 5
    finally:
        for line in silent:
            line.close()


def test_more_than_eight_connections_are_turned_away_until_one_leaves(
    bench: Bench, run: str
) -> None:
    address = address_of(bench, run)
    channels = [open_channel(address, 2) for _ in range(8)]
    try:
        with pytest.raises(RunnerGone):
            bench.runners.control(run, {"do": "ping"})
        channels.pop().close()
        until(lambda: _answers(bench, run))
    finally:
        for channel in channels:
            channel.close()


def test_a_message_that_is_too_long_or_no_json_ends_its_connection_only(
    bench: Bench, run: str
) -> None:
    for nonsense in (b"x" * 70_000, b"{"):
        channel = open_channel(address_of(bench, run), 2)
        with suppress(OSError):  # it may be closed before all of it is sent
            channel.send_bytes(nonsense)
        with pytest.raises(RunnerGone):
            hear(channel)
        channel.close()
    assert bench.runners.control(run, {"do": "ping"})["ok"]


def test_a_follower_is_nudged_and_may_still_ask(bench: Bench, run: str) -> None:
    channel = open_channel(address_of(bench, run), 5)
    with channel:
        tell(channel, {"do": "follow"})
        assert hear(channel) == {"ok": True, "seq": 2}
        tell(channel, {"do": "ping"})
        assert hear(channel)["ok"]
        tell(channel, {"do": "cancel"})
        answers = [hear(channel), hear(channel)]
        assert {"ok": True} in answers
        assert any("nudge" in answer for answer in answers)


def test_a_cancel_wakes_the_wait_in_under_a_second(bench: Bench, run: str) -> None:
    bench.runners.attach(run)
    until(lambda: not bench.runners.wait(0.2))
    started = time.monotonic()
    bench.runners.control(run, {"do": "cancel"})
    assert bench.runners.wait(10) == {run}
    assert time.monotonic() - started < 5


@pytest.mark.slow
def test_the_wait_sleeps_while_nothing_happens(bench: Bench, run: str) -> None:
    """No look, no wakeup: the thread is switched to a handful of times in a second."""
    bench.runners.attach(run)
    until(lambda: not bench.runners.wait(0.2))
    before = _switches()
    assert bench.runners.wait(1.0) == set()
    assert _switches() - before <= 3


def test_a_nudge_ends_the_wait(bench: Bench) -> None:
    bench.runners.nudge()
    started = time.monotonic()
    assert bench.runners.wait(10) == set()
    assert time.monotonic() - started < 5


def test_an_ended_run_is_told_once(bench: Bench, run: str) -> None:
    bench.runners.attach(run)
    bench.kill_runner(run)
    until(lambda: not bench.runners.wait(0.3))
    assert bench.runners.wait(0.3) == set()


def test_an_address_that_is_too_long_moves_to_the_runtime_folder(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from roundtable_desktop.adapters.runners.folder import new_socket

    monkeypatch.setenv("XDG_RUNTIME_DIR", str(bench.sockets))
    path = new_socket(tmp_path / ("long" * 25))
    assert Path(path).parent == bench.sockets
    monkeypatch.delenv("XDG_RUNTIME_DIR")
    with pytest.raises(OSError, match="no room for a socket"):
        new_socket(tmp_path / ("long" * 25))


def test_the_order_hides_what_is_secret_from_a_traceback(bench: Bench) -> None:
    order = replace(bench.order("true"), secrets={"TOKEN": "hunter2hunter2"})
    assert "hunter2" not in repr(order)
    assert "secret-key" not in repr(Address("/s/1", "secret-key"))


def _answers(bench: Bench, run: str) -> bool:
    try:
        return bool(bench.runners.control(run, {"do": "ping"})["ok"])
    except RunnerGone:
        return False


def _switches() -> int:
    status = Path(f"/proc/self/task/{os.getpid()}/status").read_text()
    return int(status.partition("\nvoluntary_ctxt_switches:")[2].split()[0])
