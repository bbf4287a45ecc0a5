"""The listening sockets: where they are, who may hold them, and how they close."""

import contextlib
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import psutil
import pytest

from roundtable_desktop.dashboard.server import (
    PATIENCE,
    check_host,
    listen,
    listen_where_asked,
    serve,
)
from roundtable_desktop.model.errors import Invalid


@pytest.mark.proves("S-08")
@pytest.mark.parametrize("host", ["0.0.0.0", "::", "", "192.168.1.2", "evil.com", "127.0.0.2"])
def test_only_this_machine_is_served(host):
    with pytest.raises(Invalid) as caught:
        check_host(host)
    assert caught.value.code == "host_not_loopback"
    with pytest.raises(Invalid):
        listen(host, 0)


@pytest.mark.proves("S-07")
def test_other_addresses_of_the_machine_refuse(house):
    addresses = [
        address.address.partition("%")[0]
        for interface in psutil.net_if_addrs().values()
        for address in interface
        if address.family == socket.AF_INET and not address.address.startswith("127.0.0.1")
    ]
    for address in [*addresses, "127.0.0.2"]:
        with pytest.raises(OSError):
            socket.create_connection((address, house.port), timeout=1)


def has_ipv6():
    with contextlib.suppress(OSError), socket.socket(socket.AF_INET6) as probe:
        probe.bind(("::1", 0))
        return True
    return False


ipv6 = pytest.mark.skipif(not has_ipv6(), reason="this machine has no ::1")


@ipv6
@pytest.mark.proves("S-24")
def test_both_loopbacks_are_ours(house):
    """Browsers ask [::1] first for a name under localhost: nobody else may answer there."""
    with socket.create_connection(("::1", house.port), timeout=5) as sock:
        sock.sendall(f"GET /healthz HTTP/1.0\r\nHost: [::1]:{house.port}\r\n\r\n".encode())
        assert b" 200 " in sock.recv(100)


@ipv6
@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
def test_a_port_that_is_taken_on_either_is_taken(host):
    with socket.create_server(
        (host, 0), family=socket.AF_INET6 if ":" in host else socket.AF_INET
    ) as other:
        port = other.getsockname()[1]
        for asked in ("127.0.0.1", "localhost", "::1"):
            with pytest.raises(OSError):
                listen(asked, port)


def test_two_that_start_at_once_get_a_port_each(house):
    """Neither serves yet when the other looks."""
    first = listen_where_asked("127.0.0.1", None, house.port + 1)
    second = listen_where_asked("127.0.0.1", None, first[0].getsockname()[1])
    ports = [one[0].getsockname()[1] for one in (first, second)]
    for sock in (*first, *second):
        sock.close()
    assert ports[0] != ports[1]


def test_the_port_can_be_taken_again_at_once(house):
    house.ask("GET", "/healthz")
    house.server.close()
    for sock in listen("127.0.0.1", house.port):
        sock.close()


def test_closing_is_prompt_and_can_be_repeated(house):
    house.ask("GET", "/healthz")
    idle = house.connect()
    began = time.monotonic()
    house.server.close()
    house.server.close()
    assert time.monotonic() - began < 5
    with contextlib.suppress(ConnectionResetError):  # it had not been accepted yet
        assert idle.recv(1) == b""
    with pytest.raises(OSError):
        house.connect()


def test_a_server_that_never_ran_closes_too(house):
    sockets = listen("127.0.0.1", 0)
    server = serve(lambda environ, start: [], sockets, house.clock)
    server.close()
    assert sockets[0].fileno() == -1


def slow_app(begun, seconds):
    def app(environ, start_response):
        begun.set()
        time.sleep(seconds)
        start_response("200 OK", [("Content-Type", "text/plain"), ("Content-Length", "4")])
        return [b"done"]

    return app


def test_an_answer_under_way_is_given_before_the_end(house):
    begun = threading.Event()
    server = serve(slow_app(begun, 0.3), listen("127.0.0.1", 0), house.clock)
    thread = threading.Thread(target=server.run)
    thread.start()
    with socket.create_connection(("127.0.0.1", server.port), timeout=5) as sock:
        sock.sendall(b"GET / HTTP/1.0\r\n\r\n")
        assert begun.wait(5)
        server.close()
        assert sock.makefile("rb").read().endswith(b"done")
    thread.join(5)
    assert not thread.is_alive()


