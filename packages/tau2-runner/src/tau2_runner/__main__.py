"""Runs the command as ``python -m tau2_runner``."""

from tau2_runner.cli import main

if __name__ == "__main__":  # worker processes import this module again
    main()
