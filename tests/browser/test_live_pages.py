"""Pages that renew themselves: how soon, in how many tabs, and what they say when they cannot."""

import itertools
import signal
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from chromium import Watch
from outside_house import House, until
from playwright.sync_api import Browser, BrowserContext, Page, Request, expect
from streaming import Stream

STATES = "html[data-connection='{}']"
SOON = 5_000  # milliseconds that a page may take to be live again


def live(page: Page, seconds: float = 10) -> Page:
    expect(page.locator(STATES.format("live"))).to_be_attached(timeout=seconds * 1000)
    expect(page.locator("#connection")).to_have_text("Live")
    return page


@pytest.fixture
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """An owner that a test may kill."""
    house = House(tmp_path_factory.mktemp("live"))
    try:
        house.start()
        yield house
    finally:
        house.close()


@pytest.fixture
def watch(own: House) -> Watch:
    """What a page did wrong; each test looks at its end."""
    return Watch(own.facts["browser_url"])


@pytest.fixture
def enter(
    own: House, watch: Watch, browser: Browser, browser_context_args: dict[str, Any]
) -> Iterator[Callable[..., Page]]:
    """A signed-in page of that owner, in a browser window of its own."""
    contexts: list[BrowserContext] = []

    def sign_in(context: BrowserContext | None = None) -> Page:
        if context is None:
            context = browser.new_context(**browser_context_args)
            contexts.append(context)
            watch.follow(context)
        page = context.new_page()
        page.goto(own.post("/sign-in-links", {})["url"])
        page.wait_for_url(own.facts["browser_url"] + "/")
        return page

    yield sign_in
    for context in contexts:
        context.close()


def is_look(request: Request) -> bool:
    """The page asks for itself."""
    return request.resource_type == "fetch" and request.url.split("/", 3)[3][:4] != "api/"


def looks_at(page: Page) -> list[float]:
    """When the page looked, from now on."""
    at: list[float] = []
    page.on("request", lambda request: at.append(time.monotonic()) if is_look(request) else None)
    return at


def streams_open(house: House) -> int:
    """How many of the eight places are taken: those that are left are counted and let go."""
    headers = {"Authorization": f"Bearer {house.token}"}
    got = [Stream(house.port, headers) for _ in range(8)]
    free = sum(one.status == 200 for one in got)
    for one in got:
        one.vanish()
    return 8 - free


@pytest.mark.proves("K-61 run")
def test_what_happens_is_on_the_page_in_a_moment(
    own: House, enter: Callable[..., Page], watch: Watch
) -> None:
    room = own.room()
    page = live(enter())
    page.wait_for_timeout(300)
    page.evaluate(
        """() => {
            window.seen = {};
            new MutationObserver(() => {
                for (const word of document.body.textContent.match(/Marked \\d+/g) ?? [])
                    window.seen[word] ??= Date.now();
            }).observe(document.body, { childList: true, subtree: true, characterData: true });
        }"""
    )
    took = []
    for number in range(5):
        room.task(f"Marked {number}")
        committed = time.time() * 1000
        expect(page.get_by_text(f"Marked {number}")).to_be_visible()
        took.append(page.evaluate(f"window.seen['Marked {number}']") - committed)
        page.wait_for_timeout(300)
    assert sorted(took)[2] < 1000, took  # 40 to 110 ms on an idle machine
    watch.check()


@pytest.mark.proves("K-61 run")
def test_a_look_is_one_request_however_much_happened(
    own: House, enter: Callable[..., Page], watch: Watch
) -> None:
    room = own.room()
    task = room.task("Talked about")
    page = enter()
    page.goto(f"{own.facts['browser_url']}/tasks/{task['id']}")
    live(page)
    page.wait_for_timeout(1000)
    assert page.locator("[data-live]").count() >= 5
    looks = looks_at(page)
    for number in range(40):
        own.post(f"/tasks/{task['id']}/comments", {"text": f"Comment {number}"})
        page.wait_for_timeout(20)
    expect(page.get_by_text("Comment 39", exact=True)).to_be_visible()
    page.wait_for_timeout(700)
    assert 2 <= len(looks)
    # Timers of a busy machine are late, not early; what is seen here may be a little of both.
    assert all(later - earlier > 0.4 for earlier, later in itertools.pairwise(looks)), looks
    assert page.get_by_text("Comment 39", exact=True).count() == 1
    watch.check()


