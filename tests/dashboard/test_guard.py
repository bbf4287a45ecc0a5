"""Which requests get in, and what every answer carries."""

import pytest

EVERYWHERE = [
    "/",
    "/healthz",
    "/static/roundtable.css",
    "/nowhere",
    "/login",
    "/mcp",
    "/api/v1/notes",
    "/api/v1/events/stream",
]

FOREIGN_HOSTS = [
    "evil.com",
    "evil.com:{port}",
    "127.0.0.1.nip.io",
    "127.0.0.1.nip.io:{port}",
    "localhost.evil.com:{port}",
    "127.0.0.1@evil.com",
    "127.0.0.1:{port}@evil.com",
    "169.254.169.254",
    "rt-000000000000.localhost:{port}",
]


@pytest.mark.proves("S-01")
@pytest.mark.parametrize("host", FOREIGN_HOSTS)
def test_a_foreign_host_is_refused(house, host):
    answer = house.program("GET", "/api/v1/notes", Host=host.format(port=house.port))
    assert answer.status == 421
    assert "evil" not in answer.text and "nip" not in answer.text


@pytest.mark.proves("S-01")
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "LOCALHOST", "[::1]", "{name}"])
def test_each_name_of_ours_is_served(house, host):
    host = host.format(name=house.name.partition(":")[0])
    assert house.program("GET", "/api/v1/notes", Host=f"{host}:{house.port}").status == 200


@pytest.mark.proves("S-02")
def test_the_address_of_all_interfaces_is_no_name_of_ours(house):
    assert house.program("GET", "/api/v1/notes", Host=f"0.0.0.0:{house.port}").status == 421


@pytest.mark.proves("S-03")
def test_two_hosts_are_refused_in_two_headers_and_in_one(house):
    ours = house.address
    for hosts in (f"Host: {ours}\r\nHost: {ours}", f"Host: {ours}, {ours}", f"Host: {ours},x"):
        answer = house.send(f"GET /healthz HTTP/1.1\r\n{hosts}\r\n\r\n".encode())
        assert answer.status in (400, 421)


@pytest.mark.proves("S-04")
@pytest.mark.parametrize("port", ["1", "{port}0", "0{port}", "", " "])
def test_the_right_name_with_a_wrong_port_is_refused(house, port):
    host = "127.0.0.1:" + port.format(port=house.port)
    assert house.ask("GET", "/healthz", host=host).status == 421
    assert house.ask("GET", "/healthz", host="127.0.0.1").status == 421


@pytest.mark.proves("S-05")
def test_no_host_is_refused(house):
    assert house.send(b"GET /healthz HTTP/1.1\r\n\r\n").status == 421
    assert house.send(b"GET /healthz HTTP/1.0\r\n\r\n").status == 421
    assert house.ask("GET", "/healthz", host="").status == 421


@pytest.mark.proves("S-05")
def test_an_absolute_target_must_be_ours(house):
    foreign = house.ask("GET", "http://evil.com/healthz")
    assert foreign.status == 421
    assert "evil" not in foreign.text + str(foreign.headers)
    assert house.ask("GET", f"http://{house.address}/healthz").status == 200
    assert house.ask("GET", f"http://{house.address}.evil.com/healthz").status == 421
    other = house.ask("GET", "//evil.com/x")
    assert other.status == 401 and "evil.com" not in str(other.headers)


@pytest.mark.proves("S-06")
@pytest.mark.parametrize("path", EVERYWHERE)
def test_the_host_is_checked_on_every_route(house, path):
    assert house.program("GET", path, Host="evil.com").status == 421
    assert house.program("POST", "/api/routine-triggers/x/fire", {}, Host="evil.com").status == 421


FOREIGN_ORIGINS = [
    "null",
    "http://evil.com",
    "http://{name}:1",
    "https://{host}",
    "http://localhost:1",
    "http://{address}",
    "http://{host}/",
    "http://{host}, http://{host}",
    "HTTP://{host}",
    "",
]


