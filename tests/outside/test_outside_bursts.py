"""Comments that come together are one run, also when the owner is killed between and in them."""

import contextlib
import http.client
import signal
import threading

import pytest
from outside_clock import advance, start
from outside_house import House, until
from outside_talk import comment, wakeups

WORDS = [f"Word {number}." for number in range(5)]


@pytest.mark.slow
@pytest.mark.proves("F-12", "K-13", "C-86")
def test_five_comments_are_one_run_that_is_told_all_five_though_the_owner_dies_between(
    house: House,
) -> None:
    start(house)
    house.program("PATCH", "/settings", {"coalescing_window_sec": 5})
    room = house.room()
    task = room.task("Talk", room.shell("echo done > note.txt"))
    room.ended(task)
    keys = {text: f"key-{number}" for number, text in enumerate(WORDS)}
    said = [comment(room, task, text, Idempotency_Key=keys[text]) for text in WORDS[:2]]
    advance(house, 1)

    def cut_off() -> None:
        """It may have been written or not: whoever said it does not know, and says it again."""
        with contextlib.suppress(OSError, http.client.HTTPException, AssertionError):
            comment(room, task, WORDS[2], Idempotency_Key=keys[WORDS[2]])

    speaker = threading.Thread(target=cut_off)
    speaker.start()
    house.end(signal.SIGKILL)
    speaker.join()
    start(house, None)
    said.append(comment(room, task, WORDS[2], Idempotency_Key=keys[WORDS[2]]))
    house.end(signal.SIGKILL)
    start(house, None)
    advance(house, 2)
    said += [comment(room, task, text, Idempotency_Key=keys[text]) for text in WORDS[3:]]
    assert advance(house, 1.5)["claimed"] == 0
    assert advance(house, 1)["claimed"] == 1
    run = room.ended(task, 2)
    carried = [one["payload"]["comment_id"] for one in run["context_snapshot"]["wakes"]]
    assert carried == [one["id"] for one in said]
    assert "5 causes became this one turn" in run["assembled_prompt"]
    assert all(text in run["assembled_prompt"] for text in WORDS)
    until(lambda: wakeups(room, task, "comment")[0]["status"] == "finished")
    first, *joined = wakeups(room, task, "comment")
    assert (first["coalesced_count"], len(joined)) == (5, 4)
    assert {one["status"] for one in joined} == {"coalesced"}
    assert len(house.get(f"/tasks/{task['id']}/attempts")["items"]) == 2
