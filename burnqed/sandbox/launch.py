"""Confines itself, then becomes another program. Run by path with nothing but the standard library; `burnqed.sandbox.confined` makes the command line.

    python -I -S launch.py '{"command": […], "readable": […], "scratch": null, "environment": {…}, "seccomp": true, "landlock": 7}'

The order matters: descriptors, rights, Landlock (which opens paths), seccomp, and the one `execveat` that the filter lets through.
Sources: the kernel's Documentation/userspace-api/{seccomp_filter,landlock,no_new_privs}.rst and the headers that they name.
"""

from __future__ import annotations

import ctypes
import errno
import json
import os
import platform
import resource
import signal
import struct
import sys
from collections.abc import Iterable, Mapping, Sequence

SYSCALLS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "syscalls.json")
"""What a confined program may call: groups of name: [number on x86_64, number on aarch64]."""
AUDIT = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
"""Processors that have a filter, in the order of their numbers, and what seccomp calls them (linux/audit.h)."""
SYSTEM = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib")
"""What every program reads: libraries. The loader is among them, so these may be executed too."""
SYSTEM_FILES = ("/etc/ld.so.cache", "/etc/ssl/openssl.cnf", "/dev/null", "/dev/zero", "/dev/random", "/dev/urandom")
DESCRIPTORS = 1024
"""A confined program may have open one less: the last one's number is the program's own, and gone once it runs."""
CANNOT_START = 126

libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long


class Failed(Exception):
    """A call of the kernel's that should have worked."""


def call(what: str, function: ctypes._NamedFuncPointer, *arguments: object) -> int:
    """Raises Failed, naming `what`."""
    result: int = function(*arguments)
    if result < 0:
        raise Failed(f"{what}: {os.strerror(ctypes.get_errno())}")
    return result


# ---------------------------------------------------------------- what the kernel offers

PR_GET_SECCOMP, PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS = 21, 22, 38
LANDLOCK_CREATE_RULESET, LANDLOCK_ADD_RULE, LANDLOCK_RESTRICT_SELF = 444, 445, 446
"""The same numbers on all processors."""


def has_seccomp() -> bool:
    """Whether filters can be set; by this process, which may be in a container that has one already."""
    if sys.platform != "linux" or platform.machine() not in AUDIT:
        return False
    # EFAULT instead of EINVAL says that the kernel got as far as reading the filter, for which there is no address.
    return libc.prctl(PR_SET_SECCOMP, 2, None, 0, 0) == -1 and ctypes.get_errno() == errno.EFAULT


def landlock_version() -> int:
    """Of Landlock's interface; 0 where there is none."""
    return max(0, libc.syscall(LANDLOCK_CREATE_RULESET, None, 0, 1)) if sys.platform == "linux" else 0


# ---------------------------------------------------------------- Landlock

EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1, 2, 4, 8
FILE_RIGHTS = EXECUTE | WRITE_FILE | READ_FILE | 1 << 14 | 1 << 15
MAKE_CHARACTER_DEVICE, MAKE_SOCKET, MAKE_BLOCK_DEVICE, IOCTL_DEVICE = 1 << 6, 1 << 9, 1 << 11, 1 << 15
BEYOND_FOLDERS = EXECUTE | MAKE_CHARACTER_DEVICE | MAKE_SOCKET | MAKE_BLOCK_DEVICE | IOCTL_DEVICE
"""What is not possible in the scratch folder either."""


def restrict_files(version: int, program: str, readable: Iterable[str], scratch: str | None) -> None:
    """Nothing but these paths can be opened from now on; nor TCP, signals and abstract sockets beyond this process be used."""
    everything = (1 << 13) - 1 | (version >= 2) << 13 | (version >= 3) << 14 | (version >= 5) << 15
    network, scope = 3 * (version >= 4), 3 * (version >= 6)
    attributes = struct.pack("QQQ", everything, network, scope)[: 8 if version < 4 else 16 if version < 6 else 24]
    rules = call("Landlock", libc.syscall, LANDLOCK_CREATE_RULESET, attributes, len(attributes), 0)

    def allow(path: str, rights: int) -> None:
        opened = os.open(path, os.O_PATH | os.O_CLOEXEC)
        if not os.path.isdir(path):
            rights &= FILE_RIGHTS
        call(f"Landlock, {path}", libc.syscall, LANDLOCK_ADD_RULE, rules, 1, struct.pack("=Qi", rights, opened), 0)
        os.close(opened)

    for path in filter(os.path.exists, SYSTEM):
        allow(path, READ_FILE | READ_DIR | EXECUTE)
    for path in filter(os.path.exists, (*SYSTEM_FILES, *readable)):
        allow(path, READ_FILE | READ_DIR)
    allow(program, READ_FILE | EXECUTE)
    if scratch is not None:
        allow(scratch, everything & ~BEYOND_FOLDERS)
    call("Landlock", libc.syscall, LANDLOCK_RESTRICT_SELF, rules, 0)
    os.close(rules)


