"""Tables drawn at random, written by others and read by dfaparse.

The writers are the csv module, pyarrow, polars, DuckDB's COPY TO, and one here
that writes what the others do not: quotes where none are needed, both line ends
in one file, blank lines, comments, records that are too short or too long, a
separator at the end of the line. Every cell must come back as it was; what is
no record of the table must be rejected for the right reason.

    python fuzz/conformance/generate.py --cells CELLS [--tables N] [--seed S] [--keep FOLDER]
"""

import argparse
import csv
import dataclasses
import pathlib
import random
import sys
import tempfile

import duckdb
import polars
import pyarrow
import pyarrow.csv

import ours
from dialects import Dialect

PIECES = ["", "a", "b c", "é", "日本", "🦆", '"', '""', "'", ",", ";", "|", "\t", ":", "\n", "\r\n", "\r", " ", "#", "\\",
          "\\n", "0", "-1.5e3", "NULL", "null", "NA", "-", "\N{NO-BREAK SPACE}", "\u2028", "{}", "=1+1", "end"]


@dataclasses.dataclass
class Table:
    names: list
    rows: list  # of texts; of rows that are to be rejected the kind
    dialect: Dialect
    more: str  # items of the spec
    writer: str = ""
    rejected: int = 0


def cell(r):
    if r.random() < 0.01:
        return r.choice(PIECES) * r.randint(1, 3000)
    return "".join(r.choice(PIECES) for _ in range(r.choice([0, 1, 1, 1, 2, 3, 6])))


def names(r, n):
    out = []
    while len(out) < n:
        name = r.choice(["id", "name", "a b", "größe", "x,y", 'q"q', "#n", "a\nb"]) + str(len(out))
        out.append(name)
    return out


def by_csv(r, t, path):
    quote = r.choice(['"', "'"])
    doubled = r.random() < 0.7
    quoting = r.choice([csv.QUOTE_ALL, csv.QUOTE_MINIMAL, csv.QUOTE_NONNUMERIC])
    if not doubled:
        quoting = csv.QUOTE_ALL  # else it escapes outside of quotes, where an escape does not hold in a spec with quotes
    # Its minimum leaves a CR bare where lines end in LF.
    eol = "\r\n" if quoting == csv.QUOTE_MINIMAL else r.choice(["\n", "\r\n"])
    t.dialect = Dialect(r.choice(",;|\t:"), quote, quote if doubled else "\\")
    with open(path, "w", newline="", encoding=r.choice(["utf-8", "utf-8-sig"])) as f:
        w = csv.writer(f, delimiter=t.dialect.delim, quotechar=quote, doublequote=doubled,
                       escapechar=None if doubled else "\\", lineterminator=eol, quoting=quoting)
        w.writerows([t.names, *t.rows])


def columns(t):
    return {n: [row[i] for row in t.rows] for i, n in enumerate(t.names)}


def by_pyarrow(r, t, path):
    t.dialect = Dialect(r.choice(",;|\t:"))
    table = pyarrow.table({n: pyarrow.array(c, pyarrow.string()) for n, c in columns(t).items()})
    pyarrow.csv.write_csv(table, path, pyarrow.csv.WriteOptions(
        delimiter=t.dialect.delim, quoting_style=r.choice(["needed", "all_valid"])))


def by_polars(r, t, path):
    quote = r.choice(['"', "'"])
    t.dialect = Dialect(r.choice(",;|\t:"), quote, quote)
    frame = polars.DataFrame(columns(t), schema={n: polars.String for n in t.names})
    frame.write_csv(path, separator=t.dialect.delim, quote_char=quote, line_terminator=r.choice(["\n", "\r\n"]),
                    quote_style=r.choice(["always", "necessary", "non_numeric"]), include_bom=r.random() < 0.3)


def by_duckdb(r, t, path):
    quote = r.choice(['"', "'"])
    t.dialect = Dialect(r.choice(",;|\t:"), quote, quote)
    table = pyarrow.table({n: pyarrow.array(c, pyarrow.string()) for n, c in columns(t).items()})
    connection = duckdb.connect()
    connection.register("t", table)
    force = ", FORCE_QUOTE *" if r.random() < 0.5 else ""
    sign = quote.replace("'", "''")
    connection.execute(f"COPY t TO '{path}' (FORMAT csv, HEADER, DELIMITER '{t.dialect.delim}', "
                       f"QUOTE '{sign}', ESCAPE '{sign}'{force})")


