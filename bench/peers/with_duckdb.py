"""DuckDB: into a table of its own in memory, into Arrow, and by COPY into Parquet."""

import dataclasses
import re

import duckdb

from inputs import COMBINED

NAME = "DuckDB"
VERSION = duckdb.__version__

TYPES = {
    "int32": "INTEGER", "int64": "BIGINT", "uint16": "USMALLINT", "uint64": "UBIGINT", "float64": "DOUBLE", "utf8": "VARCHAR",
    "date32": "DATE", "timestamp[us]": "TIMESTAMP", "timestamp[us, tz=UTC]": "TIMESTAMPTZ", "decimal(12, 2)": "DECIMAL(12,2)",
}


def connect(threads):
    con = duckdb.connect()
    con.execute(f"SET threads = {threads}")
    con.execute("SET TimeZone = 'UTC'")
    return con


def literal(text):
    return "'" + text.replace("'", "''") + "'"


def query(inp):
    if inp.lines:
        return log_query(inp)
    columns = ", ".join(f"{literal(name)}: {literal(TYPES[t])}" for name, t in inp.columns)
    return (f"SELECT * FROM read_csv({literal(inp.file)}, auto_detect = false, header = {inp.header}, "
            f"delim = {literal(inp.separator)}, quote = {literal(inp.quote)}, escape = {literal(inp.quote)}, columns = {{{columns}}})")


def log_query(inp):
    names = [name for name, _ in inp.columns]
    values = {name: f"r.{name}" for name in names}
    for name in ("ident", "user"):
        values[name] = f"nullif(r.{name}, '-')"
    for name in ("method", "path", "protocol"):
        values[name] = f"nullif(r.{name}, '')"
    values["time"] = "strptime(r.time, '%d/%b/%Y:%H:%M:%S %z')"
    values["status"] = "nullif(r.status, '-')::USMALLINT"
    values["bytes"] = "nullif(r.bytes, '-')::UBIGINT"
    values["request"] = r"""replace(r.request, '\"', '"')"""
    for name in ("referer", "agent"):
        values[name] = rf"""replace(nullif(r.{name}, '-'), '\"', '"')"""
    pattern = re.sub(r"\?P<\w+>", "", COMBINED)
    select = ", ".join(f"{values[name]} AS {name}" for name in names)
    return (f"SELECT {select} FROM (SELECT regexp_extract(line, {literal(pattern)}, {re.findall(r'[?]P<(.+?)>', COMBINED)}) AS r "
            f"FROM read_csv({literal(inp.file)}, auto_detect = false, header = false, delim = '\x01', quote = '', escape = '', "
            f"columns = {{'line': 'VARCHAR'}}))")


def memory(inp, threads):
    con = connect(threads)
    con.execute("CREATE TABLE t AS " + query(inp))
    return con


def table(con):
    return con.sql("SELECT * FROM t").to_arrow_table()


def parquet(inp, threads, out, codec):
    connect(threads).execute(f"COPY ({query(inp)}) TO {literal(out)} (FORMAT parquet, COMPRESSION {codec})")


def count(inp, threads):
    texts = dataclasses.replace(inp, columns=[(name, "utf8") for name, _ in inp.columns])
    return connect(threads).execute(f"SELECT count(*) FROM ({query(texts)})").fetchone()[0]
