"""G13 and G14: pages and streams of the dashboard, beside the barest that Flask can do."""

import http.client
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

import pytest
from outside_house import Browser, House, started, until
from streaming import Stream

from benchmarks.table import MEMORY, Goal, measure

ROWS = 20
PAGES = 60
EVENTS = 150
STREAMS = 8
BEAT = 1.0
"""Seconds between the signs of life of the stock server's stream; ours sends one every 15."""

BARE = """
import sys, time
from flask import Flask, Response, render_template_string
from waitress.server import create_server
app = Flask("bare")
PAGE = '''<!doctype html><title>Rows</title><table>{% for row in rows %}<tr><td>{{ row.id }}</td>
<td><a href="/runs/{{ row.id }}">{{ row.name }}</a></td><td>{{ row.status }}</td>
<td>{{ row.at }}</td></tr>{% endfor %}</table>'''
ROWS = [dict(id=n, name=f"Row {n}", status="finished", at="29 Nov 17:16") for n in range(20)]
@app.get("/")
def page():
    return render_template_string(PAGE, rows=ROWS)
@app.get("/json")
def json():
    return {"items": ROWS[:1]}
def beats():
    try:
        while True:
            yield ": \\n\\n"
            time.sleep(float(sys.argv[1]))
    finally:
        print("freed", flush=True)
@app.get("/stream")
def stream():
    return Response(beats(), content_type="text/event-stream")
server = create_server(app, host="127.0.0.1", port=0, threads=16)
print(server.effective_port, flush=True)
server.run()
"""


