"""Probes found by name: every installed distribution can bring some, as entry points."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple, cast

from calibration_probes.errors import ProbeError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from calibration_probes.interface import ProbeFactory

GROUP = "calibration_probes"
"""The entry-point group. An entry's name is the probe's, its object a `ProbeFactory`."""


class FoundProbe(NamedTuple):
    """A probe that some installed distribution brings.

    Attributes:
        name: The name it is found by.
        distribution: The distribution's name.
        entry_point: Where its factory is.
    """

    name: str
    distribution: str
    entry_point: EntryPoint

    def load(self) -> ProbeFactory:
        """Its factory.

        Raises:
            ProbeError: It can't be imported, or is no factory of probes.
        """
        try:
            factory: object = self.entry_point.load()
        except Exception as error:  # whatever somebody else's module does when it is imported
            what = f"probe {self.name} of {self.distribution} can't be loaded: {type(error).__name__}: {error}"
            raise ProbeError(what) from error
        variants = getattr(factory, "variants", None)
        if not callable(factory) or not isinstance(variants, Mapping) or not variants:
            what = f"probe {self.name} of {self.distribution} can't be used: it has no variants"
            raise ProbeError(what)
        return cast("ProbeFactory", factory)


def installed_probes() -> tuple[FoundProbe, ...]:
    """Every probe that is installed, by name."""
    from importlib.metadata import entry_points  # slower to import than all the rest of the package

    found = {
        FoundProbe(entry.name, entry.dist.name if entry.dist else "an unknown distribution", entry)
        for entry in entry_points(group=GROUP)
    }
    return tuple(sorted(found, key=lambda probe: (probe.name, probe.distribution)))


def find_probe(name: str) -> ProbeFactory:
    """The factory of the probe with that name.

    Raises:
        ProbeError: There is none, or more than one, or it can't be loaded.
    """
    installed = installed_probes()
    found = [probe for probe in installed if probe.name == name]
    if not found:
        what = f"unknown probe {name!r}; installed: {', '.join(probe.name for probe in installed) or 'none'}"
        raise ProbeError(what)
    if len(found) > 1:
        what = f"probe {name} is brought by {' and by '.join(probe.distribution for probe in found)}: remove one"
        raise ProbeError(what)
    return found[0].load()
