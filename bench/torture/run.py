"""Lets readers of CSV read the torture file, and writes what they make of it
into docs/exact.md. `make torture` runs it.

Each call is run in a process of its own. What it returns is written as Parquet
and compared with the records that Python's csv module, which reads from the
first byte to the last, finds in the file.
"""

import argparse
import csv
import importlib.metadata
import os
import re
import shutil
import subprocess
import sys
import tempfile

import pyarrow as pa
import pyarrow.parquet as pq

# How a reader is started, and how what it returned is written. The call in
# between is the one that docs/exact.md shows; FILE is its path.
SPARK = """
from pyspark.sql import SparkSession
spark = SparkSession.builder.master("local[4]").config("spark.ui.enabled", "false").config("spark.driver.memory", "6g").getOrCreate()
spark.sparkContext.setLogLevel("OFF")
reader = spark.read.option("header", True)
"""
BEFORE = {
    "DuckDB": "import duckdb; connection = duckdb.connect(); connection.sql('set threads = 4')",
    "polars": "import polars",
    "pyarrow": "import pyarrow.csv",
    "pandas": "import pandas",
    "Spark": SPARK,
    "Daft": "import daft",
    "Ray": "import ray; ray.init(num_cpus=4, log_to_driver=False, logging_level='error')",
}
AFTER = {
    "DuckDB": "frame.write_parquet(OUT)",
    "polars": "frame.lazy().collect().write_parquet(OUT)",
    "pyarrow": "import pyarrow.parquet; pyarrow.parquet.write_table(frame, OUT)",
    "pandas": "frame.to_parquet(OUT)",
    "Spark": "print('tasks', frame.rdd.getNumPartitions()); frame.write.parquet(OUT)",
    "Daft": "frame.write_parquet(OUT)",
    "Ray": "frame.write_parquet(OUT); print('tasks', frame.materialize().num_blocks())",
}
PACKAGES = {"Spark": "pyspark", "Ray": "ray"}

CALLS = [
    ("DuckDB", "connection.read_csv(FILE)"),
    ("DuckDB", "connection.read_csv(FILE, ignore_errors=True)"),
    ("DuckDB", "connection.read_csv(FILE, strict_mode=False)"),
    ("DuckDB", "connection.read_csv(FILE, parallel=False)"),
    ("polars", "polars.read_csv(FILE)"),
    ("polars", "polars.read_csv(FILE, ignore_errors=True)"),
    ("polars", "polars.scan_csv(FILE)"),
    ("pyarrow", "pyarrow.csv.read_csv(FILE)"),
    ("pyarrow", "pyarrow.csv.read_csv(FILE, parse_options=pyarrow.csv.ParseOptions(newlines_in_values=True))"),
    ("pandas", "pandas.read_csv(FILE)"),
    ("pandas", "pandas.read_csv(FILE, engine='pyarrow')"),
    ("Spark", "reader.csv(FILE)"),
    ("Spark", "reader.option('mode', 'DROPMALFORMED').csv(FILE)"),
    ("Spark", "reader.option('mode', 'FAILFAST').schema('id int, body string, value double').csv(FILE)"),
    ("Spark", "reader.option('multiLine', True).csv(FILE)"),
    ("Spark", "reader.option('multiLine', True).option('escape', '\"').csv(FILE)"),
    ("Daft", "daft.read_csv(FILE)"),
    ("Daft", "daft.read_csv(FILE, allow_variable_columns=True)"),
    ("Ray", "ray.data.read_csv(FILE)"),
]
# Commands, which only say how many records there are.
COMMANDS = [
    ("xan", "xan count FILE", ["xan", "--version"]),
    ("csvkit", "csvstat --count FILE", ["csvstat", "--version"]),
    ("awk", "awk -F, 'END { print NR - 1 }' FILE", None),
    ("dfaparse", "dfaparse count -f csv FILE", None),
]


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--command", default="bin/dfaparse", help="dfaparse")
    p.add_argument("--python", action="append", default=[], help="a further Python, where readers are that cannot be installed beside the others")
    p.add_argument("--only", default="", help="only these readers, comma-separated; the rows of others stay")
    p.add_argument("--write", help="Markdown to write the table into")
    args = p.parse_args()
    os.environ["PATH"] = os.path.dirname(os.path.abspath(args.command)) + os.pathsep + os.environ["PATH"]
    names = args.only.split(",") if args.only else []
    rows = {}
    with tempfile.TemporaryDirectory() as folder:
        files = generate(folder)
        truth = {f: bodies_of(f) for f in files}
        for name, call in CALLS:
            if (not names or name in names) and (python := home(name, [sys.executable] + args.python)):
                publish(rows, args.write, name, version(python, name), call, [read(python, name, call, f, truth[f], folder) for f in files])
        for name, command, asked in COMMANDS:
            if (not names or name in names) and shutil.which(command.split()[0]):
                publish(rows, args.write, name, asked and number(output(asked)) or "", command, [count(command, f) for f in files])


