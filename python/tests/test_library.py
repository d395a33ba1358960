"""What only the library has to get right: memory, threads, signals, forks."""

import ctypes
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
import time

import pyarrow as pa
import pytest

import dfaparse
from dfaparse import _library

HANDLER = signal.getsignal(signal.SIGINT)  # before the library is loaded
ROWS = b"a,b\n" + b"".join(b"%d,text %d\n" % (i, i) for i in range(200_000))


@pytest.fixture
def blocks():
    """Blocks of C's memory that are held."""
    library = _library.loaded()
    assert library is not None, _library.why()
    f = library.c.dfa_blocks
    f.restype = ctypes.c_int64
    return f


def test_all_memory_is_given_back(blocks):
    before = blocks()
    t = dfaparse.read(ROWS, batch_size=1000)
    assert blocks() == before + 200
    part = t["b"].chunk(199).slice(3, 2)  # lives longer than the table
    del t
    assert 0 < blocks() - before <= 200 and part.to_pylist() == ["text 199003", "text 199004"]
    del part
    assert blocks() == before


def test_a_stream_that_is_not_read(blocks):
    before = blocks()
    s = dfaparse.scan(ROWS, batch_size=1000)
    s.__arrow_c_stream__()
    s.__arrow_c_schema__()
    reader = pa.RecordBatchReader.from_stream(s)
    reader.read_next_batch()
    del reader, s
    assert blocks() == before


def test_a_stream_outlives_what_it_is_of():
    reader = pa.RecordBatchReader.from_stream(dfaparse.scan(ROWS))
    assert reader.read_all().num_rows == 200_000


def test_an_error_of_a_stream():
    s = dfaparse.scan(b"1\n2\nx\n", "format n { delimited { sep ',' } fields { n u8 } }", on_error="fail")
    with pytest.raises(Exception, match="input:3:1: record 3"):
        pa.table(s)


