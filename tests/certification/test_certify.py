from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import torch

from pconv.certification import certify as certifying
from pconv.certification import enumeration, sampling
from pconv.certification.certify import certify
from pconv.certification.groups import GroupTable
from pconv.certification.rounding import RoundedNetwork
from pconv.certification.tally import Tally, WrongGrid
from pconv.config import RunConfig
from pconv.data.examples import encode, labels_of
from pconv.errors import InputError
from pconv.models.weights import Model
from tests.certification.networks import SMALL, random_model, saved


def answers(model: Model, numbers: np.ndarray) -> np.ndarray:
    with torch.no_grad():
        logits = model.network(torch.from_numpy(encode(model.config, numbers).dense()))
    return np.asarray(logits.argmax(dim=1).numpy())


def test_every_grid_below_a_limit_is_answered_as_the_network_does(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each grid that occurs below 8,000 is enumerated or rare, and its answer is that of its numbers, or as
    wrong where rounding leaves several."""
    model, numbers = random_model(), np.arange(1, 8_000)
    grids = encode(model.config, numbers).dense()
    seen = dict(zip((grid.tobytes() for grid in grids), answers(model, numbers).tolist(), strict=True))
    met: dict[bytes, bool] = {}
    plain = RoundedNetwork.answer

    def watched(self: RoundedNetwork, grids: np.ndarray, worth: np.ndarray) -> object:
        found = plain(self, grids, worth)
        for grid, values, answer, sure in zip(grids, worth, found.answers, found.sure, strict=True):
            key = grid.tobytes()
            assert key not in met
            met[key] = not sure or values[seen.get(key, answer)] == values[answer]
        return found

    monkeypatch.setattr(RoundedNetwork, "answer", watched)
    certificate = certify(model, width=0.02)
    assert certificate.grids == len(met)
    assert len(seen.keys() & met.keys()) > 200
    assert all(met.values())
    assert certificate.unsure_grids < certificate.grids / 50
    right = float(np.mean(answers(model, numbers) == labels_of(SMALL, numbers)))
    assert float(certificate.low) - 0.01 < right < float(certificate.high) + 0.01


@pytest.mark.parametrize(
    ("task", "representation", "period"),
    [
        ("residue", "capped", 2 * 3 * 6),
        ("quadratic", "capped", 2 * 3 * 6),
        ("residue", "residues", 2 * 3 * 6),
        ("divisibility", "residues", 36),
    ],
)
def test_finitely_many_grids_give_the_exact_density(task: str, representation: str, period: int) -> None:
    """Of m = 18 the columns 2 and 3 show n modulo 6 or less: all grids occur within 36 numbers."""
    config = RunConfig(
        modulus=18, offsets=(0, 1), primes=2, kernel=(3,), task=task, representation=representation
    )
    model, numbers = random_model(config, scale=3), np.arange(1, period + 1)
    certificate = certify(model, width=1e-9)
    right = np.count_nonzero(answers(model, numbers) == labels_of(config, numbers))
    assert certificate.unsure_grids == 0
    assert certificate.low == certificate.high == Fraction(int(right), period)
    table = GroupTable.of(config)
    worth = table.counts[table.group_of[numbers % 18]]
    leaks = np.count_nonzero(worth[np.arange(period), answers(model, numbers)] == 0)
    assert certificate.leaks.low == certificate.leaks.high == Fraction(int(leaks), period)


def test_a_wrong_grid_is_wrong_at_its_integer() -> None:
    model = random_model()
    certificate = certify(model, width=0.05)
    shares = [one.share for one in certificate.examples]
    assert len(shares) == 100
    assert shares == sorted(shares, key=lambda share: -(share or 0))
    numbers = np.array([one.number for one in certificate.examples])
    assert len(set(numbers.tolist())) == 100
    found = answers(model, numbers)
    assert np.count_nonzero(found == [one.answer for one in certificate.examples]) > 90  # rivals: any of them
    assert (found != labels_of(SMALL, numbers)).all()
    assert all(one.number % 6 in one.classes for one in certificate.examples if one.number)


def _kept(steps: list[int]) -> Callable[[int, int], None]:
    return lambda done, total: steps.append(done)


def test_an_interrupted_computation_is_continued(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = random_model()
    monkeypatch.setattr(enumeration, "_MOST_CHUNK", 64)

    def stop(done: int, total: int) -> None:
        if done >= 200:
            raise KeyboardInterrupt

    for name, settings in (("proved", {"width": 0.05}), ("drawn", {"samples": 2500})):
        whole, continued = tmp_path / f"{name}.json", tmp_path / f"{name} again.json"
        certify(model, output=whole, **settings)
        with pytest.raises(KeyboardInterrupt):
            certify(model, output=continued, on_progress=stop, **settings)
        assert [path.name for path in tmp_path.glob(f"{name} again*")] == [f"{name} again.json.partial"]
        steps: list[int] = []
        certify(model, output=continued, on_progress=_kept(steps), **settings)
        assert steps[0] > 200
        assert continued.read_bytes() == whole.read_bytes()
        assert list(tmp_path.glob("*.partial")) == []


def test_a_directory_in_the_place_of_the_partial_file_is_noticed_first(tmp_path: Path) -> None:
    (tmp_path / "c.json.partial").mkdir()
    with pytest.raises(InputError, match="partial: is a directory"):
        certify(random_model(), width=0.2, output=tmp_path / "c.json")
    assert not (tmp_path / "c.json").exists()


def test_the_partial_file_of_another_task_is_not_lost(tmp_path: Path) -> None:
    output = tmp_path / "c.json"
    with pytest.raises(KeyboardInterrupt):
        certify(random_model(), width=0.02, output=output, on_progress=_interrupt)
    kept = Path(f"{output}.partial").read_bytes()
    message = f"{output}: c.json.partial is of an interrupted computation with --width 0.02: continue that"
    with pytest.raises(InputError, match=re.escape(message)):
        certify(random_model(), width=0.2, output=output)
    with pytest.raises(InputError, match=r"with --width 0\.02, no --samples: continue that"):
        certify(random_model(), samples=10, output=output)
    with pytest.raises(InputError, match="about another network"):
        certify(random_model(scale=1.5), width=0.02, output=output)
    assert Path(f"{output}.partial").read_bytes() == kept
    assert not output.exists()


def _interrupt(done: int, total: int) -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize("settings", [{"width": 0.1}, {"samples": 600}])
def test_an_interrupt_while_a_grid_is_counted_loses_and_doubles_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, settings: dict[str, float]
) -> None:
    """Ctrl-C can come between any two instructions: here in the middle of the exceptions of a chunk."""
    whole, continued = tmp_path / "whole.json", tmp_path / "continued.json"
    monkeypatch.setattr(enumeration, "_MOST_CHUNK", 64)
    monkeypatch.setattr(sampling, "batch_size", lambda rows, columns: 64)
    certify(random_model(), output=whole, **settings)  # type: ignore[arg-type]
    listed = Tally._list
    count = [0]

    def interrupted(self: Tally, grid: WrongGrid) -> None:
        count[0] += 1
        if count[0] == 100:
            raise KeyboardInterrupt
        listed(self, grid)

    monkeypatch.setattr(Tally, "_list", interrupted)
    with pytest.raises(KeyboardInterrupt):
        certify(random_model(), output=continued, **settings)  # type: ignore[arg-type]
    assert json.loads(Path(f"{continued}.partial").read_text())["done"] > 0
    certify(random_model(), output=continued, **settings)  # type: ignore[arg-type]
    assert continued.read_bytes() == whole.read_bytes()


def test_an_interrupted_pilot_is_continued_and_a_finished_one_is_not_repeated(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sampling, "PILOT_SIZE", 600)
    monkeypatch.setattr(sampling, "batch_size", lambda rows, columns: 64)
    monkeypatch.setattr(certifying, "within_reach", lambda *arguments: False)
    settings = {"width": 0.2, "output": tmp_path / "c.json"}
    steps: list[tuple[int, int]] = []

    def stop_at(place: int) -> Callable[[int, int], None]:
        def on_progress(done: int, total: int) -> None:
            steps.append((done, total))
            if len(steps) == place:
                raise KeyboardInterrupt

        return on_progress

    for place in (3, 12):  # in the pilot, and after it
        with pytest.raises(KeyboardInterrupt):
            certify(random_model(), on_progress=stop_at(place), **settings)  # type: ignore[arg-type]
    certificate = certify(random_model(), on_progress=stop_at(0), **settings)  # type: ignore[arg-type]
    assert [total for _, total in steps[:10]] == [600] * 10
    assert [done for done, _ in steps[:4]] == [64, 128, 192, 256]
    assert {total for _, total in steps[10:]} == {certificate.grids}
    again = certify(random_model(), width=0.2)
    assert (again.low, again.high) == (certificate.low, certificate.high)


def test_the_network_is_not_replaced_by_its_certificate(tmp_path: Path) -> None:
    path = saved(tmp_path / "w.safetensors")
    before = path.read_bytes()
    with pytest.raises(InputError, match=r"must end in .json"):
        certify(path, width=0.5, output=path)
    assert path.read_bytes() == before


def test_a_budget_that_is_too_small_says_what_is_missing() -> None:
    certificate = certify(random_model(), width=0.001, budget=300)
    assert certificate.grids <= 300
    assert not certificate.reached
    text = str(certificate)
    assert f"The width reached is {float(certificate.width):.3g}, not 0.001." in text
    assert "The next level (" in text
    assert "grids in all would reach 0.001" in text
    with pytest.raises(InputError, match="is too small: the first block alone has"):
        certify(random_model(replace(SMALL, offsets=tuple(range(9)))), budget=1)


@pytest.mark.parametrize(
    ("settings", "shown"),
    [
        ({"width": 0}, "width 0"),
        ({"budget": 0}, "budget 0"),
        ({"samples": -1}, "samples -1"),
        ({"samples": 5, "budget": 5}, "samples 5: is not for use with --budget"),
        ({"confidence": 1.0}, "confidence 1.0"),
        ({"seed": -1}, "seed -1"),
        ({"output": "nowhere/c.json"}, "output nowhere/c.json"),
    ],
)
def test_bad_input(settings: dict[str, object], shown: str) -> None:
    with pytest.raises(InputError, match=shown):
        certify(random_model(), **settings)  # type: ignore[arg-type]


def test_a_width_above_the_ceiling_is_sampled_if_no_block_is_small_enough(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """29 is no column, so the ceiling is 1/29; all grids are in one block of more than 200,000,000."""
    monkeypatch.setattr(sampling, "PILOT_SIZE", 29)
    config = replace(SMALL, modulus=29, primes=9, representation="residues")
    certificate = certify(random_model(config), width=1.0)
    assert (certificate.kind, certificate.ceiling) == ("sampled", Fraction(1, 29))


@pytest.mark.parametrize(
    ("confidence", "shown"), [(0.9, "90%"), (0.999, "99.9%"), (0.9999999, "99.99999%"), (0.975, "97.5%")]
)
def test_a_confidence_is_printed_with_all_its_digits(confidence: float, shown: str) -> None:
    certificate = certify(random_model(), samples=6, confidence=confidence)
    assert str(certificate).startswith(f"With {shown} confidence")


def test_many_columns_are_sampled_without_being_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampling, "PILOT_SIZE", 500)
    config = replace(SMALL, primes=12, offsets=tuple(range(6)))
    certificate = certify(random_model(config), width=0.2)
    assert certificate.kind == "sampled"
    assert certificate.confidence == 0.999
    assert "99.9% confidence over the random draw, not proved" in str(certificate)
    assert certificate.grids % 6 == 0
    html = certificate._repr_html_()
    assert "not proved" in html
    assert "smallest n" in html
