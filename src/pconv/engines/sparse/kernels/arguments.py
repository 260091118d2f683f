"""The arguments of the compiled loops that belong together, as named tuples.

numba compiles and caches named tuples like plain ones. Arrays that hold numbers of a network are flat unless
a shape is given; their layout is documented where they are used. A *site* is one column of one window's
feature map (see `pconv.engines.sparse`)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pconv._arrays import FloatArray, IntArray


class GridEntries(NamedTuple):
    """The non-zero entries of a `PrimeGrid`, in CSR layout."""

    indptr: IntArray
    indices: NDArray[np.int32]
    values: NDArray[Any]


class Sites(NamedTuple):
    """The sites of one map, ordered by window and then by column.

    Each site has the rows that may deviate from the background, and the range of sites of the previous map
    that it is computed from: the two columns of convolution that are pooled into it read kernel + 1 columns.
    """

    pointer: IntArray  # (windows + 1,): sites pointer[w]:pointer[w+1] belong to window w
    column: NDArray[np.int32]
    rows: NDArray[np.int32]  # (sites, 2): first row, and the one past the last
    source: IntArray  # (sites, 2): first site of the previous map, and the one past the last


class SitesByColumn(NamedTuple):
    """The sites of the last map that have rows, sorted by column and by rows within a column."""

    order: IntArray  # numbers of the sites
    pointer: IntArray  # (columns + 1,): order[pointer[j]:pointer[j+1]] are the sites of column j
    window: NDArray[np.int32]  # the window of each site, by the site's number
    rows: NDArray[np.int32]  # (sites, 2), as in `Sites`


class PooledShape(NamedTuple):
    """The shape of a pooled map, and how far its convolution reaches to either side."""

    half: int  # kernel // 2
    height: int
    width: int


class LayerShape(NamedTuple):
    """The sizes of one convolution with pooling."""

    kernel: int
    channels_in: int
    height_in: int
    height: int  # after pooling
    channels: int
    run: int  # floats from one input channel's taps to the next


class LayerInput(NamedTuple):
    """The previous map at its sites, and the taps of the convolution that reads it."""

    values: FloatArray  # (sites, height_in, channels_in)
    sites: Sites
    taps: FloatArray  # (kernel + 1, channels_in, run): see `convolve`


class LayerBackground(NamedTuple):
    """A layer's response to the all-zero window, for each kind of column."""

    kind: IntArray  # the kind of each pooled column
    empty: FloatArray  # (kinds, height, 2 rows, 2 columns, channels), before pooling
    idle: FloatArray  # (kinds, height, channels), after pooling and activation


class PooledSites(NamedTuple):
    """What pooling leaves at the sites: the deviation from the background, or its gradient, and the
    choices."""

    deviation: FloatArray  # (sites, height, channels)
    choice: NDArray[np.uint8]  # the same shape: which of the four values, + 4 below LeakyReLU's kink


class LayerGradients(NamedTuple):
    """The gradients of a layer's taps, of its background, and of its input at the sites."""

    taps: FloatArray
    empty: FloatArray
    idle: FloatArray
    values: FloatArray  # of length 0 where the input needs no gradient


class AdamState(NamedTuple):
    """The weights and Adam's two moments of each."""

    weights: FloatArray
    mean: FloatArray
    square: FloatArray


class AdamRates(NamedTuple):
    """The factors of one step of Adam. Each is computed in double precision and rounded once: in single
    precision 1 - beta2 would lose five digits."""

    mean_rate: np.float32  # 1 - beta1
    square_keep: np.float32  # beta2
    square_rate: np.float32  # 1 - beta2
    step_size: np.float32  # learning rate / (1 - beta1^step)
    correction: np.float32  # 1 / sqrt(1 - beta2^step)
    epsilon: np.float32
    decay: np.float32  # learning rate x weight decay


class HiddenGradient(NamedTuple):
    """The gradient of the first linear layer's sums, and the background's features that they were made
    from."""

    windows: FloatArray  # (windows, OUT)
    total: FloatArray  # (OUT,): the sum over the windows
    idle: FloatArray  # (height, channels), of that shape: the features of these columns in the background


class BlockOutputs(NamedTuple):
    """What the backward pass through blocks of the first linear layer gives."""

    deviation: FloatArray  # (sites, height, channels), of that shape: the gradient of the deviation
    sums: FloatArray  # (height, channels, 2, OUT): sums of new weights over columns; scratch for a gradient


class WindowShape(NamedTuple):
    """The sizes of the compact engine's convolution."""

    rows: int
    kernel: int
    height: int  # after pooling
    full: int  # pooled columns that are computed in every window
    others: int  # pooled columns that are computed where they are touched
    channels: int
    stride: int  # floats in a row of the buffer


class ConvolvedWindows(NamedTuple):
    """The pooled features of whole windows, or their gradients, and where each was taken from."""

    features: FloatArray  # (windows, full, height, channels)
    deviation: FloatArray  # (windows, others, height, channels): the difference from the background
    places: NDArray[np.int32]  # (windows, full + others, height, channels): see `_pool`
    touched: NDArray[np.int32]  # (windows * others, 2), of that shape: first row, one past the last (0: none)


class WindowGradients(NamedTuple):
    """The gradients of the compact engine's convolution."""

    taps: FloatArray  # (kernel, run)
    bias: NDArray[np.float64]  # (channels,)
    idle: NDArray[np.float64]  # (channels,)
