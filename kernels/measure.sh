#!/bin/sh
# Builds, tests and measures the engine for GPUs on a machine that has one, and
# ends in a table.
#
#   kernels/measure.sh [--bin FOLDER] [--out FOLDER] [--only STEP,...] [--size N]
#                      [--sizes N,...] [--repeat N] [--limit SECONDS] [--full]
#
# It needs a driver and Python 3. Where Go is, it builds into --bin; where not,
# the programs have to be there: kernels/measure.sh --only build makes them on
# another machine. Logs and reports go to --out. Steps, in their order:
#
#   build      dfaparse-cuda and the tests
#   start      the command over a file of one row and one of --size / 10: first on a machine,
#              which is with an empty cache of the driver, without its cache, and later
#   device     tests of what wraps the driver
#   engine     tests of the stages and of the engine
#   matrix     the conformance matrix: all formats, all error modes, the reference engine beside
#   outputs    the same bytes of Arrow by gpu, gpu-contexts, gpu-general and cpu, for generated files
#   memcheck   compute-sanitizer over short tests, and over small files by both paths
#   racecheck  the same
#   bench      four files of --size, by both paths; two of them with symbols moved together in each way
#   logs       files of logs, of fixed width and of 1BRC, of --size, by both paths
#   command    parse --to none by gpu and cpu, from files of --size, the time of the whole command
#   auto       parse --to none by cpu, gpu and what auto takes, of files of --sizes, by 1, 4 and
#              16 cores, and how far auto is from the quicker one
#   sizes      two files, from 1 MB up
#   skew       a file with one record of a fifth of its bytes, and one without
#
# With --full the matrix has all settings, which takes some times as long. Each
# command may take --limit seconds. A step that fails does not keep the
# next from being tried; the exit status is 0 if none has failed.
set -u

root=$(cd "$(dirname "$0")/.." && pwd) || exit 1
bin=$root/bin/measure out=$root/bin/measure/out only= size=1000000000 repeat=5 limit=600
sizes=1MB,4MB,16MB,64MB,256MB,1GB short=-test.short
while [ $# -gt 0 ]; do
  case $1 in
    --bin | --out | --only | --size | --sizes | --repeat | --limit) [ $# -gt 1 ] || { echo "$1 needs a value" >&2; exit 2; } ;;
    --full) short=; shift; continue ;;
    -h | --help) sed -n '2,/^set/s/^# \{0,1\}//p' "$0"; exit 0 ;;
    *) echo "unknown argument $1; --help lists them" >&2; exit 2 ;;
  esac
  case $1 in
    --bin) bin=$2 ;; --out) out=$2 ;; --only) only=$2 ;; --size) size=$2 ;;
    --sizes) sizes=$2 ;; --repeat) repeat=$2 ;; --limit) limit=$2 ;;
  esac
  shift 2
done
all=build,start,device,engine,matrix,outputs,memcheck,racecheck,bench,logs,command,auto,sizes,skew
for step in $(echo "$only" | tr , ' '); do
  case ,$all, in *,"$step",*) ;; *) echo "no step $step: there are $all" >&2; exit 2 ;; esac
done
mkdir -p "$bin" "$out" || exit 1
bin=$(cd "$bin" && pwd) out=$(cd "$out" && pwd) data=$(mktemp -d) || exit 1
trap 'rm -rf "$data"' EXIT
trap 'exit 130' INT TERM
summary=$out/steps.txt
: >"$summary"
rm -f "$out/start.txt"
failed=0

# step NAME does step_NAME, logged, and writes a line of how it went. A status of
# 77 is one that cannot be done here.
step() {
  case ,${only:-$all}, in *,"$1",*) ;; *) return ;; esac
  printf '%-10s ' "$1"
  begun=$(date +%s)
  (step_"$1") >"$out/$1.log" 2>&1
  status=$? took=$(($(date +%s) - begun))
  case $status in
    0) word=passed ;;
    77) word="skipped: $(tail -n 1 "$out/$1.log")" ;;
    *) word=FAILED failed=1 ;;
  esac
  printf '%-10s %5d s  %s\n' "$1" "$took" "$word" >>"$summary"
  printf '%5d s  %s\n' "$took" "$word"
  [ "$word" != FAILED ] || tail -n 25 "$out/$1.log" | cut -c 1-300
}

