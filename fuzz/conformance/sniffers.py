"""What sniffers say of how files are written, and when two of them say the same.

There are four: dfaparse's inference, DuckDB's sniffer, CleverCSV, and polars,
which finds nothing out and takes every file for RFC 4180 with a header. What they
say is compared by effect: the sample is cut by the one dialect and by the other,
with one plain cutter, and the records must be the same, and the same of them the
header. So a quote that no field has, or lines before the table that are empty,
make no difference.
"""

import codecs
import csv
import dataclasses
import json
import re
import signal
import subprocess

import clevercsv
import polars

import model

SAMPLE = 64 << 10  # bytes that are cut
LESS = 16 << 10  # bytes that CleverCSV gets: it takes minutes for more of some files
ROWS = 2000  # that are compared, at most
PATIENCE = 20  # seconds that CleverCSV has for a file


@dataclasses.dataclass(frozen=True)
class Facts:
    """How a file is written. Escape "" with a quote is doubling."""

    sep: str = ","  # "" is none: a line is one field
    quote: str = '"'
    escape: str = ""
    comment: str = ""
    skip: int = 0  # lines before the table
    header: int = 1  # records of it
    run: bool = False  # the separator may be repeated
    encoding: str = ""  # "" is UTF-8

    def __str__(self):
        names = {"": "one column", ",": "comma", ";": "semicolon", "\t": "tab", " ": "blank"}
        words = [names.get(self.sep, f"{self.sep!r}") + ("s" if self.run else "")]
        if self.quote:
            words.append(f"quote {self.quote}" + (f" escape {self.escape}" if self.escape else ""))
        elif self.escape:
            words.append(f"escape {self.escape}")
        if self.comment:
            words.append(f"comment {self.comment}")
        if self.skip:
            words.append(f"skip {self.skip}")
        words.append(f"header {self.header}" if self.header else "no header")
        if self.encoding:
            words.append(self.encoding)
        return ", ".join(words)


@dataclasses.dataclass
class Answer:
    """What a sniffer says: facts, or why it has none."""

    facts: Facts | None
    error: str = ""


def ours(command, paths):
    """The answers of dfaparse."""
    run = subprocess.run([command], input="".join(f"{p}\n" for p in paths).encode(), stdout=subprocess.PIPE, check=True)
    answers = []
    for line in run.stdout.splitlines():
        a = json.loads(line)
        if a["error"]:
            answers.append(Answer(None, a["error"]))
            continue
        answers.append(Answer(Facts(**{f.name: a[f.name] for f in dataclasses.fields(Facts)})))
    return answers


def symbol(text):
    return "" if text in (None, "(empty)") else text


def of_duckdb(connection, path, encoding):
    """DuckDB is told the encoding: it does not look for it."""
    more = {"UTF-16LE": ", encoding='utf-16'", "UTF-16BE": ", encoding='utf-16'", "windows-1252": ", encoding='latin-1'"}
    try:
        sep, quote, escape, comment, skip, header = connection.execute(
            "SELECT Delimiter, Quote, Escape, Comment, SkipRows, HasHeader FROM sniff_csv($path"
            + more.get(encoding, "") + ")", {"path": str(path)}).fetchone()
    except Exception as e:
        return Answer(None, str(e).splitlines()[0])
    quote, escape = symbol(quote), symbol(escape)
    return Answer(Facts(symbol(sep), quote, "" if escape == quote else escape, symbol(comment), skip, int(header),
                        encoding=encoding))


def too_long(*_):
    raise TimeoutError("it takes too long")


def of_clevercsv(text, encoding):
    """CleverCSV gets the beginning as text. Its dialect has no comments, and no lines before the table."""
    csv.field_size_limit(1 << 20)  # which CleverCSV leaves at what the file before had
    clevercsv.field_size_limit(1 << 20)
    signal.signal(signal.SIGALRM, too_long)
    signal.alarm(PATIENCE)
    try:
        sniffer = clevercsv.Sniffer()
        d = sniffer.sniff(text)
        if d is None:
            return Answer(None, "no dialect")
        header = sniffer.has_header(text)
    except Exception as e:
        return Answer(None, str(e) or type(e).__name__)
    finally:
        signal.alarm(0)
    return Answer(Facts(d.delimiter, d.quotechar, d.escapechar, header=int(header), encoding=encoding))


