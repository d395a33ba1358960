"""Reads what dfaparse writes with options with pyarrow, DuckDB and polars, and compares
it with what it was made of.

    python fuzz/interop/check_sinks.py bin/dfaparse
"""

import csv
import datetime
import pathlib
import subprocess
import sys
import tempfile

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.ipc
import pyarrow.parquet as pq

DFAPARSE = str(pathlib.Path(sys.argv[1]).resolve())
TEXTS = ["plain", "semi;colon", "it's", 'a "quoted" one', "two\nlines", "", None, "NULL", "-", "\u00e9t\u00e9", "a,b|c"]
NAMES = ["n", "text", "day", "kind"]
SPEC = r"""
format t extends csv {
  fields {
    n     i64!
    text  str null "\\N"
    day   date
    kind  i32!
  }
}
"""


def rows():
    for i in range(10_000):
        day = None if i % 17 == 3 else datetime.date(2024, 1 + i % 9, 10 + i % 10)
        yield i - 5000, TEXTS[i % len(TEXTS)], day, i % 5


def write(folder, name, *flags):
    path = folder / name
    args = [DFAPARSE, "parse", "-f", folder / "in.dfp", folder / "in.csv", "-o", path, *flags]
    subprocess.run(list(map(str, args)), check=True)
    return path


def same(what, got, want):
    got = list(map(tuple, got))
    if got != want:
        bad = next((g, w) for g, w in zip(got + [None], want + [None]) if g != w)
        sys.exit(f"{what}: {len(got)} rows, want {len(want)}; the first that differs is {bad[0]}, want {bad[1]}")
    print(f"{what}: ok")


def of(table):
    return zip(*[c.to_pylist() for c in table.columns])


def check_csv(folder, want):
    texts = [tuple(None if v is None else str(v) for v in row) for row in want]
    for name, flags, options in [
        ("semicolons", ["--out-sep", ";", "--out-null", "NULL"], {"delimiter": ";"}),
        ("quoted", ["--out-quote", "'", "--out-quote-all", "--out-null", "\\N"], {"quotechar": "'", "na_values": "\\N"}),
        ("crlf", ["--out-eol", "crlf", "--out-null", "nil"], {"na_values": "nil"}),
        ("tabs", ["--out-sep", "tab", "--out-header", "none", "--out-null", "nil"], {"delimiter": "\t", "na_values": "nil", "header": False}),
    ]:
        path = write(folder, name + ".csv", *flags)
        o = {"delimiter": ",", "quotechar": '"', "na_values": "NULL", "header": True, **options}
        read = duckdb.read_csv(
            str(path), delimiter=o["delimiter"], quotechar=o["quotechar"], escapechar=o["quotechar"], na_values=o["na_values"],
            header=o["header"], dtype={c: "VARCHAR" for c in NAMES} if o["header"] else ["VARCHAR"] * 4, allow_quoted_nulls=False)
        same(f"CSV, {name}, by DuckDB", read.fetchall(), texts)
        table = pa.csv.read_csv(
            path, read_options=pa.csv.ReadOptions(column_names=NAMES, skip_rows_after_names=int(o["header"])),
            parse_options=pa.csv.ParseOptions(delimiter=o["delimiter"], quote_char=o["quotechar"], newlines_in_values=True),
            convert_options=pa.csv.ConvertOptions(
                null_values=[o["na_values"]], strings_can_be_null=True, quoted_strings_can_be_null=False, column_types={c: pa.string() for c in NAMES}))
        same(f"CSV, {name}, by pyarrow", of(table), texts)


def check_files(folder, want):
    path = write(folder, "out.parquet", "--row-group", 1500, "--compression", "zstd:9", "--no-dictionary", "kind,text", "--dictionary", "n", "--sorted-by", "n,kind:desc")
    meta = pq.ParquetFile(path).metadata
    sizes = [meta.row_group(i).num_rows for i in range(meta.num_row_groups)]
    if sizes != [1500] * 6 + [1000]:
        sys.exit(f"row groups of {sizes}")
    for i, dictionary in enumerate([True, False, True, False]):
        c = meta.row_group(0).column(i)
        if c.has_dictionary_page != dictionary or c.compression != "ZSTD":
            sys.exit(f"{c.path_in_schema}: dictionary {c.has_dictionary_page}, {c.compression}")
    order = [(c.column_index, c.descending, c.nulls_first) for c in meta.row_group(6).sorting_columns]
    if order != [(0, False, False), (3, True, False)]:
        sys.exit(f"sorted by {order}")
    same("Parquet, by pyarrow", of(pq.read_table(path)), want)
    same("Parquet, by DuckDB", duckdb.sql(f"select * from '{path}'").fetchall(), want)
    same("Parquet, by polars", pl.read_parquet(path).rows(), want)
    for codec in ("snappy", "lz4", "gzip", "none"):
        path = write(folder, codec + ".parquet", "--compression", codec)
        seen = pq.ParquetFile(path).metadata.row_group(0).column(1).compression
        if seen not in (codec.upper(), "UNCOMPRESSED"):
            sys.exit(f"Parquet, {codec}: pyarrow takes it for {seen}")
        same(f"Parquet, {codec}, by pyarrow", of(pq.read_table(path)), want)
        same(f"Parquet, {codec}, by DuckDB", duckdb.sql(f"select * from '{path}'").fetchall(), want)
        same(f"Parquet, {codec}, by polars", pl.read_parquet(path).rows(), want)
    for codec in ("zstd", "lz4"):
        path = write(folder, codec + ".arrow", "--compression", codec)
        same(f"Arrow, {codec}, by pyarrow", of(pa.ipc.open_file(path).read_all()), want)
        same(f"Arrow, {codec}, by polars", pl.read_ipc(path).rows(), want)
        path = write(folder, codec + ".arrows", "--compression", codec)
        same(f"Arrow stream, {codec}, by pyarrow", of(pa.ipc.open_stream(path).read_all()), want)


def main():
    want = list(rows())
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        with (folder / "in.csv").open("w", newline="") as f:
            out = csv.writer(f, lineterminator="\n")
            out.writerow(NAMES)
            out.writerows([n, "\\N" if t is None else t, d or "", k] for n, t, d, k in want)
        (folder / "in.dfp").write_text(SPEC)
        check_csv(folder, want)
        check_files(folder, want)


main()
