"""tools.py FOLDER: prints the path of a ptxas that knows every device.

That is ptxas of CUDA_HOME, or beside nvcc; where it is too old or not there, of a
package that is fetched into the folder. ptx.py compiles with what is found here.
"""
import glob
import os
import shutil
import subprocess
import sys

from fetch import fetch

NVRTC = "nvidia-cuda-nvrtc-cu12==12.9.86"
NVCC = "nvidia-cuda-nvcc-cu12==12.9.86"
NEWEST = "sm_120"  # of the devices that machine code is made for: CUBIN_ARCHS in cuda.mk


def toolkits():
    """Folders of CUDA toolkits, by preference."""
    if os.environ.get("CUDA_HOME"):
        yield os.environ["CUDA_HOME"]
    nvcc = shutil.which("nvcc")
    if nvcc:
        yield os.path.dirname(os.path.dirname(os.path.realpath(nvcc)))


def fetched(folder):
    """Path of the ptxas of the package."""
    fetch(NVCC, "*/bin/ptxas", folder)
    return os.path.join(folder, "ptxas")


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
    return os.path.join(tools, "libnvrtc.so.12"), fetched(tools)


def find_ptxas(folder):
    """Path of a ptxas that knows every device."""
    for home in toolkits():
        ptxas = os.path.join(home, "bin", "ptxas")
        if os.path.exists(ptxas) and NEWEST in subprocess.run([ptxas, "--help"], capture_output=True, text=True).stdout:
            return ptxas
    return fetched(os.path.join(folder, "tools"))


if __name__ == "__main__":
    print(find_ptxas(os.path.abspath(sys.argv[1])))
