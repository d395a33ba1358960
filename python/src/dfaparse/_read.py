"""Reading."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from . import _command, _library
from ._format import Format, FormatLike, dialect_of, format_of
from ._source import Source, source_of
from ._split import Split

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa

OnError = Literal["fail", "null", "reject"]
Union = Literal["name", "position"]
Progress = "bool | Callable[[int, int | None], object]"


class Scan:
    """An input that is read when it is asked for, as often as it is asked for.

    pyarrow, polars, pandas and DuckDB take it as a table:

    >>> import dfaparse, pyarrow as pa
    >>> s = dfaparse.scan(b"a,b\\n1,x\\n2,y\\n")
    >>> pa.table(s).num_rows, pa.table(s).num_rows
    (2, 2)

    A loop over it has its batches:

    >>> [batch.num_rows for batch in s]
    [2]
    """

    def __init__(self, source: Source, format: Format, options: dict[str, Any], rejects: str | None, progress: Any) -> None:
        self._source = source
        self._format = format
        self._options = options
        self._rejects = rejects
        self._progress = progress
        self._last: Any = None  # the reader that was opened last
        self._opened_by = 0  # the process that has opened it

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_last": None}  # a reader is of one process

    @property
    def format(self) -> Format:
        """How it is read."""
        return self._format

    def _open(self, **more: Any) -> Any:
        options = {**self._options, **more}
        library = _library.loaded()
        if library is None:
            self._last = _command.Reader(self._source, self._format._options, options)
        else:
            options["paths"] = list(self._source.paths)
            self._last = library.open(self._format._held(library), options, self._source.data)
        self._opened_by = os.getpid()
        return self._last

    def _opened(self) -> Any:
        """The reader that was opened last, or a new one: none of before a fork."""
        return self._last if self._last is not None and self._opened_by == os.getpid() else self._open()

    @property
    def schema(self) -> pa.Schema:
        """The columns and their types."""
        return self._opened().schema()

    def __arrow_c_schema__(self) -> object:
        return self._opened().schema_capsule()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        if self._rejects is None and not self._progress:
            return self._open().stream_capsule()
        import pyarrow as pa

        # The library's own stream writes no file, and shows nothing.
        reader = self._open()
        return pa.RecordBatchReader.from_batches(reader.schema(), self._batches(reader)).__arrow_c_stream__()

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Reads it, batch by batch."""
        return self._batches(self._open())

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        """Reads it, batch by batch, each time anew."""
        return self.batches()

    def _batches(self, reader: Any) -> Iterator[Any]:
        told = _Progress(self._progress, self._source.size())
        try:
            for batch in reader.batches(reader.schema()):
                told.tell(reader)
                yield batch
        except KeyboardInterrupt:
            reader.cancel()
            raise
        finally:
            told.end(reader)
            if self._rejects is not None:
                _write(reader.rejects(), self._rejects)

    def read(self) -> pa.Table:
        """Reads all of it."""
        import pyarrow as pa

        reader = self._open()
        return pa.Table.from_batches(self._batches(reader), reader.schema())

    @property
    def stats(self) -> dict[str, Any]:
        """The counts of what was read last: bytes, records, rows, rejected, nulled and others."""
        return {} if self._last is None else self._last.stats()

    @property
    def rejects(self) -> pa.Table:
        """The records that were left out of what was read last, and (on_error="null") fields
        that were made null: where, why, and the record itself. Without `rejects` the first
        thousand of each.

        >>> import dfaparse
        >>> s = dfaparse.scan(b"1\\nx\\n", "format n { delimited { sep ',' } fields { n u8! } }", on_error="reject")
        >>> s.read().num_rows, s.rejects.select(["line", "field", "raw"]).to_pylist()
        (1, [{'line': 2, 'field': 'n', 'raw': b'x'}])
        """
        return (self._last or self._open()).rejects()

    def __repr__(self) -> str:
        what = "bytes" if self._source.data is not None else ", ".join(self._source.paths)
        return f"<dfaparse.Scan of {what}>"