# run does a command within the limit, and says which.
run() {
  echo "+ $*"
  timeout -k 10 "$limit" "$@"
  status=$?
  [ $status = 0 ] || echo "status $status: $*"
  return $status
}

# gen KIND BYTES makes a file, or finds it, and prints its path.
gen() {
  [ -e "$data/$1.$2" ] || "$bin/dfaparse-cuda" gen "$1" --size "$2" -o "$data/$1.$2" >&2 || return 1
  echo "$data/$1.$2"
}

# long KIND BYTES is gen, but what is longer than 64 MB repeats 64 MB, which takes less time.
long() {
  case $2 in *GB) nbytes=${2%GB}000000000 ;; *MB) nbytes=${2%MB}000000 ;; *) nbytes=$2 ;; esac
  [ "$nbytes" -gt 64000000 ] || { gen "$1" "$nbytes"; return; }
  piece=$(gen "$1" 64000000) || return 1
  file=$data/$1.$nbytes
  [ -e "$file" ] || {
    tail -n +2 "$piece" >"$data/rest" && cat "$piece" >"$file" || return 1
    step=$(wc -c <"$data/rest")
    for _ in $(seq $(((nbytes - $(wc -c <"$piece")) / step))); do cat "$data/rest" || return 1; done >>"$file"
    rm -f "$data/rest"
  }
  echo "$file"
}

# format KIND is the format of a generated file.
format() { case $1 in combined) echo apache_combined ;; 1brc) echo stations ;; torture) echo csv ;; *) echo "$1" ;; esac; }

step_build() {
  command -v go >/dev/null || {
    for program in dfaparse-cuda device.test gpu.test fuzz.test; do
      [ -x "$bin/$program" ] || { echo "no Go here, and no $program in $bin"; return 1; }
    done
    echo "no Go here: what is in $bin is used"
    return 77
  }
  cd "$root" || return 1
  settings=$(make -s cuda-env) || return 1
  eval "$settings"
  make -s cubins && go build -ldflags='-s -w' -tags cuda -o "$bin/dfaparse-cuda" ./cmd/dfaparse && ls -l "$bin/dfaparse-cuda" &&
    go test -ldflags='-s -w' -tags cuda -c -o "$bin/device.test" ./internal/device &&
    go test -ldflags='-s -w' -tags cuda -c -o "$bin/gpu.test" ./runtime/gpu &&
    go test -ldflags='-s -w' -tags cuda -c -o "$bin/fuzz.test" ./fuzz
}

# tests FOLDER PROGRAM ARGUMENT... runs tests where they lie. Tests that are
# skipped for want of a device have failed.
tests() {
  cd "$root/$1" || return 1
  shift
  program=$1
  shift
  run "$bin/$program" -test.v -test.timeout "${limit}s" "$@" >"$data/tests.log" 2>&1
  status=$?
  cat "$data/tests.log"
  ! grep -q 'no device' "$data/tests.log" || { echo "there is no device"; return 1; }
  return $status
}

step_device() { tests internal/device device.test; }
step_engine() { tests runtime/gpu gpu.test; }
step_matrix() { tests fuzz fuzz.test $short -test.run 'Conform|Device|Encoding|Directive|Drawn|Partitions|Fuzz|Apache'; }

