"""A `command` agent that keeps the one true record of launches; run by its path, never imported.

    python -I -S ledger_agent.py LEDGER LOCKS

Every record is one O_APPEND write: START is its first act and END its last. While anything of it
lives it holds a lock named after its task, children included, so that the kernel itself says when
two are at work on one task: DOUBLE. What it does stands in the prompt:

    @work SECONDS [write NAME] [escape]... [once] [say LINES] [fail] [exit CODE] [nothing]
        [fire KEY] [limit]

With `once` all attempts but the first are short. `fire` records the key that it was set off with;
where a stranger sent it, {{key}} stands there, and what it stands for in a fence: each is recorded.
With `limit` the first one of a task meets its provider's limit.
"""

import fcntl
import json
import os
import re
import sys
import time

LEDGER, LOCKS = sys.argv[1:3]
RUN = os.environ["ROUNDTABLE_RUN"]
TASK = os.environ.get("ROUNDTABLE_TASK") or RUN
ATTEMPT = os.environ.get("ROUNDTABLE_ATTEMPT") or "0"
WORK = re.compile(r"^@work +(\S+) ?(.*)$", re.MULTILINE)
PLACE = "{{key}}"
SENT = re.compile(r'^ *"key": "(\S+)"', re.MULTILINE)
ESCAPEE_SECONDS = 60


def tell(kind: str, about: str = TASK) -> None:
    with open("/proc/self/stat", "rb") as file:
        ticks = file.read().rpartition(b")")[2].split()[19].decode()
    line = f"{kind} {RUN} {ATTEMPT} {os.getpid()} {ticks} {time.time():.6f} {about}\n"
    ledger = os.open(LEDGER, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    os.write(ledger, line.encode())
    os.close(ledger)


def hold() -> None:
    """The descriptor stays open until the last process that has it is gone."""
    lock = os.open(f"{LOCKS}/{TASK}", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        tell("DOUBLE")


def escape() -> None:
    """A daemon by the book: two forks, a session of its own, no pipe of ours."""
    if os.fork():
        os.wait()
        return
    os.setsid()
    if os.fork():
        os._exit(0)
    for number in range(3):
        os.dup2(os.open(os.devnull, os.O_RDWR), number)
    tell("ESCAPED")
    time.sleep(ESCAPEE_SECONDS)
    os._exit(0)


def meets_limit() -> bool:
    try:
        os.close(os.open(f"{LOCKS}/{TASK}.limited", os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return False
    print("API Error: 429 rate limit reached, try again in 2 seconds", file=sys.stderr)
    return True


def report(status: str, **more: object) -> None:
    with open(os.environ["ROUNDTABLE_RESULT_FILE"], "w") as file:
        json.dump({"status": status, "summary": f"{status} by {RUN}", **more}, file)
    tell("RESULT")


def main() -> int:
    tell("START")
    hold()
    prompt = sys.stdin.read()
    found, sent = WORK.search(prompt), list(dict.fromkeys(SENT.findall(prompt)))
    seconds, rest = found.groups() if found else ("0.05", "")
    words = rest.split()
    if "once" in words and ATTEMPT != "1":
        seconds = "0.05"
    if "fire" in words:
        key = words[words.index("fire") + 1]
        for one in sent if key == PLACE else [key]:
            tell("FIRED", one)
    if "limit" in words and meets_limit():
        tell("END")
        return 1
    for _ in range(words.count("escape")):
        escape()
    lines = int(words[words.index("say") + 1]) if "say" in words else 1
    for number in range(lines):
        print(f"line {number} of {lines} \N{SNOWMAN}", flush=True)
        time.sleep(float(seconds) / lines)
    if "write" in words:
        name = words[words.index("write") + 1].replace(PLACE, "".join(sent[:1]))
        with open(name, "w") as file:
            file.write(f"{TASK}\n")
    if "fail" in words:
        report("failed", error={"kind": "task_failed", "text": "as it was asked"})
    elif "exit" not in words:
        report("completed")
    tell("END")
    return int(words[words.index("exit") + 1]) if "exit" in words else 0


if __name__ == "__main__":
    sys.exit(main())
