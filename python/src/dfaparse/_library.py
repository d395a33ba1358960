"""libdfaparse, by ctypes.

ctypes, not an extension module and not cffi: the library has a C interface of its own, so
that nothing has to be compiled against a version of Python; one wheel does for all of
them. A batch costs a call or two, whose microseconds do not matter, and ctypes lets other
threads run meanwhile.

A process that forks has none of the library's threads in the child. There `loaded` gives
None from then on, and the package runs the command instead.
"""

from __future__ import annotations

import ctypes
import json
import os
import sys
from collections.abc import Sequence
from ctypes import POINTER, byref, c_char_p, c_int, c_int32, c_int64, c_size_t, c_uint64, c_void_p
from pathlib import Path
from typing import Any

from ._errors import Cancelled, FormatError, OptionError, ParseError

OK, WAIT = 0, 1
_TURN = 100  # milliseconds that a call waits at most
_PARSE, _OPTION, _SPEC, _SYSTEM, _CANCELLED, _MEMORY, _FORKED, _OTHER = range(-1, -9, -1)


class _Error(ctypes.Structure):
    _fields_ = [
        ("kind", c_int32),
        ("errnum", c_int32),
        ("message", c_void_p),
        ("file", c_void_p),
        ("field", c_void_p),
        ("detail", c_void_p),
        ("expected", c_void_p),
        ("offset", c_int64),
        ("line", c_int64),
        ("column", c_int64),
        ("record", c_int64),
    ]

    def text(self, name: str) -> str | None:
        at = getattr(self, name)
        return ctypes.string_at(at).decode() if at else None

    def file_name(self) -> str | None:
        return os.fsdecode(ctypes.string_at(self.file)) if self.file else None

    def exception(self) -> BaseException:
        """What Python raises in place of it."""
        message = self.text("message") or "libdfaparse says nothing"
        match self.kind:
            case k if k == _PARSE:
                return ParseError(
                    message,
                    file=self.file_name(),
                    offset=self.offset,
                    line=self.line,
                    column=self.column,
                    record=self.record or None,
                    field=self.text("field"),
                    detail=self.text("detail"),
                    expected=self.text("expected"),
                )
            case k if k == _OPTION:
                return OptionError(message)
            case k if k == _SPEC:
                return FormatError(message, line=self.line or None, column=self.column or None)
            case k if k == _SYSTEM:
                file = self.file_name()
                return OSError(self.errnum, self.text("detail") or os.strerror(self.errnum), file) if file else OSError(self.errnum, message)
            case k if k == _CANCELLED:
                return Cancelled(message)
            case k if k == _MEMORY:
                return MemoryError(message)
        return RuntimeError(message)


class ArrowArray(ctypes.Structure):
    _fields_ = [
        ("length", c_int64),
        ("null_count", c_int64),
        ("offset", c_int64),
        ("n_buffers", c_int64),
        ("n_children", c_int64),
        ("buffers", c_void_p),
        ("children", c_void_p),
        ("dictionary", c_void_p),
        ("release", c_void_p),
        ("private_data", c_void_p),
    ]


class ArrowSchema(ctypes.Structure):
    _fields_ = [
        ("format", c_void_p),
        ("name", c_void_p),
        ("metadata", c_void_p),
        ("flags", c_int64),
        ("n_children", c_int64),
        ("children", c_void_p),
        ("dictionary", c_void_p),
        ("release", c_void_p),
        ("private_data", c_void_p),
    ]


