"""Whatever a person has begun on a page stays through any sequence of renewals of it."""

from collections.abc import Callable
from typing import Any

import pytest
from chromium import Watch
from living_pages import live
from outside_house import House
from playwright.sync_api import Page

STEPS = 60

LABORATORY = """
async ([seed, steps]) => {
    const script = document.querySelector("script[src*='live.js']").src;
    const { takeOver } = await import(script);
    let state = seed;
    const dice = (most) => {
        state = (state * 1664525 + 1013904223) % 4294967296;
        return Math.floor((state / 4294967296) * most);
    };
    const part = document.createElement("div");
    part.id = "laboratory";
    part.dataset.live = "nothing";
    document.querySelector("main").append(part);

    // --- what the server has: rows that come, go, change and change their places
    let made = 0;
    const row = () => ({ id: made++, value: dice(50) });
    const rows = Array.from({ length: 5 }, row);
    const html = () => `<ul>${rows.map((one) => `<li class="row">
        <p>words of ${one.id}: ${one.value}</p>
        <form action="/laboratory/${one.id}" method="post">
            <input name="line" value="${one.value}"> <textarea name="area">${one.value}</textarea>
            <input name="tick" type="checkbox" ${one.value % 2 ? "checked" : ""}>
            <select name="choice">${[0, 1, 2].map((n) =>
                `<option ${n === one.value % 3 ? "selected" : ""}>${n}</option>`).join("")}</select>
            <button name="do" value="${one.id}">Do ${one.id}</button>
        </form>
        <details><summary>more</summary>${one.value}</details>
        <div class="wide" tabindex="0"><table class="facts"><tr><td>${"far ".repeat(400)}</td></tr>
        </table></div></li>`).join("")}</ul>`;
    const renewed = () => {
        const page = new DOMParser().parseFromString("", "text/html");
        const now = page.createElement("div");
        now.id = part.id;
        now.dataset.live = "nothing";
        now.innerHTML = html();
        page.body.append(now);
        takeOver(page);
    };
    part.innerHTML = html();

    // --- what the person has: by row and field, what they did
    const at = (id, what) => {
        const form = part.querySelector(`form[action="/laboratory/${id}"]`);
        return form?.closest("li").querySelector(what) ?? null;
    };
    const FIELDS = { line: "[name=line]", area: "[name=area]", tick: "[name=tick]",
        choice: "[name=choice]" };
    const read = { line: (one) => one.value, area: (one) => one.value,
        tick: (one) => one.checked, choice: (one) => one.value };
    const served = { line: (one) => String(one.value), area: (one) => String(one.value),
        tick: (one) => one.value % 2 === 1, choice: (one) => String(one.value % 3) };
    const begun = new Map();
    const keep = (id, what, value) => begun.set(`${id} ${what}`, value);
    let focus = null;
    const acts = [
        (id) => {
            const name = dice(2) ? "line" : "area";
            const field = at(id, FIELDS[name]);
            field.focus();
            field.value += "x";
            field.setSelectionRange(1, 1 + dice(field.value.length));
            keep(id, name, field.value);
            focus = { id, what: FIELDS[name], caret: [field.selectionStart, field.selectionEnd] };
        },
        (id) => {
            const field = at(id, FIELDS.tick);
            field.checked = !field.checked;
            if (field.checked === field.defaultChecked) begun.delete(`${id} tick`);
            else keep(id, "tick", field.checked);
        },
        (id) => {
            const field = at(id, FIELDS.choice);
            field.selectedIndex = dice(3);
            const same = field.options[field.selectedIndex].defaultSelected;
            if (same) begun.delete(`${id} choice`);
            else keep(id, "choice", field.value);
        },
        (id) => {
            const more = at(id, "details");
            more.open = !more.open;
            keep(id, "open", more.open);
        },
        (id) => {
            const wide = at(id, ".wide");
            wide.scrollLeft = 10 + dice(200);
            keep(id, "scroll", wide.scrollLeft);
        },
        (id) => {
            at(id, "button").focus();
            focus = { id, what: "button" };
        },
    ];
    const swaps = [
        () => rows.splice(dice(rows.length + 1), 0, row()),
        () => rows.length > 2 && rows.splice(dice(rows.length), 1),
        () => { rows[dice(rows.length)].value = dice(50); },
        () => { rows[dice(rows.length)].value = dice(50); },
        () => {
            const from = dice(rows.length);
            const [one] = rows.splice(from, 1);
            rows.splice(dice(rows.length + 1), 0, one);
        },
    ];

    // --- each step: somebody does something, the server changes, and both are true afterwards
    const faults = [];
    for (let step = 0; step < steps && faults.length < 5; step++) {
        for (let number = dice(3); number; number--) {
            acts[dice(acts.length)](rows[dice(rows.length)].id);
        }
        const frozen = focus && at(focus.id, focus.what);
        const held = frozen && frozen.value;
        for (let number = 1 + dice(3); number; number--) swaps[dice(swaps.length)]();
        renewed();
        const wrong = (what) => faults.push(`seed ${seed}, step ${step}: ${what}`);
        const shown = [...part.querySelectorAll("button")].map((one) => one.value).join();
        if (shown !== rows.map((one) => one.id).join()) wrong(`rows ${shown}`);
        for (const one of rows) {
            const text = at(one.id, "p").textContent;
            if (text !== `words of ${one.id}: ${one.value}`) wrong(`row ${one.id} says ${text}`);
            for (const [name, what] of Object.entries(FIELDS)) {
                const field = at(one.id, what);
                const typed = begun.get(`${one.id} ${name}`);
                if (typed === undefined && field === frozen) continue;
                const wanted = typed ?? served[name](one);
                if (read[name](field) !== wanted)
                    wrong(`${name} of ${one.id} is ${read[name](field)}, not ${wanted}`);
            }
            const open = begun.get(`${one.id} open`) ?? false;
            if (at(one.id, "details").open !== open) wrong(`details of ${one.id}`);
            const scroll = begun.get(`${one.id} scroll`) ?? 0;
            if (at(one.id, ".wide").scrollLeft !== scroll)
                wrong(`scroll of ${one.id} is ${at(one.id, ".wide").scrollLeft}, not ${scroll}`);
        }
        if (focus && !rows.some((one) => one.id === focus.id)) focus = null;
        if (focus) {
            const field = at(focus.id, focus.what);
            if (document.activeElement !== field) wrong(`focus left ${focus.what} of ${focus.id}`);
            else if (field.value !== held) wrong(`the focused ${focus.what} changed`);
            else if (focus.caret && (field.selectionStart !== focus.caret[0] ||
                field.selectionEnd !== focus.caret[1])) wrong(`caret of ${focus.id}`);
        }
        for (const key of begun.keys()) {
            if (!rows.some((one) => key.startsWith(`${one.id} `))) begun.delete(key);
        }
    }
    part.remove();
    return faults;
}
"""


