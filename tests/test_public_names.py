"""`import pconv`: the names that it exports."""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys

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
