"""A lock on an open file that ends with the process, however it ends."""

from __future__ import annotations

import sys

if sys.platform == "win32":
    import msvcrt

    FAR_AWAY = 1 << 40
    """A byte that nobody writes: Windows keeps others from reading what is locked."""

    def try_lock(descriptor: int) -> bool:
        """Whether the file is now this process's; False where another one has it."""
        import os

        place = os.lseek(descriptor, 0, os.SEEK_CUR)
        os.lseek(descriptor, FAR_AWAY, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        finally:
            os.lseek(descriptor, place, os.SEEK_SET)
        return True

else:
    import fcntl

    def try_lock(descriptor: int) -> bool:
        """Whether the file is now this process's; False where another one has it."""
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
