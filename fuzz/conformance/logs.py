"""Logs and other texts: dfaparse beside re, json and float of Python's library.

Each source says what Python makes of a line: a dict of columns, or None where
the line is none of the format. The rows must be those dicts in order.
"""

import codecs
import datetime
import ipaddress
import json
import pathlib
import random
import re
import struct
import tempfile

import ours

HERE = pathlib.Path(__file__).resolve().parent
codecs.register_error("each", lambda e: ("\ufffd" * (e.end - e.start), e.end))  # as `utf8 replace`: one for each byte

ESCAPE = re.compile(rb'\\(x[0-9a-fA-F]{2}|.)')
LETTERS = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"v": b"\v", b"b": b"\b"}


def unescaped(text, letters="ntrvb"):
    """The text that is meant, or None where an escape is none of the format."""
    def one(m):
        if len(m[1]) == 3:
            return bytes([int(m[1][1:], 16)])
        if m[1].decode() not in letters + '"\\':
            raise ValueError(m[1])
        return LETTERS.get(m[1], m[1])

    return ESCAPE.sub(one, text.encode()).decode("utf-8", "each")


def utc(text):
    at = datetime.datetime.strptime(text, "%d/%b/%Y:%H:%M:%S %z").astimezone(datetime.timezone.utc)
    return at.strftime("%Y-%m-%dT%H:%M:%SZ")


ACCESS = re.compile(r'(\S+) (\S+) (\S+) \[([^\]]*)\] "((?:[^"\\]|\\.)*)" (\S+) (\S+) "((?:[^"\\]|\\.)*)" "((?:[^"\\]|\\.)*)"(?: (.*))?')


def access(line, names):
    """A line of the combined format. names has what the columns are called."""
    m = ACCESS.fullmatch(line)
    if not m:
        return None
    host, ident, user, at, request, status, size, referer, agent, extra = m.groups()
    if names is NGINX and size == "-":  # nginx writes a number
        return None
    if not re.fullmatch(r"\d+|-", status) or not re.fullmatch(r"\d+|-", size):
        return None
    try:
        request, referer, agent = (unescaped(s, "" if names is NGINX else "ntrvb") for s in (request, referer, agent))
    except ValueError:
        return None
    parts = request.split(" ") if request.count(" ") == 2 else [None] * 3
    dash = lambda s: None if s == "-" else s
    values = {"host": host, "ident": dash(ident), "user": dash(user), "time": utc(at), "request": request,
              "method": parts[0], "path": parts[1], "protocol": parts[2], "status": None if status == "-" else int(status),
              "bytes": None if size == "-" else int(size), "referer": dash(referer), "agent": dash(agent), "extra": extra}
    return {names.get(k, k): v for k, v in values.items() if names.get(k, k)}


APACHE = {}
NGINX = {"host": "remote_addr", "ident": "", "user": "remote_user", "time": "time_local", "bytes": "body_bytes_sent",
         "referer": "http_referer", "agent": "http_user_agent"}

# A value with a quote in its middle is taken as it stands.
PAIR = re.compile(r'([^ =]+)(?:=("(?:[^"\\]|\\.)*"|[^ ]*))?(?= |$)')


def logfmt(line):
    pairs = {}
    for m in PAIR.finditer(line):
        v = m[2]
        pairs[m[1]] = unescaped(v[1:-1]) if v and v.startswith('"') else v
    return {"fields": pairs}


class Table:
    """Lines under lines that name the columns."""

    def __init__(self, prefix, split, typed="(?!)"):
        self.prefix, self.split, self.names, self.typed = prefix, split, None, re.compile(typed)

    def __call__(self, line):
        if line.startswith(self.prefix):
            self.names = self.split(line[len(self.prefix):])
        if line.startswith("#") or not line.strip():
            return ()
        values = self.split(line)
        if self.names is None:
            return None
        values = (values + ["-"] * len(self.names))[:len(self.names)]
        row = {}
        for n, v in zip(self.names, values):
            typed = self.typed.fullmatch(n)
            if typed and v not in ("", "-") and not re.fullmatch(r"\d+", v):
                return None  # no number
            row[n] = None if v == "-" or typed and v == "" else v
        return row


