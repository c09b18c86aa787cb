"""Stores of every kind, opened as often as a test likes and closed behind it."""

import pytest

from turnwire.store.memory import MemoryStore
from turnwire.store.opening import STORES, open_store


class Opener:
    """Opens stores over one directory; `told` is what they said of it.

    Nothing is forced to the disk unless a test asks for it: what a kill leaves is the kernel's, and a disk is slow.
    """

    def __init__(self, kind, directory):
        self.kind = kind
        self.directory = directory
        self.told = []
        self._opened = []

    def __call__(self, *, fsync="never", files=None):
        store = (
            MemoryStore()
            if self.kind == "memory"
            else open_store(self.kind, self.directory, tell=self.told.append, fsync=fsync, files=files)
        )
        self._opened.append(store)
        return store

    def close(self):
        for store in self._opened:
            store.close()


@pytest.fixture
def opener(request, tmp_path):
    """By the kind that `request.param` names; every kind that survives a process without it."""
    opener = Opener(getattr(request, "param", "jsonl"), tmp_path / "state")
    yield opener
    opener.close()


def pytest_generate_tests(metafunc):
    """`any_store` is every store, `lasting` every one that survives its process."""
    for name, kinds in (("any_store", ("memory", *STORES)), ("lasting", tuple(STORES))):
        if name in metafunc.fixturenames:
            metafunc.parametrize("opener", kinds, indirect=True)


@pytest.fixture
def lasting(opener):
    return opener


@pytest.fixture
def any_store(opener):
    return opener()
