"""One peer in a process of its own: `peer.py JOB`, where JOB is JSON as run.py
makes it. Prints what it measured as JSON. The first run does not count; from it
come the sums. gopeer is the same for the peers of Go.
"""

import gc
import importlib
import json
import resource
import sys
import time

import pyarrow as pa
import pyarrow.parquet

import checks
from inputs import Input


def main():
    job = json.loads(sys.argv[1])
    inp = Input(**job["input"])
    peer = importlib.import_module("with_" + job["peer"])
    report = {"version": peer.VERSION, "seconds": [], "work": []}
    for turn in range(job["runs"] + 1):
        gc.collect()
        began, worked = time.perf_counter(), work()
        if job["job"] == "memory":
            result = peer.memory(inp, job["threads"])
        elif job["job"] == "parquet":
            result = peer.parquet(inp, job["threads"], job["out"], job["codec"])
        else:
            result = peer.count(inp, job["threads"])
        took = time.perf_counter() - began
        if turn > 0:
            report["seconds"].append(took)
            report["work"].append(work() - worked)
        elif job["job"] == "memory":
            report.update(measured(peer.table(result), inp))
        elif job["job"] == "parquet":
            report.update(measured(pa.parquet.read_table(job["out"]), inp))
        else:
            report["rows"] = result
        del result
        if turn > 0 and sum(report["seconds"]) > job["budget"]:
            break
    print(json.dumps(report))


def work():
    """Seconds of processor cores that the process and its children have taken."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(u.ru_utime + u.ru_stime for u in used)


def measured(table, inp):
    return {"rows": table.num_rows, "sums": checks.sums(table, inp.schema())}


if __name__ == "__main__":
    main()
