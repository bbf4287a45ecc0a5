"""The machine goes down while the tray runs."""

import pytest
from desktops.recorder import Recorder
from desktops.screen import until
from desktops.tray_home import TrayHome


@pytest.mark.slow
@pytest.mark.proves("F-47", "C-101")
def test_a_machine_that_goes_down_waits_until_agents_are_told(
    home: TrayHome, desktop: Recorder
) -> None:
    desktop.show_notifications()
    desktop.show_panel()
    desktop.show_logind()
    home.begin()
    task = home.work(home.agent("demo"), "Long", "@demo once\n@demo sleep 60")
    home.live(task)
    (lock,) = until(lambda: desktop.locks)
    assert lock.words == ("shutdown", "Roundtable", "delay") and lock.held

    desktop.go_down(True)
    assert home.ended(task)["outcome"] == "interrupted"
    until(lambda: not lock.held)
    (wakeup,) = home.get("/wakeups", agent_id=home.get("/agents")["items"][0]["id"])["items"]
    assert (wakeup["status"], wakeup["retry_count"]) == ("queued", 0)
    assert home.get("/control")["intake"] == "open"

    desktop.go_down(False)
    until(lambda: len(desktop.locks) == 2 and desktop.locks[1].held)
    home.stop()
    until(lambda: not desktop.locks[1].held)
