"""The results to columns in memory as a plot."""

import matplotlib

matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "peers"  # the same file for the same figures
import matplotlib.pyplot as plt

COLORS = ["#9ab6d3", "#2f5d8a"]  # one core, all cores


def draw(rows, path, machine):
    rows = [r for r in rows if r["job"] == "memory" and "rate" in r and not r["wrong"]]
    names = list(dict.fromkeys(r["input"] for r in rows))
    if not names:
        return
    heights = [1 + len({r["peer"] for r in rows if r["input"] == n}) for n in names]
    figure, axes = plt.subplots(len(names), 1, figsize=(9, 0.42 * sum(heights) + 1), height_ratios=heights, squeeze=False)
    for axis, name in zip(axes[:, 0], names):
        panel(axis, [r for r in rows if r["input"] == name], name)
    axes[-1, 0].set_xlabel(f"GB/s of input to typed columns in memory; {machine}")
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})


def panel(axis, rows, name):
    peers = list(dict.fromkeys(r["peer"] for r in rows))
    threads = sorted({r["threads"] for r in rows})
    for r in rows:
        k = threads.index(r["threads"])
        y = peers.index(r["peer"]) + (k - (len(threads) - 1) / 2) * 0.4
        label = f"{r['threads']} core{'s' * (r['threads'] > 1)}"
        axis.barh(y, r["rate"], 0.38, color=COLORS[k], label=label)
        axis.text(r["rate"], y, f" {r['rate']:.2f}", va="center", fontsize=7)
    axis.set_yticks(range(len(peers)), peers, fontsize=8)
    axis.invert_yaxis()
    axis.set_title(name, loc="left", fontsize=10)
    axis.spines[["top", "right"]].set_visible(False)
    handles, labels = axis.get_legend_handles_labels()
    unique = dict(zip(labels, handles))
    axis.legend(unique.values(), unique.keys(), fontsize=7, frameon=False, loc="lower right")