def of_polars(path, encoding):
    """polars is asked whether it can read the file as it takes all of them."""
    try:
        polars.scan_csv(path, infer_schema_length=None).collect()
    except BaseException as e:  # panics of polars are no Exception
        if isinstance(e, KeyboardInterrupt):
            raise
        return Answer(None, (str(e) or type(e).__name__).splitlines()[0])
    return Answer(Facts())


def sample_of(data, encoding):
    """The beginning of a file as UTF-8, whole lines of it."""
    head = data[:SAMPLE]
    if encoding:
        head = codecs.getincrementaldecoder(encoding)("ignore").decode(head).lstrip("\ufeff").encode()
    if len(data) > SAMPLE and b"\n" in head:
        head = head[:head.rfind(b"\n") + 1]
    return head


def unended(sample):
    """The sample with LF for the CRs that end its lines, if they do."""
    if b"\r" in sample and sample.count(b"\r") > sample.count(b"\r\n") + sample.count(b"\n") // 2:
        return re.sub(rb"\r\n?", b"\n", sample)
    return sample


NONE = "\x1d"  # separates nothing
CUTTER = dataclasses.replace(model.LAX, escape_bare=True)


def records(sample, facts):
    """The records of a sample, header and all, as a plain cutter makes them."""
    quote = facts.quote.encode("utf-8", "replace")
    if len(quote) > 1 or len(facts.escape.encode()) > 1:
        return None
    d = _Dialect(facts.sep or NONE, facts.quote, facts.escape or facts.quote, facts.comment, facts.skip)
    if facts.comment:  # blanks before one are nobody's say
        sample = re.sub(rb"(?m)^[ \t]+" + re.escape(facts.comment.strip().encode()), facts.comment.strip().encode(), sample)
        d = dataclasses.replace(d, comment=facts.comment.strip())
    if facts.run:
        sample = b"\n".join(re.sub(rb" +", b" ", line.strip(b" ")) for line in sample.split(b"\n"))
    recs = model.records(unended(sample), d, CUTTER)[:ROWS]
    return [r.fields for r in recs if any(r.fields) or len(r.fields) > 1]


@dataclasses.dataclass(frozen=True)
class _Dialect:
    delim: str
    quote: str
    escape: str
    comment: str
    skip: int


def trimmed(rows):
    """Rows without the blanks around fields, which are nobody's say here, and without the
    empty fields at their ends."""
    out = []
    for row in rows:
        row = [f.strip(b" \t") for f in row]
        while len(row) > 1 and not row[-1]:
            row.pop()
        out.append(row)
    return out


def differ(sample, a, b):
    """In what two dialects differ of a sample: the set of separator, cells, header,
    lines before; empty if they say the same."""
    if a.header == b.header and dataclasses.replace(a, encoding="") == dataclasses.replace(b, encoding=""):
        return set()
    x, y = records(sample, a), records(sample, b)
    if x is None or y is None:
        return {"cells"}
    x, y = trimmed(x), trimmed(y)
    if x != y and b.comment and b.skip:  # or are comments not counted among the lines that are passed over?
        z = trimmed(records(sample, dataclasses.replace(b, skip=0)))[b.skip:]
        y = z if x == z else y
    what = set()
    if x != y:
        n = min(len(x), len(y)) // 2
        if n > 0 and x[-n:] == y[-n:] or _is_end(x, y):
            what.add("lines before")
        elif a.sep != b.sep:
            what.add("separator")
        else:
            what.add("cells")
    if a.header != b.header:
        what.add("header")
    return what


def _is_end(x, y):
    n = min(len(x), len(y))
    return n > 0 and x[-n:] == y[-n:]
