"""The dashboard as a browser of the person meets it, with hostile text stored and shown."""

import html
import os
import re
from urllib.parse import urlsplit

import pytest
from hostile_text import PAYLOADS
from outside_house import Browser, House, Room, until
from outside_pages import FORM, check_inert, got


@pytest.fixture(scope="module")
def browser(shared: House) -> Browser:
    return Browser(shared)


@pytest.mark.slow
@pytest.mark.proves("S-33", "S-32")
def test_errors_and_the_signed_out_page_show_what_was_asked_as_text(
    shared: House, browser: Browser
) -> None:
    for payload in PAYLOADS[:4]:
        path = "/" + "".join(f"%{byte:02x}" for byte in payload.encode())
        for answer in (
            browser.ask("GET", path),
            shared.ask("GET", path, host=shared.browser_host),
            shared.ask("GET", f"/login?once={path[1:]}", host=shared.browser_host),
        ):
            assert answer.status in (401, 404)
            if "html" in answer["Content-Type"]:
                check_inert(answer.text)
            assert payload not in answer.text


@pytest.mark.proves("S-21", "S-23")
def test_the_link_of_open_signs_a_browser_in_and_leaves_no_token_behind(shared: House) -> None:
    browser = Browser(shared)
    assert urlsplit(browser.link).netloc == shared.browser_host
    assert re.fullmatch(r"rt-[0-9a-z]{12}\.localhost:\d+", shared.browser_host)
    login = browser.login
    assert login.status == 200 and login["Location"] == ""
    assert login["Cache-Control"] == "no-store" and login["Referrer-Policy"] == "no-referrer"
    assert re.search(r'http-equiv="refresh" content="0; ?url=/"', login.text)
    code = re.search(r"once=([\w-]+)", browser.link)
    assert code is not None
    cookie = login["Set-Cookie"]
    value = browser.cookie.partition("=")[2]
    for word in ("__Host-roundtable=", "; Secure", "; HttpOnly", "; SameSite=Strict", "; Path=/"):
        assert word in cookie
    assert "Domain" not in cookie and len(value) >= 22
    home = browser.ask("GET", "/")
    assert home.status == 200
    log = (shared.home / "logs/roundtable.log").read_text()
    stderr = (shared.root / "owner.stderr").read_text()
    for secret in (shared.token, code[1], value):
        assert secret not in home.text + log + stderr
        assert secret not in login.text
    assert value != Browser(shared).cookie.partition("=")[2]
    assert len(shared.token) >= 22 and shared.token not in (code[1], value)


@pytest.mark.proves("S-22")
def test_a_link_works_once(shared: House) -> None:
    browser = Browser(shared)
    parts = urlsplit(browser.link)
    again = shared.ask("GET", f"{parts.path}?{parts.query}", host=parts.netloc)
    assert again.status == 401 and again["Set-Cookie"] == ""
    assert browser.ask("GET", "/").status == 200


@pytest.mark.proves("S-24")
def test_the_cookie_counts_at_the_browsers_name_alone(shared: House, browser: Browser) -> None:
    for host in (shared.address, f"localhost:{shared.port}", f"[::1]:{shared.port}"):
        assert browser.ask("GET", "/api/v1/status", host=host).status == 401
        assert browser.ask("GET", "/", host=host).status == 401
    assert browser.ask("GET", "/api/v1/status").status == 200
    bearer = {"Authorization": f"Bearer {shared.token}"}
    for host in (shared.address, f"localhost:{shared.port}", f"[::1]:{shared.port}"):
        assert shared.ask("GET", "/api/v1/status", headers=bearer, host=host).status == 200


@pytest.mark.proves("S-09", "S-10", "S-12", "S-13")
def test_a_cookie_alone_changes_nothing(room: Room, browser: Browser) -> None:
    body = f'{{"workspace_id": "{room.id}", "title": "forged"}}'
    right = {
        "Content_Type": "application/json",
        "Origin": f"http://{room.house.browser_host}",
        "X_CSRF_Token": browser.csrf(),
        "Sec_Fetch_Site": "same-origin",
    }

    def post(**changed: str | None) -> int:
        headers = {name: value for name, value in (right | changed).items() if value is not None}
        return browser.ask("POST", "/api/v1/tasks", body, **headers).status

    assert post(X_CSRF_Token=None) == 403
    assert post(X_CSRF_Token=Browser(room.house).csrf()) == 403
    for origin in (
        "null",
        "http://evil.example",
        f"http://{room.house.address}",
        "http://localhost:1",
    ):
        assert post(Origin=origin) == 403
    for site in ("cross-site", "same-site"):
        assert post(Sec_Fetch_Site=site, Origin=None) == 403
        assert browser.ask("GET", "/api/v1/tasks", Sec_Fetch_Site=site).status == 403
    assert post(Content_Type="text/plain") == 415
    assert not room.house.get("/tasks", workspace_id=room.id)["items"]
    assert post() == 201


@pytest.mark.slow
@pytest.mark.proves("S-23")
def test_signing_out_ends_this_session_alone(shared: House) -> None:
    one, other = Browser(shared), Browser(shared)
    form = {"Content_Type": FORM}
    assert one.ask("POST", "/logout", "csrf=wrong", **form).status == 403
    left = one.ask("POST", "/logout", f"csrf={one.csrf()}", **form)
    assert left.status == 303
    assert one.ask("GET", "/").status == 401
    assert other.ask("GET", "/").status == 200


@pytest.mark.slow
@pytest.mark.proves("S-23")
def test_a_session_lives_through_a_restart(running: House) -> None:
    browser = Browser(running)
    port = running.port
    running.end()
    running.start("--port", str(port))
    assert browser.ask("GET", "/").status == 200


@pytest.mark.slow
def test_open_without_print_leads_there_by_a_private_page(running: House) -> None:
    done = running.cli("open", env={"BROWSER": "true"})
    [page] = running.home.glob("open*.html")
    assert done.code == 0 and running.token not in done.said
    link = re.search(r'url=(http[^"]+)"', page.read_text())
    assert link is not None
    parts = urlsplit(html.unescape(link[1]))
    signed = running.ask("GET", f"{parts.path}?{parts.query}", host=parts.netloc)
    assert signed.status == 200 and signed["Set-Cookie"]

    running.cli("open", env={"BROWSER": "true"})
    assert page.exists(), "a slow browser may read it yet"
    assert len(list(running.home.glob("open*.html"))) == 2
    os.utime(page, (0, 0))
    running.cli("open", env={"BROWSER": "true"})
    assert not page.exists()
    assert len(list(running.home.glob("open*.html"))) == 2


def test_the_page_says_what_is_going_on(room: Room, browser: Browser) -> None:
    agent = room.shell("echo x > made-by-agent.txt")
    task = room.task("Make a file for me", agent)
    proposal = room.proposal(task)
    page = until(lambda: (seen := got(browser, "/")) and "made-by-agent.txt" in seen.text and seen)
    assert "T-1 Make a file for me" in page.text and "waits for you" in page.text
    assert f"/proposals/{proposal['id']}" in page.links
