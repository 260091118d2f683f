"""The compiled loops of the sparse engine.

All are arithmetic on the arrays they are given, release the GIL, and write to no array that another thread's
call reads or writes. Related arguments are named tuples.

Sums may be reassociated and multiplications contracted, as in BLAS; no other relaxation of `fastmath` is
used. Arrays of numbers are flat, and inner loops index them with unsigned integers (`uintp`). Views of arrays
would cost reference counts that the threads share, and signed indices a test for negative ones; either keeps
a loop from being vectorised.

Modules
-------
arguments
    The named tuples.
convolution
    Convolution, pooling and activation at sites; Adam on flat arrays.
blocks
    The first linear layer, with Adam in its backward pass.
head
    Activations and the loss of the other linear layers.
compact
    The convolution of `CompactEngine`.
"""