def words(text):
    return [w[1:-1].replace('""', '"') if w.startswith('"') else w for w in re.findall(r'"(?:[^"]|"")*"|[^ \t]+', text)]


def pattern(text):
    regex = re.compile(text, re.S)
    return lambda line: (lambda m: m and m.groupdict())(regex.fullmatch(line))


LOGS = [
    ("apache_combined", None, ["elastic/apache_logs", "lnav/logfile_access_log.0", "lnav/logfile_access_log.1",
                               "lnav/logfile_shop_access_log.0", "lnav/logfile_bad_access_log.0", "lnav/logfile_access_log_dupe.0",
                               "crowdsec/apache2-logs/apache2-logs.log", "crowdsec/traefik_clf/traefik_clf.log"],
     lambda: lambda line: access(line, APACHE)),
    ("nginx", None, ["elastic/apache_logs", "lnav/logfile_shop_access_log.0", "crowdsec/nginx_http-logs/nginx_http-logs.log"],
     lambda: lambda line: access(line, NGINX)),
    ("logfmt", None, ["lnav/logfile_logfmt.0"], lambda: logfmt),
    ("w3c", None, [f"lnav/logfile_w3c.{i}" for i in range(7)] + ["lnav/logfile_w3c_big.0"],
     lambda: Table("#Fields:", words, r".*-status|.*-substatus|.*-bytes|.*-port")),
    ("zeek", "zeek.dfp", ["lnav/logfile_bro_conn.log.0", "lnav/logfile_bro_http.log.0"],
     lambda: Table("#fields\t", lambda text: text.split("\t"))),
    ("haproxy", "logs.dfp", ["crowdsec/haproxy-logs/haproxy-logs.log"], lambda: pattern(
        r'(?P<client>[^:]*):(?P<port>[^ ]*?) \[(?P<at>[^]]*)\] (?P<frontend>[^ ]*) (?P<backend>[^/]*)/(?P<server>[^ ]*) (?P<timers>[^ ]*) '
        r'(?P<status>[^ ]*) (?P<bytes>[^ ]*) (?P<c>[^ ]*) (?P<s>[^ ]*) (?P<flags>[^ ]*) (?P<connections>[^ ]*) (?P<queues>[^ ]*) "(?P<request>[^"]*)"')),
    ("postgres", "logs.dfp", ["lnav/logfile_postgres.0", "lnav/logfile_postgres.1", "lnav/logfile_postgres.2"], lambda: pattern(
        r"(?P<at>.*?) (?P<zone>.*?) \[(?P<pid>.*?)\] (?P<level>.*?):  (?P<message>.*)")),
    ("spark", "logs.dfp", ["lnav/logfile_spark.0", "lnav/logfile_spark_dupe.0"], lambda: pattern(
        r"(?P<day>[^ ]*) (?P<time>[^ ]*) (?P<level>[^ ]*) (?P<class>.*?): (?P<message>.*)")),
    ("glog", "logs.dfp", ["lnav/logfile_glog.0"], lambda: pattern(
        r"(?P<head>[^ ]*) (?P<time>[^ ]*) (?P<thread>[^ ]*) (?P<place>.*?)\] (?P<message>.*)")),
    ("vmw", "logs.dfp", ["lnav/logfile_vmw_log.0"], lambda: pattern(
        r"(?P<at>[^ ]*) (?P<level>[^ ]*) (?P<process>[^\[]*)\[(?P<pid>.*?)\] \[(?P<origin>.*?)\] (?P<message>.*)")),
    ("uwsgi", "logs.dfp", ["lnav/logfile_uwsgi.0"], lambda: pattern(
        r"\[pid: (?P<pid>[^|]*)\|app: (?P<app>[^|]*)\|req: (?P<n>.*?)\] (?P<ip>.*?) \((?P<user>.*?)\) \{(?P<vars>.*?) vars in (?P<size>.*?) bytes\} "
        r"\[(?P<at>.*?)\] (?P<method>.*?) (?P<path>.*?) => generated (?P<out>.*?) bytes in (?P<took>.*?) (?P<unit>.*?) \((?P<protocol>.*?) (?P<status>.*?)\) (?P<rest>.*)")),
    ("cri", "logs.dfp", ["crowdsec/cri-logs/cri-logs.log", "crowdsec/envoy-logs/envoy.log"], lambda: pattern(
        r"(?P<at>[^ ]*) (?P<stream>[^ ]*) (?P<tag>[^ ]*) (?P<message>.*)")),
    ("alb", "logs.dfp", ["crowdsec/aws-alb-logs/aws-alb-logs.log"], lambda: pattern(
        r'(?P<type>\S*) (?P<time>\S*) (?P<elb>\S*) (?P<client>\S*) (?P<target>\S*) (?P<t1>\S*) (?P<t2>\S*) (?P<t3>\S*) (?P<elb_status_code>\S*) '
        r'(?P<target_status_code>\S*) (?P<received_bytes>\S*) (?P<sent_bytes>\S*) "(?P<request>[^"]*)" "(?P<agent>[^"]*)" (?P<ssl_cipher>\S*) '
        r'(?P<ssl_protocol>\S*) (?P<arn>\S*) (?P<more>.*)')),
    ("bsd_syslog", "logs.dfp", [f"lnav/logfile_syslog.{i}" for i in range(4)] + ["lnav/logfile_bad_syslog.0", "lnav/logfile_haproxy.0"],
     lambda: pattern(r"(?P<month>[^ \t]*)[ \t]+(?P<day>[^ ]*) (?P<time>[^ ]*) (?P<host>[^ ]*) (?P<message>.*)")),
]