@pytest.mark.proves("S-09")
@pytest.mark.parametrize("origin", FOREIGN_ORIGINS)
def test_a_post_with_the_cookie_from_another_origin_is_refused(house, browser, origin):
    origin = origin.format(
        name=house.name.partition(":")[0], host=house.name, address=house.address
    )
    assert browser.post("/api/v1/notes", {"title": "x"}, Origin=origin).status == 403
    assert house.notes == []
    assert browser.post("/api/v1/notes", {"title": "x"}).status == 201


@pytest.mark.proves("S-09")
def test_the_origin_is_a_constant_and_not_what_host_says(house):
    """Under a rebound name both are equal; under ours only one origin is right for each name."""
    same = {"Host": "evil.com", "Origin": "http://evil.com"}
    assert house.program("GET", "/api/v1/notes", **same).status == 421
    assert house.program("GET", "/api/v1/notes", Origin=f"http://{house.name}").status == 403
    assert house.program("GET", "/api/v1/notes", Origin=f"http://{house.address}").status == 200


@pytest.mark.proves("S-12")
@pytest.mark.parametrize("site", ["cross-site", "same-site", "Cross-Site", "same-origin, x"])
def test_another_site_cannot_post(house, browser, site):
    sent = browser.post("/api/v1/notes", {"title": "x"}, Origin="absent", Sec_Fetch_Site=site)
    assert sent.status == 403
    navigated = {"Sec_Fetch_Mode": "navigate", "Sec_Fetch_Dest": "document"}
    assert (
        browser.post("/notes", {}, Origin="absent", Sec_Fetch_Site=site, **navigated).status == 403
    )
    webhook = {"Sec_Fetch_Site": site}
    assert house.program("POST", "/api/routine-triggers/x/fire", {}, **webhook).status == 403
    assert house.notes == []


@pytest.mark.proves("S-13")
@pytest.mark.parametrize("site", ["cross-site", "same-site"])
@pytest.mark.parametrize("path", ["/api/v1/notes", "/", "/static/roundtable.css", "/healthz"])
def test_another_site_cannot_load_anything(browser, site, path):
    """The <img> of another port of localhost carries the cookie and no Origin at all."""
    image = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"}
    assert browser.ask("GET", path, image).status == 403
    frame = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"}
    assert browser.ask("GET", path, frame).status == 403
    assert browser.ask("GET", path, {"Sec-Fetch-Site": "same-origin"}).status == 200


@pytest.mark.proves("S-13", "S-21")
def test_a_link_from_elsewhere_shows_the_signed_out_page_even_with_the_cookie(browser):
    link = {
        "Sec-Fetch-Site": "cross-site",
        "Sec-Fetch-Mode": "navigate",
        "Sec-Fetch-Dest": "document",
    }
    page = browser.ask("GET", "/runs/1?tab=diff&x=1", link)
    assert page.status == 401
    assert 'href="/runs/1?tab=diff&amp;x=1"' in page.text
    assert browser.ask("GET", "/api/v1/notes", link).status == 403
    assert browser.ask("GET", "/", {"Sec-Fetch-Site": "none"}).status == 200


@pytest.mark.proves("S-16")
@pytest.mark.parametrize("origin", ["null", "http://evil.com", "own"])
@pytest.mark.parametrize("method", ["OPTIONS", "GET"])
def test_no_answer_allows_another_origin(house, method, origin):
    asked = {
        "Origin": f"http://{house.address}" if origin == "own" else origin,
        "Access_Control_Request_Method": "POST",
        "Access_Control_Request_Private_Network": "true",
    }
    answer = house.program(method, "/api/v1/notes", **asked)
    assert answer.status in (200, 403, 405)
    assert not [name for name, _ in answer.headers if name.lower().startswith("access-control")]


ANSWERS = {
    "page": ("GET", "/", 200),
    "missing page": ("GET", "/nowhere", 404),
    "broken page": ("GET", "/crash", 500),
    "api": ("GET", "/api/v1/notes", 200),
    "missing api": ("GET", "/api/v1/nothing", 404),
    "wrong method": ("DELETE", "/api/v1/notes", 405),
    "crashed api": ("GET", "/api/v1/refused/crash", 500),
    "static": ("GET", "/static/roundtable.css", 200),
    "missing static": ("GET", "/static/nothing.css", 404),
    "health": ("GET", "/healthz", 200),
    "head": ("HEAD", "/", 200),
}


