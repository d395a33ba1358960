"""Compares what pyarrow reads of dfaparse's Arrow and Parquet files with what
dfaparse writes as JSON Lines: the same types in all three, and the same values.
DuckDB must read the same values from Parquet.

    python fuzz/interop/check.py bin/dfaparse
"""

import datetime
import decimal
import json
import pathlib
import subprocess
import sys
import tempfile

import duckdb
import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"

# What is read: a file of the examples, or a kind that `dfaparse gen` writes.
INPUTS = [
    ("orders", EXAMPLES / "orders.dfp", EXAMPLES / "orders.csv"),
    ("app", EXAMPLES / "app.dfp", EXAMPLES / "app.log"),
    ("taxi", "taxi", None),
    ("yelp", "yelp", None),
    ("lineitem", "lineitem", None),
    ("combined", "apache_combined", None),
]

# Types that pyarrow must see, beyond those being the same in all files.
TYPES = {
    "orders": {
        "id": "uint64", "ordered_at": "timestamp[us, tz=UTC]", "customer": "string",
        "status": "dictionary<values=string, indices=int32, ordered=0>", "items": "uint16",
        "price": "decimal128(10, 2)", "weight_kg": "double", "gift": "bool", "note": "string",
    },
    "taxi": {"VendorID": "int32", "tpep_pickup_datetime": "timestamp[us]", "total_amount": "double"},
    "yelp": {"stars": "double", "date": "date32[day]", "text": "string"},
    "lineitem": {"l_orderkey": "int64", "l_tax": "decimal128(12, 2)", "l_shipdate": "date32[day]"},
    "combined": {"time": "timestamp[us, tz=UTC]", "status": "uint16", "bytes": "uint64"},
}


def load(path):
    if path.suffix == ".parquet":
        return pa.parquet.read_table(path)
    if path.suffix == ".arrows":
        return pa.ipc.open_stream(path).read_all()
    return pa.ipc.open_file(path).read_all()


def shown(value, typ):
    """The value as dfaparse shows it in JSON, numbers apart."""
    if value is None or isinstance(value, (bool, int, str, float, decimal.Decimal)):
        return value
    if isinstance(value, datetime.datetime):
        text = value.replace(tzinfo=None).isoformat()
        if "." in text:
            text = text.rstrip("0")
        return text + ("Z" if typ.tz == "UTC" else "")
    if isinstance(value, datetime.date):
        return value.isoformat()
    raise TypeError(f"{typ}: {value!r}")


def same(value, written):
    if isinstance(value, float):
        return float(written) == value
    return value == written


def compare(name, table, lines):
    if table.num_rows != len(lines):
        raise AssertionError(f"{name}: {table.num_rows} rows, {len(lines)} lines of JSON")
    for field, column in zip(table.schema, table.columns):
        for row, value in enumerate(column.to_pylist()):
            value, written = shown(value, field.type), lines[row][field.name]
            if not same(value, written):
                raise AssertionError(f"{name}: row {row}, {field.name}: pyarrow has {value!r}, JSON {written!r}")


def compare_duckdb(name, path, table):
    """Compares DuckDB's values with pyarrow's, in pyarrow's types."""
    duckdb.sql("SET TimeZone = 'UTC'")
    seen = duckdb.sql(f"SELECT * FROM read_parquet('{path}')").to_arrow_table()
    if seen.column_names != table.column_names or seen.num_rows != table.num_rows:
        raise AssertionError(f"{name}: DuckDB sees {seen.num_rows} rows of {seen.column_names}")
    for field, column in zip(table.schema, table.columns):
        plain = column.cast(field.type.value_type) if pa.types.is_dictionary(field.type) else column
        if not seen.column(field.name).cast(plain.type).equals(plain):
            raise AssertionError(f"{name}: DuckDB has other values in {field.name}")


def check(command, name, spec, source, folder):
    if source is None:
        source = folder / f"{name}.txt"
        subprocess.run([command, "gen", name, "--size", "1MiB", "-o", source], check=True)
    parse = [command, "parse", "-f", spec, source]
    out = subprocess.run(parse + ["--to", "jsonl"], check=True, capture_output=True).stdout
    lines = [json.loads(line, parse_float=decimal.Decimal) for line in out.decode().splitlines()]
    tables = {}
    for ext in (".arrow", ".arrows", ".parquet"):
        path = folder / (name + ext)
        subprocess.run(parse + ["-o", path], check=True)
        tables[ext] = load(path)
        tables[ext].validate(full=True)
        compare(name + ext, tables[ext], lines)
    compare_duckdb(name, folder / f"{name}.parquet", tables[".arrow"])
    types = {ext: [(f.name, str(f.type)) for f in t.schema] for ext, t in tables.items()}
    if any(t != types[".arrow"] for t in types.values()):
        raise AssertionError(f"{name}: types differ: {types}")
    seen = dict(types[".arrow"])
    for column, want in TYPES.get(name, {}).items():
        if seen.get(column) != want:
            raise AssertionError(f"{name}: {column} is {seen.get(column)}, want {want}")
    print(f"{name}: {len(lines)} rows of {len(seen)} columns, the same in .arrow, .arrows and .parquet")


def main():
    command = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        for name, spec, source in INPUTS:
            check(command, name, spec, source, pathlib.Path(folder))


if __name__ == "__main__":
    main()