@pytest.mark.proves("K-61 run")
def test_what_no_event_tells_is_looked_at_from_time_to_time(
    own: House, enter: Callable[..., Page], watch: Watch
) -> None:
    page = enter()
    page.clock.install()
    page.reload()
    live(page)
    page.clock.run_for(1000)
    with page.expect_request(is_look):
        page.clock.fast_forward(15_001)
    page.clock.run_for(1000)
    page.evaluate("Object.defineProperty(document, 'hidden', { value: true })")
    looks = looks_at(page)
    page.clock.fast_forward(15_001)
    page.clock.run_for(1000)
    assert looks == []
    watch.check()


TABS = 20  # far more than the connections that a browser makes to one server


@pytest.mark.slow
@pytest.mark.proves("F-48")
def test_many_tabs_share_one_stream(own: House, enter: Callable[..., Page], watch: Watch) -> None:
    room = own.room()
    first = live(enter())
    tabs = [first]
    for _ in range(TABS - 1):
        tab = first.context.new_page()
        tab.goto(own.facts["browser_url"] + "/", wait_until="commit")
        expect(tab.locator("h1")).to_be_visible()
        tabs.append(tab)
    for tab in tabs:
        live(tab)
    assert streams_open(own) == 1
    room.task("Seen everywhere")
    for tab in tabs:
        expect(tab.get_by_text("Seen everywhere")).to_be_visible(timeout=20_000)
    watch.check()


@pytest.mark.proves("F-49")
def test_a_killed_owner_that_is_back_is_followed_again(
    own: House, enter: Callable[..., Page], watch: Watch
) -> None:
    room = own.room()
    page = live(enter())
    port = own.port
    own.end(signal.SIGKILL)
    expect(page.locator("#connection")).to_have_text("Reconnecting…")
    page.wait_for_timeout(1000)
    own.start("--port", str(port))
    began = time.monotonic()
    room.task("Made while nobody listened")
    expect(page.get_by_text("Made while nobody listened")).to_be_visible(timeout=SOON)
    live(page)
    assert time.monotonic() - began < 5
    # The browser says on its console that nobody answered.
    assert [one for one in watch.faults if "net::ERR_" not in one] == []


@pytest.mark.proves("S-27", "F-49")
def test_a_page_that_was_signed_out_says_so_and_asks_no_more(
    own: House, enter: Callable[..., Page], watch: Watch
) -> None:
    page = live(enter())
    other = page.context.new_page()
    other.goto(own.facts["browser_url"] + "/")
    live(other)
    asked: list[str] = []
    page.context.on("request", lambda request: asked.append(request.url))
    watch.statuses.add(401)
    other.get_by_role("button", name="Sign out").click()
    expect(page.locator("#connection")).to_have_text("Signed out", timeout=2000)
    asked.clear()
    page.wait_for_timeout(4000)  # longer than it waits between two tries otherwise
    assert [url for url in asked if "/static/" not in url] == []
    old = page.locator("meta[name=csrf]").get_attribute("content")
    page.route(page.url, lambda route: route.abort(), times=1)
    enter(context=page.context)
    live(page)
    own.room()  # the look that nobody answered is made up for
    until(lambda: page.locator("meta[name=csrf]").get_attribute("content") != old)
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("heading", name="not signed in")).to_be_visible()
    assert [one for one in watch.faults if "net::ERR_FAILED" not in one] == []


@pytest.mark.slow
@pytest.mark.proves("S-61")
def test_a_page_without_a_place_asks_from_time_to_time(
    own: House, enter: Callable[..., Page], watch: Watch
) -> None:
    headers = {"Authorization": f"Bearer {own.token}"}
    taken = [Stream(own.port, headers) for _ in range(8)]
    assert {one.status for one in taken} == {200}
    watch.statuses.add(503)
    room = own.room()
    page = enter()
    expect(page.locator("#connection")).to_have_text("Updates every 5 s")
    room.task("Seen all the same")
    expect(page.get_by_text("Seen all the same")).to_be_visible(timeout=7000)
    for one in taken:
        one.vanish()
    live(page)
    watch.check()


