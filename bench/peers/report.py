"""The results as Markdown."""

TITLES = {
    "memory": "To typed columns in memory",
    "parquet-zstd": "To a Parquet file, zstd",
    "parquet-snappy": "To a Parquet file, snappy",
    "count": "Counting records",
}

INTRO = """# Peers

Written by `make bench-peers`: dfaparse beside other readers, in one run on one machine, on the same generated files of {mib} MiB
(`dfaparse gen`, seed 1), which are in the system's cache. All columns have the types of dfaparse's schema, and the
library's own columns are held in memory together at the end. GB are 10^9 bytes of input. On one core the process is held to
that core, the library is told to use one thread, and the time of the core counts, which other programs on the machine take no part in; on all
cores it is the clock's. Figures are medians of {runs} runs in {rounds} rounds of processes that take turns, each after a run that does not
count; the start of a process counts in counting by dfaparse, xan and zsv only. Ratios above 1 say that dfaparse is faster.

Row counts and sums over the bits of every column (of texts: over their bytes, and their lengths) are compared. A reader that
gives other values than most is marked **wrong**.

Machine: {machine}.

Versions: {versions}.
"""

MISSING = {
    "xan": "xan, as there is no cargo to build it",
    "zsv (WebAssembly)": "zsv's WebAssembly, as there is no Node.js",
}
ALWAYS_MISSING = ["zsv as a native command, which no registry of packages has", "qsv, whose crate takes longer to build than all of this takes"]


def markdown(rows, args, machine, cores, peers):
    versions = "; ".join(f"{name}: {version}" for name, version in peers if version and name != "dfaparse")
    text = INTRO.format(mib=args.mib, runs=args.rounds * args.runs, rounds=args.rounds, machine=machine, versions=versions)
    text += f"\nNot measured: {'; '.join(ALWAYS_MISSING + [MISSING[name] for name, version in peers if not version and name in MISSING])}.\n"
    text += "\n![GB/s to typed columns in memory, by reader](plots/peers.svg)\n"
    for job, title in TITLES.items():
        here = [r for r in rows if r["job"] == job]
        if here:
            text += f"\n## {title}\n"
        for name in dict.fromkeys(r["input"] for r in here):
            text += table([r for r in here if r["input"] == name], name, cores, job)
    return text


def table(rows, name, cores, job):
    measured = [r for r in rows if "error" not in r]
    if not measured:
        return f"\n### {name}\n\nnothing could be measured\n"
    first = measured[0]
    many = f"| {cores} cores, GB/s | spread | dfaparse / it " if cores > 1 else ""
    size = "| file, MB " if job.startswith("parquet") else ""
    text = f"\n### {name}: {first['nbytes'] / 1e6:.0f} MB, {first['rows']} records\n\n"
    text += f"| reader | one core, GB/s | spread | dfaparse / it {many}{size}| values |\n|---|{'---|' * (4 + 3 * (cores > 1) + job.startswith('parquet'))}\n"
    ours = {r["threads"]: r["rate"] for r in measured if r["key"] == "dfaparse"}
    for peer in dict.fromkeys(r["peer"] for r in rows):
        mine = {r["threads"]: r for r in rows if r["peer"] == peer}
        cells = [peer]
        for threads in [1, cores] if cores > 1 else [1]:
            cells += rate(mine.get(threads), ours.get(threads))
        if job.startswith("parquet"):
            cells.append(f"{mine[1]['size'] / 1e6:.1f}" if "size" in mine[1] else "")
        cells.append(verdict(mine.values()))
        text += "| " + " | ".join(cells) + " |\n"
    return text


def rate(row, ours):
    if row is None or "rate" not in row:
        return ["", "", ""]
    ratio = f"{ours / row['rate']:.1f}" if ours and row["key"] != "dfaparse" else ""
    return [f"**{row['rate']:.3f}**", f"{row['least']:.3f} … {row['most']:.3f}", ratio]


def verdict(rows):
    words = []
    for r in rows:
        if "error" in r:
            word = "failed: " + r["error"].replace("|", "\\|")[:120]
        elif r["wrong"]:
            word = "**wrong**: " + r["wrong"].replace("|", "\\|")
        elif not r["keeps"]:
            word = "not kept"
        else:
            word = "equal"
        if word not in words:
            words.append(word)
    return "; ".join(words)
