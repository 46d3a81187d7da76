"""Where a data set lies: files or folders here, an address in a store or on the web, the hub. What is elsewhere is fetched first.

with located("s3://team/numina", known()["numinamath-lean"]) as files:     # [("data/train-0.parquet", Path(…), "train")]
    ...
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from burnqed.data.sets.catalogue import DataSet
from burnqed.data.sets.files import PACKED, form_of
from burnqed.errors import BadInput, TryAgain
from burnqed.store import split_address

HUB = "hub"
"""As a source: the hub, where the data set says; `hub:OWNER/NAME` or `hub:OWNER/NAME@REVISION` says it itself."""

Files = list[tuple[str, Path, str]]
"""Name within the source, place on this machine, split (empty where the name does not say)."""


@contextmanager
def located(source: str, data_set: DataSet) -> Iterator[Files]:
    """The files of a data set on this machine while the block lasts. Raises BadInput when there are none, TryAgain when the hub does not answer."""
    if source == HUB or source.startswith(f"{HUB}:"):
        yield _matching(_from_hub(source, data_set), data_set, source)
    elif source.startswith(("https://", "http://")):
        with tempfile.TemporaryDirectory() as folder:
            yield [_from_web(source, Path(folder))]
    elif "://" in source:
        with tempfile.TemporaryDirectory() as folder:
            yield _from_store(source, data_set, Path(folder))
    else:
        path = Path(source).expanduser()
        if path.is_dir():
            yield _matching(path, data_set, source)
        elif path.exists():
            if not form_of(path):
                raise BadInput(
                    f"{path} has none of the forms that can be read (.jsonl, .json, .csv, .tsv, .parquet, .lean, each also packed); rename it."
                )
            yield [(path.name, path, _split(path.name, data_set))]
        else:
            raise BadInput(f"There is no file or folder {path}; give one, an address in a store, or hub.")


def _matching(folder: Path, data_set: DataSet, source: str) -> Files:
    """The files below a folder that the data set's patterns name; without patterns, all that can be read."""
    found: dict[Path, str] = {}
    for split, patterns in (data_set.files or {"": ["**/*"]}).items():
        for pattern in patterns:
            for packed in ("", *PACKED):
                for path in sorted(folder.glob(pattern + packed)):
                    is_hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
                    if path.is_file() and form_of(path) and not is_hidden:
                        found.setdefault(path, "" if split == "all" else split)
    if not found:
        expected = ", ".join(data_set.patterns) or "of a form that can be read"
        raise BadInput(f"{source} has no files {expected}; give the folder with that layout, or name the file itself.")
    return [(path.relative_to(folder).as_posix(), path, split) for path, split in found.items()]


def _split(name: str, data_set: DataSet) -> str:
    """The only split whose patterns end in a file's name, or empty."""
    splits = {
        split
        for split, patterns in data_set.files.items()
        if split != "all" and any(Path(name).match(pattern.rpartition("/")[2]) for pattern in patterns)
    }
    return splits.pop() if len(splits) == 1 and len(data_set.files) > 1 else ""


def _from_hub(source: str, data_set: DataSet) -> Path:
    identity, _, revision = (source.partition(":")[2] or data_set.hub).partition("@")
    if not identity and not data_set.home:
        raise BadInput("A data set of your own has no name on the hub; give it, as in hub:OWNER/NAME.")
    if not identity:
        raise BadInput(f"{data_set.title} is not on the hub; it is to be had at {data_set.home}, so give its folder.")
    try:
        from huggingface_hub import snapshot_download
        from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError
    except ModuleNotFoundError:
        raise BadInput("The hub needs another package: pip install 'burnqed[hub]'.") from None
    patterns = [pattern.removeprefix("**/") if pattern.startswith("**/") else pattern for pattern in data_set.patterns]
    try:
        return Path(
            snapshot_download(
                identity,
                repo_type="dataset",
                revision=revision or None,
                allow_patterns=[*patterns, *(f"*/{pattern}" for pattern in patterns)] or None,
            )
        )
    except (LocalEntryNotFoundError, ConnectionError) as error:
        raise TryAgain(
            f"The hub does not answer for {identity} ({_first_line(error)}); fetch the files and give their folder."
        ) from None
    except (HfHubHTTPError, ValueError, OSError) as error:
        raise BadInput(
            f"The hub does not give {identity} ({_first_line(error)}); check the name, or HF_TOKEN."
        ) from None


def _first_line(error: BaseException) -> str:
    return next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)


def _from_web(address: str, folder: Path) -> tuple[str, Path, str]:
    import httpx  # takes a third of a second: not for every command

    name = httpx.URL(address).path.rpartition("/")[2]
    if not form_of(Path(name)):
        raise BadInput(f"{address} does not end in the name of a file that can be read; fetch it, and give its path.")
    try:
        with (
            httpx.stream("GET", address, follow_redirects=True, timeout=60) as reply,
            (folder / name).open("wb") as file,
        ):
            for piece in reply.raise_for_status().iter_bytes():
                file.write(piece)
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise BadInput(f"{address} cannot be read ({error}); check the address and the network.") from None
    return name, folder / name, ""


def _from_store(address: str, data_set: DataSet, folder: Path) -> Files:
    store, name = split_address(address)
    paths = store.list(name)
    if not paths:
        raise BadInput(f"There is nothing at {address}; check the address.")
    is_file = paths == [name]
    for path in paths:
        if form_of(Path(path)):
            target = folder / (name if is_file else path.removeprefix(name).lstrip("/"))
            target.parent.mkdir(parents=True, exist_ok=True)
            store.download_file(path, target)
    if is_file:
        if not form_of(Path(name)):
            raise BadInput(
                f"{address} has none of the forms that can be read (.jsonl, .json, .csv, .tsv, .parquet, .lean)."
            )
        return [(name, folder / name, _split(name, data_set))]
    return _matching(folder, data_set, address)
