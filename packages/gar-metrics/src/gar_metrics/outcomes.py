"""The outcome of a case: gold class emitted or not, passed or not."""

from __future__ import annotations

from enum import Enum


class Outcome(str, Enum):
    """Gold class emitted or not, crossed with passed or not; the values are the serialised form."""

    CALIBRATED_PASS = "calibrated_pass"  # noqa: S105 - "pass" as in passing a test
    EXECUTION_FAILURE = "execution_failure"
    MASKED_PASS = "masked_pass"  # noqa: S105
    MISCALIBRATED = "miscalibrated"

    @classmethod
    def of(cls, *, gold_emitted: bool, passed: bool) -> Outcome:
        """The outcome of one case.

        Args:
            gold_emitted: Some emission of the case has the gold class of its category.
            passed: The benchmark's grader passed the case.
        """
        if gold_emitted:
            return cls.CALIBRATED_PASS if passed else cls.EXECUTION_FAILURE
        return cls.MASKED_PASS if passed else cls.MISCALIBRATED
