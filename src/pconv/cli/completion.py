"""What the shell offers for an argument: run ids with their labels, and names.

A shell asks at every press of the key, so nothing here loads torch. It also evaluates what it is given: texts
from a store are reduced to characters that mean nothing to it. An error means that there is nothing to offer.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from functools import wraps
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import typer

from pconv.cli.defaults import DEFAULT_STORE
from pconv.registry import Registry

Offers = list[tuple[str, str]]
"""Values with their help; the shell keeps those that start like the word."""

PROBES = ("interventions", "causal", "layers", "attribution", "extrapolation")
"""The probes that are built in; their registry would load torch."""
METHODS = (
    *("integrated-gradients", "occlusion", "saliency", "input-x-gradient", "deep-lift", "shapley-sampling"),
    *("kernel-shap", "feature-ablation", "large-exponents", "columns-of-m"),
)
"""The attribution methods that are built in; so would theirs."""


def _silent(offers: Callable[..., Offers]) -> Callable[..., Offers]:
    """Offers nothing where an exception is raised, such as by a damaged store."""

    @wraps(offers)
    def complete(*arguments: Any, **named: Any) -> Offers:
        with suppress(Exception):
            return offers(*arguments, **named)
        return []

    return complete


@_silent
def complete_run(ctx: typer.Context, incomplete: str) -> Offers:
    """The runs of the store whose id starts with the word, those that ended last first.

    For any other word there is nothing, whereupon shells offer files.
    """
    from pconv.config import RunConfig
    from pconv.store.sqlite import Store

    if ctx.params.get("results") or ctx.params.get("source"):  # --from: the runs are not in the store
        return []
    given = ctx.params.get("runs") or ctx.params.get("run") or ()
    with Store.read(Path(ctx.params.get("store") or DEFAULT_STORE)) as store:
        found = [run for run in store.summaries() if run.run_id.startswith(incomplete)]
    return [
        (run.run_id, _harmless(f"{RunConfig.from_dict(run.config).label()} ({run.verdict or run.status})"))
        for run in reversed(found)
        if re.fullmatch("[0-9a-f]+", run.run_id) and run.run_id not in given
    ]


def _harmless(text: str) -> str:
    """Without the characters that a shell could evaluate in a text of a store."""
    return re.sub(r"[^A-Za-z0-9 =,.()_-]", "?", text)


def _names(module: str, registry: str, *others: str) -> Callable[[], Offers]:
    """The names in the registry that a function of a module returns, and others that options take."""

    @_silent
    def offers() -> Offers:
        found: Registry[Any] = getattr(import_module(module), registry)()
        return [(name, "") for name in (*others, *found.names())]

    return offers


complete_study = _names("pconv.studies.catalog", "all_studies", "all")
complete_theory = _names("pconv.theory.registry", "theories", "limit", "local", "size", "any")
complete_task = _names("pconv.data.tasks", "tasks")
complete_representation = _names("pconv.data.representations", "representations")
complete_architecture = _names("pconv.models.registry", "architectures")
complete_engine = _names("pconv.engines.registry", "engines", "auto")


@_silent
def complete_probe() -> Offers:
    """The probes that are built in, and those of installed packages."""
    installed = [entry.name for entry in entry_points(group="pconv.probes")]
    return [(name, "") for name in (*PROBES, *installed)]


@_silent
def complete_method() -> Offers:
    """The attribution methods that are built in, and those of installed packages; shells also offer files."""
    installed = [entry.name for entry in entry_points(group="pconv.methods")]
    return [(name, "") for name in (*METHODS, *installed)]


@_silent
def complete_status() -> Offers:
    from pconv.store.summary import STATUSES

    return [(name, "") for name in STATUSES]


@_silent
def complete_verdict() -> Offers:
    from pconv._colours import VERDICTS_IN_TERMINAL

    return [(name, "") for name in VERDICTS_IN_TERMINAL]
