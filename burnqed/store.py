"""The store: one URI for a folder or for S3, with atomic whole-file writes.

    store = Store("runs")                    # a folder
    store = Store("s3://bucket/prefix")      # endpoint and keys from AWS_ENDPOINT_URL, AWS_ACCESS_KEY_ID, …

Paths are relative to the URI and use `/`. A file is complete or absent: local files are written beside their target and
renamed, S3 objects appear when their upload ends.
"""

from __future__ import annotations

import builtins
import errno
import fcntl
import hashlib
import json
import os
import re
import shutil
import tempfile
import time
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any

import fsspec

from burnqed.errors import FULL, BadInput, TryAgain, Unanswered

TEMPORARY = ".tmp-"
BLOCK = 50 * 2**20
"""Bytes of a possibly large file that are read at once."""


class Store:
    """A folder or an S3 prefix.

    Methods raise BadInput when the store refuses (credentials, permissions, a missing file), and TryAgain when it cannot be reached.
    """

    def __init__(self, uri: str, *, known: bool = False) -> None:
        """A server that does not answer the first request is an error at once, unless it is `known` that an earlier process has reached it; after that,
        outages are waited out (`burnqed.outage`)."""
        self.uri = uri.rstrip("/") if uri not in ("/", "") else uri
        if not uri or ("://" in uri and not uri.startswith(("s3://", "file://"))) or re.fullmatch("s3:/*", uri):
            raise BadInput(f"{uri!r} is not a store; give a folder, or s3://BUCKET/PREFIX.")
        self.is_local = not self.uri.startswith("s3://")
        if self.is_local:
            self.fs, self.root = fsspec.core.url_to_fs(self.uri)
        else:
            from burnqed.outage import PatientS3  # a second to import

            self.fs = PatientS3(known=known, skip_instance_cache=True)
            self.root = self.fs._strip_protocol(self.uri)
        self._written: dict[str, str] = {}
        """Digests of what this process wrote, by path."""

    def __repr__(self) -> str:
        return f"Store({self.uri!r})"

    def full(self, path: str) -> str:
        """The path inside the file system."""
        return f"{self.root}/{path}" if path else self.root

    def locate(self, path: str) -> str:
        """The URI of a path, for people and logs."""
        return f"{self.uri}/{path}"

    # ---- reading

    def exists(self, path: str) -> bool:
        with self._errors(path):
            return bool(self.fs.exists(self.full(path)))

    def read_bytes(self, path: str) -> bytes:
        with self._errors(path):
            return bytes(self.fs.cat_file(self.full(path)))

    def read_many(self, paths: Sequence[str]) -> dict[str, bytes]:
        """Contents of small files, by path; from S3, many at the same time."""
        if self.is_local or not paths:
            return {path: self.read_bytes(path) for path in paths}
        with self._errors(paths[0]):
            # With more than one connection per file, s3fs asks for the size of each first.
            contents = self.fs.cat([self.full(path) for path in paths], max_concurrency=1)
        return {path: bytes(contents[self.full(path)]) for path in paths}

    def read_text(self, path: str) -> str:
        return self.read_bytes(path).decode("utf-8")

    def read_json(self, path: str) -> Any:
        return json.loads(self.read_bytes(path))

    @contextmanager
    def reading(self, path: str) -> Iterator[Path]:
        """The file on this machine while the block lasts, for those who read it piece by piece."""
        if self.is_local:
            with self._errors(path):
                self.fs.info(self.full(path))
            yield Path(self.full(path))
            return
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "file"
            self.download_file(path, file)
            yield file

    def list(self, prefix: str) -> list[str]:
        """Relative paths of all files below `prefix`, sorted; unfinished writes are left out."""
        return sorted(self.files(prefix))

    def folders(self) -> builtins.list[str]:
        """Names of the folders at the top, sorted."""
        with self._errors(""):
            try:
                listed = self.fs.ls(self.full("").rstrip("/"), detail=True)
            except FileNotFoundError:
                return []
        return sorted(info["name"].rstrip("/").rpartition("/")[2] for info in listed if info["type"] == "directory")

    def fingerprint(self, prefix: str) -> str:
        """Changes when a file below `prefix` does, as far as sizes and times (in a folder) or entity tags (in S3) tell."""
        files = self.files(prefix)
        if not files:
            raise BadInput(f"There is nothing at {self.locate(prefix)}; check the address.")
        stamps = [(path, info["size"], str(info.get("ETag") or info.get("mtime"))) for path, info in files.items()]
        return hashlib.sha256(json.dumps(sorted(stamps)).encode()).hexdigest()

    def files(self, prefix: str) -> dict[str, dict[str, Any]]:
        """The file system's information (`size` and more) about each file below `prefix`, by relative path."""
        with self._errors(prefix):
            base = self.full("").rstrip("/") + "/"
            try:
                listed = self.fs.find(self.full(prefix), detail=True)
            except FileNotFoundError:
                return {}
        return {
            path.removeprefix(base): info
            for path, info in listed.items()
            # Some S3 servers keep a folder after its files are deleted.
            if path.startswith(base) and TEMPORARY not in path.rpartition("/")[2] and info["type"] != "directory"
        }

    def written_digest(self, path: str) -> str:
        """SHA-256 of a file, in hexadecimal: as this process wrote it, or else of the stored content."""
        return self._written.get(path) or self.digest(path)

    def digest(self, path: str) -> str:
        """SHA-256 of the stored content, in hexadecimal."""
        digest = hashlib.sha256()
        with self._errors(path):
            full = self.full(path)
            size = int(self.fs.size(full))
            for start in range(0, size, BLOCK):
                digest.update(self.fs.cat_file(full, start=start, end=min(start + BLOCK, size)))
        return digest.hexdigest()

    # ---- writing

    def write_bytes(self, path: str, data: bytes) -> None:
        self._written.pop(path, None)
        with self._errors(path):
            if self.is_local:
                with self._renamed(path) as temporary:
                    temporary.write_bytes(data)
            else:
                self.fs.pipe_file(self.full(path), data)
        self._written[path] = hashlib.sha256(data).hexdigest()

    @contextmanager
    def writing(self, path: str) -> Iterator[Path]:
        """A file on this machine to write piece by piece. It becomes the stored one when the block ends without an exception."""
        if not self.is_local:
            with tempfile.TemporaryDirectory() as folder:
                file = Path(folder) / "file"
                yield file
                self.upload_file(file, path)
            return
        self._written.pop(path, None)
        with self._errors(path), self._renamed(path) as temporary:
            yield temporary
            with temporary.open("rb") as opened:
                digest = hashlib.file_digest(opened, "sha256").hexdigest()
        self._written[path] = digest

    def write_text(self, path: str, text: str) -> None:
        self.write_bytes(path, text.encode("utf-8"))

    def write_json(self, path: str, value: Any) -> None:
        self.write_text(path, json.dumps(value, indent=1, ensure_ascii=False) + "\n")

    def stamp(self, path: str) -> tuple[str, float] | None:
        """What identifies this version of a file, and its age in seconds by the store's clock; None where there is no file."""
        with self._errors(path):
            try:
                if self.is_local:
                    status = Path(self.full(path)).stat()
                    return f"{status.st_ino}-{status.st_mtime_ns}", time.time() - status.st_mtime
                bucket, key, _ = self.fs.split_path(self.full(path))
                head = self.fs.call_s3("head_object", Bucket=bucket, Key=key)
            except FileNotFoundError:
                return None
        now = parsedate_to_datetime(head["ResponseMetadata"]["HTTPHeaders"]["date"])
        return head["ETag"], (now - head["LastModified"]).total_seconds()

    def write_if(self, path: str, data: bytes, stamp: str | None) -> bool:
        """Writes a file if its version is still `stamp` (None: if there is no file). Returns False when somebody else was faster."""
        with self._errors(path):
            if self.is_local:
                return self._write_if_local(path, data, stamp)
            bucket, key, _ = self.fs.split_path(self.full(path))
            condition = {"IfNoneMatch": "*"} if stamp is None else {"IfMatch": stamp}
            try:
                self.fs.call_s3("put_object", Bucket=bucket, Key=key, Body=data, **condition)
            except (FileExistsError, FileNotFoundError):
                return False
            except OSError as error:
                if error.errno == errno.EINVAL:  # s3fs: a precondition failed
                    return False
                raise
        return True

    def delete(self, prefix: str) -> None:
        """Removes a file, or everything below a prefix, if it is there."""
        self._written = {
            path: digest for path, digest in self._written.items() if not f"{path}/".startswith(f"{prefix}/")
        }
        with self._errors(prefix):
            if self.fs.exists(self.full(prefix)):
                self.fs.rm(self.full(prefix), recursive=True)

    # ---- whole folders

    def fetch(self, prefix: str, folder: Path) -> None:
        """Copies the files below `prefix` into a local folder."""
        for path in self.list(prefix):
            target = folder / path.removeprefix(prefix).lstrip("/")
            target.parent.mkdir(parents=True, exist_ok=True)
            self.download_file(path, target)

    def download_file(self, path: str, file: Path) -> None:
        """Copies a file to this machine."""
        try:
            with self._errors(path):
                self.fs.get_file(self.full(path), str(file))
        except OSError as error:  # this machine's disk is full
            raise OSError(error.errno, error.strerror, str(file)) from None

    def upload(self, folder: Path, prefix: str) -> None:
        """Copies every file of a local folder below `prefix`."""
        for file in sorted(folder.rglob("*")):
            if file.is_file():
                self.upload_file(file, f"{prefix}/{file.relative_to(folder).as_posix()}")

    def upload_file(self, file: Path, path: str) -> None:
        self._written.pop(path, None)
        with self._errors(path):
            if self.is_local:
                with self._renamed(path) as temporary:
                    shutil.copyfile(file, temporary)
            else:
                self.fs.put_file(str(file), self.full(path))
        with file.open("rb") as opened:
            self._written[path] = hashlib.file_digest(opened, "sha256").hexdigest()

    def check_writable(self) -> None:
        """Writes and removes a small file. Raises BadInput or TryAgain with the reason."""
        probe = f"{TEMPORARY}{uuid.uuid4().hex}"
        self.write_bytes(probe, b"burnqed")
        self.delete(probe)

    # ---- inside

    def _write_if_local(self, path: str, data: bytes, stamp: str | None) -> bool:
        folder = Path(self.full(path)).parent
        folder.mkdir(parents=True, exist_ok=True)
        guard = os.open(folder, os.O_RDONLY)
        try:
            fcntl.flock(guard, fcntl.LOCK_EX)  # released when `guard` is closed, also by a kill
            now = self.stamp(path)
            if (now and now[0]) != stamp:
                return False
            with self._renamed(path) as temporary:
                temporary.write_bytes(data)
        finally:
            os.close(guard)
        return True

    @contextmanager
    def _renamed(self, path: str) -> Iterator[Path]:
        """A temporary file beside a local path, which it replaces when the block ends without an exception."""
        target = Path(self.full(path))
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary = target.parent / f"{TEMPORARY}{uuid.uuid4().hex}"
        try:
            yield temporary
            os.replace(temporary, target)
        finally:
            temporary.unlink(missing_ok=True)

    @contextmanager
    def _errors(self, path: str) -> Iterator[None]:
        """Turns the exceptions of file systems into one sentence."""
        where = self.locate(path) if path else self.uri
        try:
            yield
        except FileNotFoundError:
            raise BadInput(f"{where} does not exist; check the address, or run the step that writes it.") from None
        except (PermissionError, NotADirectoryError, IsADirectoryError, FileExistsError) as error:
            keys = "check the keys (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY) and the bucket's policy"
            advice = "choose a folder that you may write to" if self.is_local else keys
            raise BadInput(f"The store refuses access to {where} ({error.strerror or error}); {advice}.") from None
        except OSError as error:
            if self.is_local:
                advice = "free some space or choose another folder"
                raise BadInput(f"The store cannot use {where} ({error.strerror or error}); {advice}.") from None
            if error.errno in FULL:  # this machine's disk
                raise
            if isinstance(error, Unanswered):
                raise TryAgain(f"The store did not answer at {where}: {error}.") from None
            raise BadInput(f"The store refuses {where} ({error}); check its address.") from None
        except Exception as error:
            # botocore's exceptions are compared by name, or a store in a folder would have to import it.
            kinds = {kind.__name__ for kind in type(error).__mro__}
            if kinds & {"NoCredentialsError", "PartialCredentialsError"}:
                advice = "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or a workload identity"
                raise BadInput(f"There are no S3 credentials for {where}; {advice}.") from None
            if not self.is_local and kinds & {"ValueError", "BotoCoreError"}:
                advice = "check the address, AWS_ENDPOINT_URL and the other AWS_ variables"
                raise BadInput(f"S3 cannot be asked for {where} ({error}); {advice}.") from None
            raise


def split_address(uri: str) -> tuple[Store, str]:
    """The store around a folder, a prefix or a file, and its name there."""
    address = uri.rstrip("/") if "://" in uri else str(Path(uri).expanduser().resolve())
    parent, _, name = address.rpartition("/")
    return Store(parent or "/"), name
