"""The other readers: each gives the rows of a file, all columns text, or refuses it.

A reading is ("rows", [[bytes or None, …], …]) or ("error", message). None of
them guesses: the dialect and the number of columns are given. What a reader
cannot be told, a separator of two bytes, say, it is not asked: NotImplementedError.
"""

import csv
import io

import duckdb
import polars
import pyarrow
import pyarrow.csv

csv.field_size_limit(1 << 30)
NO_NULL = "\x01\x02\x01"  # so that an empty field stays empty: no value is this


def cut(data, dialect):
    """The bytes after the lines to be skipped, and after a byte order mark."""
    data = data.removeprefix(b"\xef\xbb\xbf")
    for _ in range(dialect.skip):
        _, _, data = data.partition(b"\n")
    return data


def python(data, dialect, width, strict):
    """The csv module. It knows no comments."""
    if len(dialect.delim.encode()) != 1 or dialect.comment:
        raise NotImplementedError
    doubled = dialect.escape == dialect.quote
    reader = csv.reader(
        io.StringIO(cut(data, dialect).decode("latin-1"), newline=""),
        delimiter=dialect.delim, quotechar=dialect.quote or None,
        quoting=csv.QUOTE_MINIMAL if dialect.quote else csv.QUOTE_NONE,
        doublequote=doubled, escapechar=None if doubled else dialect.escape or None, strict=strict)
    rows = []
    for row in reader:
        if row:
            if strict and len(row) != width:
                raise ValueError(f"{len(row)} fields, not {width}")
            row = [c.encode("latin-1") for c in row[:width]]
            rows.append(row + [None] * (width - len(row)))
    return rows


def literal(s):
    return "'" + s.replace("'", "''") + "'"


CONNECTION = None


def duck(path, dialect, width, more):
    """DuckDB's read_csv, in one thread, nothing detected."""
    global CONNECTION
    if CONNECTION is None:
        CONNECTION = duckdb.connect()
        CONNECTION.execute("SET threads = 1")
    if len(dialect.delim.encode()) > 4:
        raise NotImplementedError
    columns = "{" + ", ".join(f"'c{i}': 'VARCHAR'" for i in range(width)) + "}"
    query = (f"SELECT * FROM read_csv({literal(str(path))}, auto_detect=false, header=false, parallel=false, "
             f"delim={literal(dialect.delim)}, quote={literal(dialect.quote)}, escape={literal(dialect.escape)}, "
             f"comment={literal(dialect.comment)}, skip={dialect.skip}, nullstr={literal(NO_NULL)}, "
             f"compression='none', hive_partitioning=false, max_line_size=20000000, columns={columns}{more})")
    table = CONNECTION.sql(query).to_arrow_table()
    return table_rows(table)


def table_rows(table):
    columns = []
    for column in table.columns:
        if not pyarrow.types.is_binary(column.type):
            column = column.cast(pyarrow.large_binary() if pyarrow.types.is_large_string(column.type) else pyarrow.binary())
        columns.append(column.to_pylist())
    return [list(row) for row in zip(*columns)]


def polar(data, dialect, width):
    """polars' read_csv."""
    if len(dialect.delim.encode()) != 1 or dialect.escape not in ("", dialect.quote):
        raise NotImplementedError
    frame = polars.read_csv(
        io.BytesIO(data), has_header=False, separator=dialect.delim, quote_char=dialect.quote or None,
        comment_prefix=dialect.comment or None, skip_lines=dialect.skip, empty_string_is_null=False,
        schema={f"c{i}": polars.String for i in range(width)}, raise_if_empty=False)
    return table_rows(frame.to_arrow())


def arrow(data, dialect, width, skipped):
    """pyarrow's read_csv."""
    if len(dialect.delim.encode()) != 1 or dialect.comment:
        raise NotImplementedError
    doubled = dialect.quote != "" and dialect.escape == dialect.quote
    names = [f"c{i}" for i in range(width)]
    table = pyarrow.csv.read_csv(
        io.BytesIO(data),
        read_options=pyarrow.csv.ReadOptions(use_threads=False, column_names=names, skip_rows=dialect.skip,
                                             block_size=len(data) + 1),
        parse_options=pyarrow.csv.ParseOptions(
            delimiter=dialect.delim, quote_char=dialect.quote or False, double_quote=doubled,
            escape_char=False if doubled else dialect.escape or False, newlines_in_values=True,
            invalid_row_handler=(lambda row: "skip") if skipped else None),
        convert_options=pyarrow.csv.ConvertOptions(
            check_utf8=False, column_types={n: pyarrow.binary() for n in names}, strings_can_be_null=False))
    return table_rows(table)


# name: the reading of (path of the plain file, its bytes, dialect, width)
READERS = {
    "csv": lambda path, data, d, w: python(data, d, w, True),
    "csv, forgiving": lambda path, data, d, w: python(data, d, w, False),
    "DuckDB": lambda path, data, d, w: duck(path, d, w, ", strict_mode=true"),
    "polars": lambda path, data, d, w: polar(data, d, w),
    "pyarrow": lambda path, data, d, w: arrow(data, d, w, False),
    "pyarrow, skip": lambda path, data, d, w: arrow(data, d, w, True),
}


def read(name, path, data, dialect, width):
    """("rows", …), ("error", message), or None where the reader cannot be asked."""
    try:
        return "rows", READERS[name](path, data, dialect, width)
    except NotImplementedError:
        return None
    except BaseException as e:  # polars' panics are no Exception
        if isinstance(e, KeyboardInterrupt):
            raise
        return "error", str(e)