def by_hand(r, t, path):
    quote = r.choice(['"', "'", '"'])
    doubled = r.random() < 0.6
    delim = r.choice([",", ";", "|", "\t", ":", "||", "<>", "ab"])
    t.dialect = Dialect(delim, quote, quote if doubled else "\\", r.choice(["", "//", "%%"]))
    ragged = r.choice(["", "pad", "truncate", "pad truncate"])
    if ragged:
        t.more += " ragged " + ragged
    specials = [quote, delim[0], "\r", "\n"]

    def written(text, first, alone):
        bare = (not any(s in text for s in specials) and not (first and t.dialect.comment and text.startswith(t.dialect.comment))
                and not (text == "" and alone))
        if bare and r.random() < 0.6:
            return text
        if not doubled:
            text = text.replace("\\", "\\\\")
            if r.random() < 0.3:
                text = text.replace("a", "\\a")
        return quote + text.replace(quote, quote * 2 if doubled else "\\" + quote) + quote

    out, rows = [], []
    n = len(t.names)
    for i, row in enumerate([t.names, *t.rows]):
        end = r.choice(["\n", "\n", "\r\n"])
        if i and r.random() < 0.1:
            out.append(end)  # a blank line
        if t.dialect.comment and r.random() < 0.1:
            out.append(t.dialect.comment + r.choice(["", " x", quote, delim]) + end)
        if i and r.random() < 0.15:
            row = row[:r.randint(1, n)] if r.random() < 0.5 else row + [""] * r.randint(1, 2)  # a separator at the end
        out.append(delim.join(written(c, j == 0, len(row) == 1) for j, c in enumerate(row)) + end)
        if i:
            if len(row) < n and "pad" not in ragged or len(row) > n and "truncate" not in ragged:
                t.rejected += 1
            else:
                rows.append((row + [None] * n)[:n])
    text = "".join(out)
    if r.random() < 0.3:
        text = text.removesuffix("\n").removesuffix("\r")
    t.rows = rows
    path.write_bytes((b"\xef\xbb\xbf" if r.random() < 0.2 else b"") + text.encode())


WRITERS = {"csv": by_csv, "pyarrow": by_pyarrow, "polars": by_polars, "DuckDB": by_duckdb, "by hand": by_hand}


def draw(seed, path):
    """A table, written to path; None where its writer refuses it."""
    r = random.Random(seed)
    width = r.choice([1, 2, 2, 3, 5, 8])
    t = Table(names(r, width), [[cell(r) for _ in range(width)] for _ in range(r.choice([0, 1, 3, 10, 40]))], Dialect(), " blank skip")
    t.writer = list(WRITERS)[seed % len(WRITERS)]
    WRITERS[t.writer](r, t, path)
    return t


def differences(command, tables, seed, keep=None):
    """What of so many tables does not come back as it was written."""
    out = []
    with tempfile.TemporaryDirectory() as folder:
        folder = keep or pathlib.Path(folder)
        jobs, drawn = [], []
        for i in range(seed, seed + tables):
            path = folder / f"{i}.csv"
            t = draw(i, path)
            drawn.append(t)
            jobs.append({"file": str(path), "spec": ours.spec(t.dialect, header="names", more=t.more), "mode": "reject",
                         "engine": ["cpu", "reference"][i % 2], "partition": [0, 100, 5000][i % 3]})
        for job, t, o in zip(jobs, drawn, ours.read(command, jobs)):
            want = [[None if c is None else c.encode() for c in row] for row in t.rows]
            fault = ""
            if o.error:
                fault = o.error
            elif o.names != [n.encode() for n in t.names]:
                fault = f"names {o.names}, written were {t.names}"
            elif o.rows != want:
                fault = next((f"row {i}: {a}, written was {b}" for i, (a, b) in enumerate(zip(o.rows, want)) if a != b),
                             f"{len(o.rows)} rows, written were {len(want)}") + f"; {o.why[:2]}"
            elif len(o.rejects) != t.rejected:
                fault = f"{len(o.rejects)} rejected, not {t.rejected}: {o.why}"
            if fault:
                out.append(f"table {job['file']} by {t.writer}, {t.dialect}{t.more}: {fault[:600]}")
    return out


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cells", required=True)
    parser.add_argument("--tables", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=pathlib.Path)
    options = parser.parse_args()
    faults = differences(options.cells, options.tables, options.seed, options.keep)
    print("\n".join(faults + [f"{options.tables} tables written by others and read back, {len(faults)} differ"]))
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
