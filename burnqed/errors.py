"""The two ways other than a bug in which a command can end early.

Exit codes of every command: 0 done; 1 bug (never repeated); 2 bad input (never repeated); 75 try again
(SIGTERM, sidecar gone, store unreachable).
"""

import errno
import tempfile

EXIT_BUG = 1
EXIT_BAD_INPUT = 2
EXIT_TRY_AGAIN = 75

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""Numbers of an OSError for a full disk, quota or file size limit."""


class BadInput(Exception):
    """What the user gave cannot be used. The message is one sentence: what is wrong, where, and what to do."""


class TryAgain(Exception):
    """A failure outside the program: the same command may succeed when it is run again."""


class Unanswered(OSError):
    """A server does not answer, and nobody waits for it any longer."""


def full_disk(error: BaseException | None) -> str | None:
    """Where this machine's disk is full (a file, or the folder for temporary files), if that caused the error; else None."""
    while error:
        if isinstance(error, OSError) and error.errno in FULL:
            return str(error.filename or tempfile.gettempdir())
        if any(f"os error {number}" in str(error) for number in FULL):  # of a library written in Rust
            return tempfile.gettempdir()
        error = error.__cause__ or error.__context__
    return None


def first_of(group: BaseExceptionGroup[Exception]) -> Exception:
    """The exception that ended a group of tasks, out of its nesting."""
    inner = group.exceptions[0]
    return first_of(inner) if isinstance(inner, BaseExceptionGroup) else inner
