"""Runs the recipes of docs/interop.md as they stand there, and compares what they print with
what stands below them.

    python fuzz/interop/check_recipes.py bin/dfaparse
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
RECIPE = re.compile(r"```(python|sh)\n(.*?)```\n\n```output\n(.*?)```\n", re.DOTALL)
TOOLS = ["duckdb", "sqlite3"]
RECIPES = 4


def main():
    text = (ROOT / "docs" / "interop.md").read_text()
    recipes = RECIPE.findall(text)
    if len(recipes) != RECIPES:
        sys.exit(f"docs/interop.md has {len(recipes)} recipes with what they print, want {RECIPES}")
    path = os.pathsep.join([str(pathlib.Path(sys.argv[1]).resolve().parent), str(pathlib.Path(sys.executable).parent), os.environ["PATH"]])
    for language, code, want in recipes:
        name = f"a recipe in {language}: {code.strip().splitlines()[1]}"
        missing = [t for t in TOOLS if re.search(rf"\b{t} ", code) and not shutil.which(t, path=path)]
        if missing:
            print(f"SKIPPED {name}: there is no {', '.join(missing)} here")
            continue
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(ROOT / "examples" / "orders.csv", folder)
            command = [sys.executable, "-c", code] if language == "python" else ["bash", "-e", "-c", code]
            done = subprocess.run(command, cwd=folder, env={**os.environ, "PATH": path}, capture_output=True, text=True)
        if done.returncode != 0 or done.stdout != want:
            sys.exit(f"{name}: exit status {done.returncode}\n{done.stderr}printed\n{done.stdout}want\n{want}")
        print(f"{name}: ok")


main()
