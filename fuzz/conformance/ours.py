"""dfaparse's reading: a spec for a dialect, and what came of it."""

import json
import subprocess


def text(s):
    """A text of the spec language."""
    out = []
    for b in s.encode():
        out.append(chr(b) if 32 <= b < 127 and chr(b) not in '"\\' else f"\\x{b:02x}")
    return '"' + "".join(out) + '"'


def spec(dialect, lax=False, header="none", more=""):
    """The spec of a dialect; all columns are text as it stands."""
    words = [f"sep {text(dialect.delim)}"]
    if dialect.quote:
        words.append(f"quote {text(dialect.quote)}" + (" doubled" if dialect.escape == dialect.quote else ""))
    if dialect.escape and dialect.escape != dialect.quote:
        words.append(f"escape {text(dialect.escape)}")
    if dialect.comment:
        words.append(f"comment {text(dialect.comment)}")
    if lax:
        words.append("lax")
    if dialect.skip:
        header = f"skip {dialect.skip}"
    ragged = "ragged pad truncate" if lax else ""
    return f"format t {{ delimited {{ {'  '.join(words)} }} header {header} utf8 keep {ragged} {more} }}"


class Outcome:
    """What came of a file: names, rows of bytes or None, rejects, an error."""

    def __init__(self, answer):
        self.names = [n.encode("latin-1") for n in answer["names"]]
        self.rows = [[c.encode("latin-1") if isinstance(c, str) else c for c in row] for row in answer["rows"]]
        self.rejects = [(r["start"], r["kind"]) for r in answer["rejects"]]
        self.why = [r["text"] for r in answer["rejects"]]
        self.error, self.kind = answer["error"], answer["kind"]


def read(command, jobs):
    """The outcomes of jobs, by their place. A job is a dict with file, spec or
    format, and mode."""
    lines = "".join(json.dumps(dict(job, id=i)) + "\n" for i, job in enumerate(jobs))
    run = subprocess.run([command], input=lines.encode(), stdout=subprocess.PIPE, check=True)
    outcomes = [None] * len(jobs)
    for line in run.stdout.splitlines():
        answer = json.loads(line)
        outcomes[answer["id"]] = Outcome(answer)
    return outcomes
