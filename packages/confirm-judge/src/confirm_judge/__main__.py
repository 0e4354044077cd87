"""``python -m confirm_judge`` is the command ``confirm-judge``."""

from confirm_judge.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
