"""``python -m gar_metrics`` is the command ``gar``."""

from gar_metrics.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
