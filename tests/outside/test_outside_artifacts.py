"""Artifacts of a real run: kept, served to be saved, and run nowhere."""

import json
import shlex
from typing import Any

import pytest
from outside_house import Browser, Room
from outside_pages import got

SVG = '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'
HTML = "<script>alert(document.cookie)</script>"

ENCODED = (
    *("../token", "..%2ftoken", "%2e%2e/token", "%2e%2e%2ftoken", "..%252ftoken", "....//token"),
    *(
        "..%5ctoken",
        "..%c0%aftoken",
        "/etc/passwd",
        "%2fetc%2fpasswd",
        "token%00.txt",
        ".%2e/token",
    ),
    *("..;/token", "%252e%252e%252ftoken"),
)
"""S-39: ways to say that a file lies elsewhere."""


def reported(room: Room, lines: str, *paths: str) -> tuple[Any, list[Any]]:
    """The run of an agent that makes something and names it, with what was kept."""
    result = {"status": "completed", "artifacts": [{"path": one} for one in paths]}
    whole = f"{lines}\necho {shlex.quote(json.dumps(result))} > $ROUNDTABLE_RESULT_FILE"
    run = room.ended(room.task("Report", room.shell(whole)))
    return run, room.house.get(f"/runs/{run['id']}/artifacts")["items"]


@pytest.mark.slow
@pytest.mark.proves("A-25", "S-39", "S-41", "S-42")
def test_artifacts_are_served_as_they_are_and_run_nowhere(room: Room) -> None:
    lines = [
        f"printf %s {shlex.quote(SVG)} > a.svg; printf %s {shlex.quote(HTML)} > b.html",
        f"ln -s {shlex.quote(str(room.house.home / 'token'))} link.txt",
        "mkfifo pipe; mkdir folder; truncate -s 10G sparse.bin",
        "echo sparse.bin > .gitignore",
    ]
    named = ("a.svg", "b.html", "link.txt", "pipe", "folder", "sparse.bin", "../../../token")
    run, kept = reported(room, "\n".join(lines), *named)
    assert run["outcome"] == "done"
    faults = [one["fault"] for one in kept]
    assert faults[:5] == [None, None, "artifact_absent", "artifact_no_file", "artifact_no_file"]
    assert faults[5:] == ["artifact_too_large", "artifact_outside"]
    assert all(one["sentence"].startswith(one["path"]) for one in kept)
    for one, text in zip(kept, (SVG, HTML), strict=False):
        answer = room.house.program("GET", f"/artifacts/{one['id']}")
        assert (answer.status, answer.text) == (200, text)
        assert answer["Content-Type"] == "application/octet-stream"
        assert answer["Content-Disposition"].startswith("attachment;")
        assert answer["X-Content-Type-Options"] == "nosniff"
        assert answer["Content-Security-Policy"].startswith("sandbox;")
        assert one["path"] not in answer["Content-Disposition"]
    for one in kept[2:]:
        refused = room.house.program("GET", f"/artifacts/{one['id']}")
        assert (refused.status, refused.json["code"]) == (404, one["fault"])
    assert room.house.token not in str(kept)
    browser = Browser(room.house)
    page = got(browser, f"/runs/{run['id']}?part=result")
    assert f'href="/api/v1/artifacts/{kept[0]["id"]}"' in page.raw and "onload" not in page.raw
    assert all(one["sentence"] in page.text for one in kept[2:])
    saved = browser.ask("GET", f"/api/v1/artifacts/{kept[1]['id']}")
    assert (saved.status, saved.text) == (200, HTML)
    assert saved["Content-Security-Policy"].startswith("sandbox;")


@pytest.mark.slow
@pytest.mark.proves("S-39")
def test_no_way_to_say_elsewhere_leads_elsewhere(room: Room) -> None:
    """By an address, and in a report."""
    house = room.house
    for way in ENCODED:
        answer = house.program("GET", f"/artifacts/{way}")
        assert answer.status in (400, 403, 404), way
        assert house.token not in answer.text and "root:" not in answer.text
    _, kept = reported(room, "echo x > x.txt", *ENCODED)
    assert {one["fault"] for one in kept} <= {"artifact_outside", "artifact_absent"}
    assert house.ask("GET", f"/api/v1/artifacts/{kept[0]['id']}").status == 401
