"""The end of practice mode is checked: what did not come out as promised is named."""

from pathlib import Path
from typing import Any

import pytest

from roundtable_desktop.cli.practice import Failed, Witness
from roundtable_desktop.demo import story


class Client:
    """Of a mission in which each task was done in one go, one after the other."""

    def __init__(self) -> None:
        self.tasks = [
            {"id": f"t{n}", "number": n, "title": title, "status": "done", "purpose": "work"}
            for n, title in enumerate(
                (story.USAGE, story.LICENCE, story.WHITE, story.OOLONG, story.TEAS), 2
            )
        ]

    def get(self, path: str, **_query: object) -> Any:
        if path.endswith("/attempts"):
            number = int(path.split("/")[2].removeprefix("t"))
            return {"items": [{"id": str(number), "attempt_index": 1}]}
        if path.startswith("/runs/"):
            second = int(path.removeprefix("/runs/"))
            at = f"2026-03-01T12:00:0{second}"
            more = {"outcome": "done", "error": None, "model": None}
            return {"started_at": f"{at}.0Z", "ended_at": f"{at}.9Z", **more}
        return {"checks": []}

    def every(self, path: str, **_query: object) -> Any:
        return iter([{"id": "p", "status": "delivered"}])


class Git:
    def __init__(self, changed: list[str]) -> None:
        self.now = changed

    def messages(self, folder: Path, branch: str) -> list[str]:
        return ["Begin"]

    def text_of(self, folder: Path, branch: str, path: str) -> str | None:
        return None

    def changed(self, folder: Path) -> list[str]:
        return self.now


@pytest.mark.proves("N-19 practice")
def test_each_thing_that_is_not_so_is_named_and_nothing_else(tmp_path: Path) -> None:
    client = Client()
    mission = {"id": "m", "root_task_id": "r", "outcome": "completed", "tasks": client.tasks}
    for name, text in story.OWN.items():
        (tmp_path / name).write_text(text)
    witness = Witness(client, mission, {"status": "done", "run_id": "x"})  # type: ignore[arg-type]
    with pytest.raises(Failed) as told:
        witness.verify(Git([" M .gitignore"]), tmp_path, [" M .gitignore"])
    lead, *wrong = told.value.message.splitlines()
    assert lead == "The story did not come out as promised. This is not so:"
    assert wrong == [
        "Three tasks were at work at the same time.",
        "A conflict was settled by a repair.",
        "A model was not there, and another one did the work.",
        "A task failed and was tried again.",
        "A reviewer asked for a change, and got it.",
        "A command checked all of it before it was delivered.",
        "All of its work is on main, as it should be.",
        "Each commit says which run made it.",
    ]
    with pytest.raises(Failed, match="Your own changes are as they were"):
        witness.verify(Git([]), tmp_path, [" M .gitignore"])
    (tmp_path / "notes.txt").write_text("not mine\n")
    with pytest.raises(Failed, match="Your own changes are as they were"):
        witness.verify(Git([]), tmp_path, [])
