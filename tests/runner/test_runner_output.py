"""What of an agent's output is kept, and in what shape."""

import base64
import os
import stat
from pathlib import Path
from urllib.parse import quote

import psutil
import pytest
from runner_bench import PYTHON, Bench, until

from roundtable_desktop.model.messages import Hello, Result
from roundtable_desktop.rules.redact import Redactor
from roundtable_desktop.runner import result
from roundtable_desktop.runner.output import CUT, LINE, Output
from roundtable_desktop.runner.transcript import Transcript

SECRET = "sk-CANARY/abc+def=12345"
LEAK = """
import base64, os, sys, time, urllib.parse
s = os.environ['TOKEN']; b = s.encode()
def say(file):
    for form in (s, base64.b64encode(b).decode(), base64.b64encode(b'x' + b + b'y').decode(),
                 b.hex(), b.hex().upper(), urllib.parse.quote(s, safe=''),
                 '\\x1b[31m'.join(s)):
        print('<', form, '>', file=file)
    file.write('< ' + s[:9]); file.flush(); time.sleep(0.2); file.write(s[9:] + ' >\\n')
say(sys.stdout); say(sys.stderr)
open(os.environ['ROUNDTABLE_RESULT_FILE'], 'w').write('{"summary": "%s"}' % s)
"""


@pytest.mark.proves("S-71")
def test_no_form_of_a_secret_reaches_the_disk_or_the_spool(bench: Bench) -> None:
    run = bench.launch(*PYTHON, LEAK, secrets={"TOKEN": SECRET})
    end = bench.finish(run)
    for text in (bench.printed(run), bench.printed(run, "err"), end.tail, end.stderr):
        assert text.count("[redacted]") == 8
        assert text.count("< [redacted] >\n") == 7
    assert bench.of_kind(run, Result)[0].text == '{"summary": "[redacted]"}'
    raw = SECRET.encode()
    forms = (raw, base64.b64encode(raw)[:-4], raw.hex().encode(), quote(SECRET, safe="").encode())
    files = [path for path in bench.folder(run).rglob("*") if path.is_file()]
    assert len(files) >= 5
    for path in files:
        assert not any(form in path.read_bytes() for form in forms), path


@pytest.mark.proves("S-71")
def test_a_failed_start_does_not_tell_a_secret(bench: Bench) -> None:
    run = bench.launch(f"/nowhere/{SECRET}", secrets={"TOKEN": SECRET})
    end = bench.finish(run)
    assert end.error
    assert "[redacted]" in end.error.text
    assert SECRET not in end.error.text


@pytest.mark.proves("S-71")
@pytest.mark.parametrize("before", [b"", b"x" * 90])
def test_of_a_report_nothing_stays_that_was_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: bytes
) -> None:
    """Behind so much of a file that looks innocent a secret may lie."""
    monkeypatch.setattr(result, "LONGEST", 100)
    path = tmp_path / "result.json"
    path.write_bytes(before + b"y" * 100 + SECRET.encode())
    result.redact_result(path, Redactor([SECRET]))
    assert path.read_bytes() == (before + b"y" * 100)[:100]
    result.redact_result(path, Redactor([SECRET]))
    assert len(path.read_bytes()) == 100


@pytest.mark.slow
@pytest.mark.proves("F-39")
def test_sixty_megabytes_leave_twenty_and_twenty_and_a_gap(bench: Bench) -> None:
    code = "import sys\nfor n in range(600_000): sys.stdout.write(f'{n:09} ' + 'x' * 89 + '\\n')"
    run = bench.launch(*PYTHON, code, secrets={"TOKEN": SECRET})
    runner = psutil.Process(bench.first(run, Hello).pid)
    until(lambda: (bench.folder(run) / "out/000002.ndjson").exists())
    early = runner.memory_info().rss
    until(lambda: (bench.folder(run) / "out/000012.ndjson").exists())
    assert runner.memory_info().rss - early < 20e6
    end = bench.finish(run)
    assert end.output_bytes == 60_000_000
    records = bench.records(run)
    gaps = [index for index, record in enumerate(records) if "dropped" in record]
    assert len(gaps) == 1
    head = "".join(record["text"] for record in records[: gaps[0]])
    rest = "".join(record["text"] for record in records[gaps[0] + 1 :])
    dropped = records[gaps[0]]["dropped"]
    assert head.startswith("000000000 ") and rest.endswith("x\n")
    assert "000599999" in rest[-200:]
    assert len(head) + len(rest) + dropped["bytes"] == 60_000_000
    assert head.count("\n") + rest.count("\n") + dropped["lines"] == 600_000
    files = [path for path in (bench.folder(run) / "out").iterdir()]
    assert len(files) == 11
    assert sum(path.stat().st_size for path in files) < 42e6


