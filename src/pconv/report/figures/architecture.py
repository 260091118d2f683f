"""The network of a configuration, from the prime grid to the classes, with the shape after every layer."""

from __future__ import annotations

from dataclasses import dataclass
from math import log10
from typing import Annotated, Any

from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, Rectangle

from pconv.config import RunConfig
from pconv.config_args import config_from_args
from pconv.errors import InputError
from pconv.models.sizes import HIDDEN
from pconv.report.figures.options import Option
from pconv.report.figures.registry import FIGURES, FigureSpec
from pconv.report.names import window_name
from pconv.report.palette import BLOCKS, GREY

STEP = 1.55  # inches from one layer to the next


@dataclass(frozen=True)
class Layer:
    """One layer of the network: the shape of its output, and its number of weights."""

    name: str
    detail: str
    shape: tuple[int, ...]
    weights: int


@dataclass(frozen=True)
class ArchitectureFigure:
    """The network of a configuration, from the prime grid to the classes."""

    title: str
    layers: tuple[Layer, ...]


def architecture_figure(config: RunConfig) -> ArchitectureFigure:
    """The record of a configuration's network."""
    if config.architecture != RunConfig.architecture:
        raise InputError("architecture", config.architecture, "cannot be drawn: only pconv can")
    rows, columns, incoming = config.rows, config.primes, 1
    layers = [Layer("prime grid", f"{rows} rows, {columns:,} primes", (1, rows, columns), 0)]
    for i, (channels, k) in enumerate(zip(config.channels, config.kernels, strict=True), start=1):
        weights = channels * (incoming * k * k + 1)
        layers.append(Layer(f"convolution {i}", f"{k} × {k}, padded", (channels, rows, columns), weights))
        rows, columns, incoming = rows // 2, columns // 2, channels
        layers.append(Layer(f"max-pool {i}", "2 × 2, stride 2", (channels, rows, columns), 0))
    inner = incoming * rows * columns
    layers.append(Layer("flatten", "LeakyReLU", (inner,), 0))
    for i, outer in enumerate((*HIDDEN, config.modulus), start=1):
        last = i > len(HIDDEN)
        layers.append(Layer(f"linear {i}", "classes" if last else "LeakyReLU", (outer,), outer * (inner + 1)))
        inner = outer
    sizes = {"k": config.kernel, "C": config.channels, "N": (config.primes,)}
    named = (f"${letter}={','.join(map(str, values))}$" for letter, values in sizes.items())
    title = ", ".join([f"$m={config.modulus}$", window_name(config.offsets), *named])
    return ArchitectureFigure(title, tuple(layers))


def from_options(
    modulus: int = 11,
    successors: int | None = None,
    offsets: str | None = None,
    kernel: Annotated[str, Option("As in `pconv train`.", "k", ("--kernel", "-k"))] = "7",
    primes: int | None = None,
    channels: Annotated[str, Option("As in `pconv train`.", "C", ("--channels", "-C"))] = "4",
    preset: Annotated[str, Option("quick or paper.", "NAME")] = "paper",
) -> ArchitectureFigure:
    """The network of a configuration, with all shapes."""
    given = {"modulus": modulus, "kernel": kernel, "channels": channels, "primes": primes}
    return architecture_figure(config_from_args(preset, successors, offsets, **given))


def draw_architecture(record: ArchitectureFigure) -> Figure:
    """A box per layer: its height follows the rows or units, its depth the channels."""
    wide = STEP * len(record.layers)
    figure = Figure(figsize=(wide, 2.9))
    axes: Any = figure.add_axes((0, 0, 1, 1))
    rows = max(layer.shape[1] for layer in record.layers if len(layer.shape) == 3)
    free = 0.0  # where the next arrow may begin
    for i, layer in enumerate(record.layers):
        x = STEP * (i + 0.5)
        half = _volume(axes, layer, x, rows) if len(layer.shape) == 3 else _bar(axes, layer, x)
        _caption(axes, layer, x)
        if i:
            ends = (free, 0), (x - half - 0.04, 0)
            axes.add_patch(
                FancyArrowPatch(*ends, arrowstyle="-|>", mutation_scale=7, color=GREY, linewidth=0.8)
            )
        free = x + half + 0.06
    axes.set(xlim=(0, wide), ylim=(-1.7, 1.2), aspect="equal")
    axes.text(STEP * 0.12, 1.08, record.title, ha="left", va="center", fontsize=9.5)
    axes.set_axis_off()
    return figure


def _caption(axes: Any, layer: Layer, x: float) -> None:
    centred = {"ha": "center", "va": "center"}
    axes.text(x, -1.02, layer.name, fontweight="bold", fontsize=8.5, **centred)
    axes.text(x, -1.2, layer.detail, fontsize=7.5, color=GREY, **centred)
    axes.text(x, -1.38, " × ".join(f"{size:,}" for size in layer.shape), fontsize=8, **centred)
    if layer.weights:
        axes.text(x, -1.56, f"{layer.weights:,} weights", fontsize=7, color=GREY, **centred)


def _volume(axes: Any, layer: Layer, x: float, rows: int) -> float:
    """A stack of channels: height by rows, width by the logarithm of columns."""
    channels, height, width = layer.shape
    tall = 0.35 + 1.05 * height / rows
    broad = 0.3 + 0.14 * log10(max(1, width))
    shown = min(channels, 4)
    colour = (
        BLOCKS["last"] if layer.name == "prime grid" else BLOCKS["zero"] if layer.weights else BLOCKS["other"]
    )
    for k in reversed(range(shown)):
        corner = (x - broad / 2 + 0.05 * k - 0.025 * (shown - 1), -tall / 2 + 0.05 * k - 0.025 * (shown - 1))
        axes.add_patch(
            Rectangle(corner, broad, tall, facecolor=colour, edgecolor="white", linewidth=0.8, alpha=0.92)
        )
    return broad / 2 + 0.025 * (shown - 1)


def _bar(axes: Any, layer: Layer, x: float) -> float:
    tall = 0.25 + 0.33 * log10(max(1, layer.shape[0]))
    colour = BLOCKS["mixed"] if layer.weights else GREY
    axes.add_patch(Rectangle((x - 0.07, -tall / 2), 0.14, tall, facecolor=colour, linewidth=0))
    return 0.07


FIGURES.add(FigureSpec("architecture", from_options, draw_architecture))
