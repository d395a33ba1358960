"""The command in place of the library: where this process was forked after the library had
been loaded, and where it cannot be loaded. What is read comes through a pipe."""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from multiprocessing.util import Finalize
from pathlib import Path
from typing import Any

from . import _library
from ._errors import FormatError, OptionError, ParseError
from ._source import Source


def command() -> str:
    """The command of the wheel, or the one that $DFAPARSE_COMMAND names."""
    return os.environ.get("DFAPARSE_COMMAND") or str(Path(__file__).with_name("bin") / "dfaparse")


_PLACE = re.compile(
    r"^(?P<file>.*?):(?P<line>\d+):(?P<column>\d+): (?:record (?P<record>\d+), )?"
    r"(?:field (?P<field>\"(?:[^\"\\]|\\.)*\"): )?(?P<detail>.*) \(byte (?P<offset>\d+)\)$",
    re.MULTILINE,
)


# What the command says where the library has the error ENOENT and the name.
_MISSING = re.compile(
    r"(?P<file>.*?): (?P<why>(?:there is )?no such (?:file(?: or directory)?|member)|no (?:file|object) (?:matches|is in this folder)|no file is in this archive|no member matches)"
)


# What it says before an error that ends the reading: how many were rejected until then.
_COUNTED = re.compile(r"dfaparse: [\d,]+ .*; the first(?: in)?: ")


def _exception(code: int, text: str) -> Exception:
    """What Python raises in place of what the command says."""
    lines = [line for line in text.strip().splitlines() if not _COUNTED.match(line)]
    # An error that is of no place in the data comes behind what was found out.
    error = next((i for i, line in enumerate(lines) if line.startswith("dfaparse: ")), 0)
    lines = [line.removeprefix("dfaparse: ") for line in lines[error:]]
    message = "\n".join(lines)
    for line in lines:
        if m := _PLACE.match(line):
            return ParseError(
                line,
                file=m["file"],
                offset=int(m["offset"]),
                line=int(m["line"]),
                column=int(m["column"]),
                record=int(m["record"]) if m["record"] else None,
                field=json.loads(m["field"]) if m["field"] else None,
                detail=m["detail"],
            )
    if "its columns are not those of" in message:
        return FormatError(message)
    if m := _MISSING.match(message):
        return FileNotFoundError(errno.ENOENT, m["why"], m["file"])
    if code == 2:
        return FormatError(message) if re.search(r":\d+:\d+: |format|spec", message) else OptionError(message)
    return RuntimeError(message or f"the command of dfaparse has ended with {code}")


def run(*arguments: str, data: bytes | None = None) -> str:
    done = subprocess.run([command(), *arguments], input=data, capture_output=True, check=False)
    if done.returncode != 0:
        raise _exception(done.returncode, done.stderr.decode("utf-8", "replace"))
    return done.stdout.decode()


def formats() -> list[str]:
    return [m[1] for line in run("formats").splitlines() if (m := re.match(r"  (\w+)", line))]


def spec(options: dict[str, Any]) -> str | None:
    if "infer" in options:
        return run("infer", *_found_out(options), "--", *options["infer"]) if options["infer"] else None
    name = options["format"]
    return Path(name).read_text(encoding="utf-8") if name.endswith(".dfp") else run("formats", "--spec", name)


def inputs(names: Sequence[str]) -> list[str]:
    return [json.loads(line)["input"] for line in run("identify", "--json", "--", *names).splitlines()]


_DATA = "input"  # what an input is called that has no name


class _Files:
    """Files for what the command wants as files."""

    def __init__(self) -> None:
        self.folder: str | None = None

    def __enter__(self) -> _Files:
        return self

    def __exit__(self, *_: object) -> None:
        if self.folder is not None:
            self.remove()

    def write(self, name: str, data: bytes) -> str:
        if self.folder is None:
            self.folder = tempfile.mkdtemp(prefix="dfaparse-")
            # Which is called when a process of multiprocessing ends, too, and never in another process.
            self.remove = Finalize(self, shutil.rmtree, (self.folder, True), exitpriority=0)
        path = Path(self.folder) / name
        path.write_bytes(data)
        return str(path)

    def paths(self, source: Source) -> list[str]:
        return list(source.paths) if source.data is None else [self.write(_DATA, source.data)]


