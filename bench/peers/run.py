"""Measures dfaparse beside other readers on generated files, and writes the
report. `make bench-peers` runs it.

Each measurement is a process of its own (peer.py, gopeer), which reads once
without counting and then counts. Processes take turns, in rounds, so that a
machine that slows down slows all of them. On one core both the process is held
to it and the library is told to use one thread; there the time of the core
counts, which other programs on the machine do not take part in.
"""

import argparse
import collections
import dataclasses
import importlib
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys

import pyarrow.parquet

import checks
import inputs
import report

HERE = pathlib.Path(__file__).parent


@dataclasses.dataclass
class Peer:
    key: str
    name: str
    version: str
    program: list
    jobs: dict  # job: names of inputs
    one_thread: bool = False
    keeps: bool = True  # False: strings only, dropped as they come
    environment: object = None


def go_peers(gopeer):
    names = [i.name for i in inputs.INPUTS]
    tables, logs = names[:3], names[3:]
    version = subprocess.run(["go", "env", "GOVERSION"], capture_output=True, text=True).stdout.strip()
    arrow = subprocess.run(["go", "list", "-m", "-f", "{{.Version}}", "github.com/apache/arrow/go/v17"], capture_output=True, text=True, cwd=HERE).stdout.strip()
    alone = dict(one_thread=True, program=[gopeer])
    return [
        Peer("dfaparse", "dfaparse", "this version", [gopeer], {"memory": names, "parquet": names, "count": tables}),
        Peer("arrow-go", "arrow/go csv", arrow, jobs={"memory": tables}, **alone),
        Peer("csv-strconv", "encoding/csv, strconv, time", version, jobs={"memory": tables}, **alone),
        Peer("csv-strings", "encoding/csv, strings only, dropped", version, jobs={"memory": tables, "count": tables}, keeps=False, **alone),
        Peer("regexp", "regexp, strconv, time", version, jobs={"memory": logs}, **alone),
    ]


def python_peers():
    for key in ("duckdb", "polars", "pyarrow", "pandas", "xan", "zsv"):
        m = importlib.import_module("with_" + key)
        offers = getattr(m, "offers", lambda inp, job: job != "count" or not inp.lines)
        jobs = {job: [i.name for i in inputs.INPUTS if offers(i, job)] for job in ("memory", "parquet", "count")}
        yield Peer(key, m.NAME, m.VERSION, [sys.executable, str(HERE / "peer.py")], jobs,
                   one_thread=getattr(m, "ONE_THREAD", False), environment=getattr(m, "environment", None))


def measure(peer, inp, job, threads, core, args):
    """One process; gives its report, or the error as text. The job of writing
    Parquet is called parquet-CODEC."""
    job, _, codec = job.partition("-")
    out = pathlib.Path(args.folder) / "out.parquet"
    text = json.dumps({"peer": peer.key, "job": job, "threads": threads, "runs": args.runs, "budget": 10.0, "out": str(out),
                       "codec": codec, "command": args.command, "input": dataclasses.asdict(inp)})
    env = {**os.environ, **(peer.environment(threads) if peer.environment else {})}
    cores = {core} if threads == 1 else os.sched_getaffinity(0)
    done = subprocess.run(peer.program + [text], capture_output=True, text=True, env=env,
                          preexec_fn=lambda: os.sched_setaffinity(0, cores))
    if done.returncode != 0:
        return (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
    got = json.loads(done.stdout)
    if job == "parquet":
        table = pyarrow.parquet.read_table(out)
        got.update(rows=table.num_rows, sums=checks.sums(table, inp.schema()), size=out.stat().st_size)
        out.unlink()
    return got


def agreed(values):
    """What most of the peers found."""
    counts = collections.Counter(json.dumps(v) for v in values)
    return json.loads(counts.most_common(1)[0][0]) if counts else None


def compete(inp, job, peers, args):
    """All peers that offer the job; a row of results for each."""
    cores = sorted(os.sched_getaffinity(0))
    runs = [(p, n) for p in peers if inp.name in p.jobs.get(job.partition("-")[0], ()) for n in ([1] if p.one_thread or len(cores) == 1 else [1, len(cores)])]
    rows = [{"input": inp.name, "job": job, "peer": p.name, "key": p.key, "version": p.version, "threads": n, "keeps": p.keeps or job == "count",
             "seconds": []} for p, n in runs]
    for turn in range(args.rounds):
        for (peer, threads), row in zip(runs, rows):
            if "error" in row:
                continue
            got = measure(peer, inp, job, threads, cores[turn % len(cores)], args)
            if isinstance(got, str):
                row["error"] = got
                continue
            row["seconds"] += got["work" if threads == 1 else "seconds"]
            row.update({k: got[k] for k in ("rows", "sums", "size") if k in got})
        print(f"{inp.name}, {job}: round {turn + 1} of {args.rounds}", file=sys.stderr, flush=True)
    good = [r for r in rows if "error" not in r]
    want_rows = agreed(r["rows"] for r in good)
    names = [name for name, _ in inp.columns]
    want = {name: agreed(r["sums"].get(name) for r in good if "sums" in r) for name in names}
    nbytes = pathlib.Path(inp.file).stat().st_size
    for r in good:
        wrong = [f"{r['rows']} records"] if r["rows"] != want_rows else []
        if "sums" in r:
            wrong += [w for w in [checks.difference(want, r.pop("sums"))] if w]
        r["wrong"] = "; ".join(wrong)
        r["nbytes"] = nbytes
        rates = [nbytes / 1e9 / s for s in r["seconds"]]
        r.update(rate=statistics.median(rates), least=min(rates), most=max(rates))
    return rows


def machine():
    about = {}
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        key, _, value = line.partition(":")
        about.setdefault(key.strip(), value.strip())
    best = next((f for f in ("avx512vbmi", "avx512bw", "avx2") if f in about.get("flags", "").split()), "")
    return f"{about.get('model name', platform.machine())}{' with ' + best if best else ''}, {len(os.sched_getaffinity(0))} cores, {platform.system()} {platform.machine()}"


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--command", required=True, help="dfaparse")
    p.add_argument("--gopeer", required=True)
    p.add_argument("--folder", required=True, help="for the generated files")
    p.add_argument("--mib", type=int, default=256, help="size of each input")
    p.add_argument("--rounds", type=int, default=3)
    p.add_argument("--runs", type=int, default=2, help="in a round, that count")
    p.add_argument("--only", default="", help="inputs, comma-separated")
    p.add_argument("--peers", default="", help="keys of peers, comma-separated")
    p.add_argument("--jobs", default="memory,parquet-zstd,parquet-snappy,count")
    p.add_argument("--out", help="Markdown to write; standard output without it")
    args = p.parse_args()

    chosen = inputs.prepare(args.command, [n for n in args.only.split(",") if n], args.mib, args.folder)
    peers = go_peers(args.gopeer) + list(python_peers())
    if args.peers:
        peers = [p for p in peers if p.key in args.peers.split(",")]
    rows = []
    for job in args.jobs.split(","):
        for inp in chosen:
            rows += compete(inp, job, peers, args)
            publish(rows, peers, args)


def publish(rows, peers, args):
    """Writes what there is so far."""
    text = report.markdown(rows, args, machine(), len(os.sched_getaffinity(0)), [(p.name, p.version) for p in peers])
    if args.out:
        pathlib.Path(args.out).write_text(text)
    else:
        print(text)


if __name__ == "__main__":
    main()
