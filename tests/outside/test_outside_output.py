"""What agents print: kept as it came, shown as text, found again, and never with a secret."""

import json
import re
import stat
import sys
from pathlib import Path
from typing import Any

import pytest
from outside_files import holders
from outside_house import Browser, House, Room, until
from outside_pages import got

LINES = 12_000
LONG = f"""
import sys
for n in range({LINES}):
    about = "a long story about a \\x1b[1mnee\\x1b[0mdle" if n == 6000 else "it"
    print("line", n, "of", about, "." * 40)
sys.stderr.write("\\x1b[31mand a Needle on the other channel\\x1b[0m\\n")
print("\\x1b]0;title\\x07<script>document.title='x'</script><img src=x onerror=alert(1)>", end="")
"""
COLOURED = (
    "\x1b[38;2;1;2;3mtrue\x1b[0m \x1b[1mbold\x1b[m \x1b[38:2:1:2:3mcolon\x1b[0m \x1b[2K\x1b[5A"
    "\x1b]8;;http://away.example/\x1b\\link\x1b]8;;\x1b\\ \x1b]2;title\x07<scr\x1b[1mipt>x\x1b[3"
)
CODES = re.compile(r"\x1b|\[\d+(;\d+)*m|\[38|\[2K|\[5A|\]8;;|\]2;|away\.example|⟨ESC⟩|\[1m|\[3\b")


@pytest.fixture(scope="module")
def browser(shared: House) -> Browser:
    return Browser(shared)


@pytest.fixture(scope="module")
def story(shared: House) -> tuple[Room, Any]:
    room = shared.room("story")
    return room, room.ended(room.task("Tell", room.python(LONG)))


@pytest.mark.slow
@pytest.mark.proves("F-39 read", "B-139")
def test_a_long_transcript_is_read_both_ways(story: tuple[Room, Any], browser: Browser) -> None:
    """Without scripts: by the links alone."""
    room, run = story
    first = f"/runs/{run['id']}"
    page = got(browser, first)
    assert "line 0 " in page.printed and "?before=999999.0#tail" in "".join(page.links)
    path, seen, pieces = f"{first}?before=999999.0", "", 0
    while path:
        page = got(browser, path)
        assert len(page.raw) < 1_500_000
        seen, pieces = page.printed + seen, pieces + 1
        path = next((link for link in page.links if "?before=" in link and "#" not in link), "")
    assert pieces > 2 and [f"line {n} " in seen for n in (0, 6000, LINES - 1)] == [True] * 3
    assert seen.count("\n") == LINES + 1
    assert not re.search(r"\x1b|\[1m|⟨", seen) and "needle" in seen
    assert first in page.links
    back, before = "", "999999.0"
    while before:
        found = room.house.get(f"/runs/{run['id']}/transcript", before=before)
        back = "".join(one["text"] for one in found["items"]) + back
        before = found["next_cursor"]
    assert back == room.house.transcript(run["id"])
    wrong = room.house.program("GET", f"/runs/{run['id']}/transcript?before=1.0")
    assert wrong.status == 422
    both = room.house.program("GET", f"/runs/{run['id']}/transcript?before=000001.0&q=x")
    assert (both.status, both.json["errors"][0]["pointer"]) == (422, "/before")


@pytest.mark.slow
@pytest.mark.proves("F-39 search", "B-139")
def test_a_line_is_found_by_api_page_and_command(story: tuple[Room, Any], browser: Browser) -> None:
    room, run = story
    found = room.house.get(f"/runs/{run['id']}/transcript", q=" NEEDLE ")
    first, second = found["items"]
    assert found["next_cursor"] is None
    assert first["text"].startswith("line 6000 of a long story about a needle")
    assert (second["stream"], second["text"]) == ("err", "and a Needle on the other channel")
    page = got(browser, f"/runs/{run['id']}?q=needle")
    (link,) = [one for one in page.links if one.endswith(f"?after={first['cursor']}")]
    assert "line 6000 " in got(browser, link).printed
    assert "No line has “absent”" in got(browser, f"/runs/{run['id']}?q=absent").text
    many = got(browser, f"/runs/{run['id']}?q=line")
    on = [one for one in many.links if "q=line&after=" in one]
    assert many.text.count(" line ") == 100 and len(on) == 1
    assert " line 100 " in got(browser, on[0]).text
    hostile = got(browser, f"/runs/{run['id']}?q=%3Cscript%3E")
    assert "<script>document" not in hostile.raw and "<script>document.title" in hostile.text
    done = room.house.cli("runs", "transcript", run["id"], "--find", "needle")
    assert done.code == 0 and [one[:9] for one in done.out.splitlines()] == [
        "line 6000",
        "and a Nee",
    ]
    assert room.house.cli("runs", "transcript", run["id"], "--find", "absent").code == 1
    whole = room.house.cli("runs", "transcript", run["id"]).out
    assert whole.count("line ") == LINES and not CODES.search(whole)
    assert whole == room.house.cli("runs", "show", run["id"], "--transcript").out


