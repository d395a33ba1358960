"""Which files are read, and how each is said to be written.

A dialect is stated by the tests of DuckDB that read a file (`delim`, `quote`,
`escape`, `comment`, `skip`, in read_csv or COPY); what a test leaves open
DuckDB's sniffer fills in, given what the test states. Every file is read as
RFC 4180 with commas too, and as the sniffer alone takes it.
"""

import dataclasses
import pathlib
import re
import zlib


@dataclasses.dataclass(frozen=True)
class Dialect:
    """How a file is written. Escape "" is none; equal to quote it is doubling."""

    delim: str = ","
    quote: str = '"'
    escape: str = '"'
    comment: str = ""
    skip: int = 0  # lines

    def __str__(self):
        words = [f"sep {self.delim!r}"]
        if self.quote:
            words.append(f"quote {self.quote!r}")
            if self.escape == self.quote:
                words.append("doubled")
        if self.escape and self.escape != self.quote:
            words.append(f"escape {self.escape!r}")
        if self.comment:
            words.append(f"comment {self.comment!r}")
        if self.skip:
            words.append(f"skip {self.skip}")
        return " ".join(words)


@dataclasses.dataclass(frozen=True)
class Case:
    name: str  # of the file, from the corpora's folder
    path: pathlib.Path
    dialect: Dialect
    origin: str  # "test", "sniffed" or "rfc4180"

    @property
    def key(self):
        return f"{self.name} | {self.dialect}"


NAMES = {"delim": "delim", "delimiter": "delim", "sep": "delim", "quote": "quote", "escape": "escape",
         "comment": "comment", "skip": "skip"}
OPTION = re.compile(
    r"\b(delim|delimiter|sep|quote|escape|comment|skip)\s*(?::?=)?\s*(e?'(?:[^']|'')*'|\"[^\"]*\"|-?\d+|NULL)", re.I)
SOURCE = re.compile(r"'(?:\{DATA_DIR\}|data)/csv/([^'*?\[\]{}]+)'")


def value(text):
    """What a literal of SQL stands for, or None."""
    if text.upper() == "NULL":
        return None
    if text[0] in "eE":
        return text[2:-1].replace("\\t", "\t").replace("\\n", "\n").replace("\\\\", "\\")
    if text[0] in "'\"":
        text = text[1:-1].replace("''", "'")
        return {"\\t": "\t"}.get(text, text)  # DuckDB takes backslash and t as a tab
    return int(text)


def statements(text):
    """The SQL statements and queries of a sqllogictest script."""
    for block in re.split(r"\n\s*\n", text):
        sql, _, _ = block.partition("\n----")
        lines = [l for l in sql.splitlines() if not l.startswith("#")]
        if lines and lines[0].split(" ")[0] in ("query", "statement"):
            yield "\n".join(lines[1:])


def stated(folder):
    """Pairs of a path below the folder of data and the options that a test
    states for it."""
    pairs = set()
    for script in sorted(folder.rglob("*.test*")):
        for sql in statements(script.read_text("utf-8", "replace")):
            sources = SOURCE.findall(sql)
            if len(set(sources)) != 1:
                continue  # options of several files cannot be told apart
            options = {}
            for name, literal in OPTION.findall(SOURCE.sub("", sql)):
                v = value(literal)
                if v is not None and (name.lower() == "skip") == isinstance(v, int):
                    options[NAMES[name.lower()]] = v
            pairs.add((sources[0], tuple(sorted(options.items(), key=str))))
    return sorted(pairs, key=str)


def sane(d):
    """Whether a dialect can be written in a spec at all: one byte for the quote
    and the escape, signs that are not the same."""
    signs = [d.quote, d.escape if d.escape != d.quote else "", d.comment]
    return (0 < len(d.delim) <= 64 and len(d.quote) <= 1 and len(d.escape) <= 1 and d.skip >= 0
            and all(s == "" or s not in d.delim and d.delim not in s for s in signs)
            and not any(c in d.delim + "".join(signs) for c in "\r\n\0")
            and not (d.comment and d.comment in (d.quote, d.escape)))


class Sniffer:
    """DuckDB's guess at a dialect."""

    def __init__(self, connection):
        self.connection = connection

    def dialect(self, path, options=()):
        given = dict(options)
        text = "".join(f", {k}={v}" if k == "skip" else f", {k}='" + str(v).replace("'", "''") + "'"
                       for k, v in given.items())
        try:
            row = self.connection.execute(
                "SELECT Delimiter, Quote, Escape, Comment, SkipRows FROM sniff_csv($path, sample_size=2048" + text + ")",
                {"path": str(path)}).fetchone()
        except Exception:  # whatever it cannot read, it cannot sniff
            row = None
        d = {}
        if row:
            signs = ["" if v == "(empty)" else v for v in row[:4]]
            d = dict(zip(("delim", "quote", "escape", "comment"), signs), skip=row[4])
        d.update(given)
        d = {k: v if k == "skip" else str(v) for k, v in d.items()}
        if "quote" in d and not d.get("escape"):
            d["escape"] = d["quote"]
        return Dialect(**d)


def cases(corpora, connection, part=0, parts=1):
    """All files with their dialects: of one part of so many."""
    sniffer = Sniffer(connection)
    data = corpora / "duckdb" / "data_csv"
    found = {}

    def add(path, dialect, origin):
        if sane(dialect):
            case = Case(path.relative_to(corpora).as_posix(), path, dialect, origin)
            found.setdefault(case.key, case)

    def mine(path):
        return zlib.crc32(path.relative_to(corpora).as_posix().encode()) % parts == part

    for name, options in stated(corpora / "duckdb" / "test_sql_copy_csv"):
        path = data / name
        if path.is_file() and mine(path):
            add(path, sniffer.dialect(path, options), "test")
    files = [p for p in sorted(data.rglob("*")) if p.is_file()]
    for folder, pattern in (("csv-spectrum", "csvs/*.csv"), ("rust-csv-bench", "*.csv"), ("1brc", "*.csv"),
                            ("1brc", "samples/*.txt")):
        files += sorted((corpora / folder).glob(pattern))
    for path in filter(mine, files):
        guess = sniffer.dialect(path)
        if path.is_relative_to(corpora / "1brc"):
            guess = Dialect(delim=";", quote="", escape="")
        add(path, guess, "sniffed")
        if path.stat().st_size < 300_000:
            add(path, Dialect(), "rfc4180")
    return list(found.values())
