"""What a theory predicts about a run, and the reasons for which it does not apply."""

from __future__ import annotations

import pytest

from pconv.config import RunConfig
from pconv.errors import InputError
from pconv.evaluate.predict_run import NotApplicable, predict_run
from pconv.theory import LabelPrediction, predict


def test_it_is_the_theorys_prediction() -> None:
    config = RunConfig(modulus=16, offsets=(0, 1, 2))
    assert predict_run(config) == predict(16, range(3), primes=config.primes)
    rival = predict_run(config, "paper")
    assert not isinstance(rival, NotApplicable)
    assert rival.theory == "paper"
    assert rival.solved is False
    assert isinstance(predict_run(RunConfig(modulus=11, task="quadratic")), LabelPrediction)


@pytest.mark.parametrize(
    ("fields", "theory", "reason", "nor_others"),
    [
        ({"offsets": (0, 2)}, "paper", "The theory 'paper' does not apply to this window", False),
        ({"representation": "binary"}, "signature", "does not apply to the representation binary", False),
        ({"task": "omega"}, "grid", "The theory 'grid' does not apply to the task omega.", False),
        ({"task": "omega", "offsets": (1, 2)}, "size", "is about the row n itself", False),
        ({"task": "omega-distinct", "limit": 500}, "limit", "excludes labels that occur", False),
        ({"task": "gone"}, "signature", "The task gone is not known here.", True),
        ({"representation": "gone"}, "signature", "The representation gone is not known here.", True),
    ],
)
def test_where_it_does_not_apply(
    fields: dict[str, object], theory: str, reason: str, nor_others: bool
) -> None:
    found = predict_run(RunConfig.from_dict({"modulus": 7, **fields}), theory)
    assert isinstance(found, NotApplicable)
    assert reason in found.reason
    assert (found.theory, found.nor_others) == (theory, nor_others)
    assert str(found.error()).startswith(f"theory {theory}: ")


def test_an_unknown_theory_is_bad_input_whatever_the_run() -> None:
    assert predict_run(RunConfig(modulus=7, limit=500), "any").theory == "any"
    for task in ("residue", "omega"):
        with pytest.raises(InputError, match="theory nonsense: must be one of: signature, paper, grid"):
            predict_run(RunConfig(modulus=7, task=task), "nonsense")
