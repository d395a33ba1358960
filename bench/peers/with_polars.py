"""polars, read eagerly into a frame; Parquet by its streaming engine."""

import os

import polars as pl

from inputs import COMBINED

NAME = "polars"
VERSION = pl.__version__

TYPES = {
    "int32": pl.Int32, "int64": pl.Int64, "uint16": pl.UInt16, "uint64": pl.UInt64, "float64": pl.Float64, "utf8": pl.String,
    "date32": pl.Date, "timestamp[us]": pl.Datetime("us"), "timestamp[us, tz=UTC]": pl.Datetime("us", "UTC"),
    "decimal(12, 2)": pl.Decimal(12, 2),
}


def scan(inp):
    if inp.lines:
        return log_scan(inp)
    fields = pl.scan_csv(inp.file, has_header=inp.header, separator=inp.separator, quote_char=inp.quote or None,
                         schema={name: TYPES[t] for name, t in inp.fields()})
    return fields.select(name for name, _ in inp.columns)


def log_scan(inp):
    lines = pl.scan_csv(inp.file, has_header=False, separator="\x01", quote_char=None, schema={"line": pl.String})
    c = pl.col
    absent = lambda name: pl.when(c(name) != "-").then(c(name))
    unescaped = lambda e: e.str.replace_all('\\"', '"', literal=True)
    values = {name: c(name) for name, _ in inp.columns}
    values.update(
        ident=absent("ident"), user=absent("user"),
        time=c("time").str.to_datetime("%d/%b/%Y:%H:%M:%S %z", time_unit="us"),
        request=unescaped(c("request")), status=absent("status").cast(pl.UInt16), bytes=absent("bytes").cast(pl.UInt64),
        referer=unescaped(absent("referer")), agent=unescaped(absent("agent")),
    )
    return (lines.select(c("line").str.extract_groups(COMBINED).alias("r")).unnest("r")
            .select(e.alias(name) for name, e in values.items()))


def check_threads(threads):
    if pl.thread_pool_size() != threads:
        raise RuntimeError(f"{pl.thread_pool_size()} threads, not {threads}")


def environment(threads):
    return {"POLARS_MAX_THREADS": str(threads)}


def memory(inp, threads):
    check_threads(threads)
    return scan(inp).collect()


def table(frame):
    return frame.to_arrow()


def parquet(inp, threads, out, codec):
    check_threads(threads)
    scan(inp).sink_parquet(out, compression=codec)


def count(inp, threads):
    check_threads(threads)
    return scan(inp).select(pl.len()).collect().item()
