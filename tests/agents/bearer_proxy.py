"""Stands before a running owner for a client that cannot send a token: it adds the header.

All else is passed on as it came, so that the owner's own checks are what the client meets. Only
the proxy's own name is changed into the owner's, in `Host` and in `Origin`.
"""

from http.client import HTTPConnection, HTTPMessage
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

PATIENCE = 60.0
ONE_HOP = frozenset({"connection", "keep-alive", "transfer-encoding", "content-length"})


class Handler(BaseHTTPRequestHandler):
    """HTTP/1.0: an answer ends with its connection."""

    server: "BearerProxy"

    def do_POST(self) -> None:
        self.pass_on(self.rfile.read(int(self.headers.get("Content-Length", 0))))

    def do_GET(self) -> None:
        self.pass_on(None)

    do_DELETE = do_GET

    def pass_on(self, body: bytes | None) -> None:
        connection = HTTPConnection(self.server.behind, timeout=PATIENCE)
        try:
            connection.request(self.command, self.path, body, self.server.known(self.headers))
            answer = connection.getresponse()
            self.send_response_only(answer.status)
            for name, value in answer.getheaders():
                if name.lower() not in ONE_HOP:
                    self.send_header(name, value)
            self.end_headers()
            self.wfile.write(answer.read())
        finally:
            connection.close()

    def log_message(self, format: str, *args: object) -> None:
        pass


class BearerProxy(ThreadingHTTPServer):
    """Serves on loopback while it is entered. behind: the owner's `host:port`."""

    daemon_threads = True

    def __init__(self, behind: str, token: str) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.behind = behind
        self.own = f"127.0.0.1:{self.server_address[1]}"
        self._token = token
        self._thread = Thread(target=self.serve_forever, args=(0.05,), daemon=True)

    @property
    def url(self) -> str:
        return f"http://{self.own}/mcp"

    def known(self, headers: HTTPMessage) -> dict[str, str]:
        kept = {name: text for name, text in headers.items() if name.lower() not in ONE_HOP}
        for name in kept:
            if name.lower() in ("host", "origin"):
                kept[name] = kept[name].replace(self.own, self.behind)
        return {**kept, "Authorization": f"Bearer {self._token}"}

    def __enter__(self) -> "BearerProxy":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.server_close()
