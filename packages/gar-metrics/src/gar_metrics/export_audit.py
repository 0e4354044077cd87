"""The statistics of an audit for machines: JSON, nothing rounded, null where there is nothing to measure."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gar_metrics.audit import Audit, LabelRate


def audit_record(audit: Audit) -> dict[str, object]:
    """An audit as one JSON-ready object, all shares 0 to 1.

    ``{"labels": {label: {"n", "agreement", "kappa"}}, "primary_macro_kappa", "primary_min_kappa", "rates": {name:
    {"k", "n", "rate", "ci95": [low, high]}}, "strata": {stratum: {label: agreement}}, "b7": {cause: count}}``
    """
    return {
        "labels": {
            label: {"n": found.n, "agreement": found.agreement, "kappa": found.kappa}
            for label, found in audit.labels.items()
        },
        "primary_macro_kappa": audit.primary_macro_kappa,
        "primary_min_kappa": audit.primary_min_kappa,
        "rates": {name: _rate_record(rate) for name, rate in audit.rates.items()},
        "strata": {name: dict(stratum.agreement) for name, stratum in audit.strata.items()},
        "b7": dict(audit.b7),
    }


def render_audit_json(audit: Audit) -> str:
    """`audit_record` as indented JSON in ASCII."""
    return json.dumps(audit_record(audit), indent=2) + "\n"


def _rate_record(rate: LabelRate) -> dict[str, object]:
    return {
        "k": rate.k,
        "n": rate.n,
        "rate": rate.rate,
        "ci95": None if rate.ci95 is None else list(rate.ci95),
    }
