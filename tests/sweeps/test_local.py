"""`pconv.sweep`: the results of many runs, trained where they are not stored yet."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import pconv
import pconv.sweeps.local  # the package does not hide the function
from pconv.errors import InputError
from pconv.store.sqlite import Store
from pconv.sweeps.local import SweepFailed
from pconv.sweeps.run import train
from tests.fakes import tiny
from tests.sweeps.test_runner import without_times

GRID = {"modulus": [3, 5], "successors": 3, "kernel": 3, "primes": 8, "batches": 10, "batch_size": 16}
GRID |= {"epochs": 2, "test_size": 50, "limit": 13_000, "no_early_stop": True}


def test_a_list_of_configurations(store: Store) -> None:
    stored = train(tiny(1), store=store)
    results = pconv.sweep([tiny(2), tiny(1), tiny(2)], store, jobs=1)
    assert [result.config for result in results] == [tiny(2), tiny(1), tiny(2)]
    assert results[1] == stored
    assert without_times(results[0]) == without_times(train(tiny(2)))


def test_a_grid_and_a_file(path: Path, tmp_path: Path) -> None:
    results = pconv.sweep(GRID, str(path), jobs=1, census=False)
    assert [result.config for result in results] == [tiny(modulus=3), tiny(modulus=5)]
    assert [result.census for result in results] == [None, None]
    lines = [f"{key} = {str(value).lower()}" for key, value in GRID.items()]
    (tmp_path / "spec.toml").write_text("\n".join(["[grid]", *lines]))
    assert pconv.sweep(tmp_path / "spec.toml", path) == results


def test_failures_are_raised_after_the_others_are_done(store: Store) -> None:
    bad = replace(tiny(), learning_rate=10.0, weight_decay=1.0)
    with pytest.raises(SweepFailed, match=f"run {bad.run_id} failed: TrainingDiverged") as raised:
        pconv.sweep([bad, tiny(1)], store, jobs=1)
    assert list(raised.value.failed) == [bad.run_id]
    assert store.finished([bad.run_id, tiny(1).run_id]) == {tiny(1).run_id}


@pytest.mark.parametrize("jobs", [0, 1025])
def test_what_is_out_of_range_is_refused_before_a_store_is_made(tmp_path: Path, jobs: int) -> None:
    with pytest.raises(InputError, match="jobs"):
        pconv.sweep([tiny()], tmp_path / "new.db", jobs=jobs)
    with pytest.raises(InputError, match="retries"):
        pconv.sweep([tiny()], tmp_path / "new.db", jobs=1, retries=-1)
    assert list(tmp_path.iterdir()) == []
