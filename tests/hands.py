"""A person's hands at a page: what is pressed by the keyboard alone, and a card that is dragged."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

TABS = 120  # more presses than any of our pages has controls, where none says more


def button(place: Page | Locator, name: str) -> Locator:
    return place.get_by_role("button", name=name, exact=True)


def reach(page: Page, control: Locator, most: int = TABS) -> None:
    """Tab by Tab from where the page itself begins, to which its first link leads; what stands
    around that, from the beginning of all."""
    inside = control.evaluate("it => it.closest('main') !== null")
    page.locator("main" if inside else "body").focus()
    for _ in range(most):
        page.keyboard.press("Tab")
        if control.evaluate("it => it === document.activeElement"):
            return
    pytest.fail(f"{most} presses of Tab did not reach {control}")


def by_keyboard(page: Page, control: Locator, most: int = TABS) -> None:
    reach(page, control, most)
    page.keyboard.press("Enter")


def _middle(what: Locator) -> tuple[float, float]:
    what.scroll_into_view_if_needed()
    box = what.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + min(box["height"] / 2, 60)


def drag(page: Page, card: Locator, to: Locator) -> None:
    """By mouse, in steps as a hand makes them."""
    x, y = _middle(card)
    end = _middle(to)
    page.mouse.move(x, y - 20)
    page.mouse.down()
    page.mouse.move(x + 10, y - 10, steps=3)
    page.mouse.move(*end, steps=12)
    page.wait_for_timeout(60)
    page.mouse.up()


def drag_by_finger(page: Page, card: Locator, to: Locator) -> None:
    """A press that lasts, then the way; a short one would scroll."""
    x, y = _middle(card)
    end = _middle(to)
    session = page.context.new_cdp_session(page)

    def touch(kind: str, *points: tuple[float, float]) -> None:
        told = [{"x": at[0], "y": at[1]} for at in points]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": told})

    touch("touchStart", (x, y))
    expect(card).to_have_class(re.compile("sortable-chosen"))
    for step in range(1, 13):
        way = step / 12
        touch("touchMove", (x + (end[0] - x) * way, y + (end[1] - y) * way))
        page.wait_for_timeout(20)
    touch("touchEnd")
