"""Methods by name and from files."""

from __future__ import annotations

from pathlib import Path

import pytest

from pconv.board.registry import METHODS, chosen_methods, methods, register_method
from pconv.errors import InputError
from tests.cli.conftest import installed

SHIPPED = [
    *("integrated-gradients", "occlusion", "saliency", "input-x-gradient", "deep-lift", "shapley-sampling"),
    *("kernel-shap", "feature-ablation", "large-exponents", "columns-of-m"),
]


@pytest.fixture(autouse=True)
def _clean_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(METHODS, "_found", {name: methods()[name] for name in SHIPPED})


@pytest.fixture
def own(tmp_path: Path) -> Path:
    path = tmp_path / "my_method.py"
    path.write_text("def attribute(network, grids, target):\n    return 2 * grids\n")
    return path


def test_the_methods_that_ship() -> None:
    assert list(methods()) == SHIPPED
    assert [method.name for method in methods().values() if method.cheat] == SHIPPED[-2:]


def test_what_a_file_prints_is_no_output_of_the_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "talks.py"
    path.write_text("print('loading')\ndef attribute(network, grids, target):\n    return grids\n")
    chosen_methods([str(path)])
    assert capsys.readouterr() == ("", "loading\n")


def test_files_are_added_and_names_select(own: Path) -> None:
    names = [
        [method.name for method in chosen_methods(given)]
        for given in ([], [str(own)], ["saliency", str(own)])
    ]
    assert names == [SHIPPED, [*SHIPPED, "my_method"], ["saliency", "my_method"]]


def test_a_method_of_a_program() -> None:
    register_method("doubled")(lambda network, grids, target: 2 * grids)
    assert [method.name for method in chosen_methods([])] == [*SHIPPED, "doubled"]


def test_a_method_of_an_installed_package(tmp_path: Path) -> None:
    code = (
        "from pconv.board.registry import AttributionMethod\n"
        "halved = AttributionMethod('halved', lambda network, grids, target: grids / 2)\n"
    )
    with installed(tmp_path / "site", "my_methods", code, {"pconv.methods": "halved"}):
        assert [method.name for method in chosen_methods(["halved"])] == ["halved"]


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("def attribute(", "cannot be loaded .SyntaxError"),
        ("1 / 0", "cannot be loaded .ZeroDivisionError: division by zero"),
        ("raise SystemExit(3)", "cannot be loaded .SystemExit: 3"),
        ("attribute = 3", "must define a function attribute.network, grids, target"),
        (None, "does not exist"),
    ],
)
def test_a_file_that_is_no_method(tmp_path: Path, code: str | None, message: str) -> None:
    path = tmp_path / "bad.py"
    if code is not None:
        path.write_text(code)
    with pytest.raises(InputError, match=message):
        chosen_methods([str(path)])


def test_names_are_known_and_different(own: Path) -> None:
    with pytest.raises(InputError, match=r"method 'salience': must be a file \.py, or one of: .*saliency"):
        chosen_methods(["salience"])
    with pytest.raises(InputError, match="my_method: is the name of two methods"):
        chosen_methods([str(own), str(own)])
