"""Compares what dfaparse reads of a file with what others read of it, and
explains each difference by classified.toml.

There are four comparisons of a file in a dialect:

- strict and lax against model.py, rows and rejects: no difference is allowed;
- with `header names`: the names are the first record, the rows the others;
- strict against each reader of readers.py;
- where strict rejects a record and a reader takes it, lax against the reader.

A difference from a reader is explained if the model with the traits that
classified.toml states for the reader gives the reader's result exactly, row for
row; or if the reader refuses the file with a message that a `refusal` names,
for a property of the bytes that is checked; or if a `case` names the file, the
dialect, the reader and the digest of its result.
"""

import dataclasses
import gzip
import hashlib
import re
import tomllib

import pyarrow

import model
import ours
import readers


class Classified:
    """classified.toml, and what of it was used."""

    def __init__(self, path):
        tables = tomllib.loads(path.read_text())
        self.profiles = {p["reader"]: p for p in tables["profile"]}
        self.traits = {(t["reader"], t["trait"]): t for t in tables["trait"]}
        self.refusals = tables.get("refusal", [])
        self.others = {o["what"]: o for o in tables.get("other", [])}
        self.cases = {(c["case"], c["reader"]): c for c in tables.get("case", [])}

    def entries(self):
        """Ids of all explanations, each of which has to explain something."""
        yield from (("trait", *key) for key in self.traits)
        yield from (("refusal", r["reader"], r["message"]) for r in self.refusals)
        yield from (("case", *key) for key in self.cases)
        yield from (("other", what) for what in self.others)


def is_utf8(data):
    try:
        data.decode()
        return True
    except UnicodeDecodeError:
        return False


def lone_cr(data):
    return re.search(rb"\r(?!\n)", data) is not None


# What a refusal may be for: properties of the bytes, the dialect and the width.
PREDICATES = {
    "not UTF-8": lambda data, d, width: not is_utf8(data),
    "line ends of two kinds": lambda data, d, width: b"\n" in data and (b"\r\n" in data or lone_cr(data)) and (
        lone_cr(data) or re.search(rb"(?<!\r)\n", data) is not None),
    "an escape and no quote": lambda data, d, width: d.escape and not d.quote and d.escape.encode() in data,
    "a comment after the last record": lambda data, d, width: bool(d.comment) and data.splitlines()[-1].startswith(
        d.comment.encode()),
}


def plain(path):
    """The bytes of a file, decompressed."""
    data = path.read_bytes()
    if data.startswith(b"\x1f\x8b"):
        return gzip.decompress(data)
    if data.startswith(b"\x28\xb5\x2f\xfd"):
        return pyarrow.CompressedInputStream(pyarrow.BufferReader(data), "zstd").read()
    return data


MOST = 200_000  # bytes of a file that are compared: the model is slow


def prepared(case, folder):
    """The bytes to compare, and the file that all read, twice: compressed files
    are decompressed first, and large ones are cut."""
    data = plain(case.path)
    if len(data) > MOST:
        data = data[:data.rfind(b"\n", 0, MOST) + 1] or data[:MOST]
        path = folder / f"{hashlib.sha256(case.name.encode()).hexdigest()}.csv"
        path.write_bytes(data)
        return data, path, path
    if case.path.suffix in (".gz", ".zst", ".gzz"):
        path = folder / f"{hashlib.sha256(case.name.encode()).hexdigest()}.csv"
        path.write_bytes(data)
        return data, path, path
    return data, case.path, case.path


def digest(reading):
    kind, value = reading
    return hashlib.sha256((kind + repr(value if kind == "rows" else "")).encode()).hexdigest()[:12]


@dataclasses.dataclass
class Finding:
    """A comparison that did not come out equal, and its explanation if it has one."""

    case: str
    reader: str
    what: str
    explained: list  # ids of Classified.entries
    digest: str = ""


def first_difference(a, b):
    for i in range(max(len(a), len(b))):
        x, y = (a[i] if i < len(a) else "nothing"), (b[i] if i < len(b) else "nothing")
        if x != y:
            return f"row {i + 1} of {len(a)} and {len(b)}: {str(x)[:200]} and {str(y)[:200]}"
    return "equal"


def modelled(profile, data, dialect, width, traits=None):
    """What the model gives for a reader: (rows, what is no row)."""
    traits = profile["traits"] if traits is None else traits
    recs = model.records(data, dialect, model.Traits(**traits))
    rows, bad = model.shaped(recs, width, profile.get("pad", False), profile.get("truncate", False))
    if profile.get("missing") == "":
        rows = [[c or b"" for c in row] for row in rows]
    return rows, bad


def same(reading, modelled, profile):
    kind, value = reading
    rows, bad = modelled
    if kind == "error":
        return bool(bad) and not profile.get("skip", False)
    return value == rows and (not bad or profile.get("skip", False))


