"""Imports runs into a store: from other stores, from directories of results and from exported files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pconv.errors import InputError
from pconv.result import RunResult
from pconv.store.checks import check_classes
from pconv.store.contents import contents, replaces
from pconv.store.files import Weights
from pconv.store.judging import verdicts_on
from pconv.store.rows import read_lines, result_of_document
from pconv.store.run import RunRecord
from pconv.store.schema import row_errors
from pconv.store.sqlite import Added, Store
from pconv.studies.directory import ResultsDirectory
from pconv.sweeps.run import open_store

if TYPE_CHECKING:
    from pconv.evaluate.verdict import Verdict

_SQLITE = b"SQLite format 3\0"


class Imported(NamedTuple):
    """How many runs of the sources are new in the store, replaced the store's own, or were there already."""

    new: int
    replaced: int
    kept: int
    unfinished: int  # runs of a source without a result, which are left out


@dataclass(frozen=True)
class _Found:
    """A run of a source, and the files of its weights there."""

    result: RunResult
    weights: Path | None = None
    snapshots: Mapping[int, Path] = field(default_factory=dict)

    @property
    def contents(self) -> frozenset[str]:
        return contents(self.result, self.weights is not None, self.snapshots)

    def record(self, verdicts: Mapping[str, Verdict]) -> RunRecord:
        """The run with its weights, which are read and verified now."""
        weights = self._read(self.weights) if self.weights else None
        snapshots = {epoch: self._read(path, epoch) for epoch, path in self.snapshots.items()}
        return RunRecord(self.result, verdicts, weights, snapshots)

    def _read(self, path: Path, epoch: int | None = None) -> Weights:
        from pconv.models.weights import checked_weights  # loads torch

        return Weights(*checked_weights(path, self.result.config, epoch))


def import_runs(
    sources: Path | str | Iterable[Path | str],
    store: Store | Path | str,
    on_progress: Callable[[int, int], None] | None = None,
) -> Imported:
    """Adds the finished runs of other stores, results directories and exported files to a store.

    A run that the store has already stays, unless the new one has all that it has and in addition a census,
    snapshots or weights. All sources are verified before anything is stored, and the runs are stored in one
    transaction. Verdicts are not taken over but computed.

    Parameters
    ----------
    sources
        Files that `pconv export` wrote as .jsonl, directories that it wrote, other stores; or one of them.
    store
        An open store, or the path of one, which is created if needed.
    on_progress
        Called with the number of runs verified so far and their total.

    Examples
    --------
    >>> import tempfile
    >>> from pconv import RunConfig, train
    >>> config = RunConfig(modulus=4, primes=8, batches=8, epochs=1, limit=20_000, test_size=100)
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     result = train(config, store=f"{directory}/one.db")
    ...     import_runs(f"{directory}/one.db", f"{directory}/all.db")
    ...     import_runs(f"{directory}/one.db", f"{directory}/all.db")
    Imported(new=1, replaced=0, kept=0, unfinished=0)
    Imported(new=0, replaced=0, kept=1, unfinished=0)
    """
    paths = [sources] if isinstance(sources, Path | str) else list(sources)
    found: dict[str, _Found] = {}
    unfinished = 0
    for run in (run for path in paths for run in _runs_of(Path(path))):
        if run is None:
            unfinished += 1
            continue
        there = found.get(run.result.run_id)
        if replaces(run.contents, there.contents if there else None):
            found[run.result.run_id] = run
    wanted = _wanted(found, store)
    verdicts = {}
    for count, run in enumerate(wanted, start=1):
        run.record({})  # weights are verified before anything is stored, and read again one at a time
        verdicts[run.result.run_id] = verdicts_on(run.result)
        if on_progress:
            on_progress(count, len(wanted))
    with open_store(store) as opened:
        outcomes = Counter(opened.add(run.record(verdicts[run.result.run_id]) for run in wanted))
    kept = len(found) - len(wanted) + outcomes[Added.KEPT]
    return Imported(outcomes[Added.NEW], outcomes[Added.REPLACED], kept, unfinished)


def _wanted(found: Mapping[str, _Found], store: Store | Path | str) -> list[_Found]:
    """The runs that a store lacks, or has less of."""
    if isinstance(store, Store):
        return [run for run_id, run in found.items() if replaces(run.contents, store.contents(run_id))]
    if not Path(store).is_file():
        return list(found.values())
    with Store.read(store) as opened:
        return _wanted(found, opened)


def _runs_of(path: Path) -> Iterator[_Found | None]:
    """The runs of a source; None for one that has not finished."""
    if path.is_dir():
        for result in ResultsDirectory.read(path, "file").results.values():
            yield _Found(result)
    elif not path.is_file():
        raise InputError("file", path, "does not exist" if not path.exists() else "is not a file")
    elif path.suffix == ".db" or _is_database(path):
        yield from _stored_runs(path)
    elif path.suffix in (".jsonl", ".json"):
        for found in read_lines(path, result_of_document):
            yield _Found(found) if found else None
    else:
        raise InputError("file", path, "must be a store, a .jsonl file, or a directory of results")


def _is_database(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(len(_SQLITE)) == _SQLITE
    except OSError as error:
        raise InputError("file", path, f"cannot be read ({error.strerror or error})") from None


def _stored_runs(path: Path) -> Iterator[_Found | None]:
    with Store.read(path) as source:
        for run in source.summaries():
            result = source.result(run.run_id)
            if result is None:
                yield None
                continue
            with row_errors(path, run.run_id):
                check_classes(result)
            epochs = {s.epoch: source.weights(run.run_id, s.epoch) for s in result.snapshots}
            snapshots = {epoch: weights for epoch, weights in epochs.items() if weights}
            yield _Found(result, source.weights(run.run_id), snapshots)
