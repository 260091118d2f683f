"""Writes the network that ships with pconv, from a run of a store with snapshots:

pconv train -m 11 -B 8 -k 7 -N 8 -r 100 -t 20 --no-early-stop --snapshots 1,2,4 --store eleven.db
python -m tools.ship_network eleven.db
"""

from __future__ import annotations

import sys
from importlib.resources import files
from pathlib import Path

from pconv.models.weights import Model
from pconv.report.live.shipped import FILE, write_shipped
from pconv.store.sqlite import Store


def main(path: Path) -> None:
    with Store.read(path) as store:
        [run_id] = store.run_ids()
        result = store.result(run_id)
        assert result is not None
        kept = [store.weights(run_id), *(store.weights(run_id, each.epoch) for each in result.snapshots)]
    models = [Model.load(file) for file in kept if file]
    target = Path(str(files("pconv.report.live"))) / FILE
    census, changed = write_shipped(target, models[0], models[1:])
    size = target.stat().st_size / 1e6
    print(f"{target}: {size:.2f} MB, accuracy {census.answers.accuracy:.4f} on {census.scope}")
    print(f"wrong inside the group: {census.inside.count:,}; outside: {census.outside.count:,}")
    print(f"answers that rounding changed: {changed:,}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
