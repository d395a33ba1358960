"""A reader of delimited files, written from docs/spec.md and from nothing else.

It is slow and plain: it says what dfaparse must give, record by record, and,
with other traits, what a reader that is known to differ in these traits gives.
That is how a difference is explained: not by "the file is odd", but by the one
trait with which the whole result comes out equal.
"""

import dataclasses
import re


@dataclasses.dataclass(frozen=True)
class Traits:
    """Where readers differ. The defaults are those of strict `delimited`."""

    cr: str = "error"  # a CR that no LF follows: error, data, or end (it ends the record)
    bare_quote: str = "error"  # a quote inside a bare field: error, data
    after_quote: str = "error"  # a symbol after the closing quote: error, data (of a bare field from there on),
    #   toggle (data, and a further quote opens again)
    open_quote: str = "error"  # a quote that is never closed: error, close (at the end of the input), drop (its record)
    blank: str = "skip"  # an empty line: skip, keep
    escape_bare: bool = False  # the escape holds outside of quotes too
    bom: bool = True  # a UTF-8 byte order mark is passed over
    comment: str = "line"  # where one begins: line (at its start), anywhere (outside of quotes)
    spaces: bool = False  # spaces before an opening and after a closing quote are passed over
    blanks: bool = False  # a quote after nothing but blanks encloses, and the blanks are data


STRICT = Traits()
LAX = Traits(cr="data", bare_quote="data", after_quote="data", open_quote="close", blanks=True)


@dataclasses.dataclass
class Record:
    start: int  # byte offset
    fields: list  # of bytes
    error: str = ""  # kind, "" if it can be read
    offset: int = -1  # of the error


def records(data, dialect, traits=STRICT):
    """All data records of the bytes, in order; what cannot be read has an error."""
    delim = dialect.delim.encode()
    quote = dialect.quote.encode()
    escape = dialect.escape.encode()
    doubled = quote and escape == quote
    if doubled:
        escape = b""
    comment = dialect.comment.encode()
    remark = comment if traits.comment == "anywhere" else b""
    special = re.compile(b"[" + re.escape(delim[:1] + quote + escape + remark[:1] + b"\r\n") + b"]")
    inside = re.compile(b"[" + re.escape(quote + escape) + b"]") if quote else None
    reopens = re.compile(b"[\r\n]|" + re.escape(quote) + b"|" + re.escape(delim))
    ends = re.compile(b"\r\n|[\r\n]" if traits.cr == "end" else b"\n")
    bare_escape = escape and (not quote or traits.escape_bare)
    n = len(data)
    i = 3 if traits.bom and data.startswith(b"\xef\xbb\xbf") else 0
    for _ in range(dialect.skip):
        end = data.find(b"\n", i)
        i = n if end < 0 else end + 1
    out = []

    def line_end(i):
        """Where the next record begins if a line end stands at i, else None."""
        c = data[i:i + 1]
        if c == b"\n":
            return i + 1
        if c == b"\r":
            if data[i + 1:i + 2] == b"\n":
                return i + 2
            if i + 1 == n or traits.cr == "end":
                return i + 1
        return None

    def recover(i):
        """Behind the next line end that can end a record, from i on."""
        m = ends.search(data, i)
        return m.end() if m else n

    while i < n:
        start = i
        if comment and data.startswith(comment, i):
            i = recover(i)
            continue
        after = line_end(i)
        if after is not None and traits.blank == "skip":
            i = after
            continue
        fields, error, offset = [], "", -1
        while True:  # a field
            value = []
            opened = -1
            if traits.blanks and quote:
                j = i
                while data[j:j + 1] in (b" ", b"\t") and not data.startswith(delim, j):
                    j += 1
                if j > i and data[j:j + 1] == quote:
                    value.append(data[i:j])
                    i = j
            if traits.spaces and quote:
                j = i
                while data[j:j + 1] == b" ":
                    j += 1
                if data[j:j + 1] == quote:
                    i = j
            if quote and data.startswith(quote, i):
                opened = i
                i += 1
                while True:  # inside quotes
                    m = inside.search(data, i)
                    j = m.start() if m else n
                    value.append(data[i:j])
                    i = j
                    if i >= n:
                        break
                    if escape and data[i:i + 1] == escape:
                        value.append(data[i + 1:i + 2])
                        i += 2
                        if i > n:
                            i = n
                        continue
                    if doubled and data[i + 1:i + 2] == quote:
                        value.append(quote)
                        i += 2
                        continue
                    i += 1
                    if traits.after_quote == "toggle":
                        m = reopens.search(data, i)
                        j = m.start() if m else n
                        value.append(data[i:j])
                        i = j
                        if data[i:i + 1] == quote:
                            i += 1
                            continue
                    opened = -2  # closed
                    break
            if traits.spaces and opened == -2:
                while data[i:i + 1] == b" ":
                    i += 1
            if opened >= 0 and traits.open_quote == "drop":
                return out
            if opened >= 0 and traits.open_quote == "error":
                error, offset = "malformed record", opened
                i = n
                break
            bare = opened == -1
            stop = None
            while i < n:  # bare, or after the closing quote
                m = special.search(data, i)
                j = m.start() if m else n
                if j > i:
                    if not bare and traits.after_quote == "error":
                        error, offset = "malformed record", i
                        break
                    value.append(data[i:j])
                    i, bare = j, True
                    continue
                if data.startswith(delim, i):
                    stop = "field"
                    break
                if line_end(i) is not None or remark and data.startswith(remark, i):
                    stop = "record"
                    break
                c = data[i:i + 1]
                if bare_escape and c == escape:
                    value.append(data[i + 1:i + 2])
                    i = min(i + 2, n)
                    bare = True
                    continue
                if c == b"\r" and traits.cr == "error":
                    error, offset = "malformed record", i + 1
                    break
                if not bare and traits.after_quote == "error":
                    error, offset = "malformed record", i
                    break
                if quote and c == quote and traits.bare_quote == "error":
                    error, offset = "malformed record", i
                    break
                value.append(c)
                i, bare = i + 1, True
            if error:
                break
            fields.append(b"".join(value))
            if stop == "field":
                i += len(delim)
                continue
            i = n if stop is None else recover(i) if remark and data.startswith(remark, i) else line_end(i)
            break
        if error:
            i = recover(offset) if i < n else n
        out.append(Record(start, fields, error, offset))
    return out


def shaped(recs, width, pad=False, truncate=False):
    """Rows of width fields, and (start, kind) of what is none. Missing fields
    are None where records are padded."""
    rows, bad = [], []
    for r in recs:
        if r.error:
            bad.append((r.start, r.error))
        elif len(r.fields) < width and not pad:
            bad.append((r.start, "too few fields"))
        elif len(r.fields) > width and not truncate:
            bad.append((r.start, "too many fields"))
        else:
            rows.append(r.fields[:width] + [None] * (width - len(r.fields)))
    return rows, bad
