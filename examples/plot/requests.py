#!/usr/bin/env python3
"""Requests and errors by the minute of an access log, as a picture.

    pip install dfaparse matplotlib
    python examples/plot/requests.py access.log requests.png

It reads the log exactly, compressed or not; a line that is none is counted, not lost.
"""

import sys

import matplotlib

matplotlib.use("Agg")  # a file, not a window

import matplotlib.pyplot as plt
import pyarrow as pa
import pyarrow.compute as pc

import dfaparse

# %% Read what the picture needs
log, picture = sys.argv[1:]
scan = dfaparse.scan(log, "apache_combined", columns=["time", "status"], on_error="reject")
table = scan.read()
print(f"{table.num_rows} requests, {scan.stats['rejected']} lines that are none")

# %% Count by the minute
rows = pa.table({"minute": pc.floor_temporal(table["time"], unit="minute"), "failed": pc.greater_equal(table["status"], 500)})
counts = rows.group_by("minute").aggregate([("failed", "count"), ("failed", "sum")]).sort_by("minute")

# %% Draw
figure, axes = plt.subplots(figsize=(9, 4))
minutes = counts["minute"].to_pylist()
axes.plot(minutes, counts["failed_count"].to_pylist(), label="requests")
axes.plot(minutes, counts["failed_sum"].to_pylist(), label="of which the server failed")
axes.set(xlabel="time", ylabel="a minute", ylim=(0, None))
axes.legend()
figure.autofmt_xdate()
figure.savefig(picture, dpi=120)
