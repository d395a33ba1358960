"""Has dfaparse write rows into Hive's folders, and in an order, and reads them back with DuckDB,
pyarrow, polars and dfaparse itself.

    python fuzz/interop/check_folders.py bin/dfaparse
"""

import csv
import datetime
import io
import pathlib
import subprocess
import sys
import tempfile

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq

DFAPARSE = str(pathlib.Path(sys.argv[1]).resolve())
CITIES = ["Berlin", "New York", None, "a/b", "k=v", "100%", "Z\u00fcrich.", "12:30", 'say "x"', "a+b", "x%2Fy", "#1 [a]{b}?*"]
FIELDS = {"n": "i64!", "city": 'str null "\\\\N"', "year": "i32", "day": "date", "price": "dec(9, 2)!", "kind": "dict", "text": "str"}
NAMES = list(FIELDS)


def spec(without=()):
    fields = "".join(f"    {name} {typ}\n" for name, typ in FIELDS.items() if name not in without)
    return "format t extends csv {\n  fields {\n" + fields + "  }\n}\n"


def rows():
    for i in range(6000):
        year = None if i % 31 == 5 else 2020 + i % 4
        yield (i, CITIES[i % len(CITIES)], year, datetime.date(2024, 1 + i % 12, 1 + i % 28), f"{i % 500}.25", f"kind {i % 7}", f"text {i % 1000}, \"{i}\"")


def run(*args):
    return subprocess.run(list(map(str, args)), check=True, capture_output=True).stdout


def same(what, got, want):
    got, want = sorted(map(shown, got)), sorted(map(shown, want))
    if got != want:
        bad = next((g, w) for g, w in zip(got + [None], want + [None]) if g != w)
        sys.exit(f"{what}: {len(got)} rows, want {len(want)}; the first that differs is {bad[0]}, want {bad[1]}")
    print(f"{what}: ok")


def shown(row):
    return tuple("null" if v is None else str(v) for v in row)


def check(folder, want, by):
    args = [DFAPARSE, "parse", "-f", folder / "in.dfp", folder / "in.csv", "--partition-by", by, "-o"]
    named = ", ".join(NAMES)
    city = pa.field("city", pa.string()), pa.field("year", pa.int32())
    keys = pa.schema([f for f in city if f.name in by.split(",")])
    types = {"city": pl.String, "year": pl.Int32}
    hive = "hive_partitioning = true, hive_types = {" + ", ".join(f"'{n}': {'VARCHAR' if n == 'city' else 'INT'}" for n in by.split(",")) + "}"

    out = folder / ("parquet-" + by)
    run(*args, out, "--sort", "n desc", "--sorted-by", "n:desc")
    same(f"Parquet by {by}, by DuckDB", duckdb.sql(f"select {named} from read_parquet('{out}/**/*.parquet', {hive})").fetchall(), want)
    table = ds.dataset(out, format="parquet", partitioning=ds.partitioning(keys, flavor="hive")).to_table(columns=NAMES)
    same(f"Parquet by {by}, by pyarrow", zip(*[c.to_pylist() for c in table.columns]), want)
    frame = pl.read_parquet(out / "**" / "*.parquet", hive_partitioning=True, hive_schema={n: types[n] for n in by.split(",")}).select(NAMES)
    same(f"Parquet by {by}, by polars", frame.rows(), want)
    for part in out.glob("**/*.parquet"):
        file = pq.ParquetFile(part)
        numbers = file.read(["n"]).column(0).to_pylist()
        order = [(c.column_index, c.descending, c.nulls_first) for c in file.metadata.row_group(0).sorting_columns]
        if numbers != sorted(numbers, reverse=True) or order != [(0, True, False)]:
            sys.exit(f"{part}: not in its order, which is said to be {order}")

    out = folder / ("arrow-" + by)
    run(*args, out, "--to", "arrow")
    table = ds.dataset(out, format="ipc", partitioning=ds.partitioning(keys, flavor="hive")).to_table(columns=NAMES)
    same(f"Arrow by {by}, by pyarrow", zip(*[c.to_pylist() for c in table.columns]), want)

    out = folder / ("csv-" + by)
    run(*args, out, "--to", "csv")
    same(f"CSV by {by}, by DuckDB", duckdb.sql(f"select {named} from read_csv('{out}/**/*.csv', {hive})").fetchall(), want)
    same(f"CSV by {by}, by dfaparse", back(out, by), want)

    out = folder / ("jsonl-" + by + ".jsonl.zst")
    run(*args, out)
    same(f"JSON Lines by {by}, by DuckDB", duckdb.sql(f"select {named} from read_json('{out}/**/*.jsonl.zst', {hive})").fetchall(), want)


def back(folder, by):
    """What dfaparse reads of the folders, as CSV with a text for null."""
    (folder.parent / "back.dfp").write_text(spec(by.split(",")).replace(r"\\N", ""))
    text = run(DFAPARSE, "parse", folder, "-f", folder.parent / "back.dfp", "--hive", "--columns", ",".join(NAMES), "--to", "csv", "--out-null", "NULL").decode()
    return [tuple(None if v == "NULL" else v for v in row) for row in list(csv.reader(io.StringIO(text)))[1:]]


def check_sort(folder, want):
    """Rows in an order, which is written down."""
    out = folder / "sorted.parquet"
    run(DFAPARSE, "parse", "-f", folder / "in.dfp", folder / "in.csv", "--sort", "day desc, n", "--sorted-by", "day:desc,n", "--row-group", 1000, "-o", out)
    want = sorted(want, key=lambda row: (-row[3].toordinal(), row[0]))
    meta = pq.ParquetFile(out).metadata
    for i in range(meta.num_row_groups):
        order = [(c.column_index, c.descending, c.nulls_first) for c in meta.row_group(i).sorting_columns]
        if order != [(NAMES.index("day"), True, False), (0, False, False)]:
            sys.exit(f"row group {i} is sorted by {order}")
    for name, got in [
        ("pyarrow", zip(*[c.to_pylist() for c in pq.read_table(out).columns])),
        ("DuckDB", duckdb.sql(f"select * from '{out}'").fetchall()),
        ("polars", pl.read_parquet(out).rows()),
    ]:
        if list(map(shown, got)) != list(map(shown, want)):
            sys.exit(f"sorted, by {name}: other rows, or another order")
        print(f"sorted, by {name}: ok")


def main():
    want = list(rows())
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        with (folder / "in.csv").open("w", newline="") as f:
            out = csv.writer(f, lineterminator="\n")
            out.writerow(NAMES)
            out.writerows([n, "\\N" if c is None else c, "" if y is None else y, *rest] for n, c, y, *rest in want)
        (folder / "in.dfp").write_text(spec())
        check(folder, want, "year")
        check(folder, want, "city,year")
        check_sort(folder, want)


main()
