"""The store's tables, their migrations, and the checks on opening a store."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from pconv.errors import InputError, PconvError

APPLICATION = 0x70436E76
"""Marks a file as a store of pconv ("pCnv"), so that no other program's database is ever touched."""
BUSY_TIMEOUT = 60.0
"""Seconds to wait for another process that is writing."""

MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        "CREATE TABLE configs (run_id TEXT PRIMARY KEY, config TEXT NOT NULL) STRICT",
        """CREATE TABLE results (
            run_id TEXT PRIMARY KEY REFERENCES configs,
            finished REAL NOT NULL,
            seconds REAL NOT NULL,
            best_epoch INTEGER NOT NULL,
            best_accuracy REAL NOT NULL,
            test_accuracy REAL NOT NULL,
            losses BLOB NOT NULL,
            document TEXT NOT NULL,
            weights TEXT
        ) STRICT""",
        """CREATE TABLE epochs (
            run_id TEXT NOT NULL REFERENCES results ON DELETE CASCADE,
            epoch INTEGER NOT NULL,
            loss REAL NOT NULL,
            accuracy REAL NOT NULL,
            seconds REAL NOT NULL,
            PRIMARY KEY (run_id, epoch)
        ) STRICT, WITHOUT ROWID""",
        """CREATE TABLE verdicts (
            run_id TEXT NOT NULL REFERENCES results ON DELETE CASCADE,
            theory TEXT NOT NULL,
            status TEXT NOT NULL,
            document TEXT NOT NULL,
            PRIMARY KEY (run_id, theory)
        ) STRICT, WITHOUT ROWID""",
        """CREATE TABLE failures (
            run_id TEXT PRIMARY KEY REFERENCES configs,
            failed REAL NOT NULL,
            reason TEXT NOT NULL
        ) STRICT""",
        """CREATE TABLE claims (
            run_id TEXT PRIMARY KEY REFERENCES configs,
            owner TEXT NOT NULL,
            heartbeat REAL NOT NULL
        ) STRICT""",
        "CREATE INDEX weights_in_use ON results (weights)",
    ),
)
"""Entry i migrates version i to i + 1. Entries are never changed, only added."""


class StoreError(PconvError):
    """A store that cannot be used."""


def checked_path(path: Path | str) -> Path:
    """The path of a store; an `InputError` for SQLite's name of a database that is lost when it is closed."""
    if str(path) == ":memory:":
        raise InputError("store", path, "must be a file, because a store in memory would lose its runs")
    return Path(path)


@contextmanager
def store_errors(path: Path) -> Iterator[None]:
    """Turn SQLite's errors into a `StoreError` that names the store."""
    try:
        yield
    except sqlite3.Error as error:
        raise StoreError(f"the store {path}: {_in_words(error)}") from error


@contextmanager
def row_errors(path: Path, run_id: str) -> Iterator[None]:
    """Turn the errors of reading a damaged row into a `StoreError` that names its run."""
    try:
        yield
    except (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError) as error:
        raise StoreError(f"the store {path}: run {run_id} is damaged ({error})") from error


def _in_words(error: sqlite3.Error) -> str:
    known = {
        "SQLITE_FULL": "the disk is full; what was finished before is kept",
        "SQLITE_READONLY": "it is read-only",
        "SQLITE_NOTADB": "is not a store of pconv",
        "SQLITE_CORRUPT": "it is damaged",
        "SQLITE_BUSY": f"another process has been writing for {BUSY_TIMEOUT:.0f} s",
        "SQLITE_IOERR": "it cannot be read or written; is the disk full?",
        "SQLITE_CANTOPEN": "it cannot be opened or made there",
    }
    name = getattr(error, "sqlite_errorname", "")
    return next((words for start, words in known.items() if name.startswith(start)), str(error))


def open_to_write(path: Path) -> sqlite3.Connection:
    """Open a store for writing; creates a new one and migrates an old one."""
    if path.exists() and path.stat().st_mode & 0o222 == 0:  # root could write nevertheless
        raise StoreError(f"the store {path}: it is read-only")
    _check_not_cut(path)
    with store_errors(path):
        connection = sqlite3.connect(path, timeout=BUSY_TIMEOUT, isolation_level=None)
        try:
            version = _checked_version(connection, path)
            _use_write_ahead_log(connection)
            connection.execute("PRAGMA foreign_keys = ON")
            if version < len(MIGRATIONS):
                _migrate(connection, path)
            _try_to_write(connection)
        except BaseException:
            connection.close()
            raise
    return connection