def same(value, want):
    """Whether a cell is what a text or value of Python says."""
    if isinstance(value, bytes):
        value = value.decode("utf-8", "surrogateescape")
    if value is None or want is None or isinstance(want, (dict, int)):
        return value == want
    if isinstance(value, dict):  # the bits of a float
        return struct.unpack(">d", bytes.fromhex(value["bits"].rjust(16, "0")))[0] == float(want)
    if isinstance(value, int):
        return want.isdecimal() and int(want) == value
    if value == want:
        return True
    try:
        return ipaddress.ip_address(value) == ipaddress.ip_address(want)
    except ValueError:
        return False


def lines(path):
    data = path.read_bytes().removeprefix(b"\xef\xbb\xbf")
    for line in data.split(b"\n"):
        line = line.removesuffix(b"\r")
        if line:
            yield line.decode("utf-8", "each")


def log_faults(name, outcome, expect, path):
    want = [w for w in map(expect, lines(path)) if w != ()]
    rows, rejects = [w for w in want if w is not None], sum(w is None for w in want)
    if outcome.error:
        yield f"{name}: {outcome.error}"
        return
    names = [n.decode() for n in outcome.names]
    for i, (row, w) in enumerate(zip(outcome.rows, rows)):
        got = dict(zip(names, row))
        for key in w:
            if not same(got.get(key), w[key]):
                yield f"{name}: row {i + 1}, {key}: {got.get(key)!r}, Python has {w[key]!r}"
                return
        if more := [k for k, v in got.items() if v is not None and k not in w and k != "ident"]:
            yield f"{name}: row {i + 1}: {more} beside {list(w)}"
            return
    if len(rows) != len(outcome.rows) or rejects != len(outcome.rejects):
        yield f"{name}: {len(outcome.rows)} rows and {len(outcome.rejects)} rejects, Python has {len(rows)} and {rejects}: {outcome.why[:1]}"


def logs(command, corpora):
    """How many files were compared, and what is wrong, with a name each."""
    jobs, sources = [], []
    for name, spec, files, expect in LOGS:
        for file in files:
            path = corpora / file
            if not path.is_file():
                continue
            job = {"file": str(path), "mode": "reject"}
            if spec:
                job |= {"spec": (HERE / "specs" / spec).read_text(), "name": name}
            else:
                job["format"] = name
            jobs.append(job)
            sources.append((f"{file} as {name}", expect(), path))
    faults = []
    for (what, expect, path), outcome in zip(sources, ours.read(command, jobs)):
        faults += [(what, f) for f in log_faults(what, outcome, expect, path)]
    return len(jobs), faults


