"""Who gets in, by what, and for how long."""

import hashlib
import re
from datetime import timedelta
from urllib.parse import quote

import pytest

from roundtable_desktop.dashboard.signin import CODES_KEPT, Codes, local_path


def path_of(house, link):
    assert link.startswith(house.doors.browser_url + "/login?")
    return link.removeprefix(house.doors.browser_url)


def follow(house, link, **headers):
    return house.ask("GET", path_of(house, link), headers, host=house.name)


@pytest.mark.proves("S-18")
@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/api/v1/notes"),
        ("POST", "/api/v1/notes"),
        ("POST", "/api/v1/notes/1/drop"),
        ("GET", "/api/v1/nothing"),
        ("GET", "/api/v1/openapi.json"),
        ("POST", "/api/v1/sign-in-links"),
        ("GET", "/mcp"),
    ],
)
def test_a_program_without_the_token_is_told_so(house, method, path):
    answer = house.ask(method, path)
    assert answer.status == 401
    assert answer["Content-Type"] == "application/problem+json"
    assert answer["WWW-Authenticate"] == "Bearer"
    assert answer.json["code"] == "signed_out"


@pytest.mark.proves("S-18")
@pytest.mark.parametrize("path", ["/", "/nowhere", "/crash", "/console"])
def test_a_person_without_a_session_sees_the_signed_out_page(house, path):
    page = house.ask("GET", path, host=house.name)
    assert page.status == 401
    assert "roundtable open" in page.text and f'href="{path}"' in page.text
    assert house.ask("POST", path, host=house.name).status == 401


@pytest.mark.proves("S-18")
@pytest.mark.parametrize(("health", "status"), [("ok", 200), ("degraded", 200), ("dead", 503)])
def test_health_says_only_its_status(house, health, status):
    house.health[0] = health
    answer = house.ask("GET", "/healthz")
    assert (answer.status, answer.json) == (status, {"status": health})


@pytest.mark.proves("S-19")
@pytest.mark.parametrize(
    "header",
    [
        "Bearer {token}X",
        "Bearer {short}",
        "Bearer ",
        "Bearer",
        "",
        "Basic {token}",
        "bearer {token}",
        "BEARER {token}",
        "Bearer  {token}",
        "{token}",
        "Bearer {swapped}",
        "Bearer \xff",
    ],
)
def test_a_token_that_is_nearly_right_is_wrong(house, header):
    token = house.token[0]
    given = header.format(token=token, short=token[:-1], swapped=token.swapcase())
    assert house.ask("GET", "/api/v1/notes", {"Authorization": given}).status == 401
    assert house.program("GET", "/api/v1/notes").status == 200


@pytest.mark.proves("S-19")
def test_no_token_at_all_is_never_the_right_one(house):
    house.token[0] = ""
    assert house.ask("GET", "/api/v1/notes", {"Authorization": "Bearer "}).status == 401


@pytest.mark.proves("S-20")
def test_a_token_in_the_address_does_not_count(house):
    for name in ("token", "access_token", "once"):
        assert house.ask("GET", f"/api/v1/notes?{name}={house.token[0]}").status == 401


@pytest.mark.proves("S-21")
def test_the_link_answers_with_a_page_that_leads_on(house):
    link = house.signin.link("/runs/1?tab=a&b=c")
    from_a_file = {
        "Sec-Fetch-Site": "cross-site",
        "Sec-Fetch-Mode": "navigate",
        "Sec-Fetch-Dest": "document",
    }
    answer = follow(house, link, **from_a_file)
    assert answer.status == 200
    assert answer["Cache-Control"] == "no-store"
    assert answer["Referrer-Policy"] == "no-referrer"
    assert 'http-equiv="refresh" content="0; url=/runs/1?tab=a&amp;b=c"' in answer.text
    assert answer["Location"] == ""
    code = re.search(r"once=([^&]+)", link)[1]
    assert code not in answer.text and code not in str(answer.headers)
    assert house.token[0] not in answer.text + str(answer.headers)
    cookie = answer["Set-Cookie"].partition(";")[0]
    assert house.ask("GET", "/", {"Cookie": cookie}, host=house.name).status == 200


@pytest.mark.proves("S-22")
def test_a_code_works_once(house):
    link = house.signin.link()
    assert follow(house, link).status == 200
    again = follow(house, link)
    assert again.status == 401 and again["Set-Cookie"] == ""


@pytest.mark.proves("S-22")
@pytest.mark.parametrize(("age", "status"), [(59, 200), (61, 401), (-1, 401)])
def test_a_code_works_for_a_minute(house, age, status):
    link = house.signin.link()
    house.clock.pass_(seconds=age)
    assert follow(house, link).status == status


