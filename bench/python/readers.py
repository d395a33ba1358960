#!/usr/bin/env python3
"""dfaparse beside the readers of pyarrow and polars, from one process, by pairs.

    dfaparse gen taxi --size 128MiB -o taxi.csv
    python readers.py taxi.csv [ROUNDS]

Each round reads the file once with each, in another order, and takes the time by the clock
and the processor time of the process, of all threads. All give the types of a spec, and
their tables are compared first. What is printed are medians, and for each reader the median
of its rounds' ratios to dfaparse.
"""

import gc
import os
import statistics
import sys
import time

import polars as pl
import pyarrow as pa
import pyarrow.csv

import dfaparse

SPEC = """format taxi extends csv {
  fields {
    VendorID u8  tpep_pickup_datetime ts("%F %T")  tpep_dropoff_datetime ts("%F %T")  passenger_count u8
    trip_distance f64  RatecodeID u8  store_and_fwd_flag str  PULocationID u16  DOLocationID u16  payment_type u8
    fare_amount f64  extra f64  mta_tax f64  tip_amount f64  tolls_amount f64  improvement_surcharge f64
    total_amount f64
  }
}"""


def main() -> None:
    path = sys.argv[1]
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 7
    format = dfaparse.Format.from_spec(SPEC)
    schema = dfaparse.schema(path, format)
    types = pyarrow.csv.ConvertOptions(column_types=schema)
    frame = pl.from_arrow(schema.empty_table())
    # polars parses times by one pattern of its own.
    times = [n for n, t in frame.schema.items() if t == pl.Datetime]
    texts = frame.schema | {n: pl.String for n in times}

    def polars() -> pa.Table:
        lazy = pl.scan_csv(path, schema=pl.Schema(texts))
        return lazy.with_columns(pl.col(times).str.to_datetime("%Y-%m-%d %H:%M:%S", time_unit="us")).collect()

    readers = {
        "dfaparse.read": lambda: dfaparse.read(path, format),
        "dfaparse.scan_polars": lambda: dfaparse.scan_polars(path, format).collect(),
        "pyarrow.csv.read_csv": lambda: pyarrow.csv.read_csv(path, convert_options=types),
        "polars.scan_csv": polars,
    }
    want = readers["dfaparse.read"]().to_pydict() if "--compare" in sys.argv else None
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in readers}
    for i in range(rounds + 1):
        names = list(readers)
        for name in names[i % 4 :] + names[: i % 4]:
            gc.collect()
            wall, cpu = time.perf_counter(), sum(os.times()[:2])
            table = readers[name]()
            took = time.perf_counter() - wall, sum(os.times()[:2]) - cpu
            nrows = table.num_rows if isinstance(table, pa.Table) else table.height
            if i == 0:
                print(f"{name}: {nrows} rows", file=sys.stderr)
                if want is not None and name != "dfaparse.read":
                    got = table.to_pydict() if isinstance(table, pa.Table) else table.to_dict(as_series=False)
                    for column, values in want.items():
                        assert got[column] == values, (name, column)
            else:
                taken[name].append(took)
            del table
    size = os.path.getsize(path) / 1e9
    print("| reader | CPU seconds a GB | of dfaparse.read | seconds a GB by the clock | of dfaparse.read |\n|---|---|---|---|---|")
    base = taken["dfaparse.read"]
    for name, rows in taken.items():
        cells = []
        for k in (1, 0):
            cells.append(f"{statistics.median(r[k] for r in rows) / size:.2f}")
            cells.append(f"{statistics.median(r[k] / b[k] for r, b in zip(rows, base)):.2f}")
        print(f"| `{name}` | {' | '.join(cells)} |")
    print(f"dfaparse, pyarrow {pa.__version__}, polars {pl.__version__}, {os.cpu_count()} cores, {rounds} rounds")


if __name__ == "__main__":
    main()
