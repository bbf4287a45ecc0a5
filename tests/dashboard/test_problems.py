"""How a refusal looks from outside, and what it never says."""

import logging
import re

import pytest

from roundtable_desktop.dashboard.app import flask_app


@pytest.mark.proves("W-27")
@pytest.mark.parametrize(
    ("how", "status", "code"),
    [
        ("absent", 404, "unknown_task"),
        ("illegal", 409, "illegal_move"),
        ("conflict", 409, "name_taken"),
        ("status", 409, "proposal_not_open"),
        ("changed", 412, "changed_meanwhile"),
        ("invalid", 422, "path_missing"),
        ("busy", 503, "database_busy"),
        ("kept", 503, "snapshot_kept_too_long"),
        ("broken", 500, "vanished"),
        ("full", 507, "disk_full"),
        ("fault", 503, "database_fault"),
        ("no_room", 507, "disk_full"),
        ("git_broke_off", 503, "git_failed"),
        ("git_failed", 503, "git_failed"),
        ("git_busy", 503, "git_failed"),
        ("git_without_branch", 409, "git_failed"),
    ],
)
def test_each_class_of_refusal_has_its_number(house, how, status, code):
    answer = house.program("GET", f"/api/v1/refused/{how}")
    assert answer.status == status
    assert answer["Content-Type"] == "application/problem+json"
    shown = answer.json
    assert set(shown) == {"type", "status", "title", "detail", "code", "request_id", "errors"}
    assert (shown["status"], shown["code"]) == (status, code)
    assert shown["title"] and shown["detail"] and len(shown["request_id"]) == 26


@pytest.mark.proves("W-27")
@pytest.mark.parametrize("how", ["busy", "git_broke_off", "git_busy"])
def test_what_may_go_through_later_says_when(house, how):
    assert house.program("GET", f"/api/v1/refused/{how}")["Retry-After"] == "1"


def test_a_refusal_with_a_field_points_at_it(house):
    [fault] = house.program("GET", "/api/v1/refused/invalid").json["errors"]
    assert fault == {
        "pointer": "/path",
        "message": "There is no such folder. Name one that is there.",
    }
    assert house.program("GET", "/api/v1/refused/absent").json["errors"] == []


@pytest.mark.proves("S-32")
@pytest.mark.parametrize("path", ["/api/v1/refused/crash", "/crash"])
def test_a_crash_says_only_its_number_and_the_log_says_the_rest(house, caplog, path):
    with caplog.at_level(logging.ERROR):
        answer = house.program("GET", path)
    assert answer.status == 500
    for secret in ("Traceback", "SELECT", "/home", ".py", "Error:", "division"):
        assert secret not in answer.text
    number = re.search(r"\d{26}", answer.text)[0]
    [record] = [r for r in caplog.records if r.name == "dashboard"]
    assert number in record.getMessage() and record.exc_info


@pytest.mark.proves("S-32")
def test_there_is_no_console(monkeypatch, open_house):
    monkeypatch.setenv("FLASK_DEBUG", "1")
    with open_house() as house:
        check_console(house)
        assert not flask_app(house.parts).debug


def check_console(house):
    assert house.program("GET", "/crash").status == 500
    for path in ("/console", "/?__debugger__=yes&cmd=resource&f=style.css", "/debug"):
        assert house.program("GET", path).status in (200, 404)
        assert "debugger" not in house.program("GET", path).text.lower()
    assert house.program("GET", "/console").status == 404


@pytest.mark.parametrize("path", ["/api/v1/notes", "/logout"])
def test_a_wrong_method_is_told_the_right_ones(house, path):
    answer = house.program("DELETE", path)
    assert answer.status == 405
    assert "POST" in answer["Allow"].split(", ")


@pytest.mark.proves("S-33")
@pytest.mark.parametrize("path", ["/<script>alert(1)</script>", "/%3Cimg%20src=x%3E", "/{{7*7}}"])
def test_what_was_asked_for_is_escaped_or_left_out(house, path):
    for page in (house.program("GET", path), house.ask("GET", path, host=house.name)):
        assert page.status in (401, 404)
        assert "<script>alert" not in page.text and "<img src=x" not in page.text
        assert "49" not in re.sub(r"\d{26}", "", page.text)


@pytest.mark.proves("S-34")
def test_no_page_has_a_script_or_a_style_inside(house):
    pages = [
        house.ask("GET", "/", host=house.name),
        house.program("GET", "/nowhere"),
        house.browser().login,
    ]
    for page in pages:
        assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\son\w+=|\sstyle=", page.text)
        assert "javascript:" not in page.text


def test_pages_find_their_style_and_their_icon(house):
    page = house.ask("GET", "/", host=house.name).text
    for path in set(re.findall(r'(?:href|src)="(/static/[^"]+)"', page)):
        assert house.ask("GET", path).status == 200


OUTSIDE = [
    "../templates/layout.html",
    "%2e%2e/templates/layout.html",
    "..%2ftemplates/layout.html",
    "..%5ctemplates%5clayout.html",
    "%00",
    "roundtable.css%00.html",
    "/etc/passwd",
    "%2fetc%2fpasswd",
    "%ff",
    "a" * 5000,
    ".",
]


@pytest.mark.parametrize("path", OUTSIDE)
def test_nothing_outside_of_the_static_folder_is_served(house, path):
    answer = house.ask("GET", "/static/" + path)
    assert answer.status in (401, 404)
    assert "doctype" in answer.text and "root:" not in answer.text


STRANGE = ["/%ff%fe", "/%00", "/api/v1/%00?x=%ff", "/api/v1/refused/%00", "/?%00=%ff", "/%0d%0aX:y"]


@pytest.mark.parametrize("path", STRANGE)
def test_strange_addresses_are_answered_quietly(house, path):
    answer = house.program("GET", path)
    assert answer.status in (200, 404)
    assert answer["X"] == ""
    headers = {"Cookie": "__Host-roundtable=\xff; =; ;;", "Content-Type": "\xff/;;="}
    assert house.ask("GET", path, headers, host=house.name).status == 401
