"""What all analyses have in common."""

from __future__ import annotations

from pconv.studies.analyses import NOT_RUN, answers


def test_nothing_is_said_without_runs() -> None:
    assert {answer.sentence for _, answer in answers([])} == {NOT_RUN}
