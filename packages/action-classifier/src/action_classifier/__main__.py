"""Runs the command as ``python -m action_classifier``."""

import sys

from action_classifier.cli import main

sys.exit(main())
