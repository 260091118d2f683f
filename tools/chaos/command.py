"""The command line of pconv as the scenarios run it: `python -m tools.chaos.command sweep ...`.

Two things are changed, both outside of pconv's own code. A checkpoint is written after every epoch instead of
after ten seconds of training, so that tiny networks have checkpoints. And the clock may jump: the file that
`PCONV_CHAOS_CLOCK` names contains the seconds by which `time.time` is wrong. Worker processes import this
module as their main module, and so have the same clock.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

CLOCK = "PCONV_CHAOS_CLOCK"
_real_time = time.time


def _wrong_time() -> float:
    return _real_time() + float(Path(os.environ[CLOCK]).read_text())


if CLOCK in os.environ:
    time.time = _wrong_time

if __name__ == "__main__":
    from pconv.cli import main
    from pconv.training.options import RunOptions

    *defaults, _ = RunOptions.__init__.__defaults__ or ()
    RunOptions.__init__.__defaults__ = (*defaults, 0.0)  # save_after, the last field
    assert RunOptions().save_after == 0.0
    main()
