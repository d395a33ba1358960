#!/usr/bin/env python3
"""Builds the wheels: libdfaparse, the command and the package, one wheel an architecture.

    python3 python/build.py [--out dist] [--cc gcc] [--command bin/dfaparse] [ARCHITECTURE...]

It needs Go and Python 3.11. C is compiled by zig, which comes as a wheel (ziglang) into a
virtual environment of its own, because it links with the symbols of a glibc that is as old
as is asked for. --cc takes another compiler for this machine's architecture; then the tag
of the wheel says the glibc that its result wants.

A wheel is a zip file. It is written here, without a build system: nothing of it is compiled
by Python, and what is in it depends on the sources alone.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import os
import platform
import re
import struct
import subprocess
import sys
import tomllib
import venv
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
ZIG = "ziglang==0.13.0"
FLOOR = (2, 17)  # of glibc: manylinux2014
ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
# Names of hosts and users are looked up by Go, so that nothing of glibc is needed for them.
TAGS = "netgo,osusergo"


def main() -> None:
    p = argparse.ArgumentParser(description="builds the wheels")
    p.add_argument("architectures", nargs="*", metavar="ARCHITECTURE", help=f"of {', '.join(ARCHITECTURES)}; all, if none is named")
    p.add_argument("--out", type=Path, default=ROOT / "dist")
    p.add_argument("--cc", help="a compiler for this machine, in place of zig")
    p.add_argument("--command", type=Path, help="a command that is built, for this machine, in place of building one")
    p.add_argument("--go", default=os.environ.get("GO", "go"))
    a = p.parse_args()
    for arch in a.architectures or ARCHITECTURES:
        if arch not in ARCHITECTURES:
            p.error(f"{arch} is none of {', '.join(ARCHITECTURES)}")
        if (a.cc or a.command) and arch != platform.machine():
            p.error(f"--cc and --command are for {platform.machine()}, not for {arch}")
        print(build(arch, a.out, a.cc, a.command, a.go))


def build(arch: str, out: Path, cc: str | None, built: Path | None, go: str) -> Path:
    folder = out / "build" / arch
    library, command = folder / "libdfaparse.so", built or folder / "dfaparse"
    env = os.environ | {"GOOS": "linux", "GOARCH": ARCHITECTURES[arch]}
    floor = ".".join(map(str, FLOOR))
    compiler = cc or f"{zig(out)} -m ziglang cc -target {arch}-linux-gnu.{floor}"
    flags = ["-trimpath", "-ldflags=-s -w"]
    c = {"CGO_ENABLED": "1", "CC": compiler}
    if not cc:
        c["CGO_CFLAGS"] = "-O2 -fno-sanitize=undefined"  # zig's default
    subprocess.run([go, "build", "-buildmode=c-shared", "-tags", TAGS, *flags, "-o", library, "./lib"], cwd=ROOT, env=env | c, check=True)
    if built is None:
        subprocess.run([go, "build", *flags, "-o", command, "./cmd/dfaparse"], cwd=ROOT, env=env | {"CGO_ENABLED": "0"}, check=True)
    needed = glibc(library)
    if not cc and needed > FLOOR:
        sys.exit(f"{library} wants glibc {needed[0]}.{needed[1]}, and manylinux says {floor}")
    return write(arch, out, library, command, max(needed, FLOOR))


def zig(out: Path) -> Path:
    """A Python that has zig."""
    folder = out / "build" / "zig"
    python = folder / "bin" / "python"
    if not (folder / "ready").exists():
        venv.create(folder, with_pip=True, clear=True)
        subprocess.run([python, "-m", "pip", "install", "-q", "--disable-pip-version-check", ZIG], check=True)
        (folder / "ready").touch()
    return python


def glibc(library: Path) -> tuple[int, int]:
    """The newest version of glibc whose symbols a library wants: the names in its section
    .gnu.version_r."""
    raw = library.read_bytes()
    if raw[:6] != b"\x7fELF\x02\x01":
        raise ValueError(f"{library} is no ELF file of 64 bits, little-endian")
    (offset,) = struct.unpack_from("<Q", raw, 40)
    size, count = struct.unpack_from("<HH", raw, 58)
    sections = [struct.unpack_from("<IIQQQQIIQQ", raw, offset + i * size) for i in range(count)]
    newest = (0, 0)
    for _, kind, _, _, at, _, link, info, _, _ in sections:
        if kind != 0x6FFFFFFE:  # SHT_GNU_verneed
            continue
        names = sections[link][4]
        for _ in range(info):
            _, n, _, aux, after = struct.unpack_from("<HHIII", raw, at)
            entry = at + aux
            for _ in range(n):
                _, _, _, name, next_entry = struct.unpack_from("<IHHII", raw, entry)
                text = raw[names + name : raw.index(b"\0", names + name)].decode()
                if m := re.fullmatch(r"GLIBC_(\d+)\.(\d+)(?:\.\d+)?", text):
                    newest = max(newest, (int(m[1]), int(m[2])))
                entry += next_entry
            at += after
    return newest


def write(arch: str, out: Path, library: Path, command: Path, floor: tuple[int, int]) -> Path:
    project = tomllib.loads((HERE / "pyproject.toml").read_text())["project"]
    version = project["version"]
    tags = [f"manylinux_{floor[0]}_{floor[1]}_{arch}"]
    if floor == FLOOR:
        tags.append(f"manylinux2014_{arch}")
    path = out / f"dfaparse-{version}-py3-none-{'.'.join(tags)}.whl"
    info = f"dfaparse-{version}.dist-info"
    files: list[tuple[str, bytes, int]] = []
    for file in sorted((HERE / "src" / "dfaparse").iterdir()):
        if file.suffix in (".py", ".typed"):
            files.append((f"dfaparse/{file.name}", file.read_bytes(), 0o644))
    files.append(("dfaparse/libdfaparse.so", library.read_bytes(), 0o755))
    files.append(("dfaparse/bin/dfaparse", command.read_bytes(), 0o755))
    files.append(("dfaparse/include/dfaparse.h", (ROOT / "lib" / "dfaparse.h").read_bytes(), 0o644))
    files.append((f"{info}/licenses/LICENSE", (ROOT / "LICENSE").read_bytes(), 0o644))
    metadata = [
        "Metadata-Version: 2.4",
        "Name: dfaparse",
        f"Version: {version}",
        f"Summary: {project['description']}",
        f"License-Expression: {project['license']}",
        "License-File: LICENSE",
        f"Requires-Python: {project['requires-python']}",
        *(f"Project-URL: {name}, {url}" for name, url in project["urls"].items()),
        *(f"Requires-Dist: {name}" for name in project["dependencies"]),
        *(f"Provides-Extra: {extra}" for extra in project["optional-dependencies"]),
        *(f'Requires-Dist: {n}; extra == "{extra}"' for extra, names in project["optional-dependencies"].items() for n in names),
        "Description-Content-Type: text/markdown",
        "",
        (ROOT / "docs" / "python.md").read_text(),
    ]
    files.append((f"{info}/METADATA", "\n".join(metadata).encode(), 0o644))
    wheel = ["Wheel-Version: 1.0", "Generator: build.py", "Root-Is-Purelib: false", *(f"Tag: py3-none-{t}" for t in tags), ""]
    files.append((f"{info}/WHEEL", "\n".join(wheel).encode(), 0o644))
    scripts = ["[console_scripts]", *(f"{name} = {at}" for name, at in project["scripts"].items()), ""]
    files.append((f"{info}/entry_points.txt", "\n".join(scripts).encode(), 0o644))
    record = "".join(f"{name},sha256={digest(data)},{len(data)}\n" for name, data, _ in files) + f"{info}/RECORD,,\n"
    files.append((f"{info}/RECORD", record.encode(), 0o644))
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as z:
        for name, data, mode in files:
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.external_attr = (0o100000 | mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            z.writestr(entry, data)
    return path


def digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


if __name__ == "__main__":
    main()
