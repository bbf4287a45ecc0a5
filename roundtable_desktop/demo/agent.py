"""`roundtable-demo-agent`: an agent without a model, that does what `@demo` lines of its task say.

It is an ACP program. Given a prompt instead of JSON it is a plain command: it does the work in the
current folder, says what it did and ends.
"""

import json
import os
import sys
import time

from roundtable_desktop.demo.acp import Acp
from roundtable_desktop.demo.acts import Fault, Gone, Reported, act
from roundtable_desktop.demo.line import PIECE, Line, parse
from roundtable_desktop.demo.script import script


class Prompted:
    """The seat of a plain command: nobody is there to ask or to cancel."""

    def __init__(self) -> None:
        self.folder = os.getcwd()

    def say(self, text: str) -> None:
        sys.stdout.write(text)
        sys.stdout.flush()

    def tool(self, title: str, kind: str) -> None:
        return None

    def pause(self, seconds: float) -> None:
        time.sleep(seconds)

    def ask(self, text: str) -> bool:
        return True

    def spend(self, tokens_in: int, tokens_out: int) -> None:
        return None

    def call(self, name: str, arguments: object) -> str:
        fault = {"kind": "task_failed", "text": f"{name}: a plain command is given no tools"}
        raise Reported("failed", error=fault)


def main(words: list[str] | None = None) -> int:
    """`--command`, or a first line that is no message, makes it a plain command."""
    words = sys.argv[1:] if words is None else words
    try:
        begun = b"" if "--command" in words else _first_line()
        if begun and parse(begun.partition(b"\n")[0]):
            return Acp(Line(begun)).serve()
        return _command(begun)
    except Gone as gone:
        return gone.code
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # the last flush would say it again
        return 1


def _first_line() -> bytes:
    begun = b""
    while b"\n" not in begun:
        piece = os.read(0, PIECE)
        if not piece:
            break
        begun += piece
    return begun


def _command(begun: bytes) -> int:
    prompt = (begun + sys.stdin.buffer.read()).decode("utf-8", "replace")
    seat, done = Prompted(), []
    if model := os.environ.get("ROUNDTABLE_MODEL"):
        seat.say(f"Working with the model {model}.\n")
    try:
        for word, rest in script(os.environ, prompt):
            if told := act(seat, word, rest):
                done.append(told)
    except Reported as over:
        if over.status:
            _report(over.status, done, over.more)
        return 0
    except Fault as fault:
        sys.stderr.write(f"{fault.text}\n")
        return 1
    _report("completed", done, {})
    seat.say("; ".join(done) + "\n")
    return 0


def _report(status: str, done: list[str], more: dict[str, object]) -> None:
    path = os.environ.get("ROUNDTABLE_RESULT_FILE")
    if path:
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"status": status, "summary": "; ".join(done), **more}, file)


if __name__ == "__main__":
    sys.exit(main())