def open_to_read(path: Path) -> sqlite3.Connection:
    """Open an existing store for reading. The file is not changed: an old store is migrated in memory."""
    if path.is_dir():
        raise StoreError(f"the store {path}: is a directory")
    if not path.is_file():
        raise StoreError(f"the store {path} does not exist; `pconv train` and `pconv sweep` make one")
    _check_not_cut(path)
    with store_errors(path):
        connection = sqlite3.connect(
            _uri(path, "mode=ro"), uri=True, timeout=BUSY_TIMEOUT, isolation_level=None
        )
        try:
            version = _checked_version(connection, path)
        except sqlite3.OperationalError:
            # In a directory that cannot be written to, the log cannot be shared: read the file as it is.
            connection.close()
            _check_log_is_empty(path)
            connection = sqlite3.connect(_uri(path, "immutable=1"), uri=True, isolation_level=None)
            version = _checked_version(connection, path)
        except BaseException:
            connection.close()
            raise
        return connection if version == len(MIGRATIONS) else _migrated_copy(connection, path)


def _log(path: Path) -> Path | None:
    """The write-ahead log of a store; None if it is empty or not there."""
    file = path.resolve()  # SQLite names the log after the file that a link leads to
    log = file.with_name(file.name + "-wal")
    return log if log.exists() and log.stat().st_size else None


def _check_not_cut(path: Path) -> None:
    """Raise a `StoreError` for an empty file with a log: SQLite deletes that log, also when it only reads."""
    if path.is_file() and path.stat().st_size == 0 and (log := _log(path)):
        raise StoreError(
            f"the store {path}: it is empty, but its log {log.name} is not: the file was damaged. Put back a "
            "copy of both, or move both away to start a new store"
        )


def _check_log_is_empty(path: Path) -> None:
    """Raise a `StoreError` where the file alone would show an old state, without the latest runs."""
    if log := _log(path):
        raise StoreError(
            f"the store {path}: its latest runs are in {log.name}, which cannot be read in a directory "
            "without write permission; copy both files to another one"
        )


def _migrated_copy(connection: sqlite3.Connection, path: Path) -> sqlite3.Connection:
    copy = sqlite3.connect(":memory:", isolation_level=None)
    with closing(connection):
        connection.backup(copy)
    _migrate(copy, path)
    return copy


def _uri(path: Path, mode: str) -> str:
    return f"{path.absolute().as_uri()}?{mode}"


def _checked_version(connection: sqlite3.Connection, path: Path) -> int:
    """The schema's version, 0 for an empty file; an error for other databases and newer versions."""
    # One statement sees one state of the file: another process may be making the store right now.
    version, owner, tables = connection.execute(
        """SELECT user_version, application_id, (SELECT count(*) FROM sqlite_schema)
           FROM pragma_user_version, pragma_application_id"""
    ).fetchone()
    if not (owner == APPLICATION or (owner == 0 and version == 0 and tables == 0)):
        raise StoreError(f"the store {path}: is not a store of pconv")
    if version < 0:
        raise StoreError(f"the store {path}: it is damaged (version {version} of the tables)")
    if version > len(MIGRATIONS):
        raise StoreError(
            f"the store {path}: was written by a newer pconv (version {version} of the tables; "
            f"this one knows {len(MIGRATIONS)})"
        )
    return int(version)


def _use_write_ahead_log(connection: sqlite3.Connection) -> None:
    """Allow readers during a write; SQLite does not wait by itself when two processes set this at once."""
    deadline = time.monotonic() + BUSY_TIMEOUT
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorname != "SQLITE_BUSY" or time.monotonic() > deadline:
                raise
            time.sleep(0.05)


def _migrate(connection: sqlite3.Connection, path: Path) -> None:
    with transaction(connection):
        # The version is read again, because another process may have migrated the store.
        for version in range(_checked_version(connection, path), len(MIGRATIONS)):
            for statement in MIGRATIONS[version]:
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {version + 1}")
        connection.execute(f"PRAGMA application_id = {APPLICATION}")


def _try_to_write(connection: sqlite3.Connection) -> None:
    """Fail now rather than after a training if the store is read-only."""
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("ROLLBACK")


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """A transaction that takes the write lock at its start, so that what it reads does not change."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
