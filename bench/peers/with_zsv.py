"""zsv, as the npm registry has it: compiled to WebAssembly, run by Node.js. Its start is timed too."""

import json
import os
import pathlib
import subprocess

NAME = "zsv (WebAssembly)"
MODULES = pathlib.Path(__file__).parent / ".build/node_modules"  # tools.sh fills it
PACKAGE = MODULES / "zsv-lib/package.json"
VERSION = json.loads(PACKAGE.read_text())["version"] if PACKAGE.exists() else ""
ONE_THREAD = True


def offers(inp, job):
    return VERSION and inp.separator == "," and job == "count"


def count(inp, threads):
    script = pathlib.Path(__file__).with_name("zsv.js")
    out = subprocess.run(["node", script, inp.file], check=True, capture_output=True, text=True, env={**os.environ, "NODE_PATH": str(MODULES)})
    return int(out.stdout) - inp.header
