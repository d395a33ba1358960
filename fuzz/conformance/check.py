"""Holds dfaparse against independent readers over public data.

    python fuzz/conformance/check.py --cells CELLS --guess GUESS --corpora FOLDER [--sample N] [--write FILE] [--only inference]

CELLS is the program of the folder cells, GUESS that of the folder guess. --sample takes every N-th case, for a
quick run. --write writes the
tables into a document, and those of inference.py into inference.md beside it. The exit status is 1 if a
difference is unexplained, or if an explanation explains nothing (not of a
sample). Differences that most readers have from us come first: they are
probably ours.
"""

import argparse
import collections
import multiprocessing
import os
import pathlib
import re
import sys
import tempfile
import time

import duckdb

import compare
import dialects
import generate
import inference
import logs
import readers

HERE = pathlib.Path(__file__).resolve().parent
VERDICTS = {"differently": "defined differently", "theirs": "their defect", "ours": "ours"}


def start():
    os.environ["GOMAXPROCS"] = "1"  # of cells: there is a process for each core
    sys.unraisablehook = lambda *a: None  # pyarrow's handler of rows that are not UTF-8


def sniff(args):
    """The dialects of some files."""
    corpora, part, parts = args
    return dialects.cases(corpora, duckdb.connect(), part, parts)


def work(args):
    command, cases, classified = args
    with tempfile.TemporaryDirectory() as folder:
        return compare.batch(command, cases, classified, pathlib.Path(folder))


def files(pool, options, classified):
    """All cases, findings and counts of files in their dialects."""
    parts = 16
    found = pool.map(sniff, [(options.corpora, i, parts) for i in range(parts)], chunksize=1)
    cases = sorted((c for some in found for c in some), key=lambda c: c.key)[::options.sample]
    batches = [(options.cells, cases[i:i + 8], classified) for i in range(0, len(cases), 8)]
    findings, counts = [], collections.Counter()
    for some, counted in pool.imap_unordered(work, batches):
        findings += some
        counts.update(counted)
    return cases, findings, counts


def tables(cases, counts, others, used, classified):
    """The tables of the document, by name."""
    out = {}
    hows = ["equal", "both refuse", "as lax", "explained", "unexplained", "not asked"]
    rows = ["| reader | " + " | ".join(hows) + " |", "|---" * (len(hows) + 1) + "|"]
    for reader in readers.READERS:
        rows.append(f"| {reader} | " + " | ".join(str(counts[reader, how]) for how in hows) + " |")
    out["counts"] = rows
    out["model"] = [f"{len(cases)} files in a dialect, {counts['model', 'equal']} comparisons with the model, "
                    f"{counts['model', 'not']} differences."]
    rows = ["| what | compared | unexplained |", "|---|---|---|"]
    rows += [f"| {name} | {n} | {bad} |" for name, (n, bad) in others.items()]
    out["others"] = rows
    rows = ["| reader | what | files | verdict | why |", "|---|---|---|---|---|"]
    for (reader, trait), t in classified.traits.items():
        rows.append(f"| {reader} | `{trait}` | {used['trait', reader, trait]} | {VERDICTS[t['verdict']]} | {t['reason']} |")
    for r in classified.refusals:
        rows.append(f"| {r['reader']} | refuses: {r['when']} | {used['refusal', r['reader'], r['message']]} | "
                    f"{VERDICTS[r['verdict']]} | {r['reason']} |")
    out["classes"] = rows
    rows = ["| what | reader | verdict | why |", "|---|---|---|---|"]
    for (case, reader), c in classified.cases.items():
        file, dialect = case.split(" | ", 1)
        rows.append(f"| {file}, `{dialect}` | {reader} | {VERDICTS[c['verdict']]} | {c['reason']} |")
    for what, o in classified.others.items():
        rows.append(f"| {what} | | {VERDICTS[o['verdict']]} | {o['reason']} |")
    out["cases"] = [row.replace("'|'", r"'\|'") for row in rows]
    return out


def infer(pool, options):
    """Inference beside other sniffers: how many faults there are."""
    began = time.time()
    content, faults, summary = inference.measure(pool, options.guess, options.corpora, options.sample)
    print("\n".join(content["sniffers"]))
    for fault in faults:
        print(f"INFERENCE {fault}")
    print(f"inference: {summary}, {time.time() - began:.0f} s")
    if options.write:
        write(options.write.with_name("inference.md"), content)
    return len(faults)


def write(path, content):
    text = path.read_text()
    for name, rows in content.items():
        mark = f"<!-- conformance: {name} -->\n"
        if mark not in text:
            raise SystemExit(f"{path} has no {mark}")
        text = re.sub(re.escape(mark) + ".*?<!-- end -->", lambda _: mark + "\n".join(rows) + "\n<!-- end -->", text, flags=re.S)
    path.write_text(text)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cells", required=True)
    parser.add_argument("--guess", required=True)
    parser.add_argument("--only", choices=["inference"], help="leave all else out")
    parser.add_argument("--corpora", required=True, type=pathlib.Path)
    parser.add_argument("--sample", type=int, default=1)
    parser.add_argument("--tables", type=int, default=2000, help="drawn at random")
    parser.add_argument("--jobs", type=int, help="processes (all cores)")
    parser.add_argument("--write", type=pathlib.Path)
    options = parser.parse_args()
    options.corpora = options.corpora.resolve()
    classified = compare.Classified(HERE / "classified.toml")
    began = time.time()
    wrong = 0
    others = {}
    used = collections.Counter()
    with multiprocessing.Pool(options.jobs, initializer=start) as pool:
        wrong += infer(pool, options)
        if options.only:
            sys.exit(1 if wrong else 0)
        cases, findings, counts = files(pool, options, classified)
    print(f"{len(cases)} files in a dialect, {time.time() - began:.0f} s")
    for name in ["model", *readers.READERS]:
        print(f"  {name}: " + ", ".join(f"{n} {how}" for (r, how), n in sorted(counts.items()) if r == name))
    unexplained = [f for f in findings if not f.explained]
    by_case = collections.Counter(f.case for f in unexplained)
    for f in sorted(unexplained, key=lambda f: (-by_case[f.case], f.case)):
        print(f"UNEXPLAINED {f.case}\n  {f.reader}: {f.what} (digest {f.digest})")
        wrong += 1
    used.update(id for f in findings for id in f.explained)
    for name, compared in logs.ALL.items():
        n, faults = compared(options.cells, options.corpora)
        bad = 0
        for what, why in faults:
            if what in classified.others:
                used["other", what] += 1
                continue
            print(f"UNEXPLAINED {what}\n  {why[:600]}")
            bad += 1
        others[name] = n, bad
        wrong += bad
        print(f"{name}: {n} compared, {bad} unexplained")
    faults = generate.differences(options.cells, options.tables, 1)
    for fault in faults:
        print(f"UNEXPLAINED {fault}")
    wrong += len(faults)
    others["tables drawn at random, written by others"] = options.tables, len(faults)
    print(f"tables drawn at random: {options.tables}, {len(faults)} unexplained")
    if options.sample == 1:
        for e in classified.entries():
            if not used[e]:
                print("EXPLAINS NOTHING", *e)
                wrong += 1
    if options.write:
        write(options.write, tables(cases, counts, others, used, classified))
    print(f"{wrong} unexplained, {time.time() - began:.0f} s")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
