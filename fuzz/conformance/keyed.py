"""JSON Lines without a spec beside DuckDB and pyarrow: the same columns, rows and values.

    python fuzz/conformance/keyed.py --command DFAPARSE --corpora FOLDER

Files of an object a line are those that dfaparse says are. Of each, columns are held against those of DuckDB's
read_json and pyarrow's read_json by name and order, and values against what both have. A file that a reader refuses is
counted, and so is a column that a reader makes of objects and lists what dfaparse leaves as their text. The exit
status is 1 if anything differs, or if there are no files.
"""

import argparse
import datetime
import decimal
import json
import pathlib
import subprocess
import sys
import tempfile
import uuid

import duckdb
import pyarrow
import pyarrow.json

FOLDERS = ("lnav", "crowdsec", "elastic")


def ours(command, path, folder):
    """The table of dfaparse, None if the file is no JSON Lines, or not all of it is."""
    out = pathlib.Path(folder) / "out.arrow"
    run = subprocess.run([command, "parse", "--to", "arrow", "-o", out, path], capture_output=True, text=True)
    if run.returncode or "JSON Lines" not in run.stderr.partition("\n")[0]:
        return None
    return pyarrow.ipc.open_file(out).read_all()


def by_duckdb(path):
    relation = duckdb.sql(f"SELECT * FROM read_json('{path}', format='newline_delimited', sample_size=-1)")
    return relation.columns, relation.fetchall()


def by_pyarrow(path):
    table = pyarrow.json.read_json(path)
    return table.column_names, list(zip(*(c.to_pylist() for c in table.columns)))


READERS = {"DuckDB": by_duckdb, "pyarrow": by_pyarrow}


def nested(value):
    """Objects, lists and what is text of JSON, compared as what they stand for."""
    if isinstance(value, str):
        try:
            return json.loads(value)
        except ValueError:
            return value
    return value


def plain(value):
    """A moment, without a zone, or a number, in one form."""
    if isinstance(value, str):
        try:
            value = datetime.datetime.fromisoformat(value)
        except ValueError:
            return value
    if isinstance(value, datetime.datetime):
        if value.tzinfo:
            value = value.astimezone(datetime.timezone.utc).replace(tzinfo=None)
        return value
    if isinstance(value, datetime.date):
        return datetime.datetime(value.year, value.month, value.day)
    if isinstance(value, decimal.Decimal):
        return float(value)
    return value


def without_nulls(value):
    """Readers give all objects of a column the same keys, and elements of several kinds as texts of JSON."""
    value = nested(value)
    if isinstance(value, dict):
        return {k: without_nulls(v) for k, v in value.items() if v is not None}
    if isinstance(value, list):
        return [without_nulls(v) for v in value]
    if isinstance(value, uuid.UUID):
        return str(value)
    return plain(value)


def same(a, b):
    return plain(a) == plain(b) or without_nulls(a) == without_nulls(b)


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--command", required=True)
    options.add_argument("--corpora", type=pathlib.Path, required=True)
    options = options.parse_args()
    files, values, wrong = 0, 0, []
    refused = dict.fromkeys(READERS, 0)
    with tempfile.TemporaryDirectory() as folder:
        for path in sorted(p for f in FOLDERS for p in (options.corpora / f).rglob("*") if p.is_file()):
            table = ours(options.command, path, folder)
            if table is None:
                continue
            files += 1
            rows = list(zip(*(c.to_pylist() for c in table.columns)))
            for reader, read in READERS.items():
                try:
                    columns, theirs = read(path)
                except (duckdb.Error, pyarrow.ArrowInvalid):
                    refused[reader] += 1
                    continue
                where = f"{path.relative_to(options.corpora)}, {reader}"
                if list(columns) != table.column_names or len(theirs) != len(rows):
                    wrong.append(f"{where}: columns {columns}, {len(theirs)} rows; ours {table.column_names}, {len(rows)}")
                    continue
                for i, (mine, other) in enumerate(zip(rows, theirs)):
                    for name, a, b in zip(columns, mine, other):
                        values += 1
                        if not same(a, b):
                            wrong.append(f"{where}, row {i + 1}, {name}: {b!r}; ours {a!r}")
    for line in wrong[:50]:
        print(line)
    said = ", ".join(f"{reader} refuses {n}" for reader, n in refused.items())
    print(f"JSON Lines: {files} files, {values} values compared, {len(wrong)} differences; {said}")
    return 1 if wrong or not values else 0


if __name__ == "__main__":
    sys.exit(main())
