"""Conditions on runs select what a plain comparison in Python selects; bad ones are one line."""

from __future__ import annotations

import operator
from dataclasses import fields, replace
from typing import Any

import pytest

from pconv.config import RunConfig
from pconv.config_fields import option_of
from pconv.errors import InputError
from pconv.store.filter import Condition, run_fields, select
from pconv.store.sqlite import Store
from pconv.store.summary import Summary
from tests.fakes import fake_result, tiny


def summary(config: RunConfig, **figures: Any) -> Summary:
    names = [field.name for field in fields(Summary) if field.name not in ("run_id", "status", "config")]
    made = {**dict.fromkeys(names), "weights": False, "census": False, "status": "finished", **figures}
    return Summary(run_id=config.run_id, config=config.to_dict(), **made)


BASE = RunConfig(modulus=11)
CONFIGS = [
    BASE,
    replace(BASE, modulus=13, seed=1, kernel=(3,), early_stop=False),
    replace(BASE, modulus=16, primes=5_000, channels=(8, 16), kernel=(7, 3), weight_decay=0.1),
    replace(BASE, modulus=13, offsets=(-1, 0, 4), kernel=(3,), learning_rate=0.01, epochs=20),
    replace(
        BASE, modulus=25, architecture="mlp", representation="binary", task="omega", offsets=tuple(range(17))
    ),
]
RUNS = [
    summary(CONFIGS[0], test_accuracy=0.9, best_accuracy=1.0, verdict="confirmed", seconds=3.5),
    summary(CONFIGS[1], test_accuracy=0.5, best_accuracy=0.5, verdict="refuted", census=True),
    summary(CONFIGS[2], status="running"),
    summary(CONFIGS[3], status="failed"),
    summary(CONFIGS[4], test_accuracy=0.7, best_accuracy=0.75, weights=True),
]
SIGNS = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def chosen(*where: str, sort: str | None = None) -> list[int]:
    found = select(RUNS, [Condition.parse(text) for text in where], sort)
    return [RUNS.index(run) for run in found]


@pytest.mark.parametrize("field", [field.name for field in fields(RunConfig)])
@pytest.mark.parametrize("sign", SIGNS)
def test_every_field_of_a_configuration_can_be_compared(field: str, sign: str) -> None:
    """With the value of each run, as the command line writes it."""
    for config in CONFIGS:
        value = getattr(config, field)
        written = option_of(RunConfig.__dataclass_fields__[field]).values.format(value)
        text = (
            f"{field.replace('_', '-')} {sign} {str(written).lower() if value in (True, False) else written}"
        )
        if sign not in ("=", "!=") and (not isinstance(value, int | float) or isinstance(value, bool)):
            with pytest.raises(InputError, match="= and != only"):
                chosen(text)
        else:
            expected = [i for i, c in enumerate(CONFIGS) if SIGNS[sign](getattr(c, field), value)]
            assert chosen(text) == expected, text


def test_figures_and_derived_fields() -> None:
    assert chosen("test_accuracy>=0.7") == [0, 4], "a run without the figure is not among them"
    assert chosen("verdict=refuted,confirmed") == [0, 1]
    assert chosen("verdict!=refuted") == [0, 2, 3, 4]
    assert chosen("status=failed,running") == [2, 3]
    assert chosen("successors=8", "modulus<16") == [0, 1]
    assert chosen("successors>8") == [4], "offsets -1,0,4 are no successors"
    assert chosen("rows==3") == [3]
    assert chosen("offsets=0:17") == [4]
    assert chosen("kernel=7") == [0, 4]
    assert chosen("kernel=7,3") == [2], "the sizes of two layers, and not two alternatives"
    assert chosen("census=true") == [1]
    assert chosen("weights = true") == [4]
    assert chosen() == [0, 1, 2, 3, 4]


def test_order() -> None:
    assert chosen(sort="test_accuracy") == [1, 4, 0, 2, 3], "those without a figure are last"
    assert chosen(sort="-test-accuracy") == [0, 4, 1, 2, 3]
    assert chosen("status=finished", sort="-modulus") == [4, 1, 0]
    assert chosen(sort="modulus") == [0, 1, 3, 2, 4], "equal ones in their order"
    with pytest.raises(InputError, match="sort 'colour': must be a field: modulus, offsets"):
        chosen(sort="colour")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "FIELD OPERATOR VALUE"),
        ("modulus", "FIELD OPERATOR VALUE"),
        ("modulus=", "'' is no value of modulus: it is a number"),
        ("modulus=11,,13", "'' is no value of modulus"),
        ("modulus>=11,13", "'11,13' is no value of modulus"),
        ("modulus=eleven", "'eleven' is no value of modulus: it is a number"),
        ("modulus=" + "9" * 5000, "is no value of modulus"),
        ("test_accuracy>nan", "'nan' is no value of test_accuracy"),
        ("colour=red", "must be a field: modulus, offsets"),
        ("status=done", "one of: finished, running, failed, interrupted"),
        ("verdict=true", "one of: confirmed, underfitted"),
        ("census=1", "one of: true, false"),
        ("kernel=4", "must be odd"),
        ("kernel>3", "= and != only"),
        ("offsets=3:1", "A:B"),
        ("architecture>=mlp", "= and != only"),
        ("modulus=1 or 1=1", "is no value of modulus"),
    ],
)
def test_bad_conditions(text: str, reason: str) -> None:
    with pytest.raises(InputError, match=r"^where ") as caught:
        Condition.parse(text)
    assert reason in str(caught.value)
    assert len(str(caught.value)) < 500


def test_a_store_lists_what_is_selected(store: Store) -> None:
    for seed, modulus in ((0, 3), (1, 3), (2, 5)):
        store.finish(fake_result(tiny(seed, modulus)), None, {}, "me")
    assert [run.config["seed"] for run in store.summaries("modulus=3", sort="-seed")] == [1, 0]
    assert set(run_fields()) >= {field.name for field in fields(RunConfig)}
