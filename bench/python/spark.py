#!/usr/bin/env python3
"""spark.read.csv with a schema beside the source of this package, in one session, by pairs.

    dfaparse gen taxi --size 200MB -o taxi.csv
    python spark.py taxi.csv [ROUNDS]

Both give the same types; what is timed is an aggregate of every column, so that none is left
out, by the clock, with two tasks at a time. The aggregates are compared first. What is printed
are medians, and the median of the rounds' ratios.
"""

import os
import statistics
import sys
import time

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from dfaparse.spark import DataSource

SPEC = """format taxi extends csv {
  fields {
    VendorID i32  tpep_pickup_datetime ts("%F %T")  tpep_dropoff_datetime ts("%F %T")  passenger_count i32
    trip_distance f64  RatecodeID i32  store_and_fwd_flag str  PULocationID i32  DOLocationID i32  payment_type i32
    fare_amount f64  extra f64  mta_tax f64  tip_amount f64  tolls_amount f64  improvement_surcharge f64
    total_amount f64
  }
}"""

TIME = "yyyy-MM-dd HH:mm:ss"


def main() -> None:
    path = sys.argv[1]
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    os.environ["PYSPARK_PYTHON"] = sys.executable
    spark = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.sql.session.timeZone", "UTC")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("ERROR")
    spark.dataSource.register(DataSource)
    ours = spark.read.format("dfaparse").option("spec", SPEC).option("splits", 4).load(path)
    schema = ours.schema

    def csv(multiLine: bool):
        reader = spark.read.schema(schema).option("header", True).option("multiLine", multiLine)
        return reader.option("timestampFormat", TIME).option("timestampNTZFormat", TIME).csv(path)

    readers = {
        'spark.read.format("dfaparse")': lambda: spark.read.format("dfaparse").option("spec", SPEC).option("splits", 4).load(path),
        "spark.read.csv, a schema given": lambda: csv(multiLine=False),
        "the same with multiLine": lambda: csv(multiLine=True),
    }
    every = [F.max(c).alias(c) for c in schema.names] + [F.count(F.lit(1)).alias("rows")]
    taken: dict[str, list[float]] = {name: [] for name in readers}
    want = None
    for i in range(rounds + 1):
        names = list(readers)
        for name in names[i % 3 :] + names[: i % 3]:
            begun = time.perf_counter()
            got = readers[name]().agg(*every).collect()
            took = time.perf_counter() - begun
            if i > 0:
                taken[name].append(took)
            elif want is None:
                want = got
            else:
                assert got == want, (name, got, want)
    spark.stop()
    size = os.path.getsize(path) / 1e9
    print(f"{want[0].rows} rows\n\n| reader | seconds | GB/s | of ours |\n|---|---|---|---|")
    base = next(iter(taken.values()))
    for name, times in taken.items():
        middle = statistics.median(times)
        print(f"| `{name}` | {middle:.2f} | {size / middle:.3f} | {statistics.median(t / b for t, b in zip(times, base, strict=True)):.2f} |")


if __name__ == "__main__":
    main()
