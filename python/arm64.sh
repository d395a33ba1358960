#!/bin/sh
# Runs the tests of the package on an emulated arm64: arm64.sh WHEEL FOLDER
#
# FOLDER gets Debian's Python for arm64 and what it needs, unpacked and not installed, and
# beside it the wheel with its dependencies. qemu runs both; the system's own list
# of architectures stays as it is. It needs apt, dpkg, pip and qemu-user-static.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
wheel=$(realpath "$1")
mkdir -p "$2"
folder=$(realpath "$2")
root=$folder/root site=$folder/site
PYTHON=${PYTHON:-python3}

if [ ! -e "$folder/ready" ]; then
  mkdir -p "$root" "$folder/debs" "$folder/lists/partial" "$folder/cache/archives/partial"
  apt="-qq -o APT::Architectures::=$(dpkg --print-architecture) -o APT::Architectures::=arm64 -o Dir::State::lists=$folder/lists -o Dir::Cache=$folder/cache -o APT::Sandbox::User=root"
  apt-get $apt update
  names=$(apt-cache $apt depends --recurse --no-recommends --no-suggests --no-conflicts --no-breaks --no-replaces --no-enhances \
    python3-minimal:arm64 libpython3-stdlib:arm64 libstdc++6:arm64 | grep -E '^[a-z0-9].*:arm64$' | sort -u)
  (cd "$folder/debs" && apt-get $apt download $names)
  for package in "$folder"/debs/*.deb; do dpkg -x "$package" "$root"; done
  rm -r "$folder/debs" "$folder/lists" "$folder/cache"
  touch "$folder/ready"
fi

python=$(basename "$(ls "$root"/usr/bin/python3.*)")
rm -rf "$site"
$PYTHON -m pip install -q --disable-pip-version-check --root-user-action ignore --target "$site" --python-version "${python#python}" \
  --platform manylinux2014_aarch64 --platform manylinux_2_28_aarch64 --only-binary=:all: "$wheel" pytest

# The kernel starts what the package starts as a process, and qemu runs it.
command=$folder/dfaparse
printf '#!/bin/sh\nexec qemu-aarch64-static "%s" "$@"\n' "$site/dfaparse/bin/dfaparse" >"$command"
chmod +x "$command"

emulated() { PYTHONPATH=$site DFAPARSE_COMMAND=$command qemu-aarch64-static -L "$root" "$root/usr/bin/$python" "$@"; }
emulated -c 'import platform, dfaparse._library as l; assert platform.machine() == "aarch64" and l.loaded(), l.why()'
cd "$here/tests"
emulated -m pytest -q -p no:cacheprovider -c ../pyproject.toml -k "not command" test_read.py test_split.py
