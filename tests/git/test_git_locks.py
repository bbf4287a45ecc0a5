"""A lock of the user's git: waited for while it may go, never broken."""

import os
import threading
import time

import pytest

from roundtable_desktop.model.ports import GitFailed


@pytest.mark.proves("B-118")
def test_a_lock_that_goes_is_waited_for(world, monkeypatch):
    """As an editor's, that only looks at the index."""
    new, lock, looks = world.propose({"a.txt": "agent\n"}), world.repo / ".git/index.lock", []

    def pause(seconds):
        looks.append(seconds)
        if len(looks) == 3:
            lock.unlink()

    monkeypatch.setattr(world.git._runner, "pause", pause)
    lock.touch()
    assert world.deliver(new).held is None
    assert len(looks) == 3 and (world.repo / "a.txt").read_text() == "agent\n"


@pytest.mark.proves("B-118")
def test_an_owner_that_ends_waits_for_no_lock(world):
    new = world.propose({"a.txt": "agent\n"})
    (world.repo / ".git/index.lock").touch()
    threading.Timer(0.3, world.git.stop).start()
    began = time.monotonic()
    with pytest.raises(GitFailed, match="git_stopped"):
        world.deliver(new)
    assert time.monotonic() - began < 5


@pytest.mark.proves("B-118")
@pytest.mark.parametrize("name", ["BISECT_START", "rebase-merge/head-name"])
def test_a_pipe_where_git_keeps_notes_blocks_no_delivery(world, name):
    new, pipe = world.propose({"b.txt": "agent\n"}), world.repo / ".git" / name
    pipe.parent.mkdir(exist_ok=True)
    os.mkfifo(pipe)
    ended = threading.Event()

    def deliver():
        world.deliver(new)
        ended.set()

    threading.Thread(target=deliver, daemon=True).start()
    came = ended.wait(30)
    os.close(os.open(pipe, os.O_RDWR | os.O_NONBLOCK))  # whoever waits there goes on
    assert came
