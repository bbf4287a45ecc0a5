"""What is said while an agent works is heard, though its prompt was written before."""

import sys
from pathlib import Path

import pytest
from outside_house import Room, until
from outside_talk import comment, status, wakeups

KEEPS = """
import os, shutil, sys, time
kept = os.path.join(sys.argv[2], os.environ["ROUNDTABLE_RUN"])
shutil.copy(sys.argv[1], kept + ".new"); os.rename(kept + ".new", kept)
while not os.path.exists(os.path.join(sys.argv[2], "go")): time.sleep(0.02)
print("Worked.")
"""


@pytest.mark.slow
@pytest.mark.proves("B-037")
@pytest.mark.parametrize("leaves", ["nothing", "a change"])
def test_a_comment_on_a_run_that_has_its_prompt_is_in_the_next_ones_prompt(
    room: Room, tmp_path: Path, leaves: str
) -> None:
    """Also where the first run, or its delivery without a question, would be the task's end."""
    script = KEEPS + ("open('made.txt', 'w').write('made')\n" if leaves == "a change" else "")
    words = (sys.executable, "-c", script, "{prompt_file}", str(tmp_path))
    room.git("checkout", "-q", "-b", "elsewhere")  # so that nothing is in a delivery's way
    task = room.task("Work", room.agent(*words), delivery="auto")
    run = room.live(task)
    until(lambda: (tmp_path / run["id"]).exists())
    comment(room, task, "Mind C-42 too")
    (word,) = until(lambda: wakeups(room, task, "comment"))
    assert (word["status"], word["coalesced_into"]) == ("queued", None)
    assert "C-42" not in (tmp_path / run["id"]).read_text()
    (tmp_path / "go").write_text("")
    second = room.ended(task, 2)
    assert second["wakeup_id"] == word["id"]
    assert "Mind C-42 too" in (tmp_path / second["id"]).read_text()
    assert [one["outcome"] for one in wakeups(room, task)] == ["executed", "executed"]
    until(lambda: status(room, task) == "done")