class Bare:
    """The stock server in a process of its own."""

    def __init__(self) -> None:
        command = [sys.executable, "-c", BARE, str(BEAT)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        self.told = self.process.stdout
        self.port = int(self.told.readline())

    def freed(self) -> float:
        """Seconds from when a reader of the stream is gone until its thread is free."""
        reader = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        reader.request("GET", "/stream")
        answer = reader.getresponse()
        answer.read(1)
        began = time.perf_counter()
        answer.close()
        reader.close()
        assert self.told.readline() == "freed\n"
        return time.perf_counter() - began

    def close(self) -> None:
        self.process.kill()
        self.process.communicate()


@contextmanager
def both() -> Iterator[tuple[House, Browser, Bare]]:
    """An owner with twenty runs that are over, and the bare server."""
    bare = Bare()
    try:
        with tempfile.TemporaryDirectory(dir=MEMORY) as folder, started(Path(folder)) as house:
            room = house.room()
            agent = room.shell("true", max_concurrent_sessions=4)
            once = {"retry_budget": 0}
            tasks = [room.task(f"Row {number}", agent, **once) for number in range(ROWS)]
            for task in tasks:
                room.ended(task, seconds=120)
            until(lambda: _rests(house), seconds=300, step=1.0)
            yield house, Browser(house), bare
    finally:
        bare.close()


def _rests(house: House) -> bool:
    """Until then pages would be shown beside agents that are started."""
    states = {one["status"] for one in house.get("/tasks", limit=200)["items"]}
    return not states & {"todo", "in_progress"}


def rate(port: int, path: str, headers: dict[str, str]) -> float:
    """Pages a second over one connection."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    began = 0.0
    for number in range(PAGES + 3):  # the first ones compile templates
        if number == 3:
            began = time.perf_counter()
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        body = answer.read()
        assert answer.status == 200 and body.count(b"Row ") >= ROWS
    spent = time.perf_counter() - began
    connection.close()
    return PAGES / spent


def streams(house: House, count: int = STREAMS) -> list[Stream]:
    headers = {"Authorization": f"Bearer {house.token}"}
    return [Stream(house.port, headers) for _number in range(count)]


def full(house: House) -> list[Stream]:
    """Every place taken; those who left before may still be on their way out."""

    def look() -> list[Stream]:
        got = streams(house)
        if all(one.status == 200 for one in got):
            return got
        for one in got:
            one.vanish()
        return []

    return until(look)


@pytest.mark.proves("G13")
def pages() -> bool:
    """A page with twenty rows; the same with every stream taken; and the ninth stream."""
    with both() as (house, browser, bare):
        headers = {"Host": house.browser_host, "Cookie": browser.cookie}
        path = f"/runs?limit={ROWS}"

        def alone() -> tuple[float, float]:
            return rate(house.port, path, headers), rate(bare.port, "/", {})

        def beside() -> tuple[float, float]:
            free = rate(house.port, path, headers)
            taken = full(house)
            held = rate(house.port, path, headers)
            for one in taken:
                one.vanish()
            return held, free

        def ninth() -> tuple[float, float]:
            taken = full(house)
            began = time.perf_counter()
            [one] = streams(house, 1)
            spent = time.perf_counter() - began
            assert one.status == 503
            for each in [*taken, one]:
                each.vanish()
            return spent, 1.0

        what = "a page of 20 rows / a bare one, pages a second"
        first = measure(Goal("G13", what, "{:.0f}/s", "{:.0f}/s", least=0.5), alone)
        what = "the same with 8 streams open / without"
        second = measure(Goal("G13", what, "{:.0f}/s", "{:.0f}/s", least=0.5), beside)
        what = "the ninth stream is refused / one second"
        third = measure(Goal("G13", what, "{:.3f} s", "{:.0f} s", most=1.0), ninth)
        return first and second and third


def p99(spent: list[float]) -> float:
    return statistics.quantiles(spent, n=100, method="inclusive")[-1]


def _one(house: House) -> Stream | None:
    [stream] = streams(house, 1)
    return stream if stream.status == 200 else None


def told(house: House, happen: Callable[[int], float]) -> tuple[float, float]:
    """p99 of the milliseconds until an event is read: from its own instant, at which its
    transaction began, and from before the request that made it, which is what `happen` answers."""
    stream = until(lambda: _one(house))
    stream.begin()
    arrived: dict[str, float] = {}
    late: list[float] = []

    def read() -> None:
        while len(arrived) < EVENTS:
            event = stream.event()
            if event["kind"] == "task.created":
                arrived[event["data"]["title"]] = time.perf_counter()
                late.append(time.time() - datetime.fromisoformat(event["at"]).timestamp())

    reader = threading.Thread(target=read)
    reader.start()
    happened = {f"Event {number}": happen(number) for number in range(EVENTS)}
    reader.join(60)
    stream.vanish()
    whole = [arrived[name] - when for name, when in happened.items()]
    return 1000 * p99(late), 1000 * p99(whole)


def asked(port: int) -> float:
    """p99 of a bare JSON request, in milliseconds."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    spent = []
    for _number in range(EVENTS):
        began = time.perf_counter()
        connection.request("GET", "/json")
        connection.getresponse().read()
        spent.append(time.perf_counter() - began)
        time.sleep(0.002)
    connection.close()
    return 1000 * p99(spent)


@pytest.mark.proves("G14")
def events() -> bool:
    """An event, from the request that makes it until it is read; and what a reader who is gone
    still holds."""
    with both() as (house, _browser, bare):
        room = house.get("/workspaces")["items"][0]["id"]
        connection = http.client.HTTPConnection("127.0.0.1", house.port, timeout=30)
        headers = {"Authorization": f"Bearer {house.token}", "Content-Type": "application/json"}

        def happen(number: int) -> float:
            """Before the request: the start of a git, which looks for its branch, is in it too."""
            body = f'{{"workspace_id": "{room}", "title": "Event {number}"}}'
            began = time.perf_counter()
            connection.request("POST", "/api/v1/tasks", body, headers)
            connection.getresponse().read()
            time.sleep(0.002)
            return began

        def gone() -> tuple[float, float]:
            taken = full(house)
            began = time.perf_counter()
            taken[0].vanish()
            while True:
                [one] = streams(house, 1)
                if one.status == 200:
                    break
            spent = time.perf_counter() - began
            for each in [*taken[1:], one]:
                each.vanish()
            return spent, bare.freed()

        what = "an event until it is read, p99 / bare JSON, p99"
        pair = lambda: (told(house, happen)[0], asked(bare.port))  # noqa: E731
        first = measure(Goal("G14", what, "{:.1f} ms", "{:.1f} ms", most=5.0), pair)
        what = "the same from before the request that makes it"
        pair = lambda: (told(house, happen)[1], asked(bare.port))  # noqa: E731
        first &= measure(Goal("G14", what, "{:.1f} ms", "{:.1f} ms", most=5.0), pair)
        what = "a reader who is gone holds a thread / stock"
        return measure(Goal("G14", what, "{:.3f} s", "{:.3f} s", most=0.25), gone) and first
