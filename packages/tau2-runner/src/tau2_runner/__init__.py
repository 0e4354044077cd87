"""Run tau2-bench and read its results by action class.

Reserved: this release holds the name and the version only.
"""

from tau2_runner.__about__ import __version__

__all__ = ["__version__"]