@pytest.mark.proves("F-39 download")
def test_a_transcript_is_downloaded_as_it_was_printed(
    story: tuple[Room, Any], browser: Browser, tmp_path: Path
) -> None:
    room, run = story
    page = got(browser, f"/runs/{run['id']}")
    (link,) = [one for one in page.links if one.endswith("/download")]
    answer = browser.ask("GET", link)
    assert (answer.status, answer["Content-Type"]) == (200, "text/plain; charset=utf-8")
    assert answer["Content-Disposition"] == f'attachment; filename="run-{run["id"][-8:]}.txt"'
    assert answer["X-Content-Type-Options"] == "nosniff" and "default-src 'none'" in str(
        answer.headers
    )
    assert answer.text == room.house.transcript(run["id"]) and "\x1b[1mnee" in answer.text
    assert room.house.ask("GET", link).status == 401
    file = tmp_path / "it.txt"
    done = room.house.cli("runs", "transcript", run["id"], "--save", str(file))
    assert (done.code, done.out) == (0, "") and str(file) in done.err
    assert file.read_bytes() == answer.body and stat.S_IMODE(file.stat().st_mode) == 0o600
    again = room.house.cli("runs", "transcript", run["id"], "--save", str(file))
    assert again.code == 1 and "cannot be made" in again.err
    assert file.read_bytes() == answer.body


@pytest.mark.slow
@pytest.mark.proves("B-137", "B-138", "S-35")
def test_no_code_of_a_terminal_is_left_over_anywhere(room: Room, browser: Browser) -> None:
    script = f"import sys; sys.stderr.write({COLOURED!r}); print({COLOURED!r}); sys.exit(1)"
    task = room.task("Print", room.python(script), retry_budget=0)
    run = room.ended(task)
    assert run["error"]["text"] == "true bold colon link <script>x"
    item = until(lambda: room.house.get("/inbox", workspace_id=room.id)["items"])[0]
    for shown in (run["error"]["text"], run["output_summary"], item):
        assert not CODES.search(json.dumps(shown, ensure_ascii=False))
    paths = (
        f"/runs/{run['id']}",
        f"/runs/{run['id']}?part=result",
        f"/tasks/{task['id']}",
        "/inbox",
    )
    for path in (*paths, "/", f"/runs/{run['id']}?part=why", f"/runs/{run['id']}?part=events"):
        assert not CODES.search(got(browser, path).raw), path
    assert "true bold colon link <script>x" in got(browser, paths[0]).printed
    number = str(task["number"])
    for words in (
        ["runs", "show", run["id"]],
        ["runs", "show", run["id"], "--transcript"],
        ["runs", "show", run["id"], "--json"],
        ["task", "show", number],
        ["explain", "run", run["id"]],
        ["inbox", "list"],
        ["watch"],
    ):
        done = room.house.cli(*words, at=room.path)
        assert done.code == 0 and not CODES.search(done.out), words
    for words in (["runs", "transcript", run["id"], "--json"], ["watch", "--json"]):
        done = room.house.cli(*words, at=room.path)
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", done.out), words


