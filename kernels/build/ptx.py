"""ptx.py FOLDER [STEM...]: compiles kernels/STEM.cu to PTX, for each architecture.

Compiles what differs from kernels/ptx/SOURCES.sha256, or everything that is
named, with NVRTC 12 of CUDA_HOME, or beside nvcc, or of a package that is
fetched into the folder. Then ptxas of the same place assembles the result, as
a driver will, and says how many registers each kernel needs.

A line of SOURCES.sha256 is: hash of the PTX, hash of its sources, name of the
PTX, its sources. ptx_test.go holds the sources to it.
"""
import concurrent.futures
import ctypes
import glob
import hashlib
import os
import re
import shutil
import subprocess
import sys

from fetch import fetch

ARCHITECTURES = [75, 90]
OPTIONS = ["--std=c++17", "--include-path=.",
           "--fmad=false"]  # a product that is rounded twice is what the CPU has
# The version of PTX that is written in the file: drivers read no later one than
# they know, and 8.0 is that of the first of CUDA 12. ptxas refuses whatever is not
# in it.
PTX_VERSION = "8.0"

NVRTC = "nvidia-cuda-nvrtc-cu12==12.9.86"
NVCC = "nvidia-cuda-nvcc-cu12==12.9.86"

KERNELS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PTX = os.path.join(KERNELS, "ptx")
LIST = os.path.join(PTX, "SOURCES.sha256")


def sources(stem):
    """The file of a stem and all that it includes, but the host build."""
    found, todo = set(), [stem + ".cu"]
    while todo:
        name = todo.pop()
        if name in found or name.startswith("host/"):
            continue
        found.add(name)
        with open(os.path.join(KERNELS, name), encoding="utf-8") as f:
            for include in re.findall(r'^[ \t]*#[ \t]*include[ \t]+"([^"]+)"', f.read(), re.M):
                beside = os.path.normpath(os.path.join(os.path.dirname(name), include))
                todo.append(beside if os.path.exists(os.path.join(KERNELS, beside)) else include)
    return sorted(found)


def digest(names):
    h = hashlib.sha256()
    for name in names:
        with open(os.path.join(KERNELS, name), "rb") as f:
            content = f.read()
        h.update(f"{name} {len(content)}\n".encode() + content)
    return h.hexdigest()


def digest_of_ptx(name):
    path = os.path.join(PTX, name)
    if not os.path.exists(path):
        return ""
    with open(path, "rb") as f:
        return hashlib.sha256(f.read()).hexdigest()


def toolkits():
    """Folders of CUDA toolkits, by preference."""
    if os.environ.get("CUDA_HOME"):
        yield os.environ["CUDA_HOME"]
    nvcc = shutil.which("nvcc")
    if nvcc:
        yield os.path.dirname(os.path.dirname(os.path.realpath(nvcc)))


def find_tools(folder):
    """Paths of NVRTC 12 and of ptxas."""
    for home in toolkits():
        libs = glob.glob(os.path.join(home, "lib64", "libnvrtc.so.12"))
        libs += glob.glob(os.path.join(home, "targets", "*", "lib", "libnvrtc.so.12"))
        ptxas = os.path.join(home, "bin", "ptxas")
        if libs and os.path.exists(ptxas):
            return libs[0], ptxas
    tools = os.path.join(folder, "tools")
    fetch(NVRTC, "*/lib/libnvrt*[!t].so.*", tools)  # not the one called alt
    fetch(NVCC, "*/bin/ptxas", tools)
    return os.path.join(tools, "libnvrtc.so.12"), os.path.join(tools, "ptxas")


