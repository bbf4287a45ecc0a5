"""G11: how often an owner wakes, and what it costs, while there is nothing to do and no page open.

Not one of the quick goals: it takes the time that it measures (`dev.py idle`).
"""

import argparse
import sys
import tempfile
import threading
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from outside_house import House, until
from outside_talk import office

MOST_WAKEUPS = 0.2
MOST_CPU = 0.01
CPU_CLOCK = 2  # CPUCLOCK_SCHED
SETTLED = 75.0  # seconds until the start has ended, with the first backup after a minute


def furnish(house: House, routines: int) -> None:
    """An owner that has worked, in which something waits for a time to come, and routines for the
    turn of the year."""
    house.program("PATCH", "/settings", {"coalescing_window_sec": 0})
    room = house.room()
    done = room.task("Done", room.shell("echo done > done.txt", name="done"))
    assert room.ended(done)["outcome"] == "done"
    script = "echo 'usage limit reached, try again in 5 hours' >&2; exit 1"
    task = room.task("Later", room.shell(script, name="later"))
    room.ended(task)
    until(lambda: house.get("/wakeups", task_id=task["id"])["items"][0]["status"] == "queued")
    yearly = {"kind": "schedule", "cron_expression": "0 0 1 1 *", "timezone": "UTC"}
    agent = room.shell("echo done", name="yearly")
    for number in range(routines):
        body = {"workspace_id": room.id, "name": f"Y{number}", "assignee_agent_id": agent}
        assert office(house, "POST", "", {**body, "triggers": [yearly]}).status == 201


class Spent:
    """What a process has used until now. By thread: how often it has waited for something
    (voluntary switches), and the nanoseconds that it ran, where the kernel counts them."""

    def __init__(self, pid: int) -> None:
        self.switches: Counter[str] = Counter()
        self.ran: Counter[str] = Counter()
        for thread in Path(f"/proc/{pid}/task").iterdir():
            lines = (thread / "status").read_text().splitlines()
            fields = dict(line.split(":", 1) for line in lines if line)
            name = f"{fields['Name'].strip()} {thread.name}"
            self.switches[name] = int(fields["voluntary_ctxt_switches"])
            with suppress(OSError):
                self.ran[name] = int((thread / "schedstat").read_text().split()[0])
        # The processor's clock of all its threads, of ended ones as well: /proc counts in steps of
        # 10 ms, which is more than an idle minute takes. See clock_getcpuclockid(3).
        self.nanoseconds = time.clock_gettime_ns(~pid << 3 | CPU_CLOCK)


def idle(seconds: float, routines: int) -> bool:
    with tempfile.TemporaryDirectory(prefix="rt") as folder:
        house = House(Path(folder))
        try:
            pid = int(house.start()["pid"])
            furnish(house, routines)
            threading.Event().wait(SETTLED)
            before = Spent(pid)
            threading.Event().wait(seconds)
            after = Spent(pid)
        finally:
            house.close()
    woken, ran = after.switches - before.switches, after.ran - before.ran
    rate = woken.total() / seconds
    cpu = (after.nanoseconds - before.nanoseconds) / 1e9 * 60 / seconds
    print(f"G11  {seconds:g} s, {routines:,} routines, no page open")
    print(f"     wakeups of all threads  {rate:.3f}/s   (goal: at most {MOST_WAKEUPS:g})")
    print(f"     processor               {cpu:.4f} s/min (goal: at most {MOST_CPU:g})")
    for name, count in woken.most_common():
        print(f"     {count:5d}  {ran[name] / 1e6 * 60 / seconds:7.2f} ms/min  {name}")
    return rate <= MOST_WAKEUPS and cpu <= MOST_CPU


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="dev.py idle", description=__doc__)
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--routines", type=int, default=1000)
    given = parser.parse_args()
    sys.exit(0 if idle(given.seconds, given.routines) else "missed: G11")