def _dialect_flags(format: dict[str, Any]) -> list[str]:
    """The flags of how a delimited input is written."""
    flags = [f"--{key}={format[key]}" for key in ("sep", "quote", "escape", "comment", "header", "eol", "decimal", "thousands", "types") if key in format]
    flags += [f"--null={_csv(format['null'])}"] if format.get("null") else []
    return flags + [f"--{key.replace('_', '-')}" for key in ("all_strings", "lax") if format.get(key)]


def _csv(texts: Sequence[str]) -> str:
    """A flag's value that is several texts, as a record of CSV."""
    return ",".join('"' + text.replace('"', '""') + '"' for text in texts)


def _found_out(format: dict[str, Any]) -> list[str]:
    """The flags of what is found out with a format."""
    return _dialect_flags(format) + [f"--{key}={format[key]}" for key in ("encoding", "union") if key in format] + (
        [f"--skip-lines={format['skip_lines']}"] if "skip_lines" in format else []
    )


def _format_flags(format: dict[str, Any], files: _Files) -> list[str]:
    """-f, unless the command is to find the format out."""
    if "infer" in format:
        return (["-f", format["format"]] if "format" in format else []) + _dialect_flags(format)
    return ["-f", format.get("format") or files.write("format.dfp", format["spec"].encode())]


_FLAGS = {
    "n_rows": "--limit",
    "skip_rows": "--skip",
    "skip_lines": "--skip-lines",
    "on_error": "--on-error",
    "max_rejects": "--max-rejects",
    "threads": "--threads",
    "memory": "--memory",
    "shape": "--shape",
    "union": "--union",
    "file_column": "--file-column",
}


def splits(format: dict[str, Any], options: dict[str, Any]) -> list[dict[str, Any]]:
    if "encoding" in format:
        raise OptionError("splits are of files in UTF-8")
    with _Files() as files:
        flags = _format_flags(format, files)
        flags += [f"{_FLAGS[key]}={options[key]}" for key in ("skip_lines", "threads", "shape") if key in options]
        text = run("split", "-n", str(options["n"]), *flags, "--", options["path"])
    return [json.loads(line) for line in text.splitlines()]


def encoding(format: dict[str, Any]) -> str | None:
    """That of what a format is of, None is UTF-8."""
    return _policy(format, "encoding")


def _policy(format: dict[str, Any], name: str) -> str | None:
    """What a format that is no found out one says about `name`, None if nothing."""
    with _Files() as files:
        text = run("compile", "--dump", _format_flags(format, files)[1])
    found = re.search(rf"^ +{name} +(\S+)$", text, re.MULTILINE)
    return found[1] if found else None


def _rejecting(format: dict[str, Any], options: dict[str, Any]) -> bool:
    """Whether records may be left out, or fields be made null. Of a format that is yet to be
    found out nobody knows."""
    if options.get("keep_rejects") is not None:
        return True
    mode = options.get("on_error") or ("fail" if "infer" in format else _policy(format, "on error"))
    return mode != "fail"


