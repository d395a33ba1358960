"""fetch.py PACKAGE==VERSION PATTERN FOLDER: files of a wheel.

Downloads the wheel with pip, of a virtual environment where this Python has
none, and writes the files in it whose paths match the
pattern into the folder, without their own folders. If the folder has been
filled from this wheel before, nothing is done.
"""
import fnmatch
import importlib.util
import os
import subprocess
import sys
import tempfile
import zipfile


def pip(tmp):
    if importlib.util.find_spec("pip"):
        return [sys.executable, "-m", "pip"]
    subprocess.run([sys.executable, "-m", "venv", tmp], check=True)
    return [os.path.join(tmp, "bin", "python"), "-m", "pip"]


def fetch(package, pattern, folder):
    mark = os.path.join(folder, "." + package)
    if os.path.exists(mark):
        return
    os.makedirs(folder, exist_ok=True)
    with tempfile.TemporaryDirectory() as tmp:
        wheels = os.path.join(tmp, "wheels")
        subprocess.run([*pip(os.path.join(tmp, "venv")), "download", "--quiet", "--no-deps",
                        "--only-binary", ":all:", "--dest", wheels, package], check=True)
        wheel, = os.listdir(wheels)
        with zipfile.ZipFile(os.path.join(wheels, wheel)) as z:
            names = [n for n in z.namelist() if fnmatch.fnmatch(n, pattern)]
            if not names:
                sys.exit(f"{wheel} has no {pattern}")
            for name in names:
                to = os.path.join(folder, os.path.basename(name))
                with open(to, "wb") as f:
                    f.write(z.read(name))
                os.chmod(to, 0o755)
    open(mark, "w").close()


if __name__ == "__main__":
    fetch(*sys.argv[1:])
