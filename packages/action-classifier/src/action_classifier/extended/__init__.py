"""Ruleset `extended`: emissions as harnesses really store them, by their main act."""

from __future__ import annotations

from action_classifier.extended.reading import explain, explain_text, labels

__all__ = ["explain", "explain_text", "labels"]