@pytest.mark.slow
@pytest.mark.proves("E-live")
def test_any_sequence_of_renewals_leaves_what_a_person_has_begun(
    house: House, enter: Callable[..., Page], watch: Watch
) -> None:
    page = live(enter())
    faults: list[Any] = []
    for seed in range(1, 9):
        faults += page.evaluate(LABORATORY, [seed, STEPS])
    assert faults == []
    watch.check()


@pytest.mark.slow
@pytest.mark.proves("E-live")
def test_what_one_reads_stays_where_it_is_while_things_come_above_it(
    house: House, enter: Callable[..., Page], watch: Watch
) -> None:
    room = house.room()
    for number in range(40):
        room.task(f"Read me {number}")
    page = enter()
    page.reload()
    live(page)
    row = page.get_by_role("link", name="Read me 20")
    row.scroll_into_view_if_needed()
    page.evaluate("scrollBy(0, 120)")
    words = (
        "() => { const range = document.createRange(); const link = [..."
        "document.querySelectorAll('a.strong')].find((a) => a.textContent.includes('Read me 20'));"
        " range.selectNodeContents(link); getSelection().removeAllRanges();"
        " getSelection().addRange(range); }"
    )
    page.evaluate(words)
    before = row.bounding_box()
    for number in range(3):
        room.task(f"Came later {number}")
    page.get_by_text("Came later 2").wait_for(state="attached")
    page.wait_for_timeout(200)
    after = row.bounding_box()
    assert before is not None and after is not None
    assert abs(after["y"] - before["y"]) < 3
    assert "Read me 20" in page.evaluate("String(getSelection())")
    watch.check()
