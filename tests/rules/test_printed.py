"""Text that was printed for a terminal becomes text that can be read, and nothing else."""

import re
import time

import pytest

from roundtable_desktop.dashboard.inert import inert
from roundtable_desktop.model.messages import End, worker_result
from roundtable_desktop.model.printed import ACTIVE, printed

CASES = {
    "colours": ("\x1b[1mCheck\x1b[0m \x1b[38;2;9;8;7mred\x1b[m", "Check red"),
    "colon form": ("\x1b[38:2:1:2:3mred\x1b[4:3m!\x1b[K", "red!"),
    "moves": ("\x1b[2J\x1b[1;1Ha\x1b[?25lb\x1b[3Ac\x1b7d\x1b(Be\x1bM", "abcde"),
    "a link": ("\x1b]8;;http://evil.example\x1b\\link\x1b]8;;\x07!", "link!"),
    "a title": ("\x1b]0;title\x07x\x1b]2;other\x1b\\y", "xy"),
    "the clipboard": ("\x1b]52;c;ZXZpbA==\x07a", "a"),
    "device strings": ("\x1bP1$r\x1b\\a\x1b_Gq=2;AAAA\x1b\\b\x1b^x\x1b\\c", "abc"),
    "8-bit": ("\x9b31mred\x9d0;t\x9c\x90q\x9c!", "red!"),
    "half at the end": ("a\x1b[38;2", "a"),
    "half a title": ("a\x1b]0;ti", "a"),
    "an escape at the end": ("a\x1b", "a"),
    "a title without an end": ("a\x1b]0;t\nmore", "a\nmore"),
    "half in a line": ("a\x1b[3\nmore", "a\nmore"),
    "line ends": ("one\r\ntwo\r\r\nthree\n", "one\ntwo\nthree\n"),
    "progress": ("10 %\r20 %\rdone\n", "10 %\n20 %\ndone\n"),
    "struck over": ("N\x08NA_\x08M", "NAM"),
    "the bell": ("done\x07\x0e\x0f", "done"),
    "plain": ("çé 日本 👩\u200d💻\t[1m <b>", "çé 日本 👩\u200d💻\t[1m <b>"),
    "what is left": ("\u202egnp\x00\x84", "\u202egnp\x00\x84"),
}


@pytest.mark.proves("B-137", "S-35")
@pytest.mark.parametrize("name", CASES)
def test_what_drives_a_terminal_is_left_out(name: str) -> None:
    text, shown = CASES[name]
    assert printed(text) == shown
    assert not ACTIVE.search(str(inert(printed(text))))


@pytest.mark.proves("B-137")
def test_what_is_kept_of_an_agents_words_has_no_codes() -> None:
    """Card, notice, inbox and export are made of these."""
    said = "\x1b[31mno\x1b[0m\x1b]0;t\x07"
    end = End(
        seq=1,
        at=1,
        kind="end",
        why="exited",
        exit_code=1,
        tail=said,
        stderr=said,
        error={"kind": "x", "text": said},  # type: ignore[arg-type]
    )
    assert (end.tail, end.stderr, end.error and end.error.text) == ("no", "no", "no")
    report = worker_result('{"status": "completed", "summary": "\\u001b[1mdone\\u001b[m"}')
    assert report and report.summary == "done"


@pytest.mark.proves("F-39")
@pytest.mark.parametrize(
    "noise",
    ["\x9d", "\x1b]", "\x1b[", "\x1b[0", "\x1bPa", "\x1b  ", "a\x08", "\r", "\x1b]" + "a" * 50],
)
def test_noise_costs_what_its_length_says(noise: str) -> None:
    text = noise * (1_000_000 // len(noise))
    began = time.process_time()
    shown = printed(text)
    assert time.process_time() - began < 5
    assert not re.search("\x1b\\[[0-9;]*m", shown)
