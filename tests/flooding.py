"""An agent that prints without end, and what it costs the owner, its runner and who looks on."""

import contextlib
import math
import re
import statistics
import sys
import time
from dataclasses import dataclass, field

import psutil
from outside_house import Browser, House, until

FLOOD = """
import os, sys, time
rate, seconds, least = float(sys.argv[1]) * 1e6, float(sys.argv[2]), float(sys.argv[3]) * 1e6
line = b"%06d \\x1b[32mok\\x1b[0m /some/path/of/a/test.py::test_%06d " + b"." * 45 + b"\\n"
block = b"".join(line % (n, n) for n in range(1000))
began, sent = time.monotonic(), 0
def out(raw):
    global sent
    view = memoryview(raw)
    while view:
        done = os.write(1, view)
        view, sent = view[done:], sent + done
out(b"the very beginning\\n")
while (now := time.monotonic() - began) < seconds and not (
    sent > least and os.path.exists(sys.argv[4])
):
    out(block)
    time.sleep(max(0.0, sent / rate - now))
out(b"the very end\\n")
os.write(2, b"%d bytes\\n" % sent)
"""
SETTLED = 3.0
"""Seconds after which a process has loaded and made what it needs."""


@dataclass
class Cost:
    """sent: bytes. owner, runner: bytes of memory that each grew by at most; pages: seconds."""

    sent: int = 0
    owner: int = 0
    runner: int = 0
    pages: list[float] = field(default_factory=list)

    @property
    def p95(self) -> float:
        return statistics.quantiles(self.pages, n=20)[-1]

    def __str__(self) -> str:
        return (
            f"{self.sent / 1e6:.0f} MB; the owner grew by {self.owner / 1e6:.1f} MB, the runner by "
            f"{self.runner / 1e6:.1f} MB; {len(self.pages)} pages, p95 {self.p95 * 1000:.0f} ms, "
            f"max {max(self.pages) * 1000:.0f} ms"
        )


def flood(
    house: House, rate: float, seconds: float, least: float = math.inf, pages: int = 40
) -> tuple[str, Cost]:
    """The run, over, and what it cost. rate: megabytes a second at most; it may end before its
    time when it has printed `least` megabytes and more than so many pages were looked at."""
    room, browser, cost, enough = house.room(), Browser(house), Cost(), house.root / "enough"
    bounds = map(str, (rate, seconds, least, enough))
    task = room.task("Flood", room.agent(sys.executable, "-c", FLOOD, *bounds))
    run = room.live(task)
    looks = (f"/runs/{run['id']}", f"/runs/{run['id']}?before=999999.0", "/", "/runs")
    for path in looks:
        assert browser.ask("GET", path).status == 200
    (pid,) = [one["pid"] for one in run["processes"] if one["role"] == "runner"]
    known = {"owner": psutil.Process(house.facts["pid"]), "runner": psutil.Process(pid)}
    time.sleep(SETTLED)  # not for something to happen: memory before it is no growth
    early = {name: process.memory_info().rss for name, process in known.items()}
    over = False
    while not over:
        for path in looks:
            began = time.monotonic()
            assert browser.ask("GET", path).status == 200
            cost.pages.append(time.monotonic() - began)
        for name, process in known.items():
            with contextlib.suppress(psutil.NoSuchProcess):
                grown = process.memory_info().rss - early[name]
                setattr(cost, name, max(getattr(cost, name), grown))
        if len(cost.pages) > pages:
            enough.touch()
        over = house.run(run["id"])["status"] in ("finished", "failed")
        time.sleep(0.7)  # as often as an open page looks
    until(lambda: house.run(run["id"])["outcome"] == "no_changes")
    return run["id"], cost


def check_kept(house: House, run_id: str, cost: Cost) -> None:
    """Head and tail are there, and what is not is counted, to the byte."""
    items, after = [], None
    while True:
        page = house.get(f"/runs/{run_id}/transcript", **({"after": after} if after else {}))
        items += page["items"]
        after = page["next_cursor"]
        if after is None:
            break
    (gap,) = [one["dropped"] for one in items if one["dropped"]]
    kept = "".join(one["text"] for one in items if one["stream"] == "out")
    (told,) = [one["text"] for one in items if one["stream"] == "err"]
    cost.sent = int(told.split()[0])
    assert len(kept) + gap["bytes"] == cost.sent
    assert kept.startswith("the very beginning\n") and kept.endswith("the very end\n")
    files = list((house.home / "runs" / run_id / "out").iterdir())
    assert len(files) == 11 and sum(file.stat().st_size for file in files) < 45e6
    text = house.program("GET", f"/runs/{run_id}/transcript/download").text
    assert re.search(r"\[Here [\d.]+ [MG]B in \d+ lines were left out", text)
    assert text.endswith("the very end\n") or told in text[-200:]