@pytest.mark.slow
def test_a_thread_that_does_not_end_is_not_waited_for(house):
    begun = threading.Event()
    server = serve(slow_app(begun, 4), listen("127.0.0.1", 0), house.clock)
    thread = threading.Thread(target=server.run)
    thread.start()
    with socket.create_connection(("127.0.0.1", server.port), timeout=5) as sock:
        sock.sendall(b"GET / HTTP/1.0\r\n\r\n")
        assert begun.wait(5)
        began = time.monotonic()
        server.close()
        assert time.monotonic() - began < 5
    thread.join(5)


def test_a_quiet_loop_answers_at_once(house):
    """Its timeout is a minute: what wakes it is the work, not the timeout."""
    time.sleep(0.2)
    began = time.monotonic()
    for _ in range(20):
        assert house.ask("GET", "/healthz").status == 200
    assert time.monotonic() - began < 2


def streaming_app(more, ended):
    def app(environ, start_response):
        start_response("200 OK", [("Content-Type", "text/event-stream")])
        try:
            yield b"first"
            while not environ["waitress.client_disconnected"]():
                more.wait(0.05)
                yield b"next" if more.is_set() else b""
                more.clear()
        finally:
            ended.set()

    return app


def test_the_pieces_of_a_stream_arrive_as_they_are_made(house):
    more, ended = threading.Event(), threading.Event()
    server = serve(streaming_app(more, ended), listen("127.0.0.1", 0), house.clock)
    thread = threading.Thread(target=server.run)
    thread.start()
    with socket.create_connection(("127.0.0.1", server.port), timeout=2) as sock:
        sock.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        pieces = sock.makefile("rb")
        while b"first" not in pieces.readline():
            pass
        more.set()
        while b"next" not in pieces.readline():
            pass
        pieces.close()
    assert ended.wait(2), "the server did not see that the reader has gone"
    server.close()
    thread.join(5)
    assert not thread.is_alive()


def dribble(sock, text=b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-A: "):
    sock.sendall(text)
    return sock


@pytest.mark.proves("S-60")
def test_sixty_dribbling_connections_hold_nobody_up(house):
    silent = [house.connect() for _ in range(20)]
    dribbling = [dribble(house.connect()) for _ in range(40)]
    began = time.monotonic()
    assert house.program("GET", "/api/v1/notes").status == 200
    assert time.monotonic() - began < 0.5
    house.clock.ahead += PATIENCE - 1
    time.sleep(0.1)
    for sock in dribbling:
        sock.sendall(b"y")
    house.clock.ahead += 1
    for sock in silent + dribbling:
        sock.settimeout(3)
        with contextlib.suppress(ConnectionResetError):
            assert sock.recv(1) == b""
        sock.close()


@pytest.mark.proves("S-62")
def test_a_hundred_reads_at_once(house):
    def read(_):
        began = time.monotonic()
        assert house.program("GET", "/api/v1/notes").status == 200
        return time.monotonic() - began

    with ThreadPoolExecutor(20) as pool:
        times = sorted(pool.map(read, range(100)))
    assert times[94] < 1


GARBAGE = {
    "noise": b"\x00\xff\xfe" * 50 + b"\r\n\r\n",
    "TLS": bytes.fromhex("160301020001000001fc0303") + b"\r\n\r\n",
    "5000 headers": b"GET / HTTP/1.1\r\n" + b"X-A: b\r\n" * 5000 + b"\r\n",
    "a long line": b"GET /" + b"a" * 40_000 + b" HTTP/1.1\r\n\r\n",
    "small letters": b"get / HTTP/1.1\r\nHost: <b>\r\n\r\n",
    "a bare line feed": b"GET / HTTP/1.1\r\nHost: a\nSecret: b\r\n\r\n",
    "a folded start": b"GET / HTTP/1.1\r\n Host: secret\r\n\r\n",
    "two codings": b"POST / HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
    "a bad chunk": b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n\r\n",
}


@pytest.mark.proves("S-62")
@pytest.mark.parametrize("case", GARBAGE)
def test_what_is_no_request_is_refused_and_not_repeated(house, case):
    answer = house.send(GARBAGE[case])
    assert 400 <= answer.status < 600 and answer.status != 500
    assert answer["Content-Type"] == "application/problem+json"
    for echo in ("secret", "Secret", "<b>", "gzip"):
        assert echo not in answer.text
    assert house.ask("GET", "/healthz").status == 200
