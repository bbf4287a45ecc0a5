"""The test notification of the first ten minutes: asked for on the page, pressed on the desktop."""

import http.client
import re
from urllib.parse import urlencode, urlsplit

import pytest
from desktops.recorder import Recorder
from desktops.screen import until
from desktops.tray_home import TrayHome


class Browser:
    def __init__(self, home: TrayHome) -> None:
        link = urlsplit(home.cli("open", "/welcome", "--print").strip())
        self.port, self.host, self.cookie = link.port or 0, link.netloc, ""
        login = self.ask("GET", f"{link.path}?{link.query}")
        self.cookie = (login.getheader("Set-Cookie") or "").partition(";")[0]
        self.arrived = f"{login.getheader('Location')} {login.read().decode()}"

    def ask(self, method: str, path: str, **fields: str) -> http.client.HTTPResponse:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        kind = {"Content-Type": "application/x-www-form-urlencoded"} if fields else {}
        sent = {"Host": self.host, "Cookie": self.cookie, **kind}
        connection.request(method, path, urlencode(fields) if fields else None, sent)
        return connection.getresponse()

    def page(self) -> str:
        return self.ask("GET", "/welcome").read().decode()

    def press(self, action: str) -> int:
        form = self.page().split(f'action="{action}"')[1]
        found = {
            name: match[1]
            for name in ("csrf", "once")
            if (match := re.search(rf'name="{name}" value="([^"]+)"', form))
        }
        return self.ask("POST", action, **found).status


@pytest.mark.slow
@pytest.mark.proves("D-05 press")
def test_a_notification_is_shown_and_its_button_marks_the_step_as_done(
    shown: TrayHome, desktop: Recorder
) -> None:
    browser = Browser(shown)
    assert "/welcome" in browser.arrived, "“roundtable open” leads there"
    assert browser.press("/welcome/notification") == 303
    [note] = until(lambda: desktop.notes)
    assert note.title == "This is a test" and note.actions == ["works", "I see it"]
    until(lambda: "The tray handed it to your desktop" in browser.page())
    desktop.press(note, "works")
    until(lambda: "You pressed the button of a test notification" in browser.page())
    until(lambda: any(one.title == "Notifications work" for one in desktop.notes))
