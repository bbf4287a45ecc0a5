"""Another program that holds the database delays writes, and loses none of them."""

import contextlib
import sqlite3
import threading
import time
from typing import Any

import psutil
import pytest
from outside_house import Browser, House, until
from outside_talk import status

HELD = 12.0  # seconds; longer than a writer waits
BUSY = "The database is busy: another program holds it."


@pytest.mark.slow
@pytest.mark.proves("F-22", "K-66", "B-160")
def test_writers_are_told_in_bounded_time_and_readers_go_on(running: House) -> None:
    room = running.room()
    agent = room.shell("echo made > note.txt")
    kept = room.task("Kept", agent)
    until(lambda: status(room, kept) == "in_review")
    browser, threads = Browser(running), alive_in(running)
    answers: list[Any] = []

    def write(number: int) -> None:
        began = time.monotonic()
        body = {"workspace_id": room.id, "title": f"Task {number}", "assignee_agent_id": agent}
        answers.append((running.program("POST", "/tasks", body), time.monotonic() - began))

    writers = [threading.Thread(target=write, args=(number,)) for number in range(6)]
    with contextlib.closing(sqlite3.connect(running.home / "roundtable.db", timeout=10)) as other:
        other.execute("BEGIN EXCLUSIVE")
        began = time.monotonic()
        for writer in writers:
            writer.start()
        until(lambda: BUSY in running.get("/status")["sentence"], 8)
        assert running.get("/status")["scheduler"] == "degraded"
        while time.monotonic() - began < HELD:
            assert running.get("/tasks", workspace_id=room.id)["items"]
            page = browser.ask("GET", "/")
            assert page.status == 200 and BUSY in page.text
            time.sleep(0.5)
        other.rollback()
    for writer in writers:
        writer.join()
    assert max(seconds for _, seconds in answers) < 25
    refused = [answer for answer, _ in answers if answer.status != 201]
    assert refused and {one.status for one in refused} == {503}
    assert {one.json["code"] for one in refused} == {"database_busy"}
    made = [answer.json for answer, _ in answers if answer.status == 201]
    for task in made:
        until(lambda task=task: status(room, task) == "in_review")
    titles = {one["title"] for one in running.get("/tasks", workspace_id=room.id)["items"]}
    assert titles == {"Kept", *(one["title"] for one in made)}
    until(lambda: running.ask("GET", "/healthz").json["status"] == "ok", 45)
    assert BUSY not in running.get("/status")["sentence"]
    assert alive_in(running) >= threads, "no thread died of it"


def alive_in(house: House) -> set[int]:
    return {one.id for one in psutil.Process(house.facts["pid"]).threads()}
