"""`pconv theory`, `explain`, `design` and `crucial`, run as a user runs them."""

from __future__ import annotations

import json
import os
from math import log
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run, installed

OURS = [[0], [1, 5, 9, 13], [2, 10], [3, 11], [4, 12], [6], [7], [8], [14], [15]]
THEIRS = [[0], [1, 5, 9, 13], [2, 6, 10], [3, 7, 11], [4, 8, 12], [14], [15]]


def json_of(pconv: Run, *arguments: object) -> Any:
    done = pconv(*arguments, "--json")
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return json.loads(done.stdout)


def test_theory_as_json(pconv: Run) -> None:
    document = json_of(pconv, "theory", "-m", 16, "-B", 2)
    paper, grid = document["rivals"]["paper"], document["rivals"]["grid"]
    assert (document["modulus"], document["offsets"], document["rows"]) == (16, [0, 1, 2], 3)
    assert (document["solved"], document["groups"], document["distinguishable"]) == (False, OURS, 10)
    assert (document["ceiling"], document["ceiling_fraction"]) == (0.625, "5/8")
    assert document["exact_ceiling"] == pytest.approx(0.6371, abs=5e-5)
    assert document["components"] == [
        {"prime": 2, "exponent": 4, "totient": 8, "distinguishable": 10, "solved": False}
    ]
    assert (paper["solved"], paper["groups"], paper["ceiling"]) == (False, THEIRS, 0.4375)
    assert (grid["solved"], grid["ceiling"]) == (True, 1)
    assert document["law"].endswith("iff gcd(c+o, 16) = gcd(c'+o, 16) for every row n+o of n..n+2.")
    floors = [(one["loss_floor"], one["exact_loss_floor"]) for one in (document, paper, grid)]
    by_hand = (4 * log(4) + 6 * log(2)) / 16, (4 * log(4) + 9 * log(3)) / 16, 0
    for (uniform, exact), expected, counted in zip(floors, by_hand, (0.5843, 0.9472, 0), strict=True):
        assert uniform == pytest.approx(expected)
        assert exact == pytest.approx(counted, abs=5e-5)


def test_theory_of_the_largest_modulus_answers_at_once(pconv: Run) -> None:
    document = json_of(pconv, "theory", "-m", 2**63 - 1, "-B", 24)
    assert document["groups"] is None
    assert document["exact_ceiling"] is None
    assert document["exact_loss_floor"] is None
    assert 0 < document["loss_floor"] == pytest.approx(document["rivals"]["paper"]["loss_floor"])
    assert document["rivals"]["paper"]["groups"] is None
    assert document["distinguishable"] == 32 * 26**5


def test_theory_lists_groups_up_to_max_groups(pconv: Run) -> None:
    assert json_of(pconv, "theory", "-m", 16, "--max-groups", 15)["groups"] is None
    assert len(json_of(pconv, "theory", "-m", 16, "--max-groups", 16)["groups"]) == 16


def test_theory_says_where_the_paper_does_not_apply(pconv: Run) -> None:
    document = json_of(pconv, "theory", "-m", 22, "--offsets", "-1,0,4", "-N", 4)
    assert document["rivals"]["paper"] is None
    assert document["components"][1]["distinguishable"] == 1
    assert "gcd(c+o, 2) = gcd(c'+o, 2) for every row n+o of n-1, n, n+4" in document["law"]
    assert document["loss_floor"] == pytest.approx(log(11))


def test_theory_of_labels_has_floors_too(pconv: Run) -> None:
    document = json_of(pconv, "theory", "-m", 11, "--task", "quadratic")
    assert document["loss_floor"] == pytest.approx(2 / 11 * log(2))
    assert document["exact_loss_floor"] == pytest.approx(0.1232, abs=5e-5)
    solved = json_of(pconv, "theory", "-m", 11, "--task", "divisibility", "--limit", 20_000)
    assert solved["loss_floor"] == 0


def test_theory_of_a_test_set(pconv: Run) -> None:
    document = json_of(pconv, "theory", "-m", 11, "--test-size", 512)
    low, high = document["accuracy_range"]
    assert low < document["exact_ceiling"] < high


def test_theory_in_the_terminal(pconv: Run) -> None:
    done = pconv("theory", "-m", 16, "-B", 2)
    assert done.returncode == 0
    assert done.stderr == ""
    assert "{1, 5, 9, 13}, {2, 10}, {3, 11}, {4, 12}" in done.stdout
    assert "0.4375 = 7/16         0.4494      0.9472" in done.stdout
    law = "classes c and c' modulo 16 are mixed iff gcd(c+o, 16) = gcd(c'+o, 16) for every row n+o of n..n+2."
    assert law in " ".join(done.stdout.split())
    assert " 3  · · ·██ · · · · · · ·██ · · · ·" in done.stdout


def test_theory_draws_copies_of_the_unknown_component(pconv: Run) -> None:
    shown = pconv("theory", "-m", 22, "-B", 8).stdout
    assert "the pattern modulo 11, 2 copies of it" in shown
    assert "identified otherwise" not in shown


