"""What dfaparse writes, read by pyarrow: types and values, nothing approximate.

    check_types.py path/to/dfaparse

reads types.txt by types.dfp, one column a type, and a larger generated file of
several Arrow records, written as .arrow, .arrows and .parquet, and compares all
of it with what is written down here. Prints "N passed, M failed".
"""

import datetime as dt
import decimal
import os
import re
import subprocess
import sys
import tempfile
import uuid
import zlib

import duckdb
import pandas
import polars
import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet

HERE = os.path.dirname(os.path.abspath(__file__))
FORMS = ["arrow", "arrows", "parquet"]

D = decimal.Decimal
INF, NAN = float("inf"), float("nan")
EPOCH = dt.datetime(1970, 1, 1)
SECOND = 10**6


def micros(*when):
    """Microseconds since 1970 of a moment in UTC."""
    return (dt.datetime(*when) - EPOCH) // dt.timedelta(microseconds=1)


def date(y, m, d):
    return dt.date(y, m, d)


dictionary = pa.dictionary(pa.int32(), pa.string())
uuids = pa.uuid()

# Name, type, values of the four rows. Times are given as the numbers that are
# stored, for Python's times end at microseconds.
EXPECTED = [
    ("i8", pa.int8(), [-128, 127, 0, None]),
    ("i16", pa.int16(), [-32768, 32767, 7, None]),
    ("i32", pa.int32(), [-(2**31), 2**31 - 1, 0, None]),
    ("i64", pa.int64(), [-(2**63), 2**63 - 1, 3, 4]),
    ("u8", pa.uint8(), [0, 255, 9, None]),
    ("u16", pa.uint16(), [65535, 1000, 12, None]),
    ("u32", pa.uint32(), [2**32 - 1, 0xDEADBEEF, 0, None]),
    ("u64", pa.uint64(), [2**64 - 1, 0, 1, None]),
    ("f32", pa.float32(), [1.5, -3.4028234663852886e38, INF, None]),
    ("f64", pa.float64(), [1234567.25, 0.1, NAN, None]),
    ("dec", pa.decimal128(12, 3), [D("123456789.125"), D("-0.001"), D("7.000"), None]),
    ("dec38", pa.decimal128(38, 10), [D("9" * 28 + "." + "9" * 10), D("-1.0000000000"), D("0.5000000000"), None]),
    ("bool", pa.bool_(), [True, False, True, None]),
    ("ja", pa.bool_(), [True, False, True, None]),
    ("date", pa.date32(), [date(2024, 2, 29), date(1, 1, 1), date(9999, 12, 31), None]),
    ("day", pa.date32(), [date(2024, 2, 29), date(1970, 1, 1), date(1969, 12, 31), None]),
    ("time", pa.time64("us"), [86399999999, 0, 45296500000, None]),
    ("time_ms", pa.time32("ms"), [86399999, 0, 3723004, None]),
    ("time_ns", pa.time64("ns"), [86399999999999, 0, 45296000000001, None]),
    ("ts", pa.timestamp("us", tz="UTC"),
     [micros(2024, 1, 2, 3, 4, 5, 678901), 3600 * SECOND - 1, micros(2024, 1, 2, 3, 4, 5), None]),
    ("ts_plain", pa.timestamp("us"),
     [micros(2024, 1, 2, 3, 4, 5), micros(1, 1, 1), micros(9999, 12, 31, 23, 59, 59), None]),
    ("ts_s", pa.timestamp("s", tz="UTC"),
     [micros(2016, 7, 13, 8, 55, 36) // SECOND, 0, micros(1969, 12, 31, 1, 30) // SECOND, None]),
    ("ts_berlin", pa.timestamp("ms", tz="Europe/Berlin"),
     [micros(2024, 7, 1, 10) // 1000, micros(2024, 1, 1, 11) // 1000, 0, None]),
    ("ts_ns", pa.timestamp("ns", tz="UTC"), [1704164645123456789, 0, -1500000000, None]),
    ("dur_ms", pa.duration("ms"), [1500, -1, 0, None]),
    ("dur_go", pa.duration("ns"), [3723000000004, -2000000, 0, None]),
    ("dur_clock", pa.duration("s"), [3723, 3599, 360000, None]),
    ("str", pa.string(), ["plain", 'quo"ted | and\nbroken', "", None]),
    ("bin", pa.binary(), ["raw é".encode(), b"", b"x\x00y", None]),
    ("hex", pa.binary(), [b"\x00\xff\x10", b"", b"\xde\xad", None]),
    ("b64", pa.binary(), [b"\x00\xff\x10", b"", b"\xff\xef", None]),
    ("enum", dictionary, ["low", "high", "mid", None]),
    ("dict", dictionary, ["red", "green", "red", None]),
    ("ip", pa.string(), ["192.0.2.1", "2001:db8::1", "::", None]),
    ("uuid", uuids, [uuid.UUID("123e4567-e89b-12d3-a456-426614174000"), uuid.UUID(int=0), uuid.UUID(int=2**128 - 1), None]),
    ("ints", pa.list_(pa.int32()), [[1, -2, 3], [4], [-(2**31), 2**31 - 1], None]),
    ("words", pa.list_(pa.string()), [["a", "b,c", "d"], [], ["é"], None]),
    ("days", pa.list_(pa.date32()), [[date(2024, 1, 1), date(2024, 12, 31)], [date(1970, 1, 1)], [date(1969, 12, 31)], None]),
    ("tags", pa.map_(pa.string(), pa.string()), [[("a", "1"), ("b", ""), ("c", None)], [("k", "v=w")], [("é", "ü")], None]),
    ("counts", pa.map_(pa.string(), pa.uint16()), [[("x", 1), ("y", 65535)], [("z", 0)], [("a", 2)], None]),
    ("nested", pa.map_(pa.string(), pa.map_(pa.string(), pa.string())),
     [[("one", [("a", "1"), ("b", "2")]), ("two", [])], [("x", [("k", "v w")])], [("p", [("q", "")])], None]),
]

MEANINGS = {"ip": b"ip", "uuid": b"uuid"}

passed = failed = 0


def check(what, ok, detail=""):
    global passed, failed
    if ok:
        passed += 1
    else:
        failed += 1
        print(f"FAIL {what}: {detail}")


def parse(binary, output, *args):
    done = subprocess.run([binary, "parse", "-o", output, *args], capture_output=True, text=True)
    check(f"write {os.path.basename(output)}", done.returncode == 0, f"exit {done.returncode}: {done.stderr.strip()}")
    return done.returncode == 0


def batches(path):
    """The file's record batches, or row groups."""
    if path.endswith(".parquet"):
        file = pa.parquet.ParquetFile(path)
        return file.schema_arrow, [file.read_row_group(i) for i in range(file.num_row_groups)]
    if path.endswith(".arrows"):
        reader = pa.ipc.open_stream(path)
        return reader.schema, list(reader)
    reader = pa.ipc.open_file(path)
    return reader.schema, [reader.get_batch(i) for i in range(reader.num_record_batches)]


def table(path):
    if path.endswith(".parquet"):
        return pa.parquet.read_table(path)
    return pa.Table.from_batches(batches(path)[1])


def stored(values, typ):
    """The values as numbers where the type is one of times."""
    if pa.types.is_timestamp(typ) or pa.types.is_duration(typ) or pa.types.is_time64(typ):
        return values.cast(pa.int64())
    if pa.types.is_time32(typ):
        return values.cast(pa.int32())
    return values


def same(got, want):
    """Equality in which nan is nan; maps are lists of pairs."""
    if isinstance(want, float) and isinstance(got, float):
        return got == want or got != got and want != want
    if isinstance(want, (list, tuple)) and isinstance(got, (list, tuple)):
        return len(got) == len(want) and all(same(g, w) for g, w in zip(got, want))
    return type(got) is type(want) and got == want


def every_type(binary, directory):
    for form in FORMS:
        path = os.path.join(directory, "types." + form)
        if not parse(binary, path, "-f", os.path.join(HERE, "types.dfp"), os.path.join(HERE, "types.txt")):
            continue
        found = table(path)
        try:
            found.validate(full=True)
            check(f"{form}: valid", True)
        except pa.ArrowInvalid as err:
            check(f"{form}: valid", False, err)
        check(f"{form}: columns", found.column_names == [e[0] for e in EXPECTED], found.column_names)
        check(f"{form}: format", (found.schema.metadata or {}).get(b"dfaparse.format") == b"types", found.schema.metadata)
        for name, typ, values in EXPECTED:
            if form == "parquet" and typ == pa.timestamp("s", tz="UTC"):  # Parquet has no seconds
                typ, values = pa.timestamp("ms", tz="UTC"), [v if v is None else v * 1000 for v in values]
            field = found.schema.field(name)
            check(f"{form}: type of {name}", field.type == typ, f"{field.type}, want {typ}")
            check(f"{form}: {name} may be null", field.nullable == (name != "i64"), field)
            meaning = (field.metadata or {}).get(b"dfaparse.type")
            check(f"{form}: meaning of {name}", meaning == MEANINGS.get(name), meaning)
            column = stored(found.column(name), field.type)
            got = column.to_pylist()
            check(f"{form}: values of {name}", same(got, values), f"{got}, want {values}")
            check(f"{form}: nulls of {name}", column.null_count == values.count(None), column.null_count)


def other_readers(binary, directory):
    """Holds the table of docs/interop.md to what DuckDB, polars and pandas see, and all values."""
    path = os.path.join(directory, "readers.parquet")
    if not parse(binary, path, "-f", os.path.join(HERE, "types.dfp"), os.path.join(HERE, "types.txt")):
        return
    with open(os.path.join(HERE, "..", "..", "docs", "interop.md"), encoding="utf-8") as page:
        rows = re.findall(r"^\| (\w+) \| `.*` \| `(.*)` \| `(.*)` \| `(.*)` \|$", page.read(), re.M)
    seen = {r[0]: r[1] for r in duckdb.sql(f"DESCRIBE SELECT * FROM '{path}'").fetchall()}
    schema = polars.read_parquet(path).schema
    check("docs/interop.md: columns", [r[0] for r in rows] == list(seen), list(seen))
    dtypes = pandas.read_parquet(path, dtype_backend="pyarrow").dtypes
    for name, in_duckdb, in_polars, in_pandas in rows:
        check(f"DuckDB: type of {name}", seen.get(name) == in_duckdb, seen.get(name))
        check(f"polars: type of {name}", str(schema.get(name)) == in_polars, schema.get(name))
        check(f"pandas: type of {name}", str(dtypes.get(name)) == in_pandas, dtypes.get(name))
    pandas_table = pa.Table.from_pandas(pandas.read_parquet(path, dtype_backend="pyarrow"), preserve_index=False)
    read = {"DuckDB": duckdb.sql(f"SELECT * FROM '{path}'").to_arrow_table(), "polars": polars.read_parquet(path).to_arrow(), "pandas": pandas_table}
    arrow = os.path.join(directory, "readers.arrow")
    if parse(binary, arrow, "-f", os.path.join(HERE, "types.dfp"), os.path.join(HERE, "types.txt")):
        read["polars, Arrow file"] = polars.read_ipc(arrow).to_arrow()
    for reader, found in read.items():
        for name, typ, values in EXPECTED:
            got = [plain(v, found.schema.field(name).type, typ) for v in in_numbers(found.column(name))]
            want = [plain(v, typ, typ) for v in values]
            check(f"{reader}: values of {name}", same(got, want), f"{got}, want {want}")


PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}


def in_numbers(column):
    """The values of a column of times as the numbers that are stored."""
    typ = column.type
    if pa.types.is_dictionary(typ):
        column = column.cast(typ.value_type)
    if pa.types.is_time(typ):
        return [None if v is None else v for v in column.cast(pa.int32() if pa.types.is_time32(typ) else pa.int64()).to_pylist()]
    if pa.types.is_timestamp(typ) or pa.types.is_duration(typ):
        return column.cast(pa.int64()).to_pylist()
    return column.to_pylist()


def plain(value, typ, want):
    """A value as a reader has it, without what differs by the reader: times are
    nanoseconds, UUIDs are UUIDs, maps are lists of pairs."""
    if value is None:
        return None
    if pa.types.is_timestamp(want) or pa.types.is_duration(want) or pa.types.is_time(want):
        unit = typ.unit if hasattr(typ, "unit") else want.unit  # a duration in DuckDB is a number of the column's unit
        return value * (10**9 // PER_SECOND[unit])
    if want == uuids and not isinstance(value, uuid.UUID):
        return uuid.UUID(bytes=value) if isinstance(value, bytes) else uuid.UUID(value)
    if pa.types.is_map(want):
        pairs = value.items() if isinstance(value, dict) else [(v["key"], v["value"]) if isinstance(v, dict) else v for v in value]
        return [(k, plain(v, None, want.item_type)) for k, v in pairs]
    return value


# The larger file: rows enough for several record batches, with a dictionary
# that grows from batch to batch.
ROWS = 200_000
SPEC = """format many {
  delimited { sep ',' }
  fields { id i64!  word dict null "NULL"  half f64  tags list(u8, sep ';')  at ts(epoch(ms)) }
}
"""


def rows():
    for i in range(ROWS):
        word = None if i % 11 == 0 else f"w{zlib.crc32(str(i % (i // 1000 + 3)).encode()) % 5000}"
        tags = [i % 256, i // 256 % 256][: i % 3]
        yield i, word, i / 2, tags, None if i % 7 == 0 else i * SECOND + 1000


def several_batches(binary, directory):
    spec, text = os.path.join(directory, "many.dfp"), os.path.join(directory, "many.csv")
    with open(spec, "w") as file:
        file.write(SPEC)
    with open(text, "w") as file:
        for i, word, half, tags, at in rows():
            file.write(f"{i},{'NULL' if word is None else word},{half},{';'.join(map(str, tags))},{'' if at is None else at // 1000}\n")
    want = list(zip(*rows()))
    want[3] = [tags or None for tags in want[3]]
    for form in FORMS:
        path = os.path.join(directory, "many." + form)
        if not parse(binary, path, "-f", spec, "--threads", "2", text):
            continue
        if form != "parquet":
            sizes = [b.num_rows for b in batches(path)[1]]
            check(f"{form}: several batches", len(sizes) > 2 and sum(sizes) == ROWS and len(set(sizes[:-1])) == 1, sizes)
        found = table(path)
        found.validate(full=True)
        check(f"{form}: rows", found.num_rows == ROWS, found.num_rows)
        for i, name in enumerate(["id", "word", "half", "tags", "at"]):
            got = stored(found.column(name), found.schema.field(name).type).to_pylist()
            wrong = next((k for k in range(min(len(got), ROWS)) if got[k] != want[i][k]), None)
            check(f"{form}: values of {name}", wrong is None, wrong is not None and f"row {wrong} is {got[wrong]}, want {want[i][wrong]}")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    binary = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as directory:
        every_type(binary, directory)
        several_batches(binary, directory)
        other_readers(binary, directory)
    print(f"pyarrow {pa.__version__}, DuckDB {duckdb.__version__}, polars {polars.__version__}, pandas {pandas.__version__}: {passed} passed, {failed} failed")
    sys.exit(failed != 0)


main()
