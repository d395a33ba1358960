"""Splits: parts of a file that begin and end where records do."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from . import _command, _library
from ._format import Format, FormatLike, format_of
from ._source import Source, source_of


@dataclass(frozen=True)
class Split:
    """A part of a file: whoever reads it gets exactly its records, with places that are
    the whole file's. `split` makes them, `read` and `scan` read them.

    It is small, can be pickled, and goes through JSON (`to_json`, `from_json`).
    """

    #: of the file
    path: str
    #: how the file is read
    format: Format
    #: what has to be known to begin there: a line of what "dfaparse split" prints
    value: Mapping[str, Any]
    #: how the file is read, beside the format: skip_lines, shape
    options: Mapping[str, Any]

    @property
    def number(self) -> int:
        """Which one of the file's it is, from 1."""
        return self.value["number"]

    @property
    def of(self) -> int:
        """How many the file has."""
        return self.value["of"]

    @property
    def start(self) -> int:
        """Offset of its first record, of what the file holds decompressed."""
        return self.value["start"]["offset"]

    @property
    def end(self) -> int:
        """Offset behind its last record."""
        return self.value["end"]

    @property
    def first_record(self) -> int:
        """Number of its first data record in the file, from 1."""
        return self.value["start"]["records"] + 1

    @property
    def count(self) -> int:
        """Data records in it."""
        return self.value["count"]

    def to_json(self) -> str:
        """It, as a line of text."""
        parts = {"path": self.path, "format": self.format._options, "options": self.options, "split": self.value}
        return json.dumps(parts, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> Split:
        """The one that `to_json` has written."""
        parts = json.loads(text)
        return cls(parts["path"], Format._again(parts["format"]), parts["split"], parts["options"])

    def __repr__(self) -> str:
        return f"<dfaparse.Split {self.number} of {self.of} of {self.path}: bytes {self.start} to {self.end}, {self.count} records>"


def split(
    src: Any,
    n: int,
    format: FormatLike = None,
    *,
    skip_lines: int = 0,
    threads: int | None = None,
    shape: str | None = None,
) -> list[Split]:
    """Cuts a file, or several, into n parts of about the same size, which together are all of
    it: exactly, wherever quotes, records of several lines and directives are. A file is
    read once for that, with all cores, but not where it has an index (`dfaparse index`).

    :param src: a path, a folder, a pattern, or some; each file has at least one part.
    :param n: how many parts there are in all.
    :param format: as for `read`. Of several files it is that of the first.
    :param skip_lines: pass over so many lines first, before the header of each.
    :param threads: workers; without it, all cores.
    :param shape: read the records of one shape, of a format that has several.

    >>> import dfaparse, pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "people.csv"
    >>> _ = path.write_text('name,said\\nAda,"one\\ntwo"\\nAlan,three\\nKurt,four\\n')
    >>> for s in dfaparse.split(path, 2):
    ...     s.first_record, dfaparse.read(path, split=s)["name"].to_pylist()
    (1, ['Ada'])
    (2, ['Alan', 'Kurt'])
    """
    source = source_of(src)
    if source.data is not None:
        raise TypeError("splits are of files: give a path")
    if n < 1:
        raise ValueError(f"n is {n}, want 1 or more")
    f = format_of(format, source, {"skip_lines": skip_lines} if skip_lines else {})
    paths = inputs_of(source)
    reading = {k: v for k, v in {"skip_lines": skip_lines, "shape": shape}.items() if v}
    asked = reading | ({} if threads is None else {"threads": threads})
    library = _library.loaded()
    found = []
    for path, m in zip(paths, shares([os.path.getsize(path) if len(paths) > 1 else 0 for path in paths], n)):
        options = {"path": path, "n": m, **asked}
        values = _command.splits(f._options, options) if library is None else library.splits(f._held(library), options)
        found += [Split(path, f, value, reading) for value in values]
    return found


def inputs_of(source: Source) -> list[str]:
    """The inputs that names stand for."""
    library = _library.loaded()
    return _command.inputs(source.paths) if library is None else library.inputs(source.paths)


def shares(sizes: Sequence[int], n: int) -> list[int]:
    """How many of n parts each file has, by its size."""
    if len(sizes) == 1:
        return [n]
    total = max(sum(sizes), 1)
    return [max(1, round(n * size / total)) for size in sizes]
