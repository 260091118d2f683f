"""The parts of a verdict in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pconv.evaluate.assessment import Assessment, Attained, Holds, LossAtFloor, NothingBeyond, Separated

if TYPE_CHECKING:
    from pconv.evaluate.verdict import Memory

CONCLUSIONS = {
    "confirmed": "All four parts hold.",
    "underfitted": "The network has not learned all that the theory allows.",
    "overfitted": "The network has fitted its training numbers beyond what holds for others.",
    "refuted": "This may mean a better theory, multiplication learned, or memorised neighbours.",
    "undecided": "Too few numbers to tell; a larger sample, or a census of a large domain, can.",
}


def part_figures(found: Assessment, training_loss: float | None) -> dict[str, tuple[Holds, str]]:
    """Whether each part of a prediction holds, and its figures in words."""
    return {
        "separated": (found.separated.holds, _separated(found.separated)),
        "attained": (found.attained.holds, _attained(found.attained)),
        "nothing beyond": (found.nothing_beyond.holds, _beyond(found.nothing_beyond)),
        "loss at the floor": (found.loss.holds, _loss(found.loss, training_loss)),
    }


def _separated(part: Separated) -> str:
    bound = "" if part.low == part.high else f", at most {part.high:.2%}"
    return f"{part.worst_rate:.2%} of the answers to class {part.worst_class} leave its group{bound}"


def _attained(part: Attained) -> str:
    between = "" if part.low == part.high else f", between {part.low:.4f} and {part.high:.4f}"
    return f"accuracy {part.accuracy:.4f}{between}, ceiling {part.ceiling:.4f}"


def _beyond(part: NothingBeyond) -> str:
    strongest = part.strongest
    if strongest is None and part.holds is not Holds.NO:
        return f"at most {part.high:.2%} of the answers are known beyond the groups"
    if strongest is None or part.holds is not Holds.NO:
        return f"between {part.low:.2%} and {part.high:.2%} of the answers are known beyond the groups"
    classes = ", ".join(map(str, strongest.classes[:8])) + (", ..." if len(strongest.classes) > 8 else "")
    return (
        f"in {{{classes}}} {strongest.correct:,} answers are correct where chance gives "
        f"{strongest.expected:,.0f}, effect {strongest.effect:.3f}, at least {strongest.low:.3f}"
    )


def _loss(part: LossAtFloor, training_loss: float | None) -> str:
    held_out = "held-out loss not recorded" if part.loss is None else f"held-out {part.loss:.4f}"
    training = "" if training_loss is None else f", training {training_loss:.4f}"
    return f"{held_out}{training}, floor {part.floor:.4f}"


def remembered(memory: Memory | None) -> str:
    """A sentence on the accuracy near training numbers; empty where it does not differ."""
    if memory is None or not memory.memorised:
        return ""
    p = f"p = {memory.pvalue:.1g}" if memory.pvalue > 1e-300 else "p < 1e-300"
    return (
        f" It seems to remember neighbours: class by class, accuracy is {memory.near_accuracy:.4f} near "
        f"training numbers and {memory.far_accuracy:.4f} away from them ({p})."
    )
