#!/bin/sh
# Builds the extension: build.sh HEADERS LIBRARY OUT
#   HEADERS  the folder with duckdb.h and duckdb_extension.h
#   LIBRARY  libdfaparse.so, which the extension looks for beside itself
#   OUT      a folder, which gets both
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=$3/dfaparse.duckdb_extension
mkdir -p "$3"
cp "$2" "$3/libdfaparse.so"
${CC:-cc} -O2 -fPIC -shared -Wall -I "$1" -I "$here/../../lib" -o "$out" "$here/dfaparse.c" -L "$3" -l:libdfaparse.so "-Wl,-rpath,\$ORIGIN"

# What DuckDB reads at the end of the file before it loads it: eight fields of 32 bytes, and
# 256 bytes for a signature, of which this one has none.
field() { printf %s "$1"; head -c $((32 - ${#1})) /dev/zero; }
case $(uname -m) in aarch64 | arm64) cpu=arm64 ;; *) cpu=amd64 ;; esac
{
  field '' && field '' && field ''
  field C_STRUCT # the interface: that of C, which stays
  field v0.1.0   # of the extension
  field v1.2.0   # of the interface
  field "linux_$cpu"
  field 4
  head -c 256 /dev/zero
} >>"$out"
