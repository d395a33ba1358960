"""Time to table, and a file that nobody has described to Parquet, beside DuckDB.

    python bench/peers/totable.py --command bin/dfaparse --folder FOLDER [--mib 1024] [--runs 5]

`make bench-table` runs it. Every run is a process of its own; both take turns. Per file it prints
the medians of the time on the clock and of the processor's (user and system):

    look      dfaparse FILE of 10 MiB on a terminal
    parquet   FILE inferred, typed and written as Parquet: DuckDB's COPY (FROM 'FILE') TO beside it,
              on all cores, with the same compression; with --codec default nothing is said on
              either side: that is zstd here and Snappy there
"""

import argparse
import os
import pathlib
import platform
import pty
import statistics
import subprocess
import sys
import time

import duckdb

KINDS = {"taxi": "csv", "yelp": "csv", "lineitem": "tbl"}
LOOKED = KINDS | {"combined": "log", "java": "log", "logfmt": "log", "trips": "jsonl"}  # trips: taxi's, written by dfaparse
COPY = "import sys, duckdb; duckdb.sql(f\"COPY (FROM read_csv('{sys.argv[1]}')) TO '{sys.argv[2]}' (FORMAT parquet{sys.argv[3]})\")"


def timed(args, terminal=False):
    """Seconds on the clock and of the processor that a process takes."""
    began = time.perf_counter()
    if terminal:
        pid, shown = pty.fork()
    else:
        pid, shown = os.fork(), None
    if pid == 0:
        if not terminal:
            null = os.open(os.devnull, os.O_RDWR)
            os.dup2(null, 1)
            os.dup2(null, 2)
        os.execv(args[0], args)
    if terminal:
        try:
            while os.read(shown, 1 << 16):
                pass
        except OSError:  # that is how a terminal ends
            os.close(shown)
    _, status, used = os.wait4(pid, 0)
    took = time.perf_counter() - began
    if status != 0:
        sys.exit(f"{' '.join(args)}: exit status {os.waitstatus_to_exitcode(status)}")
    return took, used.ru_utime + used.ru_stime


def medians(runs):
    return [statistics.median(r[i] for r in runs) for i in (0, 1)]


def generated(args, kind, mib):
    path = args.folder / f"{kind}-{mib}.{LOOKED[kind]}"
    if kind == "trips" and not path.exists():
        csv = generated(args, "taxi", mib)
        subprocess.run([args.command, "parse", str(csv), "-o", str(path)], check=True, stderr=subprocess.DEVNULL)
        with path.open("r+b") as f:
            f.truncate(f.read(mib << 20).rindex(b"\n") + 1)
    elif not path.exists():
        with path.open("wb") as f:
            done = os.spawnvp(os.P_WAIT, "sh", ["sh", "-c", f"exec '{args.command}' gen {kind} --size {mib}MiB > '{path}'"])
        if done != 0:
            sys.exit(f"gen {kind}: exit status {done}")
    return path


def look(args):
    print("| 10 MiB, shown on a terminal | on the clock | processor |\n|---|---|---|")
    for kind in LOOKED:
        path = generated(args, kind, 10)
        command = [args.command, str(path)]
        timed(command, terminal=True)  # the file is in memory then
        clock, used = medians([timed(command, terminal=True) for _ in range(3 * args.runs)])
        print(f"| {kind} | {1000 * clock:.0f} ms | {1000 * used:.0f} ms |", flush=True)


def parquet(args):
    print(f"\n| {args.mib} MiB to Parquet, {args.codec} | dfaparse | processor | DuckDB | processor | times as fast, clock | processor |\n|---|---|---|---|---|---|---|")
    for kind in args.kinds.split(","):
        path, out = generated(args, kind, args.mib), args.folder / "out.parquet"
        ours, option = [args.command, "parse", str(path), "-o", str(out)], ""
        if args.codec != "default":
            ours += ["--compression", args.codec]
            option = ", COMPRESSION " + args.codec.replace("none", "uncompressed")
        theirs = [sys.executable, "-c", COPY, str(path), str(out), option]
        for command in (ours, theirs):
            timed(command)
        runs = {"ours": [], "theirs": []}
        for _ in range(args.runs):
            runs["ours"].append(timed(ours))
            runs["theirs"].append(timed(theirs))
        (clock, used), (their_clock, their_used) = medians(runs["ours"]), medians(runs["theirs"])
        print(f"| {kind} | {clock:.2f} s | {used:.2f} s | {their_clock:.2f} s | {their_used:.2f} s | {their_clock / clock:.1f} | {their_used / used:.1f} |", flush=True)
        out.unlink()
        if not args.keep:
            path.unlink()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--command", required=True)
    parser.add_argument("--folder", type=pathlib.Path, required=True)
    parser.add_argument("--mib", type=int, default=1024)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--codec", default="zstd", choices=["zstd", "snappy", "none", "default"])
    parser.add_argument("--kinds", default="taxi,yelp,lineitem")
    parser.add_argument("--keep", action="store_true", help="keep the large inputs for the next time")
    args = parser.parse_args()
    args.command = str(pathlib.Path(args.command).resolve())
    args.folder.mkdir(parents=True, exist_ok=True)
    print(f"{os.cpu_count()} cores, {platform.machine()}, DuckDB {duckdb.__version__}, load {os.getloadavg()[0]:.1f}, medians of {args.runs}\n")
    look(args)
    parquet(args)


main()
