"""One run, from its configuration to its result: looked up, claimed, resumed, trained, judged, stored.

`train` does all of it. A program that shows the progress or handles an interrupt calls the parts itself:
`stored_result`, then `claimed`, `ClaimedRun.train` and `ClaimedRun.finish`. Sweeps share `keep`.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pconv.config import RunConfig
from pconv.errors import PconvError
from pconv.result import RunResult
from pconv.store.reading import StoreReader
from pconv.store.sqlite import Claim, Store
from pconv.store.summary import CLAIM_TIMEOUT
from pconv.sweeps.heartbeat import working
from pconv.sweeps.job import ComputedRun, collect, keeps_weights, new_training
from pconv.training.definitions import BUILT_IN, check_definitions
from pconv.training.options import RunOptions

if TYPE_CHECKING:
    from pconv.engines.census import Progress as CensusProgress
    from pconv.evaluate.comparison import Comparison
    from pconv.evaluate.verdict import Verdict
    from pconv.training.trainer import EpochCallback, StepCallback, Training


_POLL = 1.0  # seconds between two looks at a claim whose worker seems dead


def train(
    config: RunConfig,
    *,
    store: Store | Path | str | None = None,
    engine: str = "auto",
    device: str = "cpu",
    threads: int | None = None,
    census: bool = True,
    snapshots: Iterable[int] = (),
    keep_weights: bool = False,
    on_step: StepCallback | None = None,
    on_epoch: EpochCallback | None = None,
) -> RunResult:
    """Trains one network from its configuration to its result.

    With a store, a finished run is returned without training. Otherwise the run is claimed, so that no other
    process trains it, resumed from its checkpoint if there is one, and stored with the verdict of every
    theory. A stored run is trained again only for weights or snapshots that it lacks.

    Parameters
    ----------
    config
        What the run computes.
    store
        An open store, or the path of one, which is created if needed. By default nothing is stored.
    engine, device, threads
        How it is computed; the defaults are likely the fastest here.
    census
        Evaluate the network on every unseen number of the domain at the end.
    snapshots
        Epochs whose answers to the test numbers are recorded, and whose weights are stored.
    keep_weights
        Store the weights also where they exceed 50 MB.
    on_step, on_epoch
        Called after every step with a `Step` and after every epoch with its `Epoch`; an exception that they
        raise ends the training.

    Examples
    --------
    >>> import tempfile
    >>> config = RunConfig(modulus=4, primes=8, batches=8, epochs=2, limit=20_000, test_size=100)
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     path = f"{directory}/runs.db"
    ...     result = train(config, store=path, on_epoch=lambda epoch: print("epoch", epoch.epoch))
    ...     train(config, store=path) == result  # is in the store: no epoch is run
    epoch 1
    epoch 2
    True
    >>> result.census.size  # 19,999 numbers, of which 2,048 were trained on and 10,000 selected on
    7951
    """
    options = RunOptions(engine, device, threads, census, tuple(snapshots), keep_weights)
    if store is None:
        return _train_unstored(config, options, on_step, on_epoch)
    if found := stored_result(store, config, options.snapshots, keep_weights):
        return found
    with open_store(store) as opened, claimed(opened, config, options) as run:
        run.train(on_step, on_epoch)
        return run.finish().result


def _train_unstored(
    config: RunConfig, options: RunOptions, on_step: StepCallback | None, on_epoch: EpochCallback | None
) -> RunResult:
    from pconv.training.loop import run_to_end

    training = new_training(config, options)
    run_to_end(training, on_step=on_step, on_epoch=on_epoch)
    return training.result(options.census)


class FinishedRun(NamedTuple):
    """A stored run and the verdicts that are stored with it."""

    result: RunResult
    verdicts: Comparison


@dataclass(frozen=True)
class ClaimedRun:
    """A run that this process has claimed: call `train`, then `finish`. Made by `claimed`."""

    store: Store
    owner: str
    options: RunOptions
    training: Training

    @property
    def checkpoint(self) -> Path:
        """The file that `train` resumes from and saves to."""
        return self.store.files.checkpoint(self.training.config.run_id)

    def train(self, on_step: StepCallback | None = None, on_epoch: EpochCallback | None = None) -> None:
        """Runs all epochs that are left, from the checkpoint if there is one."""
        from pconv.training.loop import run_to_end

        run_to_end(
            self.training,
            self.checkpoint,
            on_step=on_step,
            on_epoch=on_epoch,
            save_after=self.options.save_after,
            save_last=self.options.census,
        )

    def finish(self, on_census: CensusProgress | None = None) -> FinishedRun:
        """Takes the census, judges the run and stores it."""
        run = collect(self.training, self.options.census, self.options.keep_weights, on_census)
        return FinishedRun(run.result, keep(self.store, run, self.owner))


@contextmanager
def open_store(store: Store | Path | str) -> Iterator[Store]:
    """A store to write to: an open one is left open, one that is given by its path is closed at the end."""
    if isinstance(store, Store):
        yield store
    else:
        with Store.open(store) as opened:
            yield opened


def stored_result(
    store: Store | Path | str,
    config: RunConfig,
    snapshots: Iterable[int] = (),
    with_weights: bool = False,
) -> RunResult | None:
    """The result of a run that is in the store with all that is wanted of it, else None.

    Parameters
    ----------
    store
        An open store, or the path of one: it is only read, and need not exist.
    config
        The run's configuration.
    snapshots
        Epochs whose weights must be there and undamaged, as far as they were run.
    with_weights
        Whether the weights must be there and undamaged.
    """
    if not isinstance(store, Store):
        if not Path(store).is_file():
            return None
        with Store.read(store) as opened:
            return stored_result(opened, config, snapshots, with_weights)
    check_stored(store, config)
    result = store.result(config.run_id)
    if result is None or (with_weights and not store.sound_weights(config.run_id)):
        return None
    wanted = (epoch for epoch in snapshots if epoch <= len(result.epochs))  # fewer after an early stop
    return result if all(store.sound_weights(config.run_id, epoch) for epoch in wanted) else None


def check_stored(store: StoreReader, config: RunConfig) -> None:
    """Raise an error if a run is stored whose task, representation or architecture of the same name was
    another one."""
    if all(getattr(config, kind) in names for kind, names in BUILT_IN.items()):
        return
    if stored := store.result(config.run_id):
        check_definitions(config, stored.environment.versions)


def complete_runs(store: StoreReader, wanted: Mapping[str, RunOptions]) -> set[str]:
    """Which of these runs, whose options are given by id, are stored with the weights and snapshots wanted.

    Of a snapshot only the answers must be there: its weights are stored where they are small, or with
    `keep_weights`.
    """
    with_weights = store.finished((run for run, options in wanted.items() if options.keep_weights), True)
    others = store.finished(run for run, options in wanted.items() if not options.keep_weights)
    return {run for run in with_weights | others if store.has_snapshots(run, wanted[run].snapshots)}


@contextmanager
def claimed(store: Store, config: RunConfig, options: RunOptions) -> Iterator[ClaimedRun]:
    """Claims a run for this process, until the end of the `with` block.

    Parameters
    ----------
    store
        The store that keeps the run.
    config
        What the run computes.
    options
        How it is computed, and what is kept of it; if the run is stored already, also what it has. With
        snapshots weights are kept however large they are.

    Raises
    ------
    PconvError
        Another live process has claimed the run, or its weights could not be kept.
    """
    with working(store.location) as owner:
        while (claim := store.claim(config, owner, again=True)) is Claim.SILENT:
            time.sleep(_POLL)
        if claim is Claim.HELD:
            holder = store.find(config.run_id).owner
            raise PconvError(
                f"run {config.run_id} is being trained by {holder}; if that is dead, wait "
                f"{CLAIM_TIMEOUT:.0f} s"
            )
        options = with_extras(options, store, config)
        options = replace(options, keep_weights=options.keep_weights or bool(options.snapshots))
        if keeps_weights(config, options):
            store.files.check_writable()
        training = new_training(config, options, store.files.checkpoint(config.run_id))
        yield ClaimedRun(store, owner, options, training)


def with_extras(options: RunOptions, store: StoreReader, config: RunConfig) -> RunOptions:
    """The options by which a run is computed again: with the census, snapshots and weights that it has.

    The store replaces a result only by one that lacks nothing of it.

    Parameters
    ----------
    options
        What is wanted of the run.
    store
        The store, which need not have the run.
    config
        The run's configuration.
    """
    stored = store.result(config.run_id)
    if stored is None:
        return options
    epochs = [snapshot.epoch for snapshot in stored.snapshots]
    return replace(
        options,
        census=options.census or stored.census is not None,
        snapshots=tuple(sorted({*options.snapshots, *epochs})),
        keep_weights=options.keep_weights
        or any(store.weights(config.run_id, epoch) for epoch in (None, *epochs)),
    )


def keep(store: Store, run: ComputedRun, owner: str) -> Comparison:
    """Judges a run by every theory, and stores it with the verdicts, which are returned.

    If judging is interrupted, the run is stored without them.

    Parameters
    ----------
    store
        The store that keeps the run.
    run
        The result, and the weights to be kept.
    owner
        Who claimed the run; the claim ends.
    """
    judged: dict[str, Verdict] = {}
    try:
        from pconv.evaluate.comparison import compare  # loads scipy, which a stored run does not need

        verdicts = compare(run.result)
        judged = {verdict.theory: verdict for verdict in verdicts.verdicts}
    finally:  # also after Ctrl-C in a theory that takes long: the training took longer
        store.finish(run.result, run.weights, judged, owner, run.snapshots)
    return verdicts
