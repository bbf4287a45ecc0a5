"""Checks of how a file looks: names, lengths, its first sentence, words that do not belong."""

import ast
import re
from collections.abc import Iterator

from house.source import Finding, Source

FILE_LINES = 400
FUNCTION_LINES = 60

VAGUE = {"util", "utils", "helper", "helpers", "common", "misc", "manager", "service", "base"}
VAGUE_CLASS = re.compile(r"(Utils?|Helpers?|Common|Misc|Manager|Service|Base)$")

# One of these words is a status of the seeds, and a note only in a comment or before a colon.
# Written with brackets, so that this file does not find itself.
UNFINISHED = re.compile(
    r"\b(?:FIXM[E]|X[X]X|NotImplemente[d]Error)\b|(?:#|//|/\*|<!--).*\bTOD[O]\b|(?<!\.)\bTOD[O]\s*[:(]"
)
# An example of a home is called after somebody.
MACHINE_PATH = re.compile(
    r"(?<![\w.)\]}>*-])/(?:work|root|tmp/\w+|(?:home|Users)(?!/somebody\b))/[\w.]"
)


def vague_names(source: Source) -> Iterator[Finding]:
    """A name says what the thing is for."""
    for part in source.path.removesuffix(".py").split("/"):
        if VAGUE.intersection(part.split("_")):
            yield Finding(source.path, 1, f"{part!r} says nothing; name what it does")
    for node in source.nodes:
        if isinstance(node, ast.ClassDef) and VAGUE_CLASS.search(node.name):
            yield Finding(source.path, node.lineno, f"{node.name!r} says nothing; name what it is")


def long_functions(source: Source) -> Iterator[Finding]:
    for node in source.nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            if length > FUNCTION_LINES:
                advice = f"{node.name} has {length} lines, {FUNCTION_LINES} at most; split it"
                yield Finding(source.path, node.lineno, advice)


def first_sentence(source: Source) -> Iterator[Finding]:
    """A room begins with one sentence that says what it is for; an empty file needs none."""
    told = ast.get_docstring(source.tree) or ""
    opening = " ".join(told.split("\n\n")[0].split())
    if source.tree.body and not (opening.endswith(".") or ". " in opening):
        yield Finding(source.path, 1, "begin with one sentence that says what the file is for")


def long_files(path: str, text: str) -> Iterator[Finding]:
    length = len(text.splitlines())
    if path.endswith((".py", ".js", ".css", ".html")) and length > FILE_LINES:
        yield Finding(path, FILE_LINES, f"{length} lines, {FILE_LINES} at most; make two rooms")


def unfinished(path: str, text: str) -> Iterator[Finding]:
    for number, line in enumerate(text.splitlines(), 1):
        if word := UNFINISHED.search(line):
            yield Finding(path, number, f"{word[0]}: finish it, or write a row for it")


def machine_paths(path: str, text: str) -> Iterator[Finding]:
    for number, line in enumerate(text.splitlines(), 1):
        if found := MACHINE_PATH.search(line):
            yield Finding(path, number, f"{found[0]}…: no path of one machine belongs here")