def test_threads():
    tables = []
    threads = [threading.Thread(target=lambda: tables.append(dfaparse.read(ROWS))) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert [t.num_rows for t in tables] == [200_000] * 4 and tables[0].equals(tables[3])


# A child reads from a pipe in which nothing comes, and is interrupted.
WAITS = """
import os, sys, time, threading, signal
import pyarrow as pa, dfaparse
fifo, how = sys.argv[1:]
signal.signal(signal.SIGINT, signal.default_int_handler)  # what ignores it in the background ignores it here too
reading = threading.Event()
def press():
    reading.wait()
    time.sleep(0.5)
    os.kill(os.getpid(), signal.SIGINT)
def feed():
    with open(fifo, "wb") as f:
        f.write(b"1\\n" * 10)
        f.flush()
        time.sleep(60)
threading.Thread(target=feed, daemon=True).start()
threading.Thread(target=press, daemon=True).start()
s = dfaparse.scan(fifo, "format n { delimited { sep ',' } fields { n u8 } }")
began = time.monotonic()
try:
    reading.set()
    s.read() if how == "read" else pa.table(s)
    print("read to its end")
except KeyboardInterrupt:
    print("interrupted")
except Exception as err:
    try:
        time.sleep(1)
        print("no interrupt", repr(err))
    except KeyboardInterrupt:
        print("interrupted")
assert time.monotonic() - began < 30
"""


@pytest.mark.parametrize("how", ["read", "stream"])
def test_keyboard_interrupt(tmp_path, how):
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    done = subprocess.run([sys.executable, "-c", WAITS, str(fifo), how], capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.returncode) == ("interrupted\n", 0), done.stderr


FORKS = """
import os, sys
import pyarrow as pa, dfaparse
from dfaparse import _library
rows = b"a,b\\n" + b"1,x\\n" * 100000
table = dfaparse.read(rows)          # the library is loaded, and has threads
s = dfaparse.scan(rows)
assert s.schema.names == ["a", "b"]
reader = pa.RecordBatchReader.from_stream(s)
pid = os.fork()
if pid == 0:
    status = 1
    try:
        assert _library.loaded() is None and "forked" in _library.why()
        assert table["b"][99999].as_py() == "x"
        del table                     # memory of before the fork is given back
        try:
            reader.read_next_batch()
            raise SystemExit("a reader of before the fork goes on")
        except (OSError, pa.ArrowException) as err:
            assert "fork" in str(err), err
        del reader
        assert dfaparse.read(rows).num_rows == 100000
        assert s.schema.names == ["a", "b"]     # that of a reader that was open before
        assert s.read().num_rows == 100000      # by the command
        assert dfaparse.Format.from_spec("csv").spec
        status = 0
    finally:
        sys.stdout.flush()
        os._exit(status)
assert os.waitpid(pid, 0)[1] == 0
assert reader.read_all().num_rows == 100000
print("both")
"""


def test_fork():
    done = subprocess.run([sys.executable, "-c", FORKS], capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.returncode) == ("both\n", 0), done.stderr


def rows_of(scan):
    return _library.loaded() is not None, scan.read().num_rows


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_other_processes_have_the_library(method):
    dfaparse.read(ROWS, n_rows=1)
    f = dfaparse.infer(ROWS)
    context = multiprocessing.get_context(method)
    with context.Pool(1) as pool:
        assert pool.apply(read_by, (f,)) == (True, 200_000)


def test_scans_are_pickled():
    s = dfaparse.scan(ROWS)
    again = pickle.loads(pickle.dumps(s))
    assert s.read().num_rows == 200_000
    for scan in (again, pickle.loads(pickle.dumps(s))):  # of one that has been read as well
        assert scan.stats == {} and scan.read().num_rows == 200_000


def read_by(format):
    return _library.loaded() is not None, dfaparse.read(ROWS, format).num_rows


def test_no_files_are_left(monkeypatch, tmp_path):
    monkeypatch.setattr(_library, "_library", None)
    monkeypatch.setattr(_library, "_forked", True)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    s = dfaparse.scan(b"n,s\n1,a\nx,b\n", "format n { delimited { sep ',' } header names fields { n u8! } }", on_error="reject")
    assert s.read().num_rows == 1
    assert list(tmp_path.iterdir()) == []  # the scan still has its reader, as a process that ends at once
    assert s.rejects.num_rows == 1


def begin_and_end(kept=[]):
    batches = dfaparse.scan(b"1\nx\n" * 300_000, "format n { delimited { sep ',' } fields { n u8! } }", on_error="reject").batches()
    next(batches)
    kept.append(batches)  # as one that is read on has it


def test_no_files_of_a_child_are_left(monkeypatch, tmp_path):
    monkeypatch.setattr(_library, "_library", None)
    monkeypatch.setattr(_library, "_forked", True)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    child = multiprocessing.get_context("fork").Process(target=begin_and_end)
    child.start()
    child.join()
    assert child.exitcode == 0
    assert list(tmp_path.iterdir()) == []


def test_a_child_leaves_the_files_of_its_parent(monkeypatch):
    monkeypatch.setattr(_library, "_library", None)
    monkeypatch.setattr(_library, "_forked", True)
    s = dfaparse.scan(b"1\nx\n" * 300_000, "format n { delimited { sep ',' } fields { n u8! } }", on_error="reject")
    batches = s.batches()
    rows = next(batches).num_rows
    pid = os.fork()
    if pid == 0:
        s = batches = None  # as a child does that reads on its own
        os._exit(0)
    os.waitpid(pid, 0)
    assert rows + sum(batch.num_rows for batch in batches) == 300_000
    assert s.rejects.num_rows == 300_000


def test_without_the_library():
    done = subprocess.run(
        [sys.executable, "-c", "import dfaparse; print(dfaparse.read(b'a,b\\n1,x\\n').to_pylist())"],
        env=os.environ | {"DFAPARSE_LIBRARY": ""},
        capture_output=True,
        text=True,
    )
    assert done.stdout == "[{'a': 1, 'b': 'x'}]\n", done.stderr


def test_progress(capsys):
    told = []
    dfaparse.read(ROWS, progress=lambda nbytes, total: told.append((nbytes, total)))
    assert told[-1] == (len(ROWS), len(ROWS))
    dfaparse.read(ROWS, progress=True)
    assert "100 %" in capsys.readouterr().err


def test_misuse():
    library = _library.loaded()
    with pytest.raises(RuntimeError, match="released"):
        library.open(12345678, {})
    with pytest.raises(ValueError, match="not understood"):
        library.format({"nosuch": 1})
    assert signal.getsignal(signal.SIGINT) is HANDLER


def test_wrong_arguments_of_c():
    library = _library.loaded()
    assert library is not None, _library.why()
    c, error = library.c, _library._Error()

    def fails(function, *arguments):
        code = function(*arguments, ctypes.byref(error))
        message = error.text("message")
        c.dfaparse_error_clear(ctypes.byref(error))
        return code, message

    format = ctypes.c_uint64()
    assert c.dfaparse_format_new(b'{"format": "csv"}', None, 0, ctypes.byref(format), ctypes.byref(error)) == 0
    reader = ctypes.c_uint64()
    assert c.dfaparse_open(format, b"{}", b"a,b\n1,2\n", 8, ctypes.byref(reader), ctypes.byref(error)) == 0
    code, message = fails(c.dfaparse_next, reader, None, -1)
    assert code == -2 and message is not None and "NULL" in message
    for options in (b"{} {}", b"{}}", b"{} ]", b"{} nosuch"):
        code, message = fails(c.dfaparse_open, format, options, b"a,b\n1,2\n", 8, ctypes.byref(ctypes.c_uint64()))
        assert code == -2 and message is not None and "something follows" in message
    batch = _library.ArrowArray()
    assert c.dfaparse_next(reader, ctypes.byref(batch), -1, ctypes.byref(error)) == 0 and batch.length == 1
    c.dfaparse_error_clear(None)
    c.dfaparse_release(reader)
    c.dfaparse_format_release(format)


def test_a_name_that_c_cannot_have():
    with pytest.raises(RuntimeError, match="NUL"):
        dfaparse.read(b"a\0b,a\0c\n1,2\n", "csv")