def publish(rows, file, name, version, call, answers):
    """Prints a row, and writes it into the table, where what was not run stays as it is."""
    rows[name, call] = "| " + " | ".join(cell.replace("|", "\\|") for cell in [name, version, f"`{call}`", *answers]) + " |\n"
    print(rows[name, call], end="", flush=True)
    if not file:
        return
    with open(file) as f:
        text = f.read()
    for line in re.search(r"(?s)<!-- torture: .*? -->\n(.*?)<!-- end -->", text)[1].splitlines(keepends=True):
        if found := re.match(r"\| ([^|]*) \| [^|]* \| `(.*?)` \|", line):
            rows.setdefault(found.groups(), line)
    table = "| reader | version | call | line ends LF | line ends CR LF |\n|---|---|---|---|---|\n"
    table += "".join(rows[key[:2]] for key in CALLS + COMMANDS if key[:2] in rows)
    with open(file, "w") as f:
        f.write(re.sub(r"(?s)(<!-- torture: .*? -->\n).*?(<!-- end -->)", lambda m: m[1] + table + m[2], text))


def generate(folder):
    """The torture file, and the same with CR LF for each LF."""
    lf, crlf = os.path.join(folder, "torture.csv"), os.path.join(folder, "torture_crlf.csv")
    subprocess.run(["dfaparse", "gen", "torture", "-o", lf], check=True)
    with open(lf, "rb") as f, open(crlf, "wb") as g:
        g.write(f.read().replace(b"\n", b"\r\n"))
    return [lf, crlf]


def bodies_of(file):
    """The second field of each record."""
    csv.field_size_limit(1 << 30)
    with open(file, newline="") as f:
        return {row[1] for row in list(csv.reader(f))[1:]}


def home(name, pythons):
    """The first Python that has a reader, None if none has."""
    for python in pythons:
        if version(python, name):
            return python
    return None


def version(python, name):
    code = f"import importlib.metadata as m; print(m.version({PACKAGES.get(name, name.lower())!r}))"
    done = subprocess.run([python, "-c", code], capture_output=True, text=True)
    return done.stdout.strip()


def read(python, name, call, file, truth, folder):
    """What a call returns, in words."""
    out = os.path.join(folder, "out.parquet")
    code = f"FILE, OUT = {file!r}, {out!r}\n{BEFORE[name]}\nframe = {call}\n{AFTER[name]}\n"
    try:
        done = subprocess.run([python, "-c", code], capture_output=True, text=True, timeout=900)
        if done.returncode != 0:
            return "error: " + reason(done.stderr)
        table = pq.read_table(out)
        tasks = re.search(r"tasks (\d+)", done.stdout)
        return judge(table, truth) + (f", {tasks[1]} task{'s' * (tasks[1] != '1')}" if tasks else "")
    except subprocess.TimeoutExpired:
        return "no answer in 15 minutes"
    finally:
        for path in [out]:
            shutil.rmtree(path, ignore_errors=True) if os.path.isdir(path) else os.path.exists(path) and os.remove(path)


def judge(table, truth):
    """How many rows there are, and how many have the body of a record."""
    rows = f"{table.num_rows:,} rows"
    if table.num_columns < 2:
        return f"{rows}, no column body"
    body = table.column(1)
    if not pa.types.is_string(body.type) and not pa.types.is_large_string(body.type) and not pa.types.is_string_view(body.type):
        return f"{rows}, none right, silent"
    right = len(truth & set(body.to_pylist()))
    if table.num_rows == right == len(truth):
        return f"{rows}, all right"
    return f"{rows}, {right or 'none'} right, silent"


def reason(stderr):
    """What a traceback says is wrong, in short."""
    lines = [line.strip() for line in stderr.splitlines() if line.strip()] or ["no message"]
    began = [i for i, line in enumerate(lines) if re.match(r"(Caused by: )?[\w.]*(Error|Exception|Invalid)\b", line)]
    said = " ".join(lines[began[-1] if began else -1 :][:3])
    said = re.sub(r"\S*torture\w*\.csv", "FILE", re.sub(r"^(Caused by: )?[\w.]+: ", "", said))
    return f"“{said[:120]}{'…' * (len(said) > 120)}”"


def count(command, file):
    done = subprocess.run(command.replace("FILE", file), shell=True, capture_output=True, text=True)
    if done.returncode != 0:
        return "error: " + reason(done.stderr)
    return f"{int(number(done.stdout)):,} records"


def number(text):
    found = re.search(r"\d[\d.]*", text)
    return found[0] if found else ""


def output(command):
    return subprocess.run(command, capture_output=True, text=True).stdout


if __name__ == "__main__":
    main()