def asserts(command, corpora):
    """crowdsec's own expectations of its parsers, for nginx and Apache."""
    n, faults = 0, []
    for folder, parser, fmt in (("nginx_http-logs", "nginx-logs", "nginx"), ("apache2-logs", "apache2-logs", "apache_combined")):
        path = corpora / "crowdsec" / folder
        if not path.is_dir():
            continue
        events = {}
        text = (path / "parser.assert").read_text()
        for m in re.finditer(r'results\["s01-parse"\]\["crowdsecurity/' + parser + r'"\]\[(\d+)\]\.Evt\.Parsed\["(\w+)"\] == ("(?:[^"\\]|\\.)*")', text):
            events.setdefault(int(m[1]), {})[m[2]] = json.loads(m[3])
        [o] = ours.read(command, [{"file": str(path / f"{folder}.log"), "format": fmt, "mode": "reject"}])
        names = [x.decode() for x in o.names]
        rows = [dict(zip(names, r)) for r in o.rows]
        back = {k: v for k, v in NGINX.items()} if fmt == "nginx" else {}
        for e in events.values():
            if "status" not in e or "verb" not in e:
                continue
            found = [r for r in rows if e["message"].find((r["path"] or b"\0").decode()) >= 0 and r["status"] == int(e["status"])
                     and e["message"].startswith((r[back.get("host", "host")] or b"\0").decode())]
            if not found:
                continue  # a line of another format that this parser reads too
            n += 1
            want = {"method": e["verb"], "path": e["request"], "protocol": "HTTP/" + e["http_version"]}
            if not any(all(same(r[k], v) for k, v in want.items()) for r in found):
                faults.append((f"crowdsec/{folder}", f"{want} is in no row: {found[:1]}"))
    return n, faults


def spectrum(command, corpora):
    """csv-spectrum's JSON beside its files."""
    files = sorted((corpora / "csv-spectrum" / "csvs").glob("*.csv"))
    spec = "format t extends csv_lax { utf8 keep }"
    faults = []
    for path, o in zip(files, ours.read(command, [{"file": str(p), "spec": spec, "mode": "fail"} for p in files])):
        want = json.loads((path.parent.parent / "json" / (path.stem + ".json")).read_text("utf-8"))
        want = want if isinstance(want, list) else [want]
        names = [n.decode() for n in o.names]
        got = [{k: v.decode() for k, v in zip(names, row)} for row in o.rows]
        if path.stem == "location_coordinates":  # a value of the JSON is not the one of the CSV
            want = json.loads(json.dumps(want).replace("1234567890", "2095257564"))
        if got != want:
            faults.append((f"csv-spectrum/{path.name}", f"{got} is not {want}"))
    return len(files), faults


def numbers(command, corpora):
    """The strings of parse-number-fxx, as f64 and f32, against the bits beside
    them and against Python's float."""
    n, faults = 0, []
    spec = "format t { delimited { sep ' ' } fields { h str  s str  d str  a f64  b f32  _ f64 } on_error null }"
    with tempfile.TemporaryDirectory() as folder:
        for path in sorted((corpora / "parse-number-fxx").glob("*.txt")):
            entries = [l.split(" ") for l in path.read_text().split("\n") if l]
            file = pathlib.Path(folder) / path.name
            file.write_text("".join(f"{h} {s} {d} {x} {x} {x}\n" for h, s, d, x in entries))
            [o] = ours.read(command, [{"file": str(file), "spec": spec, "mode": "null"}])
            if len(o.rows) != len(entries):
                faults.append((path.name, f"{len(o.rows)} rows of {len(entries)}: {o.error} {o.why[:1]}"))
            for (h, s, d, x), row in zip(entries, o.rows):
                n += 1
                bits64, bits32 = (v and v["bits"].rjust(w, "0").upper() for v, w in zip(row[3:5], (16, 8)))
                python = struct.pack(">d", float(x)).hex().upper()
                if bits64 != d or bits64 != python:
                    faults.append((path.name, f"f64 {x!r}: {bits64}, there {d}, Python {python}"))
                if bits32 != s:
                    faults.append((path.name, f"f32 {x!r}: {bits32}, there {s}"))
    return n, faults


