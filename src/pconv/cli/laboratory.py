"""The closed loop of `pconv discover --experiments` in the terminal: a laboratory notebook."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from pconv._json import strict_json
from pconv._text import format_groups
from pconv.cli.standard_streams import print_note
from pconv.cli.views.live import duration
from pconv.cli.views.progress import progress
from pconv.config import RunConfig
from pconv.discover.formula import Formula, claim
from pconv.discover.hypotheses import Hypotheses
from pconv.discover.laboratory import Entry, Laboratory, experiment_cases
from pconv.discover.observation import Observation

if TYPE_CHECKING:
    from pconv.result import RunResult


def run_laboratory(
    store: Path,
    fields: dict[str, Any],
    max_size: int,
    experiments: int,
    budget: float,
    as_json: bool,
    quiet: bool,
) -> Formula | None:
    """Runs experiments and prints the notebook; the law that is left, or None.

    Parameters
    ----------
    store
        The store that keeps the runs.
    fields
        The representation, the task, the architecture and the seed of the runs.
    max_size
        The largest formulas, in symbols.
    experiments, budget
        The most experiments, and the seconds that they may take.
    as_json
        Print one JSON document in place of the notebook.
    quiet
        Show no progress.
    """
    from pconv.cli.one_run import train_in_terminal
    from pconv.discover.laboratory import small_run
    from pconv.store.checks import check_names
    from pconv.training.options import RunOptions

    def train(config: RunConfig) -> RunResult:
        return train_in_terminal(config, RunOptions(census=False), store, None, quiet or as_json)[0]

    cases = experiment_cases(fields["task"])
    check_names(small_run(cases[0], **fields))
    if not quiet:
        print_note(f"searching the formulas of up to {max_size} symbols")
    with progress("hypotheses", "laws", quiet) as on_progress:
        hypotheses = Hypotheses(cases, max_size, on_progress, fields["task"])
    if not as_json:
        print(_opening(hypotheses))
    entries = []
    laboratory = Laboratory(store, train, hypotheses, fields)
    for entry in laboratory.run(experiments, budget):
        entries.append(entry)
        if not as_json:
            print(entry_text(entry), flush=True)
    law = hypotheses.simplest(1)[0] if laboratory.proven else None
    print(strict_json(_document(entries, hypotheses, law)) if as_json else conclusion(hypotheses, law))
    return law


def _opening(hypotheses: Hypotheses) -> str:
    return (
        f"{hypotheses.left:,} hypotheses, which predict different partitions for some of "
        f"{len(hypotheses.cases)} possible experiments."
    )


def entry_text(entry: Entry) -> str:
    """An experiment as the notebook describes it: what was asked and why, what was seen, what fell."""
    result, seen = entry.result, entry.seen
    lines = [
        f"\nExperiment {entry.number}: {entry.config.label()}",
        f"  Why: {_reason(entry)} in about {duration(entry.seconds)}.",
    ]
    if not isinstance(seen, Observation):
        return "\n".join([*lines, f"  Seen: {seen.reason} (run {result.run_id}). Set aside."])
    what = f"accuracy {seen.accuracy:.4f}"
    if seen.leaders:
        what = f"{_mixed(seen)}; {what}"
    lines.append(f"  Seen: {what} on {result.test.size:,} numbers (run {result.run_id}).")
    fallen, left = len(entry.fallen), list(map(str, entry.simplest))
    lines.append(f"  Fell: {fallen:,}{_some(entry.fallen)}.")
    more = "; ..." if entry.left > len(left) else ""
    lines.append(f"  Left: {entry.left:,}" + (f": {'; '.join(left)}{more}" if left else "") + ".")
    return "\n".join(lines)


def _reason(entry: Entry) -> str:
    if entry.answers == 1:
        return "a further test of what is left,"
    answers = f"the hypotheses give {entry.answers:,} different answers"
    return f"{answers}; it is expected to tell {entry.gain:.2f} bits"


def _mixed(seen: Observation) -> str:
    groups: dict[int, list[int]] = {}
    for c, leader in enumerate(seen.leaders):
        groups.setdefault(leader, []).append(c)
    mixed = [group for group in groups.values() if len(group) > 1]
    return f"mixed classes {format_groups(mixed)}" if mixed else "every class is distinguished"


def _some(fallen: tuple[Formula, ...]) -> str:
    named = "; ".join(map(str, fallen[:4]))
    return f" ({named}{'; ...' if len(fallen) > 4 else ''})" if fallen else ""


def conclusion(hypotheses: Hypotheses, law: Formula | None) -> str:
    """What the experiments have shown."""
    if law is not None:
        return f"\nConclusion: one hypothesis is left and has passed its tests. The law: {claim(law)}."
    if hypotheses.left > 1 and not any(map(hypotheses.gain, range(len(hypotheses.cases)))):
        return (
            f"\nConclusion: open, {hypotheses.left:,} left, which predict the same for every possible "
            "experiment."
        )
    if hypotheses.left:
        return (
            f"\nConclusion: open, {hypotheses.left:,} left. The same command with more experiments "
            "or time goes on from here."
        )
    return "\nConclusion: no hypothesis is left: none of the laws tried explains all experiments."


def _document(entries: list[Entry], hypotheses: Hypotheses, law: Formula | None) -> dict[str, Any]:
    return {
        "experiments": [_entry(entry) for entry in entries],
        "left": hypotheses.left,
        "found": str(law) if law else None,
        "laws": [{"formula": str(formula), "size": formula.size} for formula in hypotheses.simplest(10)],
        "set_aside": [vars(e.seen) for e in entries if not isinstance(e.seen, Observation)],
    }


def _entry(entry: Entry) -> dict[str, Any]:
    seen = entry.seen
    return {
        "run_id": entry.config.run_id,
        "modulus": entry.config.modulus,
        "offsets": list(entry.config.offsets),
        "answers": entry.answers,
        "gain": entry.gain,
        "leaders": list(seen.leaders) if isinstance(seen, Observation) else None,
        "fallen": len(entry.fallen),
        "left": entry.left,
    }