HIDE = """hidden => {
    Object.defineProperty(document, 'hidden', { configurable: true, value: hidden });
    document.dispatchEvent(new Event('visibilitychange'));
}"""
IN_THE_PAGE = "delete window.SharedWorker"


@pytest.mark.slow
@pytest.mark.parametrize("shared", [True, False], ids=["shared", "own"])
def test_a_page_that_nobody_looks_at_holds_no_stream(
    own: House, enter: Callable[..., Page], shared: bool, watch: Watch
) -> None:
    page = enter()
    if not shared:
        page.context.add_init_script(IN_THE_PAGE)
        page.reload()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    live(page)
    until(lambda: streams_open(own) == 1)
    own.room("before")
    page.evaluate(HIDE, True)
    until(lambda: streams_open(own) == 0, step=0.5)
    own.room().task("Made meanwhile")
    page.evaluate(HIDE, False)
    expect(page.get_by_text("Made meanwhile")).to_be_visible(timeout=SOON)
    live(page)
    streams = {url.split("/")[-1] for url in asked if "/events/" in url}
    assert streams == (set() if shared else {"stream"}), "what was missed is not told one by one"
    watch.check()


NOT_LOADED = """
    const Shared = SharedWorker;
    window.SharedWorker = function (address, name) { return new Shared("/static/none.js", name) }
"""


def test_a_page_whose_shared_worker_is_not_loaded_does_without(
    own: House, enter: Callable[..., Page], watch: Watch
) -> None:
    watch.statuses.add(404)
    page = enter()
    page.context.add_init_script(NOT_LOADED)
    page.reload()
    live(page)
    own.room().task("Seen all the same")
    expect(page.get_by_text("Seen all the same")).to_be_visible()
    watch.check()


@pytest.mark.slow
@pytest.mark.proves("S-61")
def test_a_page_that_crashed_holds_no_stream(
    own: House, enter: Callable[..., Page], watch: Watch
) -> None:
    page = enter()
    page.context.add_init_script(IN_THE_PAGE)
    page.clock.install()
    page.reload()
    live(page)
    page.evaluate(
        """() => {
            window.crashed = new MessageChannel();
            onconnect({ ports: [crashed.port2] });
            crashed.port1.postMessage("looking");
        }"""
    )
    page.clock.run_for(190_000)
    assert streams_open(own) == 1, "this page says from time to time that it is here"
    page.evaluate("crashed.port1.postMessage('looking')")
    page.evaluate(HIDE, True)
    page.clock.run_for(60_000)
    assert streams_open(own) == 1
    page.clock.run_for(190_000)
    until(lambda: streams_open(own) == 0, step=0.5)
    watch.check()


def test_a_person_may_ask_for_more_while_the_page_reconnects(
    own: House, enter: Callable[..., Page], watch: Watch
) -> None:
    page = live(enter())
    own.end(signal.SIGKILL)
    expect(page.locator("#connection")).to_have_text("Reconnecting…")
    page.evaluate(
        """() => {
            document.querySelector("main").insertAdjacentHTML("beforeend",
                `<p id="tail" hx-get="/by-itself" hx-trigger="every 50ms"></p>
                 <a href="/more" hx-get="/more" hx-swap="outerHTML">More</a>`);
            htmx.process(document.querySelector("main"));
        }"""
    )
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.wait_for_timeout(500)
    with page.expect_request("**/more"):
        page.get_by_role("link", name="More").click()
    assert not [url for url in asked if "by-itself" in url]


