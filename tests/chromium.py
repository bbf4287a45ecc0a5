"""Chromium as the tests drive it: how it is started, what it must not do, and how axe judges."""

import re
from typing import Any, Literal
from urllib.parse import urlsplit

from _system import program
from axe_playwright_python.base import AXE_SCRIPT
from outside_house import House
from playwright.sync_api import BrowserContext, Page

# Nothing but the tests' own names resolves, so a request to elsewhere also fails for want of a way.
ARGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--font-render-hinting=none",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE *.localhost, EXCLUDE 127.0.0.1",
]
CONTEXT: dict[str, Any] = {
    "viewport": {"width": 1280, "height": 800},
    "reduced_motion": "reduce",
    "locale": "en-GB",
}
TELL_VIOLATIONS = (
    "document.addEventListener('securitypolicyviolation', event => console.error("
    "'content policy: ' + event.violatedDirective + ' ' + event.blockedURI))"
)
# Of a page that is answered with an error on purpose, Chromium says so on the console.
ERROR_STATUS = re.compile(r"Failed to load resource: .* status of (\d+)")


def launch_arguments() -> dict[str, Any]:
    return {"executable_path": program("chromium"), "args": ARGS}


class Watch:
    """Hears what goes wrong in the pages of a browser context.

    own: the origins that may be asked. statuses: answers that the test provokes.
    """

    def __init__(self, *own: str) -> None:
        self.own = set(own)
        self.statuses: set[int] = set()
        self.faults: list[str] = []

    def follow(self, context: BrowserContext) -> None:
        context.add_init_script(TELL_VIOLATIONS)
        context.on("console", lambda said: self._console(said.type, said.text))
        context.on("weberror", lambda error: self.faults.append(f"error: {error.error}"))
        context.on("request", lambda request: self._request(request.url))

    def check(self) -> None:
        assert not self.faults, "\n".join(self.faults)

    def _console(self, kind: str, text: str) -> None:
        status = ERROR_STATUS.match(text)
        if kind == "error" and not (status and int(status[1]) in self.statuses):
            self.faults.append(f"console: {text}")

    def _request(self, url: str) -> None:
        parts = urlsplit(url)
        local = parts.scheme in ("about", "blob")
        if not local and f"{parts.scheme}://{parts.netloc}" not in self.own:
            self.faults.append(f"request to elsewhere: {url[:200]}")


def enter(house: House, page: Page, path: str = "/") -> None:
    """In by a one-time link."""
    page.goto(house.post("/sign-in-links", {"next": path})["url"])
    page.wait_for_url(house.facts["browser_url"] + path)


# Of a long list what comes after the eighth row is like what came before.
ALIKE = ("li:nth-child(n + 9)", "tr:nth-child(n + 12)")
_JUDGE = """async ([asked, colour, without]) => {
  if (typeof axe === "undefined") return null;
  const only = asked === "colour" ? { runOnly: colour } : {};
  const told = await axe.run({ exclude: without.map(one => [one]) }, { ...only,
    resultTypes: ["violations"], reporter: "no-passes", iframes: false, preload: false });
  return told.violations.flatMap(one => one.nodes.map(node =>
    `${one.id} (${one.impact}): ${node.target.join(" ")}: ` +
    [...node.any, ...node.all, ...node.none].map(check => check.message).join("; ")));
}"""
BY_COLOUR = ("color-contrast", "link-in-text-block")


def violations(
    page: Page, rules: Literal["all", "colour"] = "all", without: tuple[str, ...] = ()
) -> list[str]:
    """What axe finds at fault in the page as it is now: the rule, and where.

    rules: `colour` are those that another theme can change. without: selectors of what it need not
    look at once more.
    """
    asked = [rules, BY_COLOUR, [*ALIKE, *without]]
    told = page.evaluate(_JUDGE, asked)
    if told is None:  # the first look at this page
        page.evaluate(AXE_SCRIPT)
        told = page.evaluate(_JUDGE, asked)
    return list(told)


_BEYOND = """() => {
  const edge = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth <= edge) return "";
  const beyond = [...document.body.querySelectorAll("*")].filter(
    (one) => one.getBoundingClientRect().right > edge + 0.5);
  return beyond.slice(-3).map((one) => one.outerHTML.slice(0, 160)).join(" | ") || "nothing seen";
}"""


def too_wide(page: Page) -> str:
    """What makes the page itself scroll sideways; a part of it may, if it says so by its style.
    "" where nothing does."""
    return str(page.evaluate(_BEYOND))


_UNREACHED = """([within, alike]) => {
  const named = one => one.outerHTML.slice(0, 120);
  const seen = one => one.getClientRects().length && !one.closest("[inert], [aria-hidden=true]");
  const wrong = [];
  for (const one of document.querySelector(within).querySelectorAll(
    "a[href], button, input:not([type=hidden]), select, textarea, summary, [role=button]")) {
    if ((one.closest("main") && one.closest(alike)) || !seen(one) || one.disabled) continue;
    if (one.tabIndex < 0) { wrong.push("cannot be reached by Tab: " + named(one)); continue; }
    one.focus();
    const shown = one.matches(".switch, .away") ? one : document.activeElement;
    const style = getComputedStyle(shown);
    if (document.activeElement !== one) wrong.push("takes no focus: " + named(one));
    else if (style.outlineStyle === "none" || parseFloat(style.outlineWidth) < 1)
      wrong.push("shows no focus: " + named(one));
    const box = one.getClientRects()[0];
    const hides = part => {
      const at = document.elementFromPoint(box.x + box.width / 2, box.y + box.height * part);
      return !at || !(one.contains(at) || at.contains(one) || at.closest("label"));
    };
    if (box.width > 2 && [0.1, 0.5, 0.9].every(hides))
      wrong.push("has the focus behind something: " + named(one));
  }
  return wrong;
}"""


def unreached(page: Page, within: str = "html") -> list[str]:
    """Controls that no keyboard reaches, that do not show the focus, or have it out of sight."""
    page.keyboard.press("Tab")  # from now on the focus is a keyboard's
    return list(page.evaluate(_UNREACHED, [within, ",".join(ALIKE)]))
