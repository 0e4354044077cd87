"""Probes that act at the halt and call seams of a multi-turn tool-calling loop.

Reserved: this release holds the name and the version only.
"""

from calibration_probes.__about__ import __version__

__all__ = ["__version__"]
