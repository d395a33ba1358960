"""What Spark, Ray and Daft have in common: each cuts files into splits where the query is
planned, and lets a task read each, on any machine that sees the files."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ._errors import FormatError
from ._format import Format, FormatLike, format_of
from ._read import _write, scan
from ._source import source_of
from ._split import Split, inputs_of, shares, split

if TYPE_CHECKING:
    import pyarrow as pa

LARGEST, SMALLEST = 128 << 20, 4 << 20  # bytes of a split, if nobody says how many there are


@dataclass(frozen=True)
class Task:
    """An input or a split of one, and how to read it. Reading it again gives the same rows,
    and the same rejects in the file of the same name."""

    path: str
    format: Format
    split: Split | None  # None: all of it
    options: dict[str, Any]  # of scan
    rejects: str | None  # folder
    names: tuple[str, ...]  # of the columns of all tasks, in their order

    @property
    def number(self) -> int:
        return 1 if self.split is None else self.split.number

    @property
    def nbytes(self) -> int:
        return _size(self.path) or 0 if self.split is None else self.split.end - self.split.start

    def batches(self, columns: Sequence[str] | None = None) -> Iterator[pa.RecordBatch]:
        """Its rows. Once they are read, the rejects are in the folder."""
        options = self.options if columns is None else {**self.options, "columns": list(columns)}
        s = scan(self.path, self.format, split=self.split, **options)
        if self.rejects is None:
            yield from self._in_order(s.batches(), columns)
            return
        s._options["keep_rejects"] = -1
        yield from self._in_order(s.batches(), columns)
        path = os.path.join(self.rejects, self._name())
        os.makedirs(self.rejects, exist_ok=True)
        unfinished = f"{path[: -len('.parquet')]}.{os.getpid()}.tmp.parquet"
        _write(s.rejects, unfinished)
        os.replace(unfinished, path)

    def _in_order(self, batches: Iterator[pa.RecordBatch], columns: Sequence[str] | None) -> Iterator[pa.RecordBatch]:
        """The batches, with their columns in the order that all tasks have: a file may have another."""
        for batch in batches:
            if columns is None and batch.schema.names != list(self.names):
                if set(batch.schema.names) != set(self.names):
                    raise FormatError(f"{self.path}: its columns are {', '.join(batch.schema.names)}, and not {', '.join(self.names)}")
                batch = batch.select(list(self.names))
            yield batch

    def _name(self) -> str:
        path = os.path.abspath(self.path)
        digest = hashlib.sha256(path.encode("utf-8", "surrogateescape")).hexdigest()[:8]
        of = 1 if self.split is None else self.split.of
        return f"{os.path.basename(path)}-{digest}-{self.number:05}-of-{of:05}.parquet"


class Plan:
    """Files that are to be read by tasks."""

    def __init__(self, src: Any, format: FormatLike, *, splits: int | None = None, rejects: str | os.PathLike[str] | None = None, **options: Any) -> None:
        for name in ("n_rows", "progress", "split", "union", "hive", "file_column"):
            if options.get(name):
                raise ValueError(f"{name} is of one reading, and here many tasks read")
        source = source_of(src)
        if source.data is not None:
            raise TypeError("tasks read files: give a path")
        paths = inputs_of(source)
        self.paths = [path for path in paths if _size(path) != 0] or paths  # files of nothing have no header either
        how = {"skip_lines": options["skip_lines"]} if options.get("skip_lines") else {}
        self.format = _portable(format_of(format, source_of(self.paths), how))
        if options.get("skip_rows") and len(self.paths) > 1:
            raise ValueError("skip_rows is of one file, and here are several; skip_lines is of each")
        self.splits = splits
        self.rejects = None if rejects is None else os.path.abspath(rejects)
        self.options = {k: v for k, v in options.items() if v is not None}

    def schema(self) -> pa.Schema:
        return scan(self.paths[0], self.format, **self.options).schema

    def nbytes(self) -> int:
        return sum(_size(path) or 0 for path in self.paths)

    def tasks(self, at_least: int = 1) -> list[Task]:
        """Those of as many splits as were asked for; else of so many that none is too large,
        and at least so many if they are not too small. What cannot be read but from its
        beginning is one task."""
        n = self.splits
        if n is None:
            size = min(LARGEST, max(SMALLEST, self.nbytes() // max(at_least, 1)))
            n = max(1, -(-self.nbytes() // size))
        how = {k: v for k, v in self.options.items() if k in ("skip_lines", "shape")}
        options = {"threads": 1, **self.options}
        names = tuple(self.schema().names)
        found = []
        for path, m in zip(self.paths, shares([_size(path) or 0 for path in self.paths], n)):
            parts: Sequence[Split | None] = [None]
            if m > 1 and self.format.encoding is None and (_size(path) is not None or "://" in path):
                splits = split(path, m, self.format, **how)
                if not _from_beginning(splits):
                    parts = splits
            found += [Task(path, self.format, part, options, self.rejects, names) for part in parts]
        return found


def _size(path: str) -> int | None:
    """Bytes of a file; None of what is in an archive, or elsewhere."""
    try:
        return os.path.getsize(path)
    except OSError:
        return None


def _from_beginning(splits: Sequence[Split]) -> bool:
    """Whether splits are of a file that is compressed such that whoever reads one decompresses all
    that comes before it."""
    last = splits[-1].value
    return last["end"] != last["file"]["size"] and not any("access" in s.value for s in splits)


def _portable(format: Format) -> Format:
    """The format, for machines that have not the file of its spec."""
    name = format._options.get("format", "")
    if name.endswith(".dfp") and (spec := format.spec) is not None:
        return Format.from_spec(spec, encoding=format._options.get("encoding"))
    return format
