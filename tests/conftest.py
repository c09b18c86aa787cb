"""What every test may count on: that 127.0.0.1 can be reached, in a network namespace of its own too."""

import contextlib
import fcntl
import socket
import struct
import sys

import pytest

from conformance.matrix import pytest_terminal_summary

__all__ = ["pytest_addoption", "pytest_sessionstart", "pytest_terminal_summary"]

# linux/sockios.h and linux/if.h
GET_FLAGS, SET_FLAGS, IS_UP = 0x8913, 0x8914, 0x1


def pytest_addoption(parser: pytest.Parser) -> None:
    """How long a look the tests take that could go on for ever."""
    parser.addoption("--crashes", type=int, default=24, help="how often each store is killed (whole: 200)")
    parser.addoption("--flips", type=int, default=10, help="how many bytes of a long record are changed (whole: 500)")
    parser.addoption("--lies", type=int, default=2000, help="how many lies are told about approvals (whole: 50000)")


def pytest_sessionstart() -> None:
    """`unshare -n make test` begins with a loopback that is down; whoever may make a namespace may raise it."""
    if sys.platform == "linux":
        with contextlib.suppress(PermissionError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
            flags = _ioctl(any_socket, GET_FLAGS, 0)
            if not flags & IS_UP:
                _ioctl(any_socket, SET_FLAGS, flags | IS_UP)


def _ioctl(any_socket: socket.socket, request: int, flags: int) -> int:
    answer = fcntl.ioctl(any_socket, request, struct.pack("16sH14x", b"lo", flags))
    return int(struct.unpack("16sH14x", answer)[1])