def test_theory_loads_neither_torch_nor_numba(
    pconv_process: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for heavy in ("torch", "numba", "sympy", "scipy"):
        (tmp_path / f"{heavy}.py").write_text("raise ImportError('not here')")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")]))
    for command in (["theory", "-m", 22], ["explain", "-m", 22], ["design", "-m", 22]):
        done = pconv_process(*command)
        assert (done.returncode, done.stderr) == (0, "")


def test_explain_a_class_and_a_number(pconv: Run) -> None:
    alike = "no multiple of 11 is among n..n+8 when n is 1 or 2 modulo 11, so the two look alike"
    document = json_of(pconv, "explain", "-m", 11, "-B", 8, "-c", 1)
    assert any(alike in sentence for sentence in document["sentences"])
    assert document["certificate"]["numbers"] == [1, 2]
    assert "gcd(c+o, 11) = gcd(c'+o, 11)" in document["law"]
    done = pconv("explain", "-m", 11, "-B", 8, "-n", 123456)
    assert "row n+8 is a multiple of 11: n is 3 modulo 11" in done.stdout
    assert "gcd(c+o, 11) = gcd(c'+o, 11)" in done.stdout
    assert alike in " ".join(pconv("explain", "-m", 11, "-B", 8).stdout.split())


def test_design(pconv: Run) -> None:
    found = json_of(pconv, "design", "-m", 25)
    assert (found["successors"], found["rows"], found["offsets"]) == (19, 20, list(range(20)))
    chosen = json_of(pconv, "design", "-m", 6, "--offsets", "0,3,6,7,9")
    assert (chosen["offsets"], chosen["minimal"]) == ([0, 7], True)
    assert "do not identify every class" in pconv("design", "-m", 25, "--offsets", "0:5").stdout


def test_crucial(pconv: Run) -> None:
    found = json_of(pconv, "crucial", "--successors", "2:11", "--max-modulus", 100)
    first = found[0]
    assert (first["modulus"], first["successors"], first["test_numbers"]) == (16, 2, 76)
    assert first["ceilings"] == {"signature": 0.625, "paper": 0.4375}
    listed = [(one["modulus"], one["successors"]) for one in found]
    assert listed == sorted(listed)
    words = " ".join(pconv("crucial", "--help").stdout.split())
    assert "the smallest m first" in words, "the help says how the list is sorted"
    table = pconv("crucial", "--successors", "2", "--max-modulus", 20).stdout
    assert "0.6250  0.4375     76" in table
    assert "agree on all" in pconv("crucial", "--max-modulus", 15).stdout


def test_a_theory_of_another_package_reaches_every_comparison(pconv: Run, tmp_path: Path) -> None:
    code = (
        "from pconv.theory import Listed, register_theory\n"
        "@register_theory('parity', claim='only the parity of n is ever seen')\n"
        "def parity(question):\n"
        "    return [Listed(c % 2 for c in range(question.modulus))]\n"
    )
    with installed(tmp_path / "site", "my_theories", code, {"pconv.theories": "parity"}):
        rivals = json_of(pconv, "theory", "-m", 6)["rivals"]
        assert rivals["parity"]["groups"] == [[0, 2, 4], [1, 3, 5]]
        arguments = ("crucial", "--theories", "parity,signature", "--max-modulus", 3, "--successors", "2")
        assert [one["modulus"] for one in json_of(pconv, *arguments)] == [3]
    assert "parity" not in json_of(pconv, "theory", "-m", 6)["rivals"]


BAD = [
    (["theory"], "--modulus"),
    (["theory", "-m", "1"], "--modulus 1"),
    (["theory", "-m", "0"], "--modulus 0"),
    (["theory", "-m", "abc"], "'abc'"),
    (["theory", "-m", str(2**63)], f"--modulus {2**63}"),
    (["theory", "-m", "7", "--offsets", ""], "--offsets ''"),
    (["theory", "-m", "7", "--offsets", "1,1"], "--offsets 1,1"),
    (["theory", "-m", "7", "-B", "-1"], "--successors -1"),
    (["theory", "-m", "7", "-N", "0"], "--primes 0"),
    (["theory", "-m", "7", "--limit", "1"], "--limit 1"),
    (["theory", "-m", "7", "--test-size", "0"], "--test-size 0"),
    (["explain", "-m", "7", "-c", "7"], "--class 7"),
    (["explain", "-m", "7", "-n", "0"], "--number 0"),
    (["explain", "-m", "7", "-n", "5", "-c", "5"], "--class 5"),
    (["design", "-m", "1"], "--modulus 1"),
    (["design", "-m", "7", "--offsets", "x"], "--offsets 'x'"),
    (["crucial", "--successors", "x"], "--successors 'x'"),
    (["crucial", "--max-modulus", "1"], "--max-modulus 1"),
    (["crucial", "--theories", "paper"], "--theories paper"),
    (["crucial", "--theories", "paper,tea"], "--theories paper,tea"),
    (["crucial", "--confidence", "2"], "--confidence 2.0"),
]


@pytest.mark.parametrize(("arguments", "named"), BAD)
def test_bad_input_gets_one_line(pconv: Run, arguments: list[str], named: str) -> None:
    done = pconv(*arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("pconv: ")
    assert named in done.stderr
