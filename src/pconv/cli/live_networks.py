"""The networks that `pconv report --live` puts into the page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pconv.cli.standard_streams import print_note
from pconv.cli.views.progress import progress, shown_log, status
from pconv.cli.weights_of import weights_of
from pconv.data.domain import Domain
from pconv.store.sqlite import Store

if TYPE_CHECKING:
    from pconv.models.weights import Model
    from pconv.report.live.network import LiveNetwork


def live_networks(names: Sequence[str], store: Path) -> dict[str, Any]:
    """The document of the networks of these names, or of the one that ships with pconv, with twins.

    Parameters
    ----------
    names
        Runs of the store or files of weights; none for the network that ships with pconv.
    store
        The store.
    """
    from pconv.report.live.network import live_document
    from pconv.report.live.shipped import shipped_network
    from pconv.report.live.twins import with_twins

    networks = [_network(name, store) for name in names] or [shipped_network()]
    for network in networks:
        print_note(f"{network.name}: {network.note}")
    with status("computing the twins of the network"):
        return live_document(with_twins(networks))


def _network(name: str, store: Path) -> LiveNetwork:
    from pconv.models.weights import Model
    from pconv.report.live.embed import embed_network

    model = Model.load(weights_of(name, store))
    snapshots = [] if Path(name).exists() or "@" in name else _snapshots(model, store)
    shown = Path(name).name if Path(name).exists() else name
    with status("counting the numbers of the domain"):
        Domain.of(model.config).size  # noqa: B018 - it is remembered
    with shown_log(quiet=False), progress(f"asking {shown}", "numbers", quiet=False) as on_progress:
        return embed_network(model, shown, snapshots, on_progress)


def _snapshots(model: Model, path: Path) -> list[Model]:
    """The snapshots of a run in the store."""
    with Store.read(path) as store:
        result = store.result(model.config.run_id)
        epochs = [snapshot.epoch for snapshot in result.snapshots] if result else []
        files = [store.weights(model.config.run_id, epoch) for epoch in epochs]
    return [type(model).load(file) for file in files if file]
