"""Finds tasks, agents, routines, missions and runs by their names; it only reads."""

import re
from collections.abc import Sequence

from roundtable_desktop.model.hits import Hit
from roundtable_desktop.store.db import View

EACH = 8
"""Hits of one kind, so that many runs hide no agent."""
RUNS = 2000
"""The newest ones, whose names are looked at; an end of an id finds any."""
WORDS = 8

_NUMBER = re.compile(r"(?:t-|#)?(\d{1,9})", re.ASCII | re.IGNORECASE)
_END = re.compile(r"[0-9a-z]{6,26}", re.ASCII)

_TASKS = """
SELECT 'task' AS kind, t.id, t.title AS name, t.number, w.name AS place, t.created_at AS at
FROM tasks AS t JOIN workspaces AS w ON w.id = t.workspace_id
WHERE t.routine_id IS NULL AND {called} ORDER BY t.id DESC LIMIT :each
"""
_AGENTS = """
SELECT 'agent' AS kind, a.id, a.name, NULL AS number, w.name AS place, a.created_at AS at
FROM agents AS a JOIN workspaces AS w ON w.id = a.workspace_id
WHERE a.status <> 'retired' AND {called} ORDER BY a.id DESC LIMIT :each
"""
_ROUTINES = """
SELECT 'routine' AS kind, r.id, r.name, NULL AS number, w.name AS place, r.created_at AS at
FROM office_routines AS r JOIN workspaces AS w ON w.id = r.workspace_id
WHERE r.deleted_at IS NULL AND {called} ORDER BY r.id DESC LIMIT :each
"""
_LINE = "trim(m.goal, ' ' || char(9) || char(10) || char(13))"
_CALLED = f"substr({_LINE}, 1, instr({_LINE} || char(10), char(10)) - 1)"
"""A mission is called after the first line of its goal."""
_MISSIONS = f"""
SELECT 'mission' AS kind, m.id, {_CALLED} AS name, NULL AS number, w.name AS place,
    m.created_at AS at
FROM missions AS m JOIN workspaces AS w ON w.id = m.workspace_id
WHERE {{called}} ORDER BY m.id DESC LIMIT :each
"""
_RUNS = """
SELECT 'run' AS kind, r.id, coalesce(t.title, a.name) AS name, t.number, w.name AS place,
    r.created_at AS at
FROM {of} AS r JOIN agents AS a ON a.id = r.agent_id JOIN workspaces AS w ON w.id = r.workspace_id
LEFT JOIN tasks AS t ON t.id = r.task_id
WHERE {called} ORDER BY r.id DESC LIMIT :each
"""
_NEWEST = f"(SELECT * FROM runs ORDER BY id DESC LIMIT {RUNS})"


def by_name(view: View, text: str, most: int) -> list[Hit]:
    """Those whose names have every word of `text`, newest first; without a word the newest."""
    words = text.split()[:WORDS]
    found = [
        *_found(view, _TASKS, words, ["t.title"], "t.number"),
        *_found(view, _AGENTS, words, ["a.name"]),
        *_found(view, _ROUTINES, words, ["r.name"]),
        *_found(view, _MISSIONS, words, [_CALLED]),
        *_found(view, _RUNS.replace("{of}", _NEWEST), words, ["t.title", "a.name"], "t.number"),
        *_by_end(view, words),
    ]
    once = {(one.kind, one.id): one for one in found}
    return sorted(once.values(), key=lambda one: (one.at, one.id), reverse=True)[:most]


def _by_end(view: View, words: Sequence[str]) -> list[Hit]:
    """A run by the end of its id, as people copy it from a page."""
    if len(words) != 1 or not _END.fullmatch(words[0]):
        return []
    values = {"end": f"%{words[0]}", "each": 2}
    sql = _RUNS.replace("{of}", "runs").replace("{called}", "r.id LIKE :end")
    return [Hit(**row) for row in view.sql(sql, values)]


def _found(
    view: View, sql: str, words: Sequence[str], columns: Sequence[str], number: str = ""
) -> list[Hit]:
    values: dict[str, object] = {"each": EACH}
    every = [_holds(word, place, columns, number, values) for place, word in enumerate(words)]
    text = sql.replace("{called}", " AND ".join(every) or "true")
    return [Hit(**row) for row in view.sql(text, values)]


def _holds(
    word: str, place: int, columns: Sequence[str], number: str, values: dict[str, object]
) -> str:
    """SQLite's LIKE knows small and capital letters of ASCII alone, so others are spelt out."""
    spelt = dict.fromkeys((word, word.lower(), word.upper(), word.capitalize()))
    each = []
    for way, one in enumerate(spelt if not word.isascii() else [word]):
        values[f"w{place}_{way}"] = f"%{_literal(one)}%"
        each += [rf"{column} LIKE :w{place}_{way} ESCAPE '\'" for column in columns]
    if number and (meant := _NUMBER.fullmatch(word)):
        values[f"n{place}"] = int(meant[1])
        each.append(f"{number} = :n{place}")
    return f"({' OR '.join(each)})"


def _literal(word: str) -> str:
    return re.sub(r"([%_\\])", r"\\\1", word)