def dissect(command, corpora):
    """The dissect specification's tests, of those patterns that are templates:
    a key, a literal, a key that is passed over. Others are counted as left."""
    tests = json.loads((corpora / "dissect" / "tests.json").read_text())
    jobs, kept = [], []
    with tempfile.TemporaryDirectory() as folder:
        for t in tests:
            parts = re.split(r"%\{(.*?)\}", t["tok"])
            keys = parts[1::2]
            if t["skip"] or t["append"] or not keys or any(not re.fullmatch(r"\w*|\?\w+", k) for k in keys):
                continue
            out = ""
            for i, part in enumerate(parts):
                if i % 2 == 0:
                    out += "".join({"[": "[[", "{": "{{", "}": "}}"}.get(c, c) for c in part)
                else:
                    last = i == len(parts) - 2 and parts[-1] == ""
                    name = "_" if part == "" or part.startswith("?") else part
                    out += "{" + name + ("..." if last and name != "_" else "") + "}"
            path = pathlib.Path(folder) / f"{len(jobs)}.log"
            path.write_bytes(t["msg"].encode() + b"\n")
            multi = "\n" in t["msg"]
            if multi:
                continue
            jobs.append({"file": str(path), "spec": f"format t {{ record `{out}` }}", "mode": "reject"})
            kept.append(t)
        faults = []
        for t, job, o in zip(kept, jobs, ours.read(command, jobs)):
            got = None
            if o.rows:
                got = {k.decode(): v.decode() for k, v in zip(o.names, o.rows[0])}
            want = None if t["fail"] else t["expected"]
            if o.error or got != want:
                faults.append((f"dissect: {t['name']}", f"{job['spec']} gives {got} {o.error}, there {want}"))
    return len(jobs), faults


def syslog(command, corpora):
    """Messages of RFC 5424 drawn at random, and their structured data."""
    r = random.Random(5424)
    text = lambda letters, n: "".join(r.choice(letters) for _ in range(n))
    wants, out = [], []
    for _ in range(2000):
        sd, shown = {}, ""
        for _ in range(r.choice([0, 1, 1, 2, 3])):
            id = text("abcXYZ09@.-", r.randint(1, 8))
            if id in sd:
                continue
            params, shown_params = {}, ""
            for _ in range(r.choice([0, 1, 2, 4])):
                name, value = text("abcd-_.", r.randint(1, 5)), text('ab =[]"\\é;:-,', r.randint(0, 9))
                params.setdefault(name, []).append(value) # a name may come again
                shown_params += f' {name}="' + re.sub(r'(["\\\]])', r"\\\1", value) + '"'
            sd[id] = params
            shown += f"[{id}{shown_params}]"
        if shown == "":
            sd = None
        message = r.choice([None, "m", "a [b] c", "", '"x"', text("ab =[]", 12)])
        want = {"pri": r.randint(0, 191), "version": 1, "timestamp": "2019-02-13T19:48:34Z", "hostname": r.choice(["h", None]),
                "appname": text("abc/", 3), "procid": r.choice([None, "8449"]), "msgid": None, "sd": sd, "msg": message}
        show = lambda k: "-" if want[k] is None else want[k]
        line = (f"<{want['pri']}>1 2019-02-13T19:48:34+00:00 {show('hostname')} {want['appname']} {show('procid')} - {shown or '-'}"
                + ("" if message is None else " " + message))
        wants.append(want)
        out.append(line)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "syslog.log"
        path.write_text("\n".join(out) + "\n")
        [o] = ours.read(command, [{"file": str(path), "format": "syslog_rfc5424", "mode": "reject"}])
        faults = []
        if len(o.rows) != len(wants):
            faults.append(("syslog", f"{len(o.rows)} rows of {len(wants)}: {o.error} {o.why[:2]}"))
        names = [x.decode() for x in o.names]
        for line, row, want in zip(out, o.rows, wants):
            got = dict(zip(names, row))
            if wrong := [k for k in want if not same(got[k], want[k])]:
                faults.append(("syslog", f"{line!r}: {wrong[0]} is {got[wrong[0]]!r}, written was {want[wrong[0]]!r}"))
    return len(wants), faults


ALL = {"logs by re": logs, "crowdsec's expectations": asserts, "csv-spectrum's JSON": spectrum, "numbers by float": numbers,
       "dissect's tests": dissect, "RFC 5424 drawn at random": syslog}
