"""Pages that renew themselves: how soon, by how little, and what they leave as it is."""

import itertools
import time
from collections.abc import Callable

import pytest
from chromium import Watch
from living_pages import is_look, live, looks_at
from outside_house import House, until
from playwright.sync_api import Page, expect


@pytest.mark.proves("K-61 run")
def test_what_happens_is_on_the_page_in_a_moment(
    house: House, enter: Callable[..., Page], watch: Watch
) -> None:
    room = house.room()
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
    house: House, enter: Callable[..., Page], watch: Watch
) -> None:
    room = house.room()
    task = room.task("Talked about")
    page = enter()
    page.goto(f"{house.facts['browser_url']}/tasks/{task['id']}")
    live(page)
    page.wait_for_timeout(1000)
    assert page.locator("[data-live]").count() >= 5
    page.evaluate("performance.clearResourceTimings()")
    for number in range(40):
        house.post(f"/tasks/{task['id']}/comments", {"text": f"Comment {number}"})
        page.wait_for_timeout(20)
    expect(page.get_by_text("Comment 39", exact=True)).to_be_visible()
    page.wait_for_timeout(700)
    looks = page.evaluate(
        """() => performance.getEntriesByType("resource")
            .filter((one) => one.name === location.href).map((one) => one.startTime)"""
    )
    assert len(looks) >= 2
    assert all(later - earlier > 490 for earlier, later in itertools.pairwise(looks)), looks
    assert page.get_by_text("Comment 39", exact=True).count() == 1
    watch.check()


@pytest.mark.proves("K-61 run")
def test_what_no_event_tells_is_looked_at_from_time_to_time(
    house: House, enter: Callable[..., Page], watch: Watch
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


@pytest.mark.proves("K-61 run")
def test_what_a_person_has_begun_stays(
    house: House, enter: Callable[..., Page], watch: Watch
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
    house: House, enter: Callable[..., Page], watch: Watch
) -> None:
    room = house.room()
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
    house: House, enter: Callable[..., Page], watch: Watch
) -> None:
    page = live(enter())
    page.evaluate(
        """async () => {
            const main = document.querySelector("main");
            main.insertAdjacentHTML("beforeend",
                `${"<p>above</p>".repeat(100)}
                 <button data-follow hidden aria-pressed="false">Follow</button>
                 <ol class="log"></ol>`);
            const log = document.querySelector("ol.log");
            window.grow = () => log.insertAdjacentHTML("beforeend", "<li>line</li>".repeat(100)
                + `<li id="tail">more</li>`);
            window.left = () => {
                const root = document.scrollingElement;
                return Math.round(root.scrollHeight - root.clientHeight - root.scrollTop);
            };
            scrollTo(0, document.documentElement.scrollHeight); // the rest may fill the screen
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


@pytest.mark.proves("K-61 run")
def test_a_page_keeps_the_end_of_a_long_transcript_and_the_way_to_the_rest(
    house: House, enter: Callable[..., Page], watch: Watch
) -> None:
    room = house.room()
    run = room.live(room.task("Talk", room.shell("echo the very first; sleep 100")))
    page = enter()
    page.goto(f"{house.facts['browser_url']}/runs/{run['id']}")
    live(page)
    first, beginning = page.get_by_text("the very first"), page.get_by_text("From the beginning")
    expect(first).to_be_visible()
    expect(beginning).to_be_hidden()
    rows = page.locator("ol.log > li")
    grow = """rows => document.querySelector("#tail").insertAdjacentHTML("beforebegin",
        "<li>line</li>".repeat(rows))"""
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    page.evaluate(grow, 9000)
    expect(rows).to_have_count(4000)
    expect(first).to_have_count(0)
    expect(beginning).to_be_visible()
    page.evaluate("scrollBy(0, -3000)")
    expect(page.get_by_role("button", name="Follow")).to_have_attribute("aria-pressed", "false")
    page.evaluate(grow, 5000)
    asked: list[str] = []
    page.wait_for_timeout(100)
    page.on("request", lambda request: asked.append(request.url))
    page.wait_for_timeout(1500)
    assert rows.count() == 9000 and not [url for url in asked if "/transcript" in url]
    with page.expect_request("**/transcript*"):
        page.get_by_role("button", name="Follow").click()
    expect(rows).to_have_count(4000)
    page.get_by_role("link", name="From the beginning").click()
    expect(first).to_be_visible()
    watch.check()