@pytest.mark.proves("S-22")
def test_a_code_is_no_token_and_the_token_is_no_code(house):
    code = re.search(r"once=([^&]+)", house.signin.link())[1]
    assert house.ask("GET", "/api/v1/notes", {"Authorization": f"Bearer {code}"}).status == 401
    assert house.ask("GET", f"/login?once={house.token[0]}", host=house.name).status == 401


@pytest.mark.proves("S-14", "S-22")
def test_looking_at_a_link_does_not_use_it_up(house):
    link = house.signin.link()
    looked = house.ask("HEAD", path_of(house, link), host=house.name)
    assert looked["Set-Cookie"] == ""
    assert follow(house, link).status == 200


@pytest.mark.proves("S-22", "S-24")
def test_a_code_works_at_the_browsers_name_alone(house):
    link = house.signin.link()
    assert house.ask("GET", path_of(house, link)).status == 401
    assert follow(house, link).status == 200


def test_only_the_newest_codes_are_kept(house):
    codes = Codes(house.clock, house.signin._ids)
    issued = [codes.issue() for _ in range(CODES_KEPT + 1)]
    assert len(codes._open) == CODES_KEPT
    assert not set(issued) & set(codes._open)
    codes.redeem(issued[1])


@pytest.mark.proves("S-23")
def test_the_cookie_is_closed_on_all_sides(house):
    answer = house.browser().login
    cookie, *attributes = answer["Set-Cookie"].split("; ")
    name, _, value = cookie.partition("=")
    assert name == "__Host-roundtable"
    assert {"Secure", "HttpOnly", "SameSite=Strict", "Path=/"} <= set(attributes)
    assert not [a for a in attributes if a.lower().startswith("domain")]
    assert value != house.token[0] and len(value) >= 22
    assert list(house.sessions.rows) == [hashlib.sha256(value.encode()).hexdigest()]


@pytest.mark.proves("S-23")
def test_the_fall_backs_cookie_names_its_port(house_by_address):
    house = house_by_address
    assert house.name == house.address
    browser = house.browser()
    assert browser.cookie.startswith(f"roundtable-{house.port}=")
    assert "Secure" not in browser.login["Set-Cookie"]
    assert browser.post("/api/v1/notes", {"title": "x"}).status == 201
    name = f"rt-k3v9x0q2m7ab.localhost:{house.port}"
    assert browser.ask("GET", "/", host=name).status == 421
    assert browser.ask("GET", "/", host=f"localhost:{house.port}").status == 401


@pytest.mark.proves("S-23")
def test_each_sign_in_is_a_session_of_its_own_that_can_be_ended(house):
    first, second = house.browser(), house.browser()
    assert first.cookie != second.cookie and first.csrf != second.csrf
    out = first.ask("POST", "/logout", {"Content-Type": FORM}, f"csrf={first.csrf}")
    assert (out.status, out["Location"]) == (303, "/")
    assert "Max-Age=0" in out["Set-Cookie"]
    assert first.ask("GET", "/").status == 401
    assert second.ask("GET", "/").status == 200


@pytest.mark.proves("S-24")
@pytest.mark.parametrize("host", ["127.0.0.1:{port}", "localhost:{port}", "[::1]:{port}"])
def test_the_cookie_counts_at_the_browsers_name_alone(house, browser, host):
    host = host.format(port=house.port)
    assert browser.ask("GET", "/api/v1/notes", host=host).status == 401
    assert browser.ask("GET", "/api/v1/notes").status == 200


@pytest.mark.proves("S-24")
def test_a_wrong_token_is_not_mended_by_a_right_cookie(browser):
    assert browser.ask("GET", "/api/v1/notes", {"Authorization": "Bearer x"}).status == 401


@pytest.mark.proves("S-25")
def test_wrong_codes_are_slowed_and_the_right_one_still_works(house):
    wrong = [house.ask("GET", f"/login?once=w{i}", host=house.name).status for i in range(20)]
    assert wrong == [401] * 10 + [429] * 10
    assert follow(house, house.signin.link()).status == 200
    house.clock.pass_(seconds=61)
    assert house.ask("GET", "/login?once=w", host=house.name).status == 401


HARMFUL = [
    "//evil.com",
    "/\\evil.com",
    "\\/evil.com",
    "https:evil",
    "https://evil.com",
    "javascript:alert(1)",
    "/\t/evil.com",
    "/x\r\nSet-Cookie: a=b",
    "/x\nX: y",
    "/\x00",
    "/é",
    "evil",
    "",
    " /x",
]


@pytest.mark.proves("S-26")
@pytest.mark.parametrize("harmful", HARMFUL)
def test_the_way_on_stays_here(house, harmful):
    assert local_path(harmful) == "/"
    base = house.signin.link().partition("&next=")[0]
    answer = follow(house, f"{base}&next={quote(harmful)}")
    assert 'content="0; url=/"' in answer.text
    assert "evil" not in answer.text
    assert len(answer.all("Set-Cookie")) == 1