_TEXT = c_char_p
_SIGNATURES: dict[str, tuple[Any, list[Any]]] = {
    "dfaparse_error_clear": (None, [POINTER(_Error)]),
    "dfaparse_free": (None, [c_void_p]),
    "dfaparse_version": (c_char_p, []),
    "dfaparse_formats": (c_void_p, []),
    "dfaparse_inputs": (c_int, [_TEXT, POINTER(c_void_p), POINTER(_Error)]),
    "dfaparse_format_new": (c_int, [_TEXT, c_void_p, c_size_t, POINTER(c_uint64), POINTER(_Error)]),
    "dfaparse_format_release": (None, [c_uint64]),
    "dfaparse_format_spec": (c_void_p, [c_uint64]),
    "dfaparse_format_said": (c_void_p, [c_uint64]),
    "dfaparse_format_options": (c_void_p, [c_uint64]),
    "dfaparse_ready": (c_int, [c_uint64, c_int64, POINTER(_Error)]),
    "dfaparse_split_new": (c_int, [c_uint64, _TEXT, POINTER(c_uint64), POINTER(_Error)]),
    "dfaparse_splits_text": (c_void_p, [c_uint64]),
    "dfaparse_splits_release": (None, [c_uint64]),
    "dfaparse_open": (c_int, [c_uint64, _TEXT, c_void_p, c_size_t, POINTER(c_uint64), POINTER(_Error)]),
    "dfaparse_schema": (c_int, [c_uint64, c_void_p, POINTER(_Error)]),
    "dfaparse_next": (c_int, [c_uint64, c_void_p, c_int64, POINTER(_Error)]),
    "dfaparse_stream": (c_int, [c_uint64, c_void_p, POINTER(_Error)]),
    "dfaparse_stats": (c_void_p, [c_uint64]),
    "dfaparse_rejects": (c_int, [c_uint64, c_void_p, c_void_p, POINTER(_Error)]),
    "dfaparse_cancel": (None, [c_uint64]),
    "dfaparse_release": (None, [c_uint64]),
    "dfaparse_stream_new": (c_void_p, []),
    "dfaparse_schema_new": (c_void_p, []),
}


def _data(data: bytes | None) -> tuple[Any, int]:
    """Where bytes are, for as long as the first of the two lives."""
    if data is None:
        return None, 0
    # An input that is empty is one all the same: it must not be NULL.
    return ctypes.cast(ctypes.c_char_p(data), c_void_p), len(data)


class Library:
    """The functions of the library, as Python's."""

    def __init__(self, path: Path) -> None:
        self.c = ctypes.CDLL(str(path))
        for name, (gives, takes) in _SIGNATURES.items():
            function = getattr(self.c, name)
            function.restype, function.argtypes = gives, takes
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [c_void_p, c_char_p, c_void_p]
        self._new_capsule = new

    def _call(self, name: str, *args: Any) -> int:
        err = _Error()
        code = getattr(self.c, name)(*args, byref(err))
        if code < 0:
            try:
                raise err.exception()
            finally:
                self.c.dfaparse_error_clear(byref(err))
        return code

    def _text(self, at: int | None) -> str | None:
        if not at:
            return None
        try:
            return ctypes.string_at(at).decode()
        finally:
            self.c.dfaparse_free(at)

    def version(self) -> str:
        return self.c.dfaparse_version().decode()

    def formats(self) -> list[str]:
        return (self._text(self.c.dfaparse_formats()) or "").split()

    def inputs(self, names: Sequence[str]) -> list[str]:
        """The inputs that names stand for, folders and patterns among them."""
        out = c_void_p()
        self._call("dfaparse_inputs", json.dumps(list(names)).encode(), byref(out))
        return json.loads(self._text(out.value) or "[]")

    def format(self, options: dict[str, Any], data: bytes | None = None) -> int:
        out = c_uint64()
        at, nbytes = _data(data)
        self._call("dfaparse_format_new", json.dumps(options).encode(), at, nbytes, byref(out))
        try:
            self._wait(out.value)
        except BaseException:
            self.c.dfaparse_format_release(out)
            raise
        return out.value

    def _wait(self, number: int) -> None:
        """Waits for a format, a reader or splits. Between turns Python raises KeyboardInterrupt."""
        while self._call("dfaparse_ready", number, _TURN) == WAIT:
            pass

    def release_format(self, format: int) -> None:
        self.c.dfaparse_format_release(format)

    def spec(self, format: int) -> str | None:
        return self._text(self.c.dfaparse_format_spec(format))

    def said(self, format: int) -> str | None:
        return self._text(self.c.dfaparse_format_said(format))

    def format_options(self, format: int) -> dict[str, Any]:
        return json.loads(self._text(self.c.dfaparse_format_options(format)) or "{}")

    def splits(self, format: int, options: dict[str, Any]) -> list[dict[str, Any]]:
        out = c_uint64()
        self._call("dfaparse_split_new", format, json.dumps(options).encode(), byref(out))
        try:
            self._wait(out.value)
            text = self._text(self.c.dfaparse_splits_text(out))
        finally:
            self.c.dfaparse_splits_release(out)
        return [json.loads(line) for line in (text or "").splitlines()]

    def open(self, format: int, options: dict[str, Any], data: bytes | None = None) -> "Reader":
        out = c_uint64()
        at, nbytes = _data(data)
        self._call("dfaparse_open", format, json.dumps(options).encode(), at, nbytes, byref(out))
        reader = Reader(self, out.value)  # which is released if the waiting ends
        self._wait(reader.number)
        return reader

    def capsule(self, at: int, name: bytes, delete: str) -> object:
        return self._new_capsule(at, name, ctypes.cast(getattr(self.c, delete), c_void_p))


