"""`import pconv`: the names that it exports."""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import pconv


def test_type_checkers_see_the_names_that_are_exported() -> None:
    """The imports for type checkers are a second list; the two must not differ."""
    tree = ast.parse(inspect.getsource(pconv))
    imported = {
        alias.name: node.module
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("pconv.")
        for alias in node.names
    }
    assert imported == pconv._MODULES


@pytest.mark.parametrize("name", pconv.__all__)
def test_a_name_is_what_its_module_defines(name: str) -> None:
    """A subpackage of the same name would replace it when it is imported."""
    assert getattr(pconv, name).__module__ == pconv._MODULES[name]


def test_a_notebook_has_what_it_needs() -> None:
    needed = {"train", "Store", "sweep", "study", "probe", "judge", "predict", "explain"}
    assert needed <= set(dir(pconv))
    with pytest.raises(AttributeError, match="has no attribute 'nonsense'"):
        _ = pconv.nonsense


def test_importing_loads_neither_numpy_nor_torch() -> None:
    code = "import sys, pconv; assert not {'numpy', 'torch'} & set(sys.modules), sorted(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


SOURCES = Path(pconv.__file__).parent
DESCRIBED_ELSEWHERE = ("cli", "engines/sparse/kernels")
"""Commands have help; compiled kernels have no callers but their engine."""
WITH_EXAMPLES = ("theory", "data", "evaluate")
"""The packages of which users call more than `import pconv` offers."""


def long_signatures() -> Iterator[tuple[str, str, str]]:
    """Module, name and docstring of public functions and methods with more than two parameters."""
    for path in sorted(SOURCES.rglob("*.py")):
        module = path.relative_to(SOURCES).as_posix()
        if module.startswith(DESCRIBED_ELSEWHERE):
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
        methods = (node for found in classes if not found.name.startswith("_") for node in found.body)
        for node in (*tree.body, *methods):
            if not isinstance(node, ast.FunctionDef) or node.name.startswith("_"):
                continue
            given = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
            names = [argument.arg for argument in given if argument.arg not in ("self", "cls")]
            if len(names) > 2 and node.name != "from_options":  # the options of `pconv figure` have help
                yield module, node.name, ast.get_docstring(node) or ""


def test_functions_of_many_parameters_describe_them() -> None:
    undescribed = [
        f"{module}: {name}" for module, name, text in long_signatures() if "Parameters\n" not in text
    ]
    assert undescribed == []


def test_functions_that_users_call_have_an_example() -> None:
    without = [
        f"{module}: {name}"
        for module, name, text in long_signatures()
        if (module.startswith(WITH_EXAMPLES) or name.startswith("register_") or name in pconv.__all__)
        and ">>>" not in text
    ]
    assert without == []