@pytest.mark.proves("S-26")
@pytest.mark.parametrize("path", ["/", "/runs/1", "/board?x=1&y=%20#a"])
def test_a_path_of_ours_is_kept(path):
    assert local_path(path) == path


@pytest.mark.proves("S-27")
def test_a_new_token_ends_the_old_one_and_every_session(house, browser):
    old = house.token[0]
    house.token[0] = "another-token"
    house.sessions.revoke_all()
    assert house.ask("GET", "/api/v1/notes", {"Authorization": f"Bearer {old}"}).status == 401
    assert browser.ask("GET", "/").status == 401
    assert house.program("GET", "/api/v1/notes").status == 200


def test_a_browser_left_alone_over_night_is_signed_out(house, browser):
    for _ in range(4):
        house.clock.pass_(hours=11)
        assert browser.ask("GET", "/").status == 200
    house.clock.pass_(hours=13)
    assert browser.ask("GET", "/").status == 401
    assert house.sessions.rows == {}


def test_no_session_lives_longer_than_thirty_days(house, browser):
    end = house.clock.now() + timedelta(days=30)
    while house.clock.now() < end - timedelta(hours=11):
        house.clock.pass_(hours=11)
        assert browser.ask("GET", "/").status == 200
    house.clock.pass_(hours=11)
    assert browser.ask("GET", "/").status == 401


def test_reading_pages_does_not_write_a_row_each(house, browser):
    [before] = house.sessions.rows.values()
    house.clock.pass_(minutes=9)
    browser.ask("GET", "/")
    assert list(house.sessions.rows.values()) == [before]


FORM = "application/x-www-form-urlencoded"


@pytest.mark.proves("S-10")
def test_a_change_by_cookie_needs_this_sessions_csrf_token(house, browser):
    other = house.browser()
    for token in ("absent", "", "x", other.csrf, browser.csrf[:-1], "ÿ"):
        assert browser.post("/api/v1/notes", {"title": "x"}, X_CSRF_Token=token).status == 403
    assert house.notes == []
    assert browser.post("/api/v1/notes", {"title": "x"}).status == 201


@pytest.mark.proves("S-10", "S-11")
def test_the_form_field_counts_on_pages_only(house, browser):
    form = f"csrf={browser.csrf}&title=x"
    typed = {"Content-Type": FORM}
    assert browser.ask("POST", "/api/v1/notes", typed, form).status == 403
    assert browser.ask("POST", "/notes", typed, "csrf=x").status == 403
    assert house.notes == []
    assert browser.ask("POST", "/notes", typed, form).status == 200


@pytest.mark.proves("S-11")
@pytest.mark.parametrize("media_type", ["text/plain", FORM, "multipart/form-data; boundary=x", ""])
def test_json_in_disguise_is_refused(house, browser, media_type):
    typed = {"Content-Type": media_type} if media_type else {}
    for credential in (
        {"Authorization": f"Bearer {house.token[0]}"},
        {"Cookie": browser.cookie, "X-CSRF-Token": browser.csrf},
    ):
        sent = house.ask("POST", "/api/v1/notes", credential | typed, '{"title": "x"}', house.name)
        assert sent.status == 415
    assert house.notes == []


@pytest.mark.proves("S-14")
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_looking_changes_nothing(house, method):
    house.program("POST", "/api/v1/notes", {"title": "x"})
    kept = list(house.notes)
    browser = house.browser()
    for path in ("/api/v1/notes/n0/drop", "/logout", "/api/routine-triggers/x/fire"):
        answer = house.program(method, path)
        assert answer.status == 405 and "POST" in answer["Allow"]
    assert browser.ask(method, "/logout").status == 405
    assert house.notes == kept
    assert browser.ask("GET", "/").status == 200


@pytest.mark.proves("S-15")
def test_no_method_hides_in_another(house):
    tricks = {
        "X_HTTP_Method_Override": "POST",
        "X_HTTP_Method": "POST",
        "X_Method_Override": "POST",
    }
    assert house.program("GET", "/api/v1/notes/n0/drop", **tricks).status == 405
    assert house.program("GET", "/api/v1/notes?_method=POST", {"title": "x"}).status == 422
    assert house.notes == []


@pytest.mark.proves("S-21", "S-22")
def test_a_program_gets_a_link_and_a_browser_does_not(house, browser):
    made = house.program("POST", "/api/v1/sign-in-links", {"next": "//evil.com"})
    assert made.status == 201
    assert made.json["url"].endswith("&next=%2F")
    assert follow(house, made.json["url"]).status == 200
    assert browser.post("/api/v1/sign-in-links", {}).status == 403
