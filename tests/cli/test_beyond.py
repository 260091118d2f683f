"""Other architectures and representations, as a user asks for them and adds to them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run, installed

SIZES = ("-B3", "-N8", "-r40", "-s64", "-t2", "--test-size=500", "--limit=20000")


def test_a_representation_outside_the_theories(pconv: Run, tmp_path: Path) -> None:
    message = "The theory 'signature' does not apply to the representation binary."
    command = ("train", "-m2", *SIZES, "-k3", "--representation=binary")
    done = pconv(*command, "--json", "--save=w.safetensors")
    assert done.returncode == 0
    document = json.loads(done.stdout)
    assert document["verdict"] is None
    assert list(document["theories"]) == ["grid"]
    text = pconv(*command).stdout
    assert f"verdict: none. {message}\n" in text
    assert "grid" in text

    run_id = document["run_id"]
    assert message in pconv("show", run_id).stdout
    assert json.loads(pconv("show", run_id, "--json").stdout)["verdict"] is None
    listed = pconv("runs").stdout
    assert "binary" in listed
    assert "signature does not apply" in listed
    rows = json.loads(pconv("classify", "w.safetensors", 12, "--json").stdout)
    assert "does not apply" in rows[0]["why"]
    assert pconv("report").returncode == 0
    assert message in (tmp_path / "report.html").read_text()
    assert pconv("figure", "confusion", run_id, "-o", "c.svg").returncode == 0
    probed = pconv("probe", "w.safetensors")
    assert (probed.returncode, probed.stderr) == (
        2,
        "pconv: representation binary: the probes are made for exponents\n",
    )


def test_another_architecture(pconv: Run, tmp_path: Path) -> None:
    command = ("train", "-m2", *SIZES, "--architecture=mlp")
    document = json.loads(pconv(*command, "--json", "--save=w.safetensors").stdout)
    assert document["verdict"]["theory"] == "signature"
    assert document["environment"]["engine"] == "dense"
    assert (
        "-m 2 -B 3 -N 8 -r 40 -s 64 -t 2 --limit 20000 --test-size 500 --architecture mlp"
        in pconv("runs").stdout
    )
    assert pconv("report").returncode == 0
    probed = pconv("probe", "w.safetensors", "--probe=layers")
    assert (probed.returncode, probed.stderr) == (
        2,
        "pconv: --probe layers: reads the layers of pconv, not those of mlp\n",
    )
    report = json.loads(pconv("probe", "w.safetensors", "--numbers=200", "--json").stdout)
    assert {finding["probe"] for finding in report["findings"]} >= {"interventions", "extrapolation"}
    assert not {finding["probe"] for finding in report["findings"]} & {"layers", "attribution"}


BAD = [
    ("train -m5 --architecture lstm", "--architecture lstm: must be one of: pconv, pconv-nobias, mlp,"),
    ("train -m5 --representation digits", "--representation digits: must be one of: exponents, capped,"),
    ("train -m5 --representation residues --theory paper", "does not apply to the representation residues"),
    ("theory -m5 --representation binary", "--representation binary: the signature theory does not apply"),
    ("sweep spec.toml", "pconv: representation digits: must be one of: exponents, capped, binary, residues"),
    ("sweep spec.toml --dry-run", "pconv: representation digits: must be one of"),
]


@pytest.mark.parametrize(("arguments", "message"), BAD)
def test_what_there_is_not_is_noticed_before_anything_is_written(
    pconv: Run, tmp_path: Path, arguments: str, message: str
) -> None:
    (tmp_path / "spec.toml").write_text('[grid]\nmodulus = 5\nrepresentation = ["exponents", "digits"]\n')
    done = pconv(*arguments.split())
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert message in done.stderr
    assert not (tmp_path / "pconv.db").exists()


def test_the_theory_of_other_representations(pconv: Run) -> None:
    residues = json.loads(pconv("theory", "-m12", "--representation=residues", "--json").stdout)
    assert residues["groups"] == [[c, c + 6] for c in range(6)]
    assert residues["rivals"]["paper"] is None
    assert "the column of 2 shows n modulo 2 alone" in " ".join(
        pconv("theory", "-m12", "--representation=residues").stdout.split()
    )
    capped = json.loads(pconv("theory", "-m9", "--representation=capped", "--json").stdout)
    assert capped["ceiling_fraction"] == "1/3"


MINE = """
import numpy as np
from torch import nn
from pconv.data.representations import ColumnContent, Representation
from pconv.models.registry import Architecture

def centred(numbers, offsets, columns):
    primes = np.array([2, 3, 5, 7, 11, 13, 17, 19])[:columns]
    rows = numbers[:, None, None] + np.array(offsets)[:, None]
    return rows % primes / primes - 0.5

centred = Representation("centred", "residues around zero", centred, shows=ColumnContent.RESIDUES)

def linear(rows, columns, classes, config):
    return nn.Sequential(nn.Flatten(), nn.Linear(rows * columns, classes))

linear = Architecture("linear", "one layer", linear)
"""
ENTRIES = {"pconv.representations": "centred", "pconv.architectures": "linear"}


def test_an_installed_package_brings_both(pconv: Run, tmp_path: Path) -> None:
    """From a sweep, whose workers are processes of their own, to the page."""
    (tmp_path / "spec.toml").write_text(
        "[grid]\nmodulus = [4, 6]\nsuccessors = 3\nprimes = 4\nbatches = 20\nbatch_size = 64\nepochs = 1\n"
        'test_size = 500\nlimit = 13000\nrepresentation = "centred"\narchitecture = "linear"\n'
    )
    with installed(tmp_path / "site", "mine", MINE, ENTRIES):
        done = pconv("sweep", "spec.toml", "--jobs=1", "--json")
        assert done.returncode == 0, done.stderr
        cells = json.loads(done.stdout)["cells"]
        assert all(cell["verdict"] for cell in cells)
        shown = json.loads(pconv("show", cells[0]["run_id"], "--json").stdout)
        assert shown["verdict"]["assessment"]["attained"]["ceiling"] == pytest.approx(0.5, abs=0.05), (
            "n modulo 2 tells half of 4"
        )
        assert pconv("report").returncode == 0
        page = (tmp_path / "report.html").read_text()
        assert '"representation":"centred"' in page

    assert pconv("runs").returncode == 0
    assert pconv("show", cells[0]["run_id"]).returncode == 0
    assert pconv("report").returncode == 0, "a store is read where the package is not installed"
    refused = pconv("sweep", "spec.toml")
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
