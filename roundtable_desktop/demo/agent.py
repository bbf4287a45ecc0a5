"""`roundtable-demo-agent`: an agent without a model, that does what `@demo` lines of its task say.

It reads the prompt on stdin and works in the current folder, as any `command` agent does. With no
such line it writes a small file named after the task.
"""

import json
import os
import re
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

LINE = re.compile(r"^@demo +(\S+) ?(.*)$", re.MULTILINE)
TITLE = re.compile(r"^T-(\d+): (.*)$", re.MULTILINE)
OVER = 0


class Ended(Exception):
    """The script says that it is over; `code` is the exit code."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


class Agent:
    """One run: `do` obeys one line; what it did is told in the result."""

    def __init__(self, folder: Path, result: Path | None) -> None:
        self.folder = folder
        self._result = result
        self.done: list[str] = []

    def do(self, word: str, rest: str) -> None:
        act = getattr(self, f"do_{word.replace('-', '_')}", None)
        if act is None:
            raise SystemExit(f"no such @demo line: {word}")
        act(rest)

    def do_write(self, rest: str) -> None:
        path, _, text = rest.partition(" ")
        self._path(path).write_text(f"{text}\n", encoding="utf-8")
        self.done.append(f"wrote {path}")

    def do_append(self, rest: str) -> None:
        path, _, text = rest.partition(" ")
        with self._path(path).open("a", encoding="utf-8") as file:
            file.write(f"{text}\n")
        self.done.append(f"appended to {path}")

    def do_sleep(self, rest: str) -> None:
        time.sleep(float(rest))

    do_silent = do_sleep

    def do_say(self, rest: str) -> None:
        say(rest)

    def do_fail(self, rest: str) -> None:
        """The work's own failure is reported; any other kind shows as a program that gave up."""
        kind, _, text = rest.partition(" ")
        if kind == "no_result":
            raise Ended(OVER)
        if kind == "task_failed":
            self.report("failed", error={"kind": kind, "text": text})
        sys.stderr.write(f"{kind}: {text}\n")
        raise Ended(1)

    def do_block(self, rest: str) -> None:
        self.report("blocked", blocked={"owner": "user", "action": rest or "decide"})
        raise Ended(OVER)

    def do_crash(self, rest: str) -> None:
        raise Ended(int(rest or 1))

    def do_noresult(self, rest: str) -> None:
        raise Ended(OVER)

    def do_hang(self, rest: str) -> None:
        while True:
            time.sleep(3600)

    def do_flood(self, rest: str) -> None:
        line = "x" * 1023
        for _ in range(int(float(rest) * 1024)):
            say(line)

    def do_ignore_term(self, rest: str) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)

    def report(self, status: str, **more: object) -> None:
        if self._result is not None:
            told = {"status": status, "summary": "; ".join(self.done), **more}
            self._result.write_text(json.dumps(told), encoding="utf-8")

    def _path(self, name: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        return path


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def script(prompt: str, attempt: int) -> Iterator[tuple[str, str]]:
    """The task's lines in order; those after `once` count in the first attempt only."""
    found: list[tuple[str, str]] = LINE.findall(prompt) or _default(prompt)
    for word, rest in found:
        if word == "once":
            if attempt > 1:
                return
            continue
        yield word, rest


def _default(prompt: str) -> list[tuple[str, str]]:
    title = TITLE.search(prompt)
    number, text = title.groups() if title else ("0", "nothing in particular")
    return [("write", f"task-{number}.md {text}")]


def main(words: list[str] | None = None, read: Callable[[], str] = sys.stdin.read) -> int:
    given = os.environ.get("ROUNDTABLE_RESULT_FILE")
    agent = Agent(Path.cwd(), Path(given) if given else None)
    attempt = int(os.environ.get("ROUNDTABLE_ATTEMPT") or 1)
    try:
        for word, rest in script(read(), attempt):
            agent.do(word, rest)
    except Ended as ended:
        return ended.code
    agent.report("completed")
    say("; ".join(agent.done))
    return OVER


if __name__ == "__main__":
    sys.exit(main())
