#!/usr/bin/env python3
"""Holds the splits of a large file to the file: yelp, with one record that is a fifth of it.

    python bench/python/union.py [--mib 1024] [--folder /tmp] [--command bin/dfaparse]

All splits together have to give the same table and the same rejects, plain and in gzip.
"""

import argparse
import gzip
import shutil
import subprocess
import time
from pathlib import Path

import pyarrow as pa

import dfaparse

p = argparse.ArgumentParser()
p.add_argument("--mib", type=int, default=1024)
p.add_argument("--folder", type=Path, default=Path("/tmp"))
p.add_argument("--command", default="bin/dfaparse")
p.add_argument("--splits", type=int, nargs="*", default=[1, 2, 7, 100, 1000])
a = p.parse_args()

path = a.folder / "yelp-long.csv"
half = subprocess.run([a.command, "gen", "yelp", "--size", f"{a.mib * 2 // 5}MiB"], stdout=subprocess.PIPE, check=True).stdout
header, _, rows = half.partition(b"\n")
lines = b'x,y\n""1"",z\n'  # look like records, and hold quotes
record = b'"a","b","c","1","2019-01-01","' + lines * (a.mib * (1 << 20) // 5 // len(lines)) + b'","1","2","3"\n'
with open(path, "wb") as f:
    f.write(header + b"\n" + rows + b'"too","few"\n' + record + b'"too","few"\n' + rows)
packed = path.with_suffix(".csv.gz")
with open(path, "rb") as f, gzip.open(packed, "wb", compresslevel=1) as z:
    shutil.copyfileobj(f, z, 1 << 20)
print(f"{path.stat().st_size / 1e6:.0f} MB, of which a record {len(record) / 1e6:.0f} MB; {packed.stat().st_size / 1e6:.0f} MB in gzip")
del half, rows, record

whole = dfaparse.scan(path, "csv", on_error="reject")
want = whole.read().combine_chunks()
rejects = whole.rejects.drop(["file"])
print(f"{want.num_rows} rows, rejects in lines {rejects['line'].to_pylist()}")
for file in (path, packed):
    for n in a.splits if file == path else a.splits[:4]:
        began = time.perf_counter()
        splits = dfaparse.split(file, n, "csv")
        made = time.perf_counter()
        row, left = 0, []
        for s in splits:
            scan = dfaparse.scan(file, split=s, on_error="reject")
            part = scan.read()
            assert part.equals(want.slice(row, part.num_rows)), f"{file.name}: split {s.number} of {n} has other rows"
            row += part.num_rows
            left.append(scan.rejects.drop(["file"]))
        assert row == want.num_rows and pa.concat_tables(left).equals(rejects), f"{file.name}: {n} splits have other rows or rejects"
        empty = sum(s.count == 0 for s in splits)
        print(f"{file.name}: {n} splits are the file; made in {made - began:.1f} s, read in {time.perf_counter() - made:.1f} s; {empty} are empty")