LEAKS = """
import json, os, pathlib, sys
home = pathlib.Path(sys.argv[1])
token = (home / "token").read_text().strip()
launch = json.loads(next(home.glob(f"runs/{os.environ['ROUNDTABLE_RUN']}/launch.json")).read_text())
keys = json.loads(pathlib.Path(sys.argv[2]).read_text())
for key in (token, launch["control_key"], launch["fence"], *keys):
    os.write(1, key[:5].encode()); os.write(1, key[5:].encode() + b"\\n")
    print(json.dumps({"out": f"the key:\\n{key}\\n"}), flush=True)
    print("err", key, file=sys.stderr)
    print("\\x1b[31m" + "\\x1b[1m".join(key), flush=True)
summary = "I used " + " and ".join((token, *keys))
report = {"status": "failed", "summary": summary, "error": {"kind": "x", "text": summary},
          "artifacts": [{"path": keys[0]}], "evidence": [{"kind": "file", "text": keys[1]}]}
pathlib.Path(os.environ["ROUNDTABLE_RESULT_FILE"]).write_text(json.dumps(report))
"""
KEYS = (
    "sk-ant-api03-Q1w2E3r4T5y6U7i8O9p0Q1w2E3r4T5y6",
    "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
    "AKIAIOSFODNN7EXAMPLE",
)


@pytest.mark.slow
@pytest.mark.proves("S-71 shapes", "S-71", "B-186")
def test_what_an_agent_was_not_given_is_redacted_too(house: House) -> None:
    """Our own keys by their value, others' by their shape."""
    house.start()
    room = house.room()
    keys = room.path.parent / "keys.json"
    keys.write_text(json.dumps(KEYS))
    finder = room.agent(sys.executable, "-c", LEAKS, str(house.home), str(keys))
    task = room.task("Find", finder, retry_budget=1)
    run = room.ended(task, 1)
    text = house.transcript(run["id"])
    assert text.count("[redacted]") == (3 + len(KEYS)) * 4
    assert run["error"]["text"].count("[redacted]") == 1 + len(KEYS)
    launch = json.loads((house.home / "runs" / run["id"] / "launch.json").read_text())
    own = [house.token, launch["control_key"], launch["fence"]]
    answers = [
        house.program("GET", path).text
        for path in (f"/runs/{run['id']}", f"/runs/{run['id']}/transcript", "/events", "/inbox")
    ]
    stranger = "wrong-7f3a92-but-somebodys"
    refused = house.ask("GET", "/api/v1/runs", headers={"Authorization": f"Bearer {stranger}"})
    assert refused.status == 401 and stranger not in refused.text
    browser = Browser(house)
    pages = [browser.ask("GET", path).text for path in ("/", "/inbox", f"/runs/{run['id']}")]
    assert not [key for key in (*own, *KEYS) for body in (*answers, *pages) if key in body]
    house.end()
    found = holders(house.home, [key.encode() for key in (*KEYS, stranger)])
    assert found == []
    assert holders(house.home, [house.token.encode()]) == [house.home / "token"]
    names = {path.name for path in holders(house.home, [launch["control_key"].encode()])}
    assert names == {"launch.json"}


@pytest.mark.slow
@pytest.mark.proves("F-43")
@pytest.mark.parametrize(
    ("script", "outcome"),
    [
        ("exit 0", "no_result"),
        (': > "$ROUNDTABLE_RESULT_FILE"', "no_result"),
        ('printf "{\\"status\\": \\"done\\"}" > "$ROUNDTABLE_RESULT_FILE"', "no_result"),
        ('printf "I am done" > "$ROUNDTABLE_RESULT_FILE"', "no_result"),
        (
            'printf "{\\"status\\": \\"completed\\"}" > "$ROUNDTABLE_RESULT_FILE"; exit 7',
            "no_changes",
        ),
        (
            'printf "{\\"status\\": \\"completed\\"}" > "$ROUNDTABLE_RESULT_FILE"; kill -9 $$',
            "no_changes",
        ),
    ],
)
def test_a_result_counts_and_nothing_else_is_one(room: Room, script: str, outcome: str) -> None:
    task = room.task("End", room.shell(script), retry_budget=0)
    run = room.ended(task)
    assert run["outcome"] == outcome
    assert (run["error"] or {}).get("kind") == (outcome if outcome == "no_result" else None)
