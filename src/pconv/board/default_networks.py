"""The networks of the board: trained and compiled, small enough that each takes seconds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from pconv.board.entries import Entry, entries_of
from pconv.compiler.network import compile_network
from pconv.config import RunConfig
from pconv.engines.census import Progress
from pconv.errors import InputError
from pconv.models.weights import save_weights
from pconv.training.loop import run_to_end
from pconv.training.trainer import Step, Training

SETTINGS = ((11, 4), (16, 2), (25, 3), (35, 3))
"""Modulus and successors. In these windows of few rows single exponents decide, present or absent."""


def board_config(modulus: int, successors: int, seed: int = 0) -> RunConfig:
    """The configuration of a trained network of the board.

    Parameters
    ----------
    modulus, successors
        One of `SETTINGS`.
    seed
        The seed of the run.

    Examples
    --------
    >>> board_config(11, 4, seed=2).label()
    'm=11, B=4, k=3, N=8, r=250, t=8, limit 100,000, test size 2,000, seed 2'
    """
    return RunConfig(
        modulus=modulus,
        offsets=tuple(range(successors + 1)),
        primes=8,
        kernel=(3,),
        batches=250,
        epochs=8,
        limit=100_000,
        test_size=2_000,
        seed=seed,
    )


def default_entries(directory: Path, seeds: int, on_progress: Progress | None = None) -> list[Entry]:
    """The networks of the board, from a directory in which those that are missing are made.

    Parameters
    ----------
    directory
        An existing directory. Each network is written as soon as it is made.
    seeds
        The number of seeds.
    on_progress
        Called with the steps of training so far and the total.
    """
    trained = [board_config(*setting, seed) for setting in SETTINGS for seed in range(seeds)]
    missing = [config for config in trained if not _path(directory, config).exists()]
    steps = sum(config.epochs * config.batches for config in missing)
    before = 0
    for config in missing:
        _train(config, _path(directory, config), before, steps, on_progress)
        before += config.epochs * config.batches
    compiled = dict(_compiled(directory, board_config(*setting)) for setting in SETTINGS)
    return [
        *_read(compiled, "compiled", seeds),
        *_read({_path(directory, config): config for config in trained}, "trained", seeds),
    ]


def missing_networks(directory: Path, seeds: int) -> int:
    """How many networks `default_entries` would train."""
    configs = (board_config(*setting, seed) for setting in SETTINGS for seed in range(seeds))
    return sum(not _path(directory, config).exists() for config in configs)


def _name(config: RunConfig) -> str:
    return f"m{config.modulus}-B{config.successors}"


def _path(directory: Path, config: RunConfig) -> Path:
    return directory / f"{_name(config)}-seed{config.seed}.safetensors"


def _train(config: RunConfig, path: Path, before: int, total: int, on_progress: Progress | None) -> None:
    def on_step(step: Step) -> None:
        if on_progress:
            on_progress(before + (step.epoch - 1) * config.batches + step.step, total)

    training = Training(config)
    run_to_end(training, on_step=on_step)
    assert training.chosen is not None
    save_weights(path, training.chosen.weights, config, training.chosen.epoch)


def _compiled(directory: Path, config: RunConfig) -> tuple[Path, RunConfig]:
    """The file of a compiled network with the domain of the trained ones, written if it is missing, and its
    configuration."""
    path = directory / f"{_name(config)}-compiled.safetensors"
    model = compile_network(config.modulus, config.offsets, primes=config.primes)
    of_domain = replace(model.config, batches=config.batches, limit=config.limit, test_size=config.test_size)
    if not path.exists():
        save_weights(path, model.network.state_dict(), of_domain, epoch=None)
    return path, of_domain


def _read(wanted: Mapping[Path, RunConfig], kind: str, seeds: int) -> Iterator[Entry]:
    """The entries of files that must be of this kind and have these configurations."""
    for path, config in wanted.items():
        for entry in entries_of(path, seeds):
            if (entry.kind, entry.model.config) != (kind, config):
                raise InputError("networks", path, "is another network than the board's; remove it")
            yield entry


def check_directory(directory: Path) -> None:
    """Raise an `InputError` if the networks cannot be kept there; the directory is made if it is missing."""
    try:
        directory.mkdir(exist_ok=True)
    except OSError as error:
        raise InputError("networks", directory, f"cannot be made ({error.strerror})") from None
