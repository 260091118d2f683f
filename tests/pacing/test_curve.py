"""The curve against sums over its steps."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pconv.pacing.curve import Curve

curves = st.builds(Curve, st.floats(2.0, 8.0), st.floats(0.1, 2.5))


@given(curves, st.integers(50, 900))
def test_means_of_epochs_are_means_over_their_steps(curve: Curve, batches: int) -> None:
    means = curve.mean_excess(batches, 3)
    fine = curve.excess((np.arange(3 * batches * 20) + 0.5) / 20).reshape(3, -1).mean(axis=1)
    assert means == pytest.approx(fine, rel=1e-3, abs=1e-6)


@given(curves, st.floats(0.001, 0.999))
def test_steps_to_a_share_invert_the_excess(curve: Curve, share: float) -> None:
    assert float(curve.excess(curve.steps_to(share))) == pytest.approx(share, rel=1e-6)
    assert np.exp(curve.log_steps_to(0.5)) == pytest.approx(curve.half)