@pytest.mark.slow
@pytest.mark.proves("F-39")
def test_a_flood_of_errors_fills_neither_the_pipe_nor_the_disk(bench: Bench) -> None:
    code = "import os\nfor n in range(80): os.write(2, b'e' * 99_999 + b'\\n')"
    run = bench.launch(*PYTHON, code)
    end = bench.finish(run)
    assert (end.output_bytes, end.stderr[-5:]) == (8_000_000, "[cut]"[-4:] + "\n")
    assert (bench.folder(run) / "stderr.log").stat().st_size == 1024 * 1024


@pytest.mark.proves("F-40")
def test_a_long_line_is_cut_with_a_mark(bench: Bench) -> None:
    code = "import sys\nsys.stdout.write('a' * 10_000_000 + '\\nnext\\n')"
    run = bench.launch(*PYTHON, code)
    end = bench.finish(run)
    first, second, rest = bench.printed(run).split("\n")
    assert first == "a" * LINE + CUT
    assert (second, rest, end.output_bytes) == ("next", "", 10_000_006)


@pytest.mark.proves("F-41")
def test_a_character_in_pieces_is_one_and_a_bad_one_is_marked(bench: Bench) -> None:
    code = (
        "import os, time\n"
        "for byte in '€ü'.encode(): os.write(1, bytes([byte])); time.sleep(0.05)\n"
        "os.write(1, b'\\xff|\\x00|\\r\\n|' + 'hi'.encode('utf-16'))"
    )
    run = bench.launch(*PYTHON, code)
    bench.finish(run)
    assert bench.printed(run) == "€ü\ufffd|\0|\r\n|\ufffd\ufffdh\0i\0"


def test_output_is_written_while_the_agent_still_runs(bench: Bench) -> None:
    run = bench.launch_quick("sh", "-c", "printf 'no newline yet!'; sleep 600")
    assert until(lambda: bench.printed(run), 2) == "no newline yet!"


def test_many_small_writes_make_few_records(bench: Bench) -> None:
    run = bench.launch(*PYTHON, "import os\nfor n in range(5000): os.write(1, b'x')")
    bench.finish(run)
    assert bench.printed(run) == "x" * 5000
    assert len(bench.records(run)) < 50


def test_a_tail_is_the_end_on_a_character_boundary(tmp_path: Path) -> None:
    output = Output("out", Transcript(tmp_path / "out"), Redactor([]), tail_bytes=8)
    output.feed("aäöüß€".encode())
    output.close()
    assert output.tail == "üß€"


def test_a_line_is_cut_across_pieces_once(tmp_path: Path) -> None:
    output = Output("out", Transcript(tmp_path / "out"), Redactor([]), tail_bytes=100)
    for _ in range(3):
        output.feed(b"a" * 40_000)
    output.feed(b"b\nc\n")
    output.close()
    text = "".join(_texts(tmp_path / "out"))
    assert text == "a" * LINE + CUT + "\nc\n"


def test_a_full_disk_costs_records_not_the_run(tmp_path: Path) -> None:
    """/dev/full stands in for the disk: every write is ENOSPC."""
    transcript = Transcript(tmp_path / "out")
    os.dup2(os.open("/dev/full", os.O_WRONLY), transcript._descriptor)
    transcript.write(1, "out", "lost\n")
    transcript.close()


def test_segments_are_private_files(tmp_path: Path) -> None:
    transcript = Transcript(tmp_path / "out", segment=100)
    for number in range(30):
        transcript.write(number, "out", "x" * 60 + "\n")
    transcript.close()
    files = sorted((tmp_path / "out").iterdir())
    assert [path.name for path in files] == [
        *(f"{number:06}.ndjson" for number in range(1, 7)),
        *(f"{number:06}.ndjson" for number in range(26, 31)),
    ]
    assert files[5].read_text() == '{"dropped": {"bytes": 1220, "lines": 20}}\n'
    assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {0o600}


def _texts(folder: Path) -> list[str]:
    import json

    lines = [line for file in sorted(folder.iterdir()) for line in file.open(encoding="utf-8")]
    return [json.loads(line)["text"] for line in lines]


@pytest.mark.slow
@pytest.mark.proves("S-71")
def test_what_lies_beyond_the_longest_result_file_is_cut_off_and_never_kept_as_it_was(
    tmp_path: Path,
) -> None:
    path, secret = tmp_path / "result.json", b"sk-ant-api03-" + b"CANARY" * 8
    for before in (result.LONGEST - 20, result.LONGEST + 500, result.LONGEST + 10 * result.LIMIT):
        path.write_bytes(b"y " * (before // 2) + secret + b" y")
        result.redact_result(path, Redactor([]))
        left = path.read_bytes()
        assert len(left) <= result.LONGEST and b"CANARY" not in left and b"sk-ant" not in left
        assert left.startswith(b"y y y")
