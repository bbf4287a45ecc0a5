"""What the checks of the house read, and what they say."""

import ast
import fnmatch
import functools
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

PACKAGE = "roundtable_desktop"
ROOT = Path(__file__).resolve().parents[2]


class Finding(NamedTuple):
    path: str
    line: int
    advice: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.advice}"


class Import(NamedTuple):
    """target: dotted, with the imported name at its end; late: inside a function."""

    line: int
    target: str
    late: bool


class Source:
    """A Python file, parsed once. path: from the root of the checkout, with slashes."""

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.text = text
        self.tree = ast.parse(text, path)
        self.nodes = nodes_of(self.tree)
        parts = path.removesuffix(".py").split("/")
        self.package = parts[:-1]
        self.module = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        self.inner = parts[1:] if parts[0] == PACKAGE else []
        self.room = self.inner[0] if self.inner else ""

    @functools.cached_property
    def imports(self) -> list[Import]:
        return list(self._read_imports())

    @functools.cached_property
    def references(self) -> list[tuple[int, str]]:
        """Every name and attribute by its full name, whatever the file calls it."""
        return list(self._read_references())

    def _read_imports(self) -> Iterator[Import]:
        late = {
            id(inner)
            for node in self.nodes
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            for inner in nodes_of(node)
        }
        for node in self.nodes:
            if isinstance(node, ast.Import):
                for alias in node.names:
                    yield Import(node.lineno, alias.name, id(node) in late)
            elif isinstance(node, ast.ImportFrom):
                base = self.package[: len(self.package) - node.level + 1] if node.level else []
                stem = [*base, *([node.module] if node.module else [])]
                for alias in node.names:
                    yield Import(node.lineno, ".".join([*stem, alias.name]), id(node) in late)

    def _read_references(self) -> Iterator[tuple[int, str]]:
        origins: dict[str, str] = {}
        for node in self.nodes:
            if isinstance(node, ast.Import):
                origins |= {a.asname: a.name for a in node.names if a.asname}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                origins |= {a.asname or a.name: f"{node.module}.{a.name}" for a in node.names}
        for node in self.nodes:
            if isinstance(node, ast.Name | ast.Attribute):
                parts = _written(node).split(".")
                yield node.lineno, ".".join([origins.get(parts[0], parts[0]), *parts[1:]])


def nodes_of(tree: ast.AST) -> list[ast.AST]:
    """As `ast.walk` goes through them, in half its time: there are a million."""
    found = [tree]
    for node in found:
        for name in node._fields:
            value = getattr(node, name, None)
            if isinstance(value, list):
                found += [one for one in value if isinstance(one, ast.AST)]
            elif isinstance(value, ast.AST):
                found.append(value)
    return found


def _written(node: ast.Name | ast.Attribute) -> str:
    """As `ast.unparse` writes it, in a tenth of its time where it is names and dots."""
    parts: list[str] = []
    one: ast.AST = node
    while isinstance(one, ast.Attribute):
        parts.append(one.attr)
        one = one.value
    return ".".join([one.id, *reversed(parts)]) if isinstance(one, ast.Name) else ast.unparse(node)


def checkout_files(root: Path) -> Iterator[Path]:
    """Every file that is no product of work, by the names in `.gitignore`."""
    patterns = [line.strip("/") for line in (root / ".gitignore").read_text().split()]

    def walk(folder: Path) -> Iterator[Path]:
        for path in sorted(folder.iterdir()):
            ignored = any(fnmatch.fnmatch(path.name, pattern) for pattern in patterns)
            if ignored or path.name == ".git" or (path / "pyvenv.cfg").exists():
                continue
            if path.is_dir():
                yield from walk(path)
            else:
                yield path

    yield from walk(root)