def explain(case, reader, reading, data, width, classified):
    """The ids of what explains a reading that is not ours, or []."""
    profile = classified.profiles[reader]
    if same(reading, modelled(profile, data, case.dialect, width), profile):
        needed = []
        for trait, v in profile["traits"].items():
            less = {k: x for k, x in profile["traits"].items() if k != trait}
            if not same(reading, modelled(profile, data, case.dialect, width, less), profile):
                needed.append(("trait", reader, f"{trait}={v}"))
        for shape in ("pad", "truncate", "skip"):
            if profile.get(shape) and not same(
                    reading, modelled({**profile, shape: False}, data, case.dialect, width), {**profile, shape: False}):
                needed.append(("trait", reader, shape))
        if needed:
            known = [n for n in needed if n[1:] in classified.traits]
            return known if len(known) == len(needed) else []
        # Any one of several traits would do: name the first that does alone.
        for trait, v in profile["traits"].items():
            id = ("trait", reader, f"{trait}={v}")
            if id[1:] in classified.traits and same(
                    reading, modelled(profile, data, case.dialect, width, {trait: v}), profile):
                return [id]
        return [("trait", reader, "together")] if (reader, "together") in classified.traits else []
    kind, value = reading
    if kind == "error":
        for r in classified.refusals:
            if r["reader"] in (reader, reader.split(",")[0]) and re.search(r["message"], value) and PREDICATES[r["when"]](
                    data, case.dialect, width):
                return [("refusal", r["reader"], r["message"])]
    c = classified.cases.get((case.key, reader))
    if c and c["digest"] == digest(reading):
        return [("case", case.key, reader)]
    return []


def foreign(data):
    """Whether the bytes are of a kind that is refused when it is opened, as
    docs/reliability.md says under "Inputs of another kind"."""
    head = data[:1 << 16]
    return (data[:2] in (b"\xff\xfe", b"\xfe\xff") or b"\0" in head
            or b"\r" in head and b"\n" not in head[:-1])


def hopeless(recs):
    """Whether no record is well-formed: nothing says how many columns there are, and
    we refuse the file."""
    return recs and all(r.error for r in recs)


def against_model(case, outcome, data, recs, lax):
    """What of our reading is not the model's, or None."""
    name = "lax" if lax else "strict"
    if outcome.kind == "foreign":
        return None if foreign(data) else f"{name}: {outcome.error}"
    if outcome.error:
        return None if hopeless(recs) else f"{name}: {outcome.error}"
    width = len(outcome.names)
    if recs and not recs[0].error and width != len(recs[0].fields):
        return f"{name}: {width} columns, the first record has {len(recs[0].fields)}"
    rows, bad = model.shaped(recs, width, lax, lax)
    if outcome.rows != rows:
        return f"{name}: {first_difference(outcome.rows, rows)}"
    if outcome.rejects != bad:
        return f"{name}: rejects: {first_difference(outcome.rejects, bad)}"
    return None


def against_header(case, outcome, data, recs):
    """With `header names`: the first record and the others."""
    if outcome.kind == "foreign":
        return None if foreign(data) else f"names: {outcome.error}"
    if not recs or recs[0].error:
        return None if outcome.error else "names: a header that cannot be read is taken"
    head = recs[0].fields
    if not all(is_utf8(f) for f in head):
        return None
    if outcome.error:
        return f"names: {outcome.error}"
    distinct = len(set(head)) == len(head) and all(f.strip() for f in head)
    if len(outcome.names) != len(head) or distinct and outcome.names != head:
        return f"names: {outcome.names}, the header is {head}"
    if len(set(outcome.names)) != len(head):
        return f"names: a name is there twice: {outcome.names}"
    rows, bad = model.shaped(recs[1:], len(head))
    if outcome.rows != rows or outcome.rejects != bad:
        return f"names: {first_difference(outcome.rows, rows)}"
    return None


def batch(command, cases, classified, folder):
    """Findings of some cases, and how many comparisons there were by reader."""
    jobs, inputs = [], []
    for case in cases:
        inputs.append(prepared(case, folder))
        head = [] if case.dialect.skip else [ours.spec(case.dialect, header="names", more="blank skip")]
        for spec in [ours.spec(case.dialect), ours.spec(case.dialect, lax=True)] + head:
            jobs.append({"file": str(inputs[-1][1]), "spec": spec, "mode": "reject"})
    outcomes = iter(ours.read(command, jobs))
    findings, counts = [], {}

    def count(reader, how):
        counts[reader, how] = counts.get((reader, how), 0) + 1

    for case, (data, _, path) in zip(cases, inputs):
        strict, lax = next(outcomes), next(outcomes)
        named = None if case.dialect.skip else next(outcomes)
        recs = model.records(data, case.dialect)
        for what in (against_model(case, strict, data, recs, False),
                     against_model(case, lax, data, model.records(data, case.dialect, model.LAX), True),
                     against_header(case, named, data, recs) if named else None):
            count("model", "equal" if what is None else "not")
            if what:
                findings.append(Finding(case.key, "model", what, []))
        width = len(strict.names) or len(lax.names)
        if strict.error and hopeless(recs):
            strict.error, strict.rejects = "", recs
        if strict.error or not width:
            continue  # it is refused, or there is nothing in it
        for reader in readers.READERS:
            reading = readers.read(reader, path, data, case.dialect, width)
            if reading is None:
                count(reader, "not asked")
                continue
            kind, value = reading
            if kind == "rows" and value == strict.rows and not strict.rejects:
                count(reader, "equal")
            elif kind == "error" and strict.rejects:
                count(reader, "both refuse")
            elif kind == "rows" and strict.rejects and value == lax.rows:
                count(reader, "as lax")
            else:
                explained = explain(case, reader, reading, data, width, classified)
                count(reader, "explained" if explained else "unexplained")
                if kind == "error":
                    what = "refuses: " + value.replace("\n", " ")[:200]
                elif strict.rejects:
                    what = f"{len(strict.rejects)} rejected; lax and it: {first_difference(lax.rows, value)}"
                else:
                    what = f"we and it: {first_difference(strict.rows, value)}"
                findings.append(Finding(case.key, reader, what, explained, digest(reading)))
    return findings, counts
