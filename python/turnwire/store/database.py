"""One SQLite file as the store uses it: write-ahead, a transaction an append, forced to the disk by whoever must.

Its faults come out as `OSError`, as those of any other file do. The chain of each thread is not its business.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from turnwire.store.files import Files

__all__ = ["Database"]

_SCHEMA = """
CREATE TABLE IF NOT EXISTS threads (
    number INTEGER PRIMARY KEY, id TEXT UNIQUE NOT NULL, header BLOB NOT NULL,
    seq INTEGER NOT NULL, hash TEXT NOT NULL, key TEXT, fault TEXT);
CREATE INDEX IF NOT EXISTS keys ON threads (key) WHERE key IS NOT NULL;
CREATE TABLE IF NOT EXISTS events (
    thread INTEGER NOT NULL, seq INTEGER NOT NULL, line BLOB NOT NULL, PRIMARY KEY (thread, seq)) WITHOUT ROWID;
"""
# `user_version` of the file; another one is a form that this version cannot read.
_FORM = 1
# How long a transaction of another process may take.
_BUSY_SECONDS = 10.0
_BUSY_STEP_SECONDS = 0.005


class Database:
    """An open file; made with its tables where it is new.

    Raises:
        OSError: it cannot be opened, or is not of this form.
    """

    def __init__(self, files: Files, path: Path) -> None:
        self._path = path
        # What is to be forced so that a transaction outlives the power. SQLite forces it before it copies from it.
        self.ahead = path.with_name(f"{path.name}-wal")
        if not path.exists():
            # SQLite gives its journals the mode of the file. Only a new file is opened here: to close a file is to
            # drop every POSIX lock of this process on it, those of another connection too.
            files.close(files.open_to_append(path, create=True))
        with self._faults():
            self._connection = sqlite3.connect(path, timeout=_BUSY_SECONDS, isolation_level=None)
            fault = self._begin()
        if fault is not None:
            self._connection.close()
            raise OSError(f"{path} {fault}")

    def rows(self, query: str, *values: Any) -> list[Any]:
        """What a query finds.

        Raises:
            OSError: the file cannot be read.
        """
        with self._faults():
            return self._execute(query, *values)

    def lines(self, number: int, seq: int) -> Iterator[bytes]:
        """The events of a thread beyond `seq`, in order, a batch at a time.

        Raises:
            OSError: the file cannot be read.
        """
        query = "SELECT seq, line FROM events WHERE thread = ? AND seq > ? ORDER BY seq LIMIT 1000"
        while rows := self.rows(query, number, seq):
            yield from (line for _seq, line in rows)
            seq = rows[-1][0]

    def change(self, query: str, *values: Any) -> int:
        """Carries out one change of a transaction; returns how many rows it changed.

        Raises:
            OSError: the file cannot be written.
            sqlite3.IntegrityError: a row like it is there.
        """
        with self._faults():
            return self._connection.execute(query, values).rowcount

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All changes within, or none of them, as far as processes go; `ahead` is to be forced for more.

        Raises:
            OSError: they could not be written.
        """
        self.rows("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._undo()
            raise
        try:
            self.rows("COMMIT")
        except OSError:
            self._undo()
            raise

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """All reading within sees the file as it is now, whoever writes meanwhile.

        Raises:
            OSError: the file cannot be read.
        """
        self.rows("BEGIN")
        try:
            yield
        finally:
            self._undo()

    def version(self) -> int:
        """Another number than before when another process has written since."""
        found: int = self.rows("PRAGMA data_version")[0][0]
        return found

    def close(self) -> None:
        """Lets go of the file."""
        with self._faults():
            self._connection.close()

    def _begin(self) -> str | None:
        """Gives a new file its tables; returns why an old one cannot be used, and leaves that as it is."""
        deadline = time.monotonic() + _BUSY_SECONDS
        while True:
            try:
                form, fault = self._look()
                if fault is not None:
                    return fault
                self._execute("PRAGMA journal_mode = WAL")
                # A commit waits for no disk: the file stays whole, and its end is forced by whoever must.
                self._execute("PRAGMA synchronous = NORMAL")
                if form == 0:
                    self._connection.executescript(f"BEGIN IMMEDIATE; {_SCHEMA} PRAGMA user_version = {_FORM}; COMMIT")
            except sqlite3.OperationalError as error:
                # While another process begins, recovers or leaves the file, SQLite does not wait by itself.
                if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                    raise
                self._undo()
                time.sleep(_BUSY_STEP_SECONDS)
            else:
                return None

    def _look(self) -> tuple[int, str | None]:
        """The form of the file, 0 for a new one, and why it cannot be used: all as they are at one moment."""
        self._execute("BEGIN")
        try:
            form: int = self._execute("PRAGMA user_version")[0][0]
            if form not in (0, _FORM):
                return form, f"has the form {form}; this version reads {_FORM}"
            if form == 0 and self._execute("SELECT 1 FROM sqlite_master LIMIT 1"):
                return form, "is a database of something else; name another directory"
        finally:
            self._undo()
        return form, None

    def _undo(self) -> None:
        # A commit that failed may have ended the transaction already.
        if self._connection.in_transaction:
            self._connection.execute("ROLLBACK")

    def _execute(self, query: str, *values: Any) -> list[Any]:
        return self._connection.execute(query, values).fetchall()

    @contextmanager
    def _faults(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.IntegrityError:
            raise
        except sqlite3.Error as error:
            raise OSError(f"{self._path}: {error}") from error
