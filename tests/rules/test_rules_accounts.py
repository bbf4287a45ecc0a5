"""Who pays for an agent, as far as its program says it; and how long a limit holds them."""

import json
from datetime import timedelta
from pathlib import Path

import pytest
from ground import NOW

from roundtable_desktop.model.holds import ProviderHold
from roundtable_desktop.model.states import Adapter, ErrorKind, HoldState
from roundtable_desktop.model.verdicts import Go, Hold
from roundtable_desktop.rules.accounts import ACCOUNT_CHARS, account_of, free, held_until
from roundtable_desktop.store import migrate

LONG = "x" * 300
COMMANDS = [
    (Adapter.ACP, ["claude-agent-acp"], "claude-agent-acp"),
    (Adapter.ACP, ["/opt/joan/bin/claude-agent-acp", "--debug"], "claude-agent-acp"),
    (Adapter.COMMAND, ["codex", "exec", "-"], "codex"),
    (Adapter.COMMAND, ["sh", "-c", "cat > NOTE.md"], "sh -c cat > NOTE.md"),
    (Adapter.COMMAND, ["sh", "-c", "one\ntwo"], "sh -c one two"),
    (Adapter.COMMAND, ["/usr/bin/python3.11", "a.py"], "/usr/bin/python3.11 a.py"),
    (Adapter.COMMAND, ["pythonista", "a.py"], "pythonista"),
    (Adapter.ACP, ["npx", "-y", "@zed/codex-acp"], "npx -y @zed/codex-acp"),
    (Adapter.COMMAND, ["env", "A=1", "claude"], "env A=1 claude"),
    (Adapter.COMMAND, ["folder/"], "folder/"),
    (Adapter.COMMAND, [LONG], LONG[:ACCOUNT_CHARS]),
    (Adapter.COMMAND, ["sh", "-c", LONG + "end"], None),
    (Adapter.DEMO, [], "demo-00000012"),
]


@pytest.mark.proves("C-37")
@pytest.mark.parametrize(("adapter", "command", "account"), COMMANDS)
def test_the_program_says_whose_account_it_uses(
    adapter: Adapter, command: list[str], account: str | None
) -> None:
    found = account_of(adapter, command, "0" * 24 + "12")
    assert found == (account or found) and 0 < len(found) <= ACCOUNT_CHARS


def test_long_commands_that_end_differently_are_not_one_account() -> None:
    one, other = (["sh", "-c", LONG + end] for end in ("one", "other"))
    assert account_of(Adapter.COMMAND, one, "1") != account_of(Adapter.COMMAND, other, "1")


@pytest.mark.proves("C-37", "D-02")
def test_agents_of_an_old_home_get_the_account_that_they_would_get_now(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sqlite3
    from contextlib import closing

    path, known = tmp_path / "old.db", migrate.migrations()
    before = next(number for number, text in known if "provider_holds" in text) - 1
    with monkeypatch.context() as patch:
        patch.setattr(migrate, "migrations", lambda: known[:before])
        patch.setattr(migrate, "_views", lambda: iter(()))
        migrate.migrate(path, tmp_path, NOW)
    with closing(sqlite3.connect(path)) as db:
        db.execute(
            "INSERT INTO workspaces (id, number, name, path, git_dir, base_branch, timezone,"
            " delivery, author_name, author_email, created_at, updated_at)"
            " VALUES ('w', 1, 'w', '/w', '/w/.git', 'main', 'UTC', 'auto', 'J', 'j', 0, 0)"
        )
        for number, (adapter, command, _) in enumerate(COMMANDS):
            values = (f"{number:026d}", f"a{number}", str(adapter), json.dumps(command))
            db.execute(
                "INSERT INTO agents (id, workspace_id, name, role, adapter, command, status,"
                " created_at, updated_at) VALUES (?, 'w', ?, 'worker', ?, ?, 'active', 0, 0)",
                values,
            )
        db.commit()
    migrate.migrate(path, tmp_path, NOW)
    with closing(sqlite3.connect(path)) as db:
        found = db.execute("SELECT id, account FROM agents ORDER BY id").fetchall()
    wanted = [
        (f"{number:026d}", account_of(adapter, command, f"{number:026d}"))
        for number, (adapter, command, _) in enumerate(COMMANDS)
    ]
    assert found == wanted


def held(seconds: float, **changes: object) -> ProviderHold:
    words: dict[str, object] = {
        "account": "one",
        "agent_id": "",
        "state": HoldState.HELD,
        "until_at": NOW + timedelta(seconds=seconds),
        "kind": ErrorKind.QUOTA_LIMITED,
        "model": None,
        "told": None,
        "tries": 0,
        "run_id": "r",
        "trial_id": None,
        "trial_until_at": None,
        "since_at": NOW,
    }
    return ProviderHold(**{**words, **changes})  # type: ignore[arg-type]


TRIAL = {"trial_id": "w", "trial_until_at": NOW + timedelta(seconds=90)}


@pytest.mark.proves("C-37")
@pytest.mark.parametrize(
    ("holds", "reason", "seconds"),
    [
        ([held(60)], "account", 60),
        ([held(60, agent_id="a")], "model", 60),
        ([held(2, state=HoldState.SPREAD)], "spread", 2),
        ([held(0, **TRIAL, trying=True)], "trial", 90),
        ([held(60), held(300, agent_id="a")], "model", 300),
        ([held(60, **TRIAL, trying=True)], "account", 60),
    ],
)
def test_what_a_hold_keeps_waiting(holds: list[ProviderHold], reason: str, seconds: int) -> None:
    answer = free(holds, NOW)
    assert isinstance(answer, Hold)
    assert (answer.held_by, answer.until) == (reason, NOW + timedelta(seconds=seconds))


@pytest.mark.proves("C-37")
@pytest.mark.parametrize(
    "holds",
    [
        [],
        [held(0)],
        [held(-1, state=HoldState.SPREAD)],
        [held(0, **TRIAL, trying=False)],
        [held(0, **{**TRIAL, "trial_until_at": NOW}, trying=True)],
    ],
)
def test_what_no_longer_holds(holds: list[ProviderHold]) -> None:
    assert isinstance(free(holds, NOW), Go)


@pytest.mark.proves("C-37", "K-34")
def test_a_limit_that_says_no_time_is_waited_for_by_a_back_off() -> None:
    waits = [held_until(None, tries, NOW, lambda: 0.0) - NOW for tries in range(6)]
    assert [wait.total_seconds() / 60 for wait in waits] == [2, 10, 30, 120, 120, 120]
    stated = NOW + timedelta(days=3)
    assert held_until(stated, 5, NOW, lambda: 1.0) == stated
