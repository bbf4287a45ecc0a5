"""An agent that takes more memory than it may."""

import pytest
from hogging import MB, hog
from outside_house import House, alive, until


@pytest.mark.slow
@pytest.mark.proves("F-37")
def test_too_much_memory_ends_the_run_and_a_person_is_told(running: House) -> None:
    hogged = hog(running, 400, 150)
    run = hogged.run
    assert (run["status"], run["outcome"], run["error"]["kind"]) == (
        *("failed", "task_failed", "task_failed"),
    )
    assert "one run may use 150 MB" in run["error"]["text"]
    runner, *rest = sorted(run["processes"], key=lambda one: one["role"] != "runner")
    assert rest and not any(alive(one["pid"]) for one in rest)
    until(lambda: not alive(runner["pid"]))  # it has said its last word, and goes
    assert run["most_memory"] == 150 * MB < hogged.used and hogged.owner < 50 * MB, str(hogged)
    assert len(running.get("/runs")["items"]) == 1, "trying again takes as much"
    (item,) = running.get("/inbox")["items"]
    assert (item["kind"], item["severity"]) == ("agent.error", "attention")
    assert "one run may use 150 MB" in item["sentence"] and "--memory" in item["sentence"]
    shown = running.cli("runs", "show", run["id"][-8:]).out
    assert "of 150 MB that they may" in shown
