"""What the documents show works as it stands there."""

import gzip
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LINE = '127.0.0.1 - - [10/Oct/2000:13:{m:02}:36 -0700] "GET /a.gif HTTP/1.0" {status} 2326 "-" "Mozilla/4.08"\n'


def log():
    return "".join(LINE.format(m=i % 10, status=503 if i % 7 == 0 else 200) for i in range(300))


@pytest.mark.parametrize("page", ["README.md", "docs/python.md"])
def test_five_lines(page, tmp_path):
    pytest.importorskip("duckdb")
    code = re.search(r"```python\n(import dfaparse, duckdb\n.*?)```", (ROOT / page).read_text(), re.DOTALL)
    assert code is not None and len(code[1].splitlines()) == 5
    (tmp_path / "access.log.gz").write_bytes(gzip.compress(log().encode()))
    (tmp_path / "trips.csv").write_text("id,fare\n1,2.5\n2,3\n3,4.5\n")
    program = code[1] + "assert table.num_rows == 300 and frame.collect().shape == (3, 2)\n"
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert re.search(r"\b3\b", done.stdout)


def test_plot(tmp_path):
    pytest.importorskip("matplotlib")
    path, picture = tmp_path / "access.log", tmp_path / "requests.png"
    path.write_text(log() + "this is no request\n")
    program = ROOT / "examples" / "plot" / "requests.py"
    env = os.environ | {"MPLCONFIGDIR": str(tmp_path)}
    done = subprocess.run([sys.executable, program, path, picture], capture_output=True, text=True, env=env)
    assert done.stdout == "300 requests, 1 lines that are none\n", done.stderr
    assert picture.read_bytes().startswith(b"\x89PNG") and picture.stat().st_size > 5000