class Reader:
    """A reader of the library. One thread at a time uses it."""

    def __init__(self, library: Library, number: int) -> None:
        self.library = library
        self.number = number

    def __del__(self) -> None:
        if getattr(self, "number", 0):
            self.library.c.dfaparse_release(self.number)

    def next(self) -> ArrowArray | None:
        """The next batch, None after the last. Between waits Python raises KeyboardInterrupt."""
        out = ArrowArray()
        while self.library._call("dfaparse_next", self.number, byref(out), _TURN) == WAIT:
            pass
        return out if out.release else None

    def schema_capsule(self) -> object:
        at = self.library.c.dfaparse_schema_new()
        capsule = self.library.capsule(at, _SCHEMA_NAME, "dfaparse_schema_capsule_delete")
        self.library._call("dfaparse_schema", self.number, at)
        return capsule

    def stream_capsule(self) -> object:
        at = self.library.c.dfaparse_stream_new()
        capsule = self.library.capsule(at, _STREAM_NAME, "dfaparse_stream_capsule_delete")
        self.library._call("dfaparse_stream", self.number, at)
        return capsule

    def schema(self) -> Any:
        import pyarrow as pa

        out = ArrowSchema()
        self.library._call("dfaparse_schema", self.number, byref(out))
        return pa.Schema._import_from_c(ctypes.addressof(out))

    def batches(self, schema: Any) -> Any:
        import pyarrow as pa

        while (array := self.next()) is not None:
            yield pa.RecordBatch._import_from_c(ctypes.addressof(array), schema)

    def stats(self) -> dict[str, Any]:
        return json.loads(self.library._text(self.library.c.dfaparse_stats(self.number)) or "{}")

    def rejects(self) -> Any:
        import pyarrow as pa

        schema, array = ArrowSchema(), ArrowArray()
        self.library._call("dfaparse_rejects", self.number, byref(schema), byref(array))
        batch = pa.RecordBatch._import_from_c(ctypes.addressof(array), ctypes.addressof(schema))
        return pa.Table.from_batches([batch])

    def cancel(self) -> None:
        self.library.c.dfaparse_cancel(self.number)


# PyCapsule_New keeps the address of the name.
_SCHEMA_NAME = b"arrow_schema"
_STREAM_NAME = b"arrow_array_stream"

_library: Library | None = None
_forked = False
_why: str | None = None  # it cannot be loaded


def _in_child() -> None:
    global _library, _forked
    if _library is not None:
        _library, _forked = None, True


os.register_at_fork(after_in_child=_in_child)


def loaded() -> Library | None:
    """The library, None where the command has to do: after a fork, and where it cannot be
    loaded, as with musl."""
    global _library, _why
    if _library is None and not _forked and _why is None:
        if os.environ.get("DFAPARSE_LIBRARY") == "":
            _why = "DFAPARSE_LIBRARY is empty"
            return None
        path = Path(os.environ.get("DFAPARSE_LIBRARY") or Path(__file__).with_name("libdfaparse.so"))
        if _musl() and "DFAPARSE_LIBRARY" not in os.environ:
            _why = "musl cannot load shared libraries of Go"
            return None
        try:
            _library = Library(path)
        except OSError as err:
            _why = str(err)
    return _library


def why() -> str:
    """Why `loaded` gives None."""
    return "the process was forked after the library had been loaded" if _forked else _why or ""


def _musl() -> bool:
    """Whether this Python is linked with musl, whose threads have no room for Go's in a
    library that is loaded late."""
    if not sys.platform.startswith("linux"):
        return False
    try:
        return not os.confstr("CS_GNU_LIBC_VERSION")
    except (ValueError, OSError):
        return True
