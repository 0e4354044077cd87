"""``python -m calibration_probes`` is the command ``calibration-probes``."""

from calibration_probes.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