def compile_ptx(library, stem, arch):
    """The PTX of a stem, or None and what the compiler says."""
    nvrtc = ctypes.CDLL(library)
    program = ctypes.c_void_p()
    with open(os.path.join(KERNELS, stem + ".cu"), "rb") as f:
        nvrtc.nvrtcCreateProgram(ctypes.byref(program), f.read(), (stem + ".cu").encode(), 0, None, None)
    options = [o.encode() for o in [f"--gpu-architecture=compute_{arch}", *OPTIONS]]
    failed = nvrtc.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*options))

    def get(what):
        size = ctypes.c_size_t()
        getattr(nvrtc, f"nvrtcGet{what}Size")(program, ctypes.byref(size))
        text = ctypes.create_string_buffer(size.value)
        getattr(nvrtc, f"nvrtcGet{what}")(program, text)
        return text.value.decode()

    log = get("ProgramLog")
    if failed:
        return None, log
    # Pragmas are hints, and this one is of a later version.
    text = re.sub(r'(?m)^\s*\.pragma "used_bytes_mask.*\n', "", get("PTX"))
    return re.sub(r"(?m)^\.version .*$", f".version {PTX_VERSION}", text), log


def build(library, ptxas, stem, arch):
    """Writes the PTX of a stem, and says what there is to say, and if it failed."""
    name = f"{stem}.compute_{arch}.ptx"
    text, log = compile_ptx(library, stem, arch)
    if text is None:
        return f"{name}\n{log}", True
    path = os.path.join(PTX, name)
    with open(path + ".new", "w", encoding="utf-8") as f:
        f.write(text)
    r = subprocess.run([ptxas, "-v", f"-arch=sm_{arch}", path + ".new", "-o", os.devnull],
                       capture_output=True, text=True)
    if r.returncode:
        os.remove(path + ".new")
        return f"{name}\n{log}{r.stderr}", True
    os.replace(path + ".new", path)
    lines = [log.strip()] if log.strip() else []
    kernel = spill = ""
    for line in r.stderr.splitlines():
        if m := re.search(r"Compiling entry function '(\w+)'", line):
            kernel, spill = m[1], ""
        elif m := re.search(r"(\d+) bytes stack frame, (\d+) bytes spill stores", line):
            spill = f", {m[1]} bytes of stack, {m[2]} of spills" if m[1] != "0" else ""
        elif m := re.search(r"Used (\d+) registers", line):
            shared = re.search(r"(\d+) bytes smem", line)
            lines.append(f"  {kernel:20} sm_{arch} {m[1]:>4} registers, {shared[1] if shared else 0:>6} bytes shared{spill}")
    return "\n".join(lines), False


def main(folder, stems):
    os.chdir(KERNELS)
    os.makedirs(PTX, exist_ok=True)
    known = {}
    if os.path.exists(LIST):
        with open(LIST, encoding="utf-8") as f:
            known = {line.split()[2]: line for line in f}
    every = sorted(os.path.splitext(f)[0] for f in os.listdir(KERNELS) if f.endswith(".cu"))
    for stem in stems:
        if stem not in every:
            sys.exit(f"there is no kernels/{stem}.cu")
    made, todo = {}, []
    for stem in every:
        files = sources(stem)
        of_sources = digest(files)
        for arch in ARCHITECTURES:
            name = f"{stem}.compute_{arch}.ptx"
            old = known.get(name, "- -").split()
            if stem in stems or not stems and old[:2] != [digest_of_ptx(name), of_sources]:
                todo.append((stem, arch))
                made[name] = (of_sources, files)
    failed = False
    if todo:
        library, ptxas = find_tools(os.path.abspath(folder))
        with concurrent.futures.ProcessPoolExecutor() as pool:
            jobs = {pool.submit(build, library, ptxas, *job): job for job in todo}
            for done in concurrent.futures.as_completed(jobs):
                (stem, arch), (said, bad) = jobs[done], done.result()
                print(said, flush=True)
                failed |= bad
                name = f"{stem}.compute_{arch}.ptx"
                of_sources, files = made[name]
                if bad:
                    continue
                known[name] = f"{digest_of_ptx(name)} {of_sources} {name} {' '.join(files)}\n"
    names = {f"{stem}.compute_{arch}.ptx" for stem in every for arch in ARCHITECTURES}
    for name in os.listdir(PTX):
        if name.endswith(".ptx") and name not in names:
            os.remove(os.path.join(PTX, name))
    with open(LIST, "w", encoding="utf-8") as f:
        f.writelines(line for name, line in sorted(known.items()) if name in names)
    print(f"{len(todo)} of {len(names)} files compiled")
    sys.exit(failed)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
