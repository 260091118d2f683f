"""Where the theory risks most: against its rival, and far outside the numbers that were trained on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pconv.lab.questions.answer import Answer, counted, name
from pconv.lab.source import Run
from pconv.lab.studies import studies


def crucial(runs: Sequence[Run]) -> Answer:
    """The runs of the crucial list: a decision for the signature is its rival refuted, itself not."""
    question = "Does the crucial list decide for the signature every time?"
    wanted = {cell.config for preset in ("quick", "paper") for cell in studies(["crucial"], preset)[0].cells}
    found = [run for run in runs if replace(run.config, seed=0) in wanted and "paper" in run.verdicts]
    if not found:
        return Answer(question)
    words = [(run.status, str(run.verdicts["paper"]["status"])) for run in found]
    decided = sum(paper == "refuted" != signature for signature, paper in words)
    against = sum(signature == "refuted" for signature, _ in words)
    sentence = (
        f"{decided} of {counted(len(found), 'run')} of the crucial list refute the paper's pattern and not "
        f"the signature's; {against} refute the signature's."
    )
    rows = tuple(
        (name(run.config), f"{run.result.test.accuracy:.4f}", signature, paper)
        for run, (signature, paper) in zip(found, words, strict=True)
    )
    return Answer(question, sentence, ("run", "test accuracy", "signature", "paper"), rows)


def extrapolation(runs: Sequence[Run]) -> Answer:
    """What the probes of the extrapolation study saw."""
    question = "Do networks extrapolate to 10^18?"
    found = [(run, finding) for run in runs if run.probe for finding in run.probe["findings"]]
    found = [(run, finding) for run, finding in found if finding["probe"] == "extrapolation"]
    if not found:
        return Answer(question)
    counts = {said: sum(f["agrees"] is said for _, f in found) for said in (True, False, None)}
    networks = len({run.result.run_id for run, _ in found})
    sentence = (
        f"{counts[True]} of {len(found)} predictions held, {counts[False]} failed and {counts[None]} stayed "
        f"open, for {counted(networks, 'network')} on numbers from 10^6 to 10^18."
    )
    words = {True: "holds", False: "fails", None: "open"}
    places: dict[tuple[str, str], list[str]] = {}
    for run, f in found:
        shown = f"{f['predicted']}: {f['observed']}, {words[f['agrees']]}"
        places.setdefault((name(run.config), f["what"]), []).append(shown)
    rows = tuple((*place, "; ".join(seen)) for place, seen in places.items())
    return Answer(question, sentence, ("run", "on", "predicted, and seen"), rows)
