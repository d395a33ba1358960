"""How files are written: dfaparse's inference beside other sniffers.

truth.tsv has the truth for each file. What is counted are the files that have one
truth: how many of them a sniffer says right by effect (sniffers.py), and what is
wrong with the others. A miss of ours has its reason in truth.tsv; without one the
run fails, and so it does if fewer than ENOUGH are right, or another sniffer has more.
"""

import collections
import dataclasses
import hashlib
import json
import pathlib

import duckdb

import compare
import sniffers

HERE = pathlib.Path(__file__).resolve().parent
ENOUGH = 0.99
FOLDERS = ("duckdb/data_csv", "csv-spectrum/csvs", "rust-csv-bench", "elastic")
NAMES = ("dfaparse", "DuckDB", "CleverCSV", "polars")


@dataclasses.dataclass
class Truth:
    file: str
    digest: str
    by: str
    facts: sniffers.Facts | None
    why: str
    missed: str  # why we have it wrong, if we do

    @property
    def held_out(self):
        """Whether the file was left aside while inference was mended."""
        return self.digest[0] > "7"


def truths():
    out = []
    for line in (HERE / "truth.tsv").read_text().splitlines():
        if line.startswith("#"):
            continue
        file, digest, by, facts, why, *missed = line.split("\t")
        facts = None if facts == "-" else sniffers.Facts(**json.loads(facts))
        out.append(Truth(file, digest, by, facts, why, "".join(missed)))
    return out


def unlisted(corpora, known):
    """Files of the folders of which truth.tsv says nothing."""
    for folder in FOLDERS:
        for path in sorted((corpora / folder).rglob("*")):
            name = path.relative_to(corpora).as_posix()
            if path.is_file() and "LICENSE" not in name and name not in known:
                yield name


_connection = None


def others(args):
    """Of some files: in what the answer of each sniffer differs from the truth, or None for no answer."""
    global _connection
    _connection = _connection or duckdb.connect()
    out = []
    for corpora, t, ours in args:
        path = corpora / t.file
        if hashlib.sha256(path.read_bytes()).hexdigest()[:16] != t.digest:
            out.append((t, {}, "the file is another one than when it was looked at"))
            continue
        encoding = t.facts.encoding
        sample = sniffers.sample_of(compare.plain(path), encoding)
        answers = {"dfaparse": ours, "DuckDB": sniffers.of_duckdb(_connection, path, encoding),
                   "CleverCSV": sniffers.of_clevercsv(sniffers.unended(sample)[:sniffers.LESS].decode("utf-8", "replace"), encoding),
                   "polars": sniffers.of_polars(path, encoding)}
        out.append((t, {name: None if a.facts is None else sniffers.differ(sample, t.facts, a.facts)
                        for name, a in answers.items()}, answers))
    return out


def measure(pool, guess, corpora, every=1):
    """What is found of every so manyth file: the tables of the document, and faults."""
    known = truths()
    have = [t for t in known if t.facts][::every]
    ours = sniffers.ours(guess, [corpora / t.file for t in have])
    jobs = [(corpora, t, o) for t, o in zip(have, ours)]
    results = [r for some in pool.imap(others, [jobs[i::64] for i in range(64)]) for r in some]
    faults, rows = [], []
    right, wrong = collections.Counter(), collections.Counter()
    for t, found, answers in sorted(results, key=lambda r: r[0].file):
        if not found:
            faults.append(f"{t.file}: {answers}")
            continue
        for name, what in found.items():
            right[name] += what == set()
            right[name, t.by] += what == set()
            right[name, t.held_out] += what == set()
            for w in ["no answer"] if what is None else what:
                wrong[name, w] += 1
        if found["dfaparse"] != set():
            said = answers["dfaparse"]
            said = str(said.facts) if said.facts else said.error
            rows.append(f"| {t.file} | {said} | {t.facts} | {t.missed} |".replace("'|'", r"'\|'"))
            if not t.missed:
                faults.append(f"{t.file}: {said}, which is {t.facts} ({t.why}): {found['dfaparse'] or 'no answer'}")
        elif t.missed:
            faults.append(f"{t.file} is right, and truth.tsv says why it is not")
    if every == 1:
        faults += [f"{name} is not in truth.tsv" for name in unlisted(corpora, {t.file for t in known})]
        best = max(right[name] for name in NAMES[1:])
        if right["dfaparse"] < ENOUGH * len(have) or right["dfaparse"] <= best:
            faults.append(f"{right['dfaparse']} of {len(have)} are right; want {ENOUGH:.0%}, and more than {best}")
    n = collections.Counter(t.by for t in have)
    held = collections.Counter(t.held_out for t in have)
    kinds = ("separator", "cells", "header", "lines before", "no answer")
    table = ["| sniffer | right | of " + str(n["hand"]) + " judged by hand | of " + str(n["agreed"]) + " agreed | "
             + " | ".join(f"wrong: {k}" if k != "no answer" else k for k in kinds) + " |", "|---" * (4 + len(kinds)) + "|"]
    for name in NAMES:
        table.append(f"| {name} | {right[name]} of {len(have)}, {right[name] / len(have):.1%} | {right[name, 'hand']} | "
                     f"{right[name, 'agreed']} | " + " | ".join(str(wrong[name, k]) for k in kinds) + " |")
    missed = ["| file | dfaparse | the truth | why |", "|---|---|---|---|", *rows]
    summary = (f"{right['dfaparse']} of {len(have)} right; left aside {right['dfaparse', True]} of {held[True]}, "
               f"others {right['dfaparse', False]} of {held[False]}")
    return {"sniffers": table, "missed": missed}, faults, summary