# ---------------------------------------------------------------- seccomp

Instruction = tuple[int, int, int, int]
"""Code, jump if true, jump if false, constant (linux/filter.h)."""
LOAD, EQUAL, AT_LEAST, ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
ALLOW, KILL = 0x7FFF0000, 0x80000000
REFUSE, ABSENT = 0x00050000 | errno.EPERM, 0x00050000 | errno.ENOSYS
NUMBER, ARCHITECTURE = 0, 4
X32 = 0x40000000
NEWEST = 470
"""Calls from this number on are newer than this list: a C library tries them, and has another way when they are absent."""

CLONE_THREAD, CLONE_NEW = 0x00010000, 0x7E020080
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
AT_EMPTY_PATH = 0x1000
EXECVEAT = {"x86_64": 322, "aarch64": 281}
CHOICES = {
    # F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_DUPFD_CLOEXEC, F_GETPIPE_SZ; not F_SETOWN, which sends signals to others
    "fcntl": (1, (0, 1, 2, 3, 4, 1030, 1032)),
    # TCGETS, TCGETS2, TIOCGWINSZ, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX; not TIOCSTI, which types into a terminal
    "ioctl": (1, (0x5401, 0x802C542A, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)),
    # PR_GET_DUMPABLE, PR_SET_NAME, PR_GET_NAME, PR_GET_SECCOMP, PR_CAPBSET_READ, PR_GET_NO_NEW_PRIVS, PR_SET_VMA
    "prctl": (0, (3, 15, 16, 21, 23, 39, 0x53564D41)),
}
"""Calls of which one argument has to be one of these."""


def low(argument: int) -> int:
    """Where the lower half of an argument is (struct seccomp_data, little-endian)."""
    return 16 + 8 * argument


def one_of(argument: int, values: Sequence[int]) -> list[Instruction]:
    compared = [(EQUAL, len(values) - index, 0, value) for index, value in enumerate(values)]
    return [(LOAD, 0, 0, low(argument)), *compared, (RETURN, 0, 0, REFUSE), (RETURN, 0, 0, ALLOW)]


def without_bits(argument: int, bits: int) -> list[Instruction]:
    return [
        (LOAD, 0, 0, low(argument)),
        (ANY_BIT, 0, 1, bits),
        (RETURN, 0, 0, REFUSE),
        (RETURN, 0, 0, ALLOW),
    ]


def conditions(pid: int, program: int, is_writing: bool) -> dict[str, list[Instruction]]:
    """By name of a call, what decides about it when its number is that."""
    opening = [(RETURN, 0, 0, ALLOW)] if is_writing else None
    # A signal goes to this process only: its number stays the same when the program takes this one's place.
    own = one_of(0, [pid])
    rules = {name: one_of(argument, values) for name, (argument, values) in CHOICES.items()}
    return rules | {
        "open": opening or without_bits(1, WRITING),
        "openat": opening or without_bits(2, WRITING),
        "kill": own,
        "tgkill": own,
        "rt_tgsigqueueinfo": own,
        # A thread, in the same namespaces; never a process.
        "clone": [
            (LOAD, 0, 0, low(0)),
            (ANY_BIT, 1, 0, CLONE_THREAD),
            (RETURN, 0, 0, REFUSE),
            *without_bits(0, CLONE_NEW),
        ],
        # The limits of this process are looked at, not changed: no third argument.
        "prlimit64": [
            (LOAD, 0, 0, low(2)),
            (EQUAL, 0, 2, 0),
            (LOAD, 0, 0, low(2) + 4),
            (EQUAL, 1, 0, 0),
            (RETURN, 0, 0, REFUSE),
            *one_of(0, [0, pid]),
        ],
        # The program itself, by a descriptor that is closed when it runs and whose number cannot be had again (RLIMIT_NOFILE).
        "execveat": [(LOAD, 0, 0, low(0)), (EQUAL, 1, 0, program), (RETURN, 0, 0, REFUSE), *one_of(4, [AT_EMPTY_PATH])],
    }


