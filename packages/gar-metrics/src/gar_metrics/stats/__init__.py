"""Statistics on plain numbers: intervals, tests, agreement. Nothing here knows of runs or files."""
