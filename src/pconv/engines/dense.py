"""The dense engine: PyTorch on the whole grid. It computes any network of any size on any device."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from pconv.config import RunConfig
from pconv.data.grid import PrimeGrid
from pconv.engines.base import BETAS, EPSILON
from pconv.engines.pieces import CELLS_AT_ONCE
from pconv.models.registry import network_of

_MOMENTS = {
    "mean.": "exp_avg",
    "square.": "exp_avg_sq",
}  # an engine state's prefixes, and torch.optim.Adam's names


class DenseEngine:
    """Implements `Engine` with the torch module and torch's fused Adam."""

    name = "dense"
    revision = 1

    def __init__(self, config: RunConfig, device: torch.device | str = "cpu") -> None:
        self.device = torch.device(device)
        self.network = network_of(config).to(self.device)
        self._loss = nn.CrossEntropyLoss()
        # Adam and AdamW round differently: without decay, runs keep the bits they had before weight_decay.
        optimizer = torch.optim.AdamW if config.weight_decay else torch.optim.Adam
        self._optimizer = optimizer(
            self.network.parameters(),
            lr=config.learning_rate,
            betas=BETAS,
            eps=EPSILON,
            weight_decay=config.weight_decay,
            fused=True,
        )

    def step(self, grid: PrimeGrid, labels: NDArray[np.int64]) -> float:
        self.network.train()
        self._optimizer.zero_grad(set_to_none=True)
        loss = self._loss(self.network(self._tensor(grid)), torch.from_numpy(labels).to(self.device))
        loss.backward()
        self._optimizer.step()
        return float(loss.detach())

    @torch.no_grad()
    def logits(self, grid: PrimeGrid) -> NDArray[np.float32]:
        self.network.eval()
        piece = max(1, CELLS_AT_ONCE // (grid.rows * grid.columns))
        parts = [
            self.network(self._tensor(grid.part(start, min(start + piece, grid.count)))).cpu().numpy()
            for start in range(0, grid.count, piece)
        ]
        return np.concatenate(parts)

    def weights(self) -> dict[str, Tensor]:
        return {name: w.detach().cpu().clone() for name, w in self.network.state_dict().items()}

    def load_weights(self, weights: Mapping[str, Tensor]) -> None:
        self.network.load_state_dict(weights)

    def state_items(self) -> Iterator[tuple[str, Tensor]]:
        yield from self.weights().items()
        step = torch.tensor(0)
        for name, parameter in self.network.named_parameters():
            memory = self._optimizer.state[parameter]
            for prefix, key in _MOMENTS.items():
                moment = memory[key].cpu().clone() if memory else torch.zeros(parameter.shape)
                yield prefix + name, moment
            step = memory["step"].cpu().long() if memory else step
        yield "step", step

    def restore(self, state: Mapping[str, Tensor]) -> None:
        self.load_weights({name: state[name] for name in self.network.state_dict()})
        for name, parameter in self.network.named_parameters():
            memory = {key: state[prefix + name].to(self.device).clone() for prefix, key in _MOMENTS.items()}
            memory["step"] = state["step"].to(self.device, torch.float32).clone()
            self._optimizer.state[parameter] = memory

    def _tensor(self, grid: PrimeGrid) -> Tensor:
        return torch.from_numpy(grid.dense()).to(self.device)