def rules_of(machine: str, pid: int, program: int, is_writing: bool) -> list[Instruction]:
    """The filter: what is not listed is refused; a call of another processor's ends the program."""
    column = list(AUDIT).index(machine)
    with open(SYSCALLS, encoding="utf-8") as file:
        groups: dict[str, dict[str, list[int | None]]] = json.load(file)
    special = conditions(pid, program, is_writing)
    rules: list[Instruction] = [
        (LOAD, 0, 0, ARCHITECTURE),
        (EQUAL, 1, 0, AUDIT[machine]),
        (RETURN, 0, 0, KILL),
        (LOAD, 0, 0, NUMBER),
    ]
    for group, calls in groups.items():
        if group == "writing" and not is_writing:
            continue
        for name, numbers in calls.items():
            if (number := numbers[column]) is None:
                continue
            answer = [(RETURN, 0, 0, ABSENT if group == "absent" else ALLOW)]
            decision = special[name] if group == "by their arguments" else answer
            rules += [(EQUAL, 0, len(decision), number), *decision]
    return [
        *rules,
        (AT_LEAST, 0, 2, NEWEST),
        (AT_LEAST, 1, 0, X32),
        (RETURN, 0, 0, ABSENT),
        (RETURN, 0, 0, REFUSE),
    ]


def set_filter(rules: Sequence[Instruction]) -> None:
    packed = b"".join(struct.pack("HBBI", *rule) for rule in rules)
    buffer = ctypes.create_string_buffer(packed, len(packed))
    program = struct.pack("HxxxxxxP", len(rules), ctypes.addressof(buffer))
    call("seccomp", libc.prctl, PR_SET_SECCOMP, 2, program, 0, 0)


# ---------------------------------------------------------------- rights and descriptors


def give_up_rights() -> None:
    """Root keeps no capability after the program has begun, and no program gives new rights."""
    call("no_new_privs", libc.prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    libc.prctl(28, 0xEF, 0, 0, 0)  # PR_SET_SECUREBITS: being root means nothing; only root may, and only root needs it
    libc.capset(struct.pack("=Ii", 0x20080522, 0), bytes(24))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def open_alone(program: str) -> int:
    """Closes all descriptors but the standard ones, and opens `program` as the last one there can be."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    count = DESCRIPTORS if most == resource.RLIM_INFINITY else min(DESCRIPTORS, most)
    resource.setrlimit(resource.RLIMIT_NOFILE, (count, count))
    os.closerange(3, 1 << 20)
    opened = os.open(program, os.O_PATH | os.O_CLOEXEC)
    os.dup2(opened, count - 1, inheritable=False)
    os.close(opened)
    resource.setrlimit(resource.RLIMIT_NOFILE, (count - 1, count - 1))
    return count - 1


def strings(texts: Sequence[str]) -> ctypes.Array[ctypes.c_char_p]:
    return (ctypes.c_char_p * (len(texts) + 1))(*map(os.fsencode, texts), None)


def become(
    command: Sequence[str],
    readable: Sequence[str],
    scratch: str | None,
    environment: Mapping[str, str],
    seccomp: bool,
    landlock: int,
) -> None:
    """Does not return when all goes well. Raises Failed or OSError."""
    for ignored in (signal.SIGPIPE, signal.SIGXFSZ):  # by Python
        signal.signal(ignored, signal.SIG_DFL)
    variables = [f"{name}={value}" for name, value in environment.items()]
    if sys.platform != "linux":
        os.execve(command[0], list(command), environment)
    program = open_alone(command[0])
    is_writing = landlock > 0 and scratch is not None
    rules = rules_of(platform.machine(), os.getpid(), program, is_writing) if seccomp else []
    give_up_rights()
    if landlock:
        restrict_files(landlock, command[0], readable, scratch)
    if rules:
        set_filter(rules)
    if platform.machine() not in EXECVEAT:
        os.execve(program, list(command), environment)
    number = EXECVEAT[platform.machine()]
    call("exec", libc.syscall, number, program, b"", strings(command), strings(variables), AT_EMPTY_PATH)


if __name__ == "__main__":
    settings = json.loads(sys.argv[1])
    try:
        become(**settings)
    except (Failed, OSError) as error:
        sys.stderr.write(f"{settings['command'][0]} could not be started confined ({error})\n")
        sys.exit(CANNOT_START)
