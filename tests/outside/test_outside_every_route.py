"""The door, at every route that the product has: a new one is asked about without being named."""

import pytest
from outside_house import Answer, Browser, House
from outside_pages import FORM
from pictures.album import routes

OPEN = ("/healthz", "/static/", "/login")
"""What answers a stranger: its status, files, and the way in."""
BEFORE = "/api/routine-triggers/"  # a sender signs its request; nobody signs in
POLICY = (
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
)


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[str, str]]:
    """With an id that nothing has."""
    found = routes(tmp_path_factory.mktemp("routes"))
    assert len(found) > 100
    return [(method, path.replace("<>", "zzzzzzzz")) for method, path in found]


def closed(path: str) -> bool:
    return not path.startswith((*OPEN, BEFORE))


@pytest.mark.slow
@pytest.mark.proves("S-01", "S-06", "S-18", "S-24", "C-95 kept")
def test_no_route_answers_a_stranger_or_another_name(
    shared: House, table: list[tuple[str, str]]
) -> None:
    browser, wrong = Browser(shared), []
    for method, path in table:
        foreign = browser.ask(method, path, host=f"evil.example:{shared.port}")
        if foreign.status != 421 or "evil" in foreign.text:
            wrong.append((method, path, "Host", foreign.status))
        if not closed(path):
            continue
        stranger = shared.ask(method, path, host=shared.browser_host)
        elsewhere = browser.ask(method, path, host=shared.address)
        wanted = 405 if path.startswith("/mcp") and method != "POST" else 401
        if (stranger.status, elsewhere.status) != (wanted, wanted):
            wrong.append((method, path, "no sign-in", stranger.status, elsewhere.status))
    assert not wrong


@pytest.mark.slow
@pytest.mark.proves("S-09", "S-10", "S-12", "S-13", "S-14")
def test_no_route_acts_for_another_site_or_by_being_looked_at(
    shared: House, table: list[tuple[str, str]]
) -> None:
    """Signed in, by the cookie that a browser adds by itself."""
    browser, wrong, form = Browser(shared), [], {"Content_Type": FORM}
    read = {path for method, path in table if method == "GET"}
    for method, path in table:
        for told in ({"Sec_Fetch_Site": "same-site"}, {"Origin": "http://evil.example"}):
            if (answer := browser.ask(method, path, **told)).status != 403:
                wrong.append((method, path, told, answer.status))
        if method == "GET" or not closed(path) or path.startswith("/mcp"):
            continue
        forged = browser.ask(method, path, "csrf=wrong", **form)
        if forged.status != 403:
            wrong.append((method, path, "csrf", forged.status))
        looked = browser.ask("GET", path).status
        if path not in read and looked not in (404, 405):
            wrong.append((method, path, "looked at", looked))
    assert not wrong
    assert browser.ask("GET", "/").status == 200, "nobody was signed out by it"


@pytest.mark.slow
@pytest.mark.proves("S-16", "S-29", "S-30", "S-31")
def test_every_answer_is_dressed(shared: House, table: list[tuple[str, str]]) -> None:
    browser = Browser(shared)
    wrong = [
        (path, fault)
        for method, path in table
        if method == "GET" and path != "/api/v1/events/stream"
        for fault in undressed(path, browser.ask("GET", path))
    ]
    assert not wrong


def undressed(path: str, answer: Answer) -> list[str]:
    policy = answer["Content-Security-Policy"]
    wanted = {
        "policy": set(POLICY) <= set(policy.split("; ")) and "unsafe" not in policy,
        "no star": "*" not in policy and "data:" not in policy and "http:" not in policy,
        "no sniffing": answer["X-Content-Type-Options"] == "nosniff",
        "no frame": answer["X-Frame-Options"] == "DENY",
        "own": answer["Cross-Origin-Resource-Policy"] == "same-origin",
        "not stored": path.startswith("/static/") or answer["Cache-Control"] == "no-store",
        "nobody invited": "Access-Control" not in str(answer.headers),
        "no banner": answer["Server"] == "",
        "no fault": answer.status < 500,
        "typed": not path.startswith("/api/") or "html" not in answer["Content-Type"],
    }
    return [name for name, holds in wanted.items() if not holds]