class Reader:
    """What `_library.Reader` is, by the command."""

    def __init__(self, source: Source, format: dict[str, Any], options: dict[str, Any]) -> None:
        self.files = _Files()
        self.process: subprocess.Popen[bytes] | None = None
        flags = ["--engine", "cpu"]
        for name, flag in _FLAGS.items():
            if (value := options.get(name)) is not None:
                flags += [flag, str(value)]
        # The command gives each column once, and one at least.
        self.columns = options.get("columns")
        if self.columns:
            flags += ["--columns", _csv(list(dict.fromkeys(self.columns)))]
        self.file_column = options.get("file_column")
        if self.columns is not None and self.file_column:
            self.columns = [*self.columns, self.file_column]
        self.is_data = source.data is not None
        if "split" in options:
            flags += ["--split", self.files.write("split.jsonl", json.dumps(options["split"]).encode())]
        if "encoding" in format:
            flags += ["--encoding", format["encoding"]]
        if options.get("hive"):
            if source.data is not None:
                raise OptionError("columns of folders are those of the paths of files, and the input is none")
            flags.append("--hive")
        flags += _format_flags(format, self.files)
        self.reject_path = self.files.write("rejects.arrow", b"") if _rejecting(format, options) else None
        if self.reject_path:
            flags += ["--rejects", self.reject_path]
        self.arguments = [command(), "parse", "--to", "arrows", "--progress", "never", *flags, "--"]
        self.arguments += self.files.paths(source)
        self.stream: Any = None
        self.code = 0
        self.failure: Exception | None = None
        self.rejected: Any = None  # as the command has them, once the reading has ended
        self.nrows = self.nbytes = 0

    def __del__(self) -> None:
        self.cancel()
        self.files.__exit__()

    def _begin(self) -> Any:
        import pyarrow as pa

        if self.failure is not None:  # the command's files are not there any more
            raise self.failure
        if self.stream is None:
            self.said = tempfile.TemporaryFile()
            self.process = subprocess.Popen(self.arguments, stdout=subprocess.PIPE, stderr=self.said)
            try:
                self.stream = pa.ipc.open_stream(self.process.stdout)
            except pa.ArrowInvalid:
                self._end()
                raise
        return self.stream

    def _end(self) -> None:
        assert self.process is not None
        self.code = self.process.wait()
        self.rejected = self._read_rejected()
        self.files.__exit__()
        self.said.seek(0)
        if self.code not in (0, 3):  # 3: records were rejected
            said = self.said.read().decode("utf-8", "replace")
            self.failure = _exception(self.code, said.replace(self.arguments[-1], _DATA) if self.is_data else said)
            raise self.failure

    def schema(self) -> Any:
        schema = self._begin().schema
        return schema if self.columns is None else schema.empty_table().select(self.columns).schema

    def batches(self, schema: Any) -> Iterator[Any]:
        import pyarrow as pa

        stream = self._begin()
        while True:
            try:
                batch = stream.read_next_batch()
            except StopIteration:
                self._end()
                return
            except (pa.ArrowInvalid, OSError):
                self._end()
                raise
            self.nrows += batch.num_rows
            self.nbytes += batch.nbytes
            if self.is_data and self.file_column:
                at = batch.schema.get_field_index(self.file_column)
                batch = batch.set_column(at, batch.schema.field(at), pa.repeat(_DATA, batch.num_rows))
            yield batch if self.columns is None else batch.select(self.columns)

    def _reader(self) -> Any:
        import pyarrow as pa

        schema = self.schema()
        return pa.RecordBatchReader.from_batches(schema, self.batches(schema))

    def schema_capsule(self) -> object:
        return self.schema().__arrow_c_schema__()

    def stream_capsule(self) -> object:
        return self._reader().__arrow_c_stream__()

    def stats(self) -> dict[str, Any]:
        """What can be told of what came through the pipe."""
        return {"rows": self.nrows}

    def rejects(self) -> Any:
        if self.code == 3 and self.reject_path is None:
            raise RuntimeError(f"records were rejected, but {_library.why()}, and then on_error or rejects has to say that they be kept")
        import pyarrow as pa

        rows = (self._read_rejected() if self.rejected is None else self.rejected).to_pylist()
        import base64

        for row in rows:
            if self.is_data:
                row["file"] = _DATA
            encoded = row.pop("raw_base64")
            row["raw"] = base64.b64decode(encoded) if row["raw"] is None else row["raw"].encode()
        return pa.Table.from_pylist(rows, _reject_schema())

    def _read_rejected(self) -> Any:
        import pyarrow as pa

        if self.reject_path is None or not os.path.getsize(self.reject_path):
            return pa.table({})
        with pa.ipc.open_file(self.reject_path) as f:
            return f.read_all()

    def cancel(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
            self.process.wait()


def _reject_schema() -> Any:
    import pyarrow as pa

    texts = dict.fromkeys(("file", "field", "error", "state", "expected"), pa.string())
    types = texts | {"raw": pa.binary(), "nulled": pa.bool_()}
    names = ["file", "offset", "line", "column", "record", "lines", "field", "error", "state", "expected", "raw", "nulled"]
    return pa.schema([pa.field(n, types.get(n, pa.int64()), nullable=False) for n in names])