step_outputs() {
  bad=0
  for kind in taxi yelp lineitem combined 1brc haproxy syslog java java_multiline torture; do
    nbytes=$((size / 10))
    [ "$kind" != torture ] || [ "$size" -lt 1000000000 ] || nbytes=70000000 # all 1,300 records
    file=$(gen $kind $nbytes) || { bad=1; continue; }
    for engine in cpu gpu gpu-contexts gpu-general; do
      run "$bin/dfaparse-cuda" parse -f "$(format $kind)" --engine $engine -o "$data/$engine.arrow" "$file" || bad=1
    done
    (cd "$data" && sha256sum cpu.arrow gpu.arrow gpu-contexts.arrow gpu-general.arrow) | tee "$data/sums"
    [ "$(cut -d ' ' -f 1 "$data/sums" | sort | uniq -c | awk '{ print $1 }')" = 4 ] || { echo "$kind: not the same bytes"; bad=1; }
    rm -f "$data"/*.arrow
  done
  return $bad
}

# sanitize TOOL: what is long takes minutes under it.
sanitize() {
  command -v compute-sanitizer >/dev/null || { echo "there is no compute-sanitizer"; return 77; }
  bad=0
  tool="compute-sanitizer --tool $1 --error-exitcode 99 --print-limit 20"
  (cd "$root/runtime/gpu" && run $tool "$bin/gpu.test" -test.v -test.run '^TestEngine$' -rapid.checks=3) || bad=1
  (cd "$root/fuzz" && run $tool "$bin/fuzz.test" -test.run '^FuzzEngines$|^TestDevice$' -test.v) || bad=1
  for kind in taxi yelp lineitem combined 1brc haproxy syslog java_multiline torture; do
    file=$(gen $kind 200000) || { bad=1; continue; }
    for engine in gpu gpu-contexts gpu-general; do
      run $tool "$bin/dfaparse-cuda" parse -f "$(format $kind)" --engine $engine --partition 64KiB -o "$data/out.arrow" "$file" || bad=1
    done
  done
  return $bad
}
step_memcheck() { sanitize memcheck; }
step_racecheck() { sanitize racecheck; }

# bench LABEL ENGINE KIND FILE ARGUMENT... adds a report to reports.jsonl.
bench() {
  label=$1 engine=$2 kind=$3 file=$4
  shift 4
  run "$bin/dfaparse-cuda" bench -f "$(format "$kind")" --engine "$engine" --repeat "$repeat" --json "$@" "$file" >"$data/report" || {
    cat "$data/report"
    return 1
  }
  sed -n "s/^{/{\"step\":\"$label\",\"kind\":\"$kind\",\"asked\":\"$engine\",/p" "$data/report" | tee -a "$out/reports.jsonl"
}

# start LABEL SETTING FILE ARGUMENT... times a command and adds a line to start.txt, with
# what it says of its start. A setting is one of the driver's, by a variable.
start() {
  label=$1 setting=$2 file=$3
  shift 3
  begun=$(date +%s%N)
  run env $setting "$bin/dfaparse-cuda" "$@" --stats -o "$data/start.arrow" "$file" >"$data/said" 2>&1
  status=$?
  took=$((($(date +%s%N) - begun) / 100000))
  cat "$data/said"
  printf '%-36s %6d.%d ms  %s\n' "$label" $((took / 10)) $((took % 10)) \
    "$(sed -n '/^gpu start/,/^elapsed/{/^elapsed/d;s/^gpu start//;s/^ *//;p;}' "$data/said" | paste -s -d ';')" | tee -a "$out/start.txt"
  return $status
}

# What is first comes first: the driver itself takes longer then.
step_start() {
  bad=0
  large=$(gen taxi $((size / 10))) || return 1
  head -n 2 "$large" >"$data/row" || return 1
  cat "$large" "$bin/dfaparse-cuda" >/dev/null # into the page cache
  for file in "$data/row" "$large"; do
    for code in "" CUDA_FORCE_PTX_JIT=1; do # the second time machine code is refused
      name="$([ -z "$code" ] && echo code || echo PTX), taxi of $(($(wc -c <"$file"))) bytes"
      rm -rf "$data/cache"
      for when in first later later later later later; do
        start "$name, $when" "CUDA_CACHE_PATH=$data/cache $code" "$file" parse -f taxi --engine gpu || bad=1
      done
      start "$name, no cache" "CUDA_CACHE_DISABLE=1 $code" "$file" parse -f taxi --engine gpu || bad=1
    done
    for _ in 1 2 3; do start "cpu, taxi of $(($(wc -c <"$file"))) bytes" "" "$file" parse -f taxi --engine cpu || bad=1; done
  done
  # Logs take another path, and other modules.
  logs=$(gen haproxy 1000000) || return 1
  start "code, haproxy of 1 MB, no cache" CUDA_CACHE_DISABLE=1 "$logs" parse -f haproxy --engine gpu || bad=1
  return $bad
}

