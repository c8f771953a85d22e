"""Runs `recollect` with the given arguments in a process that the kernel ends (SIGSYS) as soon as it asks for an internet socket.

A guard in Python would not see what native code does: onnxruntime, libpq and the tokenizer have sockets and resolvers of their own.
Looking up a name needs such a socket too. Sockets of this machine (AF_UNIX) are allowed.
"""

from __future__ import annotations

import ctypes
import platform
import socket
import sys

_SOCKET_CALL = {"x86_64": 41, "aarch64": 198}
_LOAD, _JUMP_IF_EQUAL, _RETURN = 0x20, 0x15, 0x06
_NUMBER, _FIRST_ARGUMENT = 0, 16  # places in what the kernel shows to a filter
_ALLOW, _KILL_PROCESS = 0x7FFF0000, 0x80000000
_NO_NEW_PRIVILEGES, _SET_SECCOMP, _FILTER_MODE = 38, 22, 2


class _Instruction(ctypes.Structure):
    _fields_ = (("code", ctypes.c_uint16), ("true", ctypes.c_uint8), ("false", ctypes.c_uint8), ("k", ctypes.c_uint32))


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_uint16), ("instructions", ctypes.POINTER(_Instruction)))


def forbid_internet_sockets() -> None:
    """From here on, in every thread and child: a socket of AF_INET or AF_INET6 ends the process."""
    lines = (
        _Instruction(_LOAD, 0, 0, _NUMBER),
        _Instruction(_JUMP_IF_EQUAL, 0, 3, _SOCKET_CALL[platform.machine()]),
        _Instruction(_LOAD, 0, 0, _FIRST_ARGUMENT),
        _Instruction(_JUMP_IF_EQUAL, 2, 0, socket.AF_INET),
        _Instruction(_JUMP_IF_EQUAL, 1, 0, socket.AF_INET6),
        _Instruction(_RETURN, 0, 0, _ALLOW),
        _Instruction(_RETURN, 0, 0, _KILL_PROCESS),
    )
    program = _Program(len(lines), (_Instruction * len(lines))(*lines))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0) or libc.prctl(_SET_SECCOMP, _FILTER_MODE, ctypes.byref(program)):
        raise OSError(ctypes.get_errno(), "the kernel takes no filter of system calls")


if __name__ == "__main__":
    forbid_internet_sockets()
    if sys.argv[1] == "lookup":
        ctypes.CDLL(None).getaddrinfo(b"name.invalid", None, None, ctypes.byref(ctypes.c_void_p()))
    else:
        from recollect.serve.cli.main import main

        sys.exit(main(sys.argv[1:]))