@pytest.mark.proves("S-29", "S-30", "S-31")
@pytest.mark.parametrize("case", ANSWERS)
def test_every_answer_wears_the_security_headers(house, case):
    method, path, status = ANSWERS[case]
    answer = house.program(method, path)
    assert answer.status == status
    assert_dressed(answer)


@pytest.mark.proves("S-29", "S-30", "S-31")
def test_refusals_of_the_guard_and_of_the_server_wear_them_too(house):
    assert_dressed(house.ask("GET", "/", host="evil.com"))
    assert_dressed(house.send(b"GET / HTTP/1.1\r\nHost: a\r\nbad line\r\n\r\n"))
    assert_dressed(house.program("POST", "/api/v1/notes", Content_Length="99999999"))


def assert_dressed(answer):
    policy = dict(
        part.partition(" ")[::2] for part in answer["Content-Security-Policy"].split("; ")
    )
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == policy["form-action"] == "'self'"
    assert policy["frame-ancestors"] == policy["base-uri"] == "'none'"
    assert not [mark for mark in ("unsafe", "*", ":") if mark in answer["Content-Security-Policy"]]
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["X-Frame-Options"] == "DENY"
    assert answer["Cross-Origin-Resource-Policy"] == "same-origin"
    assert answer["Cross-Origin-Opener-Policy"] == "same-origin"
    assert answer["Referrer-Policy"] == "same-origin"
    assert answer["Cache-Control"]
    assert answer["Server"] == "" and answer["Via"] == ""


@pytest.mark.proves("S-59")
def test_a_body_over_the_limit_is_refused_by_its_length(house):
    mib = 1 << 20
    within = b'{"title":"x"}'.ljust(mib)
    assert house.program("POST", "/api/v1/notes", within).status == 201
    over = house.program("POST", "/api/v1/notes", Content_Length=str(mib + 1))
    assert over.status == 413 and over.json["code"] == "body_too_large"


@pytest.mark.proves("S-59")
def test_a_webhook_takes_a_quarter_of_it(house):
    path, limit = "/api/routine-triggers/x/fire", 1 << 18
    typed = {"Content-Type": "application/json"}
    assert house.ask("POST", path, typed, b'{"title":"x"}'.ljust(limit)).status == 202
    assert house.ask("POST", path, typed, b'{"title":"x"}'.ljust(limit + 1)).status == 413


def chunked(house, path, body):
    head = (
        f"POST {path} HTTP/1.1\r\nHost: {house.address}\r\nAuthorization: Bearer {house.token[0]}"
        "\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    )
    return head.encode() + b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)


@pytest.mark.proves("S-59")
def test_a_body_over_the_limit_is_refused_by_its_chunks(house):
    small = b'{"title":"x"}'
    assert house.send(chunked(house, "/api/v1/notes", small)).status == 201
    big = small.ljust((1 << 18) + 1)
    assert house.send(chunked(house, "/api/routine-triggers/x/fire", big)).status == 413


@pytest.mark.proves("S-59")
def test_endless_chunks_are_cut_off(house):
    with house.connect() as sock:
        sock.sendall(chunked(house, "/api/v1/notes", b"")[: -len(b"0\r\n\r\n0\r\n\r\n")])
        with pytest.raises(OSError):
            for _ in range(200):
                sock.sendall(b"10000\r\n" + b" " * 65536 + b"\r\n")
    assert house.notes == []


@pytest.mark.proves("S-59")
@pytest.mark.parametrize("length", ["-1", "x", "1, 2", "1e3", "+5"])
def test_a_length_that_is_none_is_refused(house, length):
    assert house.program("POST", "/api/v1/notes", Content_Length=length).status == 400


@pytest.mark.proves("S-01", "S-30")
def test_a_refused_head_has_no_body(house):
    """Else the next answer on the same connection begins in the middle of this one."""
    asked = [("HEAD", "evil.com", b"421"), ("HEAD", house.address, b"200")] * 2
    with house.connect() as sock, sock.makefile("rb") as answers:
        for method, host, status in asked:
            sock.sendall(f"{method} /healthz HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
            assert answers.readline().startswith(b"HTTP/1.1 " + status)
            while answers.readline() != b"\r\n":
                pass
