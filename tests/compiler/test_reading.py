"""Lines read through a convolution and a max-pooling, against torch."""

from __future__ import annotations

import pytest
import torch
from torch.nn.functional import conv1d, max_pool1d

from pconv.compiler.reading import Edge, Profile, positions, read_lines, smallest_radius


@pytest.mark.parametrize("length", range(2, 15))
def test_differences_of_pooled_sums_are_the_lines(length: int) -> None:
    lines = torch.randint(0, 63, (50, 1, length), generator=torch.Generator().manual_seed(length)).float()
    least = smallest_radius(length, range(length))
    if least > 1:
        assert read_lines(length, least - 1, range(length)) is None
    for radius in (least, least + 1, length):
        terms = read_lines(length, radius, range(length))
        assert terms is not None
        for line, parts in terms.items():
            read = torch.zeros(50)
            for mask, position, sign in parts:
                kernel = torch.tensor([[[float(mask.at(d)) for d in range(-radius, radius + 1)]]])
                read += sign * max_pool1d(conv1d(lines, kernel, padding=radius), 2)[:, 0, position]
            assert torch.equal(read, lines[:, 0, line])


def test_a_kernel_with_monotone_weights_is_read_as_it_is() -> None:
    lines = torch.randint(0, 9, (50, 1, 9), generator=torch.Generator().manual_seed(0)).float()
    for edge, centre, weights in ((Edge.FIRST, 3, (7, 5, 5, 2, 1)), (Edge.LAST, 6, (1, 3, 3, 8))):
        assert centre in positions(edge, 9, 3)
        first = 0 if edge is Edge.FIRST else 9 - len(weights)
        profile = Profile(edge, first - centre, weights)
        kernel = torch.tensor([[[float(profile.at(d)) for d in range(-3, 4)]]])
        pooled = max_pool1d(conv1d(lines, kernel, padding=3), 2)[:, 0, centre // 2]
        part = lines[:, 0, first : first + len(weights)]
        assert torch.equal(pooled, part @ torch.tensor(weights).float())