@pytest.mark.proves("K-61 run")
def test_what_a_person_has_begun_stays(
    own: House, enter: Callable[..., Page], watch: Watch
) -> None:
    page = live(enter())
    seen = page.evaluate(
        """async () => {
            const part = document.createElement("div");
            const made = (n) => `<div><p>${n}</p>
                <details><summary>s${n}</summary>more</details>
                <textarea id="t">${n}</textarea> <input id="i" value="${n}">
                <input id="untouched" value="${n}"> <input id="c" type="checkbox">
                <select id="s"><option>a</option><option>b</option></select>
                <select id="z"><option ${n === 1 ? "selected" : ""}>a</option>
                    <option ${n === 2 ? "selected" : ""}>b</option></select>
                <pre id="p" >${"line\\n".repeat(100)}</pre></div>`;
            part.innerHTML = made(1);
            document.body.append(part);
            const by = (id) => part.querySelector("#" + id);
            part.querySelector("details").open = true;
            by("t").value = "half a thou";
            by("c").checked = true;
            by("s").value = "b";
            by("i").focus();
            by("i").value = "typed";
            by("i").setSelectionRange(2, 4);
            Idiomorph.morph(part.firstElementChild, made(2), { morphStyle: "outerHTML" });
            return {
                text: part.querySelector("p").textContent,
                open: part.querySelector("details").open,
                summary: part.querySelector("summary").textContent,
                typed: by("t").value, line: by("i").value, untouched: by("untouched").value,
                ticked: by("c").checked, chosen: by("s").value, unchosen: by("z").value,
                focus: document.activeElement.id,
                caret: [by("i").selectionStart, by("i").selectionEnd],
            };
        }"""
    )
    assert seen == {
        "text": "2",
        "open": True,
        "summary": "s2",
        "typed": "half a thou",
        "line": "typed",
        "untouched": "2",
        "ticked": True,
        "chosen": "b",
        "unchosen": "b",
        "focus": "i",
        "caret": [2, 4],
    }
    watch.check()


@pytest.mark.proves("F-49")
def test_what_happens_while_the_page_is_being_fetched_is_not_missed(
    own: House, enter: Callable[..., Page], watch: Watch
) -> None:
    room = own.room()
    page = live(enter())
    slow = {"offline": False, "latency": 1500, "downloadThroughput": -1, "uploadThroughput": -1}
    network = page.context.new_cdp_session(page)
    network.send("Network.emulateNetworkConditions", slow)
    for number in range(3):
        with page.expect_request(is_look):
            room.task(f"Seen {number}")
        page.wait_for_timeout(700)  # rendered by now, and still on its way
        room.task(f"Seen too {number}")
        expect(page.get_by_text(f"Seen too {number}")).to_be_visible(timeout=8000)
        page.wait_for_timeout(2000)
    watch.check()


@pytest.mark.proves("K-61 run")
def test_the_end_of_a_transcript_is_followed_until_the_reader_scrolls_up(
    own: House, enter: Callable[..., Page], watch: Watch
) -> None:
    page = live(enter())
    page.evaluate(
        """async () => {
            const main = document.querySelector("main");
            main.insertAdjacentHTML("beforeend",
                `<button data-follow hidden aria-pressed="false">Follow</button>
                 <ol class="log"></ol>`);
            const log = document.querySelector("ol.log");
            window.grow = () => log.insertAdjacentHTML("beforeend", "<li>line</li>".repeat(100)
                + `<li id="tail">more</li>`);
            window.left = () => {
                const root = document.scrollingElement;
                return Math.round(root.scrollHeight - root.clientHeight - root.scrollTop);
            };
            await import("/static/log.js?of=test");
        }"""
    )
    follow = page.get_by_role("button", name="Follow")
    for _ in range(3):
        page.evaluate("grow()")
        until(lambda: page.evaluate("left()") == 0)
    expect(follow).to_have_attribute("aria-pressed", "true")
    page.evaluate("scrollBy(0, -300)")
    expect(follow).to_have_attribute("aria-pressed", "false")
    page.evaluate("grow()")
    page.wait_for_timeout(300)
    assert page.evaluate("left()") > 1000
    follow.click()
    until(lambda: page.evaluate("left()") == 0)
    page.evaluate("grow()")
    until(lambda: page.evaluate("left()") == 0)
    watch.check()