def scan(
    src: Any,
    format: FormatLike = None,
    *,
    columns: Sequence[str] | None = None,
    n_rows: int | None = None,
    skip_rows: int = 0,
    skip_lines: int = 0,
    on_error: OnError | None = None,
    rejects: str | os.PathLike[str] | None = None,
    max_rejects: int | None = None,
    threads: int | None = None,
    batch_size: int | None = None,
    memory: int | None = None,
    shape: str | None = None,
    split: Split | None = None,
    encoding: str | None = None,
    union: Union | None = None,
    hive: bool = False,
    file_column: str | None = None,
    sep: str | None = None,
    quote: str | None = None,
    escape: str | None = None,
    comment: str | None = None,
    header: int | None = None,
    eol: str | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
    null: str | Sequence[str] | None = None,
    types: Mapping[str, str] | str | None = None,
    all_strings: bool = False,
    lax: bool = False,
    progress: Any = None,
) -> Scan:
    """An input that is read when it is asked for; `read` says what the options mean.

    >>> import dfaparse
    >>> s = dfaparse.scan(b"a,b\\n1,x\\n2,y\\n", columns=["b"])
    >>> s.schema.names, s.read()["b"].to_pylist(), s.stats["rows"]
    (['b'], ['x', 'y'], 2)
    """
    said = dialect_of(locals())
    if isinstance(columns, str):
        raise TypeError("columns is a text, want a sequence of names")
    options: dict[str, Any] = {
        "columns": None if columns is None else list(columns),
        "n_rows": n_rows,
        "skip_rows": skip_rows,
        "skip_lines": skip_lines,
        "on_error": on_error,
        "keep_rejects": None if rejects is None else -1,
        "max_rejects": max_rejects,
        "threads": threads,
        "batch_size": batch_size,
        "memory": memory,
        "shape": shape,
        "union": union,
        "hive": hive or None,
        "file_column": file_column,
    }
    if split is not None:
        options |= {"split": split.value, **split.options}
        format = split.format if format is None else format
    path = None if rejects is None else os.fspath(rejects)
    if path is not None and os.path.splitext(path)[1] not in _WRITERS:
        raise ValueError(f"rejects is {path!r}, want a name that ends in one of {', '.join(_WRITERS)}")
    source = source_of(src)
    how = {k: v for k, v in {"encoding": encoding, "union": union, "skip_lines": skip_lines, "hive": hive and bool(said)}.items() if v} | said
    return Scan(source, format_of(format, source, how), {k: v for k, v in options.items() if v is not None}, path, progress)


def read(
    src: Any,
    format: FormatLike = None,
    *,
    columns: Sequence[str] | None = None,
    n_rows: int | None = None,
    skip_rows: int = 0,
    skip_lines: int = 0,
    on_error: OnError | None = None,
    rejects: str | os.PathLike[str] | None = None,
    max_rejects: int | None = None,
    threads: int | None = None,
    batch_size: int | None = None,
    memory: int | None = None,
    shape: str | None = None,
    split: Split | None = None,
    encoding: str | None = None,
    union: Union | None = None,
    hive: bool = False,
    file_column: str | None = None,
    sep: str | None = None,
    quote: str | None = None,
    escape: str | None = None,
    comment: str | None = None,
    header: int | None = None,
    eol: str | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
    null: str | Sequence[str] | None = None,
    types: Mapping[str, str] | str | None = None,
    all_strings: bool = False,
    lax: bool = False,
    progress: Any = None,
) -> pa.Table:
    """Reads an input as a table.

    :param src: a path, a URL, a folder, a pattern as "logs/**/*.csv", an archive, or several of
        them, which are read as one table; bytes, or an object with `read()`. What is
        compressed is decompressed.
    :param format: a `Format`, the name of one, the path or the text of a spec. Without it,
        it is found out (`infer`).
    :param columns: only these, in this order; the others are not converted.
    :param n_rows: stop after so many.
    :param skip_rows: pass over so many records first, whatever they hold.
    :param skip_lines: pass over so many lines first, before the header.
    :param on_error: what becomes of records that cannot be read: "fail", "null", "reject";
        without it as the format says.
    :param rejects: a file for what was left out, as its name ends: .jsonl, .parquet, .arrow.
        Where the format would fail, it rejects.
    :param max_rejects: fail at the reject after so many.
    :param threads: workers; without it, all cores.
    :param batch_size: rows of each batch; without it at most 16,384.
    :param memory: most bytes that reading may take.
    :param shape: read the records of one shape, of a format that has several.
    :param split: only this part of the input, which is a path; its format is taken where none
        is given.
    :param encoding: of the input; without it UTF-8, or where there is no format, it is found out.
    :param union: how the columns of several inputs are matched: by "name", those that one lacks
        are null, or by "position". Without it all have the same, in any order.
    :param hive: add a column for each folder in the paths that is named as year=2024.
    :param file_column: add a column of this name, with the path of the input that a row is from.
    :param sep: what separates fields; this and the options up to `lax` say how a delimited input is
        written, without a format or with csv or tsv. `infer` says what they mean.
    :param types: of columns by their names, as {"id": "u64", "at": 'ts("%F %T")'}.
    :param progress: True shows it on stderr; or a function that is called from time to time
        with the bytes read and the bytes there are, which are None where nobody knows.
    :raises ParseError: where a record cannot be read and the mode is "fail".

    >>> import dfaparse
    >>> dfaparse.read(b"name,age\\nAda,36\\nAlan,41\\n").to_pydict()
    {'name': ['Ada', 'Alan'], 'age': [36, 41]}
    """
    options = dict(locals())
    return scan(options.pop("src"), options.pop("format"), **options).read()


