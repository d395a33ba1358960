"""Hits of an access log by hour and status: dfaparse, GoAccess, DuckDB and awk.

    python3 bench/peers/hits.py [--dfaparse PATH] [--size BYTES] [--runs N]

Prints a table: seconds of processor time (user and system) and GB/s of it, the median of the runs, one
worker each, files in the page cache. The counts of all but GoAccess, which has no table by both, are
compared. What is not installed is left out: GoAccess is the Debian package goaccess, DuckDB the
Python package duckdb.
"""

import argparse
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile

PANELS = ("VISITORS REQUESTS REQUESTS_STATIC NOT_FOUND HOSTS OS BROWSERS VIRTUAL_HOSTS REFERRERS "
          "REFERRING_SITES KEYPHRASES REMOTE_USER CACHE_STATUS GEO_LOCATION MIME_TYPE TLS_TYPE").split()

DUCK = "import duckdb,sys; c=duckdb.connect(); c.execute('set threads=1'); print('\\n'.join('%s %s %d' % r for r in c.execute(sys.argv[1]).fetchall()))"

AWK = """{ split($4, t, ":"); n[substr(t[1], 2) ":" t[2] " " $9]++ } END { for (k in n) print k, n[k] }"""


def cost(args, runs):
    """The median of processor seconds, and what the last run printed."""
    seconds, out = [], b""
    for _ in range(runs):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        out = subprocess.run(args, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return statistics.median(seconds), out


def counts(out):
    """The counts alone, in order: how hours are written differs."""
    return sorted(int(line.replace(b",", b" ").split()[-1]) for line in out.splitlines() if line.strip()[-1:].isdigit())


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--dfaparse", default="dfaparse")
    p.add_argument("--size", type=int, default=200_000_000)
    p.add_argument("--runs", type=int, default=3)
    a = p.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        log, parquet = os.path.join(folder, "access.log"), os.path.join(folder, "access.parquet")
        subprocess.run([a.dfaparse, "gen", "combined", "--size", str(a.size), "-o", log], check=True)
        subprocess.run([a.dfaparse, "parse", "-f", "apache_combined", "--columns", "time,status", "-o", parquet, log], check=True)
        size = os.path.getsize(log)
        ways = [("dfaparse", [a.dfaparse, "aggregate", "--engine", "cpu", "--threads", "1", "-f", "apache_combined", "--by", "hour(time) status", "--to", "csv", log])]
        if shutil.which("goaccess"):
            quiet = ["--ignore-panel=" + x for x in PANELS]
            ways.append(("GoAccess, its panels of hours and of status alone", ["goaccess", log, "--log-format=COMBINED", "--no-global-config", "-o", os.path.join(folder, "r.json"), *quiet]))
        if subprocess.run([sys.executable, "-c", "import duckdb"], stderr=subprocess.DEVNULL, check=False).returncode == 0:
            text = (r"""select regexp_extract(l, '\[([^:]*:\d\d)', 1), regexp_extract(l, '" (\d+) ', 1), count(*) """
                    f"from read_csv('{log}', columns={{'l': 'varchar'}}, delim='\x01', quote='', escape='', header=false, auto_detect=false) group by all")
            ways.append(("DuckDB, the text by two regular expressions", [sys.executable, "-c", DUCK, text]))
            ways.append(("DuckDB, Parquet that dfaparse has made", [sys.executable, "-c", DUCK, f"select cast(epoch(time) as bigint) // 3600, status, count(*) from '{parquet}' group by all"]))
        ways.append(("awk", ["awk", AWK, log]))
        print("| | seconds | GB/s |\n|---|---|---|")
        want = None
        for name, args in ways:
            seconds, out = cost(args, a.runs)
            print(f"| {name} | {seconds:.2f} | {size / seconds / 1e9:.2f} |", flush=True)
            if name.startswith("GoAccess"):
                continue
            got = counts(out)
            if want is None:
                want = got
            elif got != want:
                sys.exit(f"{name} counts {got[:5]}…, and dfaparse {want[:5]}…")


if __name__ == "__main__":
    main()
