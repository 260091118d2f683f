"""What CONTRIBUTING says of the code as a whole: short files, short functions, no import cycle."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCES = ROOT / "src"
FILES = [
    path for part in ("src", "tests", "tools", "docs", "notebooks") for path in (ROOT / part).rglob("*.py")
]
LONGEST_FILE, LONGEST_FUNCTION = 350, 60


def test_no_file_is_too_long() -> None:
    lengths = {path.relative_to(ROOT).as_posix(): len(path.read_bytes().splitlines()) for path in FILES}
    assert {path: length for path, length in lengths.items() if length > LONGEST_FILE} == {}


def test_no_function_is_too_long() -> None:
    found = {
        f"{path.relative_to(ROOT)}: {node.name}": node.end_lineno - node.lineno + 1
        for path in FILES
        for node in ast.walk(ast.parse(path.read_bytes()))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno is not None
    }
    assert {name: length for name, length in found.items() if length > LONGEST_FUNCTION} == {}


def imports(node: ast.AST) -> Iterator[str]:
    """The names that a piece of code imports, inside functions too, and not for type checkers alone."""
    if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
        return
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        assert node.level == 0, "imports are absolute"
        yield from (f"{node.module}.{alias.name}" for alias in node.names)
    for child in ast.iter_child_nodes(node):
        yield from imports(child)


def import_graph(sources: Path) -> dict[str, set[str]]:
    """For each module below a directory the modules below it that it imports."""
    names = {}
    for path in sources.rglob("*.py"):
        parts = path.relative_to(sources).with_suffix("").parts
        names[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    graph = {}
    for name, path in names.items():
        wanted = set(imports(ast.parse(path.read_bytes())))
        wanted |= {other.rpartition(".")[0] for other in wanted - names.keys()}  # a name of a module
        graph[name] = wanted & names.keys() - {name}
    return graph


def test_no_import_goes_in_a_circle() -> None:
    """The import contract holds for packages; this holds for the modules inside a package, too."""
    graph = import_graph(SOURCES)
    assert "pconv.engines.dense" in graph["pconv.engines.registry"], "an import inside a function"
    TopologicalSorter(graph).prepare()


def test_a_circle_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text("def late():\n    from two import name\n")
    (tmp_path / "two.py").write_text("import three\n")
    (tmp_path / "three.py").write_text("if True:\n    import one\n")
    with pytest.raises(CycleError):
        TopologicalSorter(import_graph(tmp_path)).prepare()
    (tmp_path / "three.py").write_text(
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import one\n"
    )
    TopologicalSorter(import_graph(tmp_path)).prepare()
