"""Ask whether every database write of an agent was confirmed by the user first.

Reserved: this release holds the name and the version only.
"""

from confirm_judge.__about__ import __version__

__all__ = ["__version__"]