step_bench() {
  bad=0
  for kind in taxi yelp lineitem combined; do
    file=$(gen $kind "$size") || { bad=1; continue; }
    engines='gpu gpu-contexts gpu-general'
    case $kind in taxi | yelp) engines="$engines gpu-tagged gpu-terminated gpu-delimited" ;; esac
    for engine in $engines; do bench bench $engine $kind "$file" || bad=1; done
    [ "$kind" = taxi ] || [ "$kind" = yelp ] || rm -f "$file" # the others are used again
  done
  return $bad
}

step_logs() {
  bad=0
  for kind in haproxy syslog java java_multiline postgres klog auditd fixed syslog_rfc5424 w3c logfmt 1brc; do
    file=$(gen $kind "$size") || { bad=1; continue; }
    for engine in gpu gpu-general; do bench logs $engine $kind "$file" || bad=1; done
    rm -f "$file"
  done
  return $bad
}

# step_command has what a person waits for: medians of --repeat runs, in seconds.
step_command() {
  bad=0
  : >"$out/command.txt"
  for kind in taxi yelp lineitem combined; do
    file=$(gen $kind "$size") || { bad=1; continue; }
    for engine in gpu cpu; do
      n=0
      : >"$data/times"
      while [ $n -lt "$repeat" ]; do
        begun=$(date +%s.%N)
        run "$bin/dfaparse-cuda" parse -f "$(format $kind)" --engine $engine --to none "$file" >/dev/null || bad=1
        echo "$begun $(date +%s.%N)" >>"$data/times"
        n=$((n + 1))
      done
      awk '{ print $2 - $1 }' "$data/times" | sort -n |
        awk -v what="$kind $engine" '{ t[NR] = $1 } END { printf "%s %.3f s\n", what, t[int((NR + 1) / 2)] }' | tee -a "$out/command.txt"
    done
    [ "$kind" = taxi ] || [ "$kind" = yelp ] || rm -f "$file"
  done
  return $bad
}

# step_auto has a line for each kind, number of cores and size. What takes a second and more
# is read once, the rest --repeat or three times, and the quickest counts.
step_auto() {
  command -v taskset >/dev/null || { echo "there is no taskset"; return 77; }
  bad=0 most=$(nproc) tries=$((repeat < 3 ? repeat : 3))
  echo "kind cores MB cpu gpu auto took" >"$out/auto.txt"
  for kind in taxi yelp lineitem combined haproxy logfmt; do
    for nbytes in $(echo "$sizes" | tr , ' '); do
      file=$(long $kind "$nbytes") || { bad=1; continue; }
      mb=$((($(wc -c <"$file") + 500000) / 1000000))
      for cores in 1 4 16; do
        [ $cores -le "$most" ] || continue
        of=$(python3 -c 'import os, sys; print(*sorted(os.sched_getaffinity(0))[:int(sys.argv[1])], sep=",")' $cores)
        line="$kind $cores $mb"
        for engine in cpu gpu auto; do
          best=999999
          for _ in $(seq "$tries"); do
            begun=$(date +%s%N)
            GOMAXPROCS=$cores run taskset -c $of "$bin/dfaparse-cuda" parse -f "$(format $kind)" --engine $engine --threads $cores --to none --stats "$file" >"$data/said" 2>&1 || bad=1
            took=$((($(date +%s%N) - begun) / 1000000))
            [ $took -ge $best ] || best=$took
            [ $engine = cpu ] || sleep 0.3 # until the driver has let go of the device
            [ $took -lt 1000 ] || break
          done
          line="$line $best"
        done
        echo "$line $(sed -n 's/^engine *\([a-z]*\):.*/\1/p' "$data/said")" | tee -a "$out/auto.txt"
      done
      case $file in *.64000000) ;; *) rm -f "$file" ;; esac
    done
  done
  awk 'NR == 1 { print $0, "behind"; next } { better = $4 < $5 ? $4 : $5; behind = ($7 == "gpu" ? $5 : $4) / better - 1
    if (behind > 0.1) far++
    printf "%s %.0f%%\n", $0, 100 * behind } END { printf "%d of %d", far, NR - 1 >"'"$data"'/far" }' "$out/auto.txt" >"$data/auto.txt"
  column -t "$data/auto.txt" >"$out/auto.txt" 2>/dev/null || cp "$data/auto.txt" "$out/auto.txt"
  echo "$(cat "$data/far") are more than 10% behind" >>"$out/auto.txt"
  return $bad
}

