"""A home whose owner is the tray, on a screen and a bus of its own."""

import json
import subprocess
from pathlib import Path

from desktops.screen import PATIENCE, Screen, end, until
from living_home import ROUNDTABLE, Json, LivingHome

DESKTOP = ROUNDTABLE.with_name("roundtable-desktop")

# It keeps the page that it is given, because that goes after a while; and what it works with.
BROWSER = """#!/bin/sh
umask > '{opened}.umask'
cat "${{1#file://}}" >> '{opened}'
"""


class TrayHome(LivingHome):
    def __init__(self, root: Path, screen: Screen | None, bus: str) -> None:
        super().__init__(root)
        self.opened_file = self.short / "opened"
        programs = self.short / "bin"
        programs.mkdir()
        (programs / "xdg-open").write_text(BROWSER.format(opened=self.opened_file))
        (programs / "xdg-open").chmod(0o755)
        self.env["PATH"] = f"{programs}:{self.env['PATH']}"
        self.env["DBUS_SESSION_BUS_ADDRESS"] = self.env["DBUS_SYSTEM_BUS_ADDRESS"] = bus
        if screen is not None:
            self.env["DISPLAY"] = screen.name

    def start(self, *words: str) -> None:
        """Hidden, unless other words are given; returns when the owner is ready."""
        self.owner = self.spawn(*(words or ("--hidden", "--port", "0")))
        self.ready()

    def ready(self) -> None:
        facts = self.home / "owner.json"
        until(lambda: facts.exists() or self.owner_is_over())
        assert facts.exists(), self.said()
        self.facts = json.loads(facts.read_text())

    def spawn(self, *words: str) -> "subprocess.Popen[bytes]":
        with open(self.short / "owner.stderr", "ab") as log:
            return subprocess.Popen(
                [DESKTOP, *words],
                cwd=self.person,
                env=self.env,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=log,
            )

    def headless(self) -> None:
        """The same with an owner that has no tray."""
        self.make_repository()
        LivingHome.start(self)
        self.cli("init")

    def owner_is_over(self) -> bool:
        return self.owner is not None and self.owner.poll() is not None

    def leave(self) -> int:
        """Its exit code, when it ends by itself."""
        assert self.owner is not None
        code = self.owner.wait(PATIENCE)
        self.owner = None
        return code

    def stop(self) -> None:
        if self.owner is not None:
            end(self.owner)
            self.owner = None

    def said(self) -> str:
        return (self.short / "owner.stderr").read_text()

    def log(self) -> str:
        return (self.home / "logs" / "roundtable.log").read_text()

    def opened(self) -> list[str]:
        """The pages that the browser was given."""
        return self.opened_file.read_text().splitlines() if self.opened_file.exists() else []

    def agent(self, name: str) -> str:
        room = self.get("/workspaces")["items"][0]["id"]
        more = {"workspace_id": room, "adapter": "demo", "cooldown_sec": 0}
        return str(self.post("/agents", {"name": name, **more})["id"])

    def ask(self, agent: str, title: str, question: str, then: str = "write TEA.md tea") -> Json:
        """The open inbox item of a task whose agent asks this, with the task's id in it. then: what
        it does when it is answered."""
        task = self.work(agent, title, f"@demo ask {question}\n@demo {then}")
        [run] = until(lambda: self.attempts(task))
        [item] = until(lambda: self.waiting(run["id"]))
        return {**item, "task": task}

    def work(self, agent: str, title: str, script: str) -> str:
        """A task of that agent."""
        room = self.get("/workspaces")["items"][0]["id"]
        words = {"workspace_id": room, "title": title, "description": script}
        return str(self.post("/tasks", {**words, "assignee_agent_id": agent})["id"])

    def routine(self, agent: str, name: str, words: str, *more: str) -> None:
        """One without a task, of the agent of that name; fired by hand unless it has a schedule."""
        self.cli("routine", "add", name, "--agent", agent, "--description", words, *more)

    def setting(self, key: str) -> object:
        items = self.get("/settings")["items"]
        return next(one["value"] for one in items if one["key"] == key)

    def crashes(self) -> int:
        """Of its scheduler, as the log has them."""
        return self.log().count("the scheduler crashed")

    def waiting(self, run: str = "") -> list[Json]:
        """Open inbox items, of one run or of all."""
        listed = self.get("/inbox", status="open")["items"]
        items = [one for one in listed if one["kind"] != "proposal"]
        return [one for one in items if run in ("", one["data"]["run_id"])]

    def answer(self, item: Json, action: str = "allow_once") -> None:
        self.post(f"/inbox/{item['id']}/act", {"action": action})
