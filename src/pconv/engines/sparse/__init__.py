"""The sparse engine: p-Conv's training step without the grid's zeros, and with Adam inside the backward pass.

The problem
-----------
A window's grid has one column for each prime and is almost empty: a number below a million has about three
prime factors, whatever the number of columns. At the paper's size (9 to 25 rows, 5,000 columns) a dense step
multiplies mostly by zero. What remains is dominated by the first linear layer: it holds nine tenths of all
weights, 40 to 120 million, and Adam reads and writes each of them and its two moments in every step.

What is exact
-------------
Every step computes what the plain PyTorch loop computes: the same network, loss, gradients and AdamW update
of every weight, in single precision. Nothing is approximated, sampled or delayed; a weight that no window of
a batch reads is updated all the same. Only the order of sums differs, and so the rounding: tests/engines
compares engines with PyTorch in double precision. The same configuration gives the same bits on the same
machine, because each thread writes to its own arrays and partial sums are added in a fixed order. The bits
depend on the number of threads, as they do in PyTorch.

What is skipped
---------------
Write a window x as the all-zero window plus its few entries. Away from them every feature map equals the
*background*: the network's response to the all-zero window. So

    map(x) = background + deviation(x),    deviation(x) = 0 except at touched columns.

1. Plan. From the entries follows which columns of which windows can deviate, layer by layer: a pooled column
   reads kernel + 1 columns of the previous map. Such a pair (window, column) is a *site*. The plan lists the
   sites of every map, their range of rows and the sites that they read, before any arithmetic.
2. Background. It is the same for the whole batch, and for all columns that padding does not reach. It is
   computed once a step, on a window just wide enough to hold each *kind* of column once.
3. Convolution. At a site the convolution starts from the background's values and adds the taps of each
   non-zero input entry. Max-pooling and LeakyReLU need the full values, so they are computed at the site, and
   the background is subtracted afterwards. What is left is the deviation.
4. First linear layer. It is linear, so

       W map(x) = W background + W deviation(x).

   The first term is the same for all windows, and needs for each kind of column only the sum of W over the
   columns of that kind. The second takes the rows of W at the sites alone.
5. The other linear layers are small: matrix products by BLAS.

Backward, the gradient of the first layer's weights is a sum of the same two kinds: one term for all columns
of a kind, from the background, and one for each site. The convolutions receive the gradients at the sites,
plus one gradient of the background, which is propagated through its narrow window.

What is fused
-------------
The backward pass of the first linear layer goes through its weights once. For each block of rows it computes
the gradient of the deviation, the gradient of the weights, Adam's update, and the sum of the new weights that
the next step's background needs, while the block is in cache. The gradient of these weights is never stored,
and neither weights nor moments are read a second time. A step cannot be faster than reading and writing the
weights and the two moments once; `pconv bench` reports how near it comes, as a multiple of a bare pass of
Adam (the floor). Convolution, pooling, activation and the difference from the background are one loop as
well.

Two implementations
-------------------
`SparseEngine` does the above for any number of convolutions. With one convolution and few columns most sites
are touched anyway, and `CompactEngine` is faster: it computes the columns of the small primes in every
window, as matrix products, and the others as above. Both belong to the engine named `sparse`: the
configuration decides which one computes a run (`selection.is_compact`), so they cannot be chosen by name.

Modules, in the order of a step
-------------------------------
selection
    Which runs the engine computes, when it is the fastest, and which implementation.
compilation
    Compiles the loops before the first step.
engine, compact
    The two implementations of a step. `base`: what they share.
plan
    The sites of a batch.
background
    The response to the all-zero window, forward and backward.
convolution
    Convolutions, pooling and activation at the sites.
first_layer
    The first linear layer with Adam inside its backward pass.
head
    The other linear layers and the loss.
parameters
    Flat, aligned arrays of weights, gradient and moments; PyTorch's names and layouts.
workers
    The threads, and the timer.
kernels
    The compiled loops of these modules.
"""