step_sizes() {
  bad=0
  for kind in taxi yelp; do
    file=$(gen $kind "$size") || { bad=1; continue; }
    bench sizes gpu $kind "$file" --sizes "$sizes" || bad=1
  done
  return $bad
}

step_skew() {
  even=$(gen yelp "$size") || return 1
  python3 - "$even" "$data/skewed" <<'END' || return 1
import os, sys
even, skewed = sys.argv[1:]
nbytes = os.path.getsize(even)
long = nbytes // 5

def copy(f, out, to):
    """Copies whole records until there are so many bytes: a record ends where quotes are closed."""
    quotes = 0
    while out.tell() < to or quotes % 2:
        block = b"".join(f.readlines(1 << 20)) if out.tell() < to - (1 << 20) else f.readline()
        if not block:
            return
        out.write(block)
        quotes += block.count(b'"')

with open(even, "rb") as f, open(skewed, "wb") as out:
    copy(f, out, nbytes // 2 - long // 2)
    text = b'It was ""good"", they said, and\nso it was.\n'
    out.write(b'"r","u","b","4","2016-03-09","' + text * (long // len(text)) + b'","3","0","1"\n')
    copy(f, out, nbytes)
END
  bench even gpu yelp "$even"
  status=$?
  bench skewed gpu yelp "$data/skewed" && return $status
}

# table shows what the reports say.
table() {
  [ -s "$out/reports.jsonl" ] || return 0
  python3 - "$out/reports.jsonl" <<'END'
import json, sys
rows = [("step", "input", "engine", "MB", "resident", "end to end", "Arrow, memory", "Arrow, file", "ms", "stages in ms")]
device = ""
for line in open(sys.argv[1]):
    r = json.loads(line)
    device = r.get("device", "")
    for s in r["samples"]:
        whole = {t["name"]: t for t in s["wholes"]}
        rate = lambda name: "%.1f" % whole[name]["gb_per_second"] if name in whole else "-"
        ms = lambda t: "%.3f" % (t["nanoseconds"] / 1e6)
        rows.append((r["step"], r["kind"], r["asked"], "%.4g" % (s["bytes"] / 1e6), rate("resident"), rate("end to end"),
                     rate("to Arrow, from memory"), rate("to Arrow, from the file"),
                     ms(whole["resident"]) if "resident" in whole else "-",
                     ", ".join(t["name"] + " " + ms(t) for t in s["stages"])))
widths = [max(len(row[i]) for row in rows) for i in range(9)]
print("\n" + device + ", GB/s; ms are those of resident\n")
for row in rows:
    print("  ".join(c.rjust(w) if 3 <= i <= 8 else c.ljust(w) for i, (c, w) in enumerate(zip(row, widths))) + "  " + row[9])
END
}

case ,${only:-$all}, in *,bench,* | *,logs,* | *,sizes,* | *,skew,*) : >"$out/reports.jsonl" ;; esac
nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.mem,memory.total --format=csv 2>/dev/null | tee "$out/gpu.txt"
for step in $(echo $all | tr , ' '); do step "$step"; done
[ ! -s "$out/start.txt" ] || cat "$out/start.txt"
table | tee "$out/table.txt"
case ,${only:-$all}, in *,auto,*) printf '\nparse --to none, ms; what auto takes, and how far its engine is behind the quicker one\n\n'; cat "$out/auto.txt" ;; esac
case ,${only:-$all}, in *,command,*) sed '1i\
\
parse --to none, the whole command, medians' "$out/command.txt" ;; esac
exit $failed