def schema(src: Any, format: FormatLike = None, **options: Any) -> pa.Schema:
    """The columns of an input, and their types. The options are those of `read`.

    >>> import dfaparse
    >>> dfaparse.schema(b"name,age\\nAda,36\\n").names
    ['name', 'age']
    """
    return scan(src, format, **options).schema


def scan_polars(src: Any, format: FormatLike = None, **options: Any) -> pl.LazyFrame:
    """An input as a LazyFrame of polars, which reads only the columns and the rows that a
    query needs. The options are those of `read`.

    >>> import dfaparse, polars as pl
    >>> frame = dfaparse.scan_polars(b"name,age\\nAda,36\\nAlan,41\\n")
    >>> frame.filter(pl.col("age") > 40).select("name").collect().to_dicts()
    [{'name': 'Alan'}]
    """
    import polars as pl
    from polars.io.plugins import register_io_source

    lazy = scan(src, format, **options)

    def source(
        with_columns: list[str] | None, predicate: pl.Expr | None, n_rows: int | None, batch_size: int | None
    ) -> Iterator[pl.DataFrame]:
        more: dict[str, Any] = {}
        if with_columns is not None:  # none are asked for by a count of rows: any one will do
            more["columns"] = with_columns or lazy.schema.names[:1]
        if n_rows is not None:
            most = lazy._options.get("n_rows")
            more["n_rows"] = n_rows if most is None else min(most, n_rows)
        if batch_size is not None and "batch_size" not in lazy._options:
            more["batch_size"] = max(1, batch_size)
        reader = lazy._open(**more)
        for batch in lazy._batches(reader):
            frame = pl.from_arrow(batch)
            assert isinstance(frame, pl.DataFrame)
            if predicate is not None:
                frame = frame.filter(predicate)
            yield frame

    empty = pl.from_arrow(lazy.schema.empty_table())
    assert isinstance(empty, pl.DataFrame)
    return register_io_source(source, schema=empty.schema, validate_schema=True, is_pure=True)


class _Progress:
    """Tells how far a reading has come, a few times a second."""

    def __init__(self, to: Any, total: int | None) -> None:
        self.to: Callable[[int, int | None], object] | None = _show if to is True else to or None
        self.total = total
        self.last = time.monotonic()

    def tell(self, reader: Any) -> None:
        if self.to is not None and time.monotonic() - self.last > 0.1:
            self.last = time.monotonic()
            self.to(reader.stats().get("bytes", 0), self.total)

    def end(self, reader: Any) -> None:
        if self.to is not None:
            self.to(reader.stats().get("bytes", 0), self.total)
            if self.to is _show:
                print(file=sys.stderr)


def _show(nbytes: int, total: int | None) -> None:
    # What is compressed gives more bytes than there are.
    share = f" ({100 * nbytes / total:.0f} %)" if total and nbytes <= total else ""
    print(f"\rdfaparse: {nbytes / 1e6:,.1f} MB{share}", end="", file=sys.stderr, flush=True)


def _jsonl(table: pa.Table, path: str) -> None:
    import json

    with open(path, "w", encoding="utf-8") as f:
        for row in table.to_pylist():
            row["raw"] = row["raw"].decode("utf-8", "backslashreplace")
            f.write(json.dumps(row, ensure_ascii=False) + "\n")


def _parquet(table: pa.Table, path: str) -> None:
    import pyarrow.parquet as pq

    pq.write_table(table, path)


def _arrow(table: pa.Table, path: str) -> None:
    import pyarrow as pa

    with pa.ipc.new_file(path, table.schema) as f:
        f.write_table(table)


_WRITERS: dict[str, Callable[[Any, str], None]] = {".jsonl": _jsonl, ".parquet": _parquet, ".arrow": _arrow}


def _write(table: pa.Table, path: str) -> None:
    _WRITERS[os.path.splitext(path)[1]](table, path)
