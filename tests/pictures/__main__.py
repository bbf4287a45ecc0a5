"""Takes the pictures: `python -m tests.pictures FOLDER`."""

import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[2] / "packaging"))

import chromium
from outside_house import House
from playwright.sync_api import Browser, Page, sync_playwright

from pictures import album
from pictures.album import Visit
from pictures.practice import furnish

TALLEST = 4000  # pixels; what is below would be too small to be seen
STATUSES = {401, 404}  # of the pages that say what went wrong


class Camera:
    """Visits pages, saves what they look like, and counts what is wrong."""

    def __init__(self, folder: Path, house: House, browser: Browser) -> None:
        self.folder, self.house, self.browser = folder, house, browser
        self.pictures = 0
        self.faults = 0

    @contextmanager
    def open(self, *, signed_in: bool = True) -> Iterator[Page]:
        """A page of a browser of its own, and afterwards what that did wrong."""
        here = self.house.facts["browser_url"]
        watch = chromium.Watch(here)
        watch.statuses = STATUSES
        with self.browser.new_context(base_url=here, **chromium.CONTEXT) as context:
            watch.follow(context)
            page = context.new_page()
            if signed_in:
                chromium.enter(self.house, page)
            yield page
        self.blame("the console", watch.faults)

    def take(self, page: Page, found: list[Visit], before: str = "") -> None:
        for visit in album.walk(page, found):
            self.picture(page, before + visit.name)

    def picture(self, page: Page, name: str) -> None:
        def snap(view: str) -> None:
            """As if the window were as high as the page: what sticks to its edges stays there."""
            height = page.evaluate("document.documentElement.scrollHeight")
            width = page.viewport_size["width"] if page.viewport_size else 0
            page.set_viewport_size({"width": width, "height": min(max(height, 800), TALLEST)})
            page.screenshot(path=self.folder / f"{name}-{view}.png")
            self.pictures += 1

        self.blame(name, list(album.faults(page, snap=snap)))

    def blame(self, name: str, faults: list[str]) -> None:
        """One line for each page; what is wrong with it below."""
        print(f"{name}: {len(faults) or 'no'} fault{'' if len(faults) == 1 else 's'}", flush=True)
        for fault in faults:
            print(f"  {fault}", flush=True)
        self.faults += len(faults)

    def sign_in_pages(self) -> None:
        """What a browser sees that is not signed in, and on the way in."""
        with self.open(signed_in=False) as page:
            self.take(page, [Visit("signed-out", "/")])
            # Without an answer to its refresh, the page stays.
            page.route("**/", lambda route: route.fulfill(status=204))
            page.goto(self.house.post("/sign-in-links", {})["url"])
            self.picture(page, "login")


def main(folder: Path) -> int:
    began = time.monotonic()
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="rt") as scratch, sync_playwright() as playwright:
        rules = album.page_rules(Path(scratch) / "rules")
        browser = playwright.chromium.launch(**chromium.launch_arguments())
        house = House(Path(scratch) / "house")
        try:
            house.start()
            camera = Camera(folder, house, browser)
            with camera.open() as page:
                camera.take(page, album.visits(rules, {})[0], "empty-")
            found, unknown = album.visits(rules, furnish(house).ids)
            camera.sign_in_pages()
            with camera.open() as page:
                camera.take(page, [*found, Visit("not-found", "/nowhere")])
        finally:
            house.close()
            browser.close()
    for rule in unknown:
        print(f"no picture of {rule}: let tests/pictures/practice.py remember an id for it")
    spent = time.monotonic() - began
    print(f"{camera.pictures} pictures, {camera.faults} faults, {spent:.0f} s: {folder}")
    return 1 if camera.faults or unknown else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
