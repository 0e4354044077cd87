"""Runs the command as ``python -m bfcl_runner``."""

from bfcl_runner.cli import main

if __name__ == "__main__":  # worker processes import this module again
    main()
