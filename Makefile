# dfaparse. `make help` lists the targets.

GO      ?= go
FUZZTIME ?= 10s
BENCHMIB ?= 256
PYTHON  ?= python3
VENV    ?= .venv
BENCHFLAGS ?=
STATICCHECK ?= honnef.co/go/tools/cmd/staticcheck@v0.8.2
# Modules of their own that write assembly; they take their packages' names as they are.
GENERATORS := runtime/cpu/asm internal/convert/asm runtime/gpu/asm
PEERS   := bench/peers/.build

# What reads words of memory as the processor has them.
ARM64_PACKAGES = ./dfa ./internal/columns ./internal/convert ./internal/render ./internal/symbols ./runtime/cpu ./runtime/reference

.DEFAULT_GOAL := help
.PHONY: help build generate vectors test test-arm64 race lint cross specs fuzz faults bench bench-peers bench-table bench-formats plots torture bench-rows golden interop clouds conformance wheel test-wheel engines vsix snapshot studio studio-wasm test-studio site test-site check

help: ## list the targets
	@awk -F':.*## ' '/^[a-z0-9-]+:.*## / {printf "  %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## build bin/dfaparse
	$(GO) build -o bin/ ./cmd/dfaparse

test: ## run all tests, those of the modules arrow18, beam and bench/rows as well
	$(GO) test -vet=off ./... # lint has it
	cd arrow18 && $(GO) test -vet=off ./...
	cd beam && $(GO) test -vet=off ./...
	cd bench/rows && $(GO) test -vet=off ./...

# What is done in the other packages beside others, these do that start goroutines, or whose tests do.
CONCURRENT = $(shell grep -rlE --include='*.go' '(^|[{;])\s+go [a-zA-Z]|\.Go\b|\b(abreast|spread)\.' internal | xargs -n 1 dirname | sort -u | sed 's,^,./,')
# These tests compare at length what starts no goroutine, or what others do that are run.
ALONE := Places|Marker|MarkerTwins|BinaryBlocks|BatchesOfAnySize|TooManyColumns|ApacheLogs|DirectPrograms|EncodingBehindTheSample|IndexOfTheFormats|TemplatesConform|Escapes|LaneSteps|LongTexts|EveryExample|Approximate|Ragged|Byways|Halted|NearEnds|OddBehindLong|FieldStarts|LaneRegions|FewAlikeFill|SymbolsBehindValues
race: ## run the tests of concurrent code under the race detector
	$(GO) test -race -vet=off -short -timeout 30m -skip '^Test($(ALONE))$$' . ./runtime/... ./fuzz $(CONCURRENT)
	cd arrow18 && $(GO) test -race ./...

lint: ## gofmt, go vet, staticcheck
	@test -z "$$(gofmt -l .)" || { gofmt -l .; echo "not gofmt'd"; exit 1; }
	$(GO) vet ./...
	$(GO) run $(STATICCHECK) ./...
	cd arrow18 && $(GO) vet ./... && $(GO) run $(STATICCHECK) ./...
	cd beam && $(GO) vet ./... && $(GO) run $(STATICCHECK) ./...
	cd bench/rows && $(GO) vet ./... && $(GO) run $(STATICCHECK) ./...
	@for dir in $(GENERATORS); do \
	  echo "cd $$dir && $(GO) vet ./... && $(GO) run $(STATICCHECK) ./..."; \
	  (cd $$dir && $(GO) vet ./... && $(GO) run $(STATICCHECK) -checks inherit,-ST1001 ./...) || exit 1; done

generate: ## write anew what is made of other sources: assembly, its stubs and layouts, what Go knows of kernels
	$(GO) run ./internal/kernelfacts
	$(GO) run ./internal/asmlayout
	$(GO) generate ./runtime/cpu ./internal/convert
	$(GO) generate -tags cuda ./runtime/gpu

vectors: ## say which vector code the tests run on this processor, and which they skip
	@for pkg in ./internal/symbols ./runtime/cpu ./internal/convert; do \
	  $(GO) test -v -run '^TestVectorLegs$$' $$pkg | awk -v line="$$pkg:" \
	    '/--- (PASS|SKIP): TestVectorLegs\// { sub(".*/", "", $$3); line = line " " $$3 ($$2 == "SKIP:" ? " skipped," : " run,") } END { sub(",$$", "", line); print line }' || exit 1; done

test-arm64: ## run the tests of what depends on the processor on an emulated arm64 (qemu-user-static)
	CGO_ENABLED=0 GOARCH=arm64 $(GO) test -short -skip '^TestIndexOfTheFormats$$' -exec qemu-aarch64-static $(ARM64_PACKAGES)

# The types of everything, tests as well, on each platform; the command is compiled and linked for those that
# between them have each system and each processor, as no file is for one pair of both alone. It is with the
# flags of `make snapshot`, so that what is built here serves there.
cross: ## check for every platform that is promised, and for no other, that it can be built
	$(GO) run ./internal/platforms $(foreach os,linux darwin windows,$(os)/amd64 $(os)/arm64)
	@for platform in linux/amd64 linux/arm64 darwin/arm64 windows/amd64; do \
	  echo "GOOS=$${platform%/*} GOARCH=$${platform#*/} go build -trimpath ./cmd/dfaparse"; \
	  CGO_ENABLED=0 GOOS=$${platform%/*} GOARCH=$${platform#*/} $(GO) build -trimpath -o /dev/null ./cmd/dfaparse || exit 1; done
	@for arch in 386 arm s390x; do \
	  CGO_ENABLED=0 GOARCH=$$arch $(GO) build ./dfa 2>&1 | grep -q dfaparse_runs_on_amd64_and_arm64_only || { echo "GOARCH=$$arch is not refused"; exit 1; }; done

# Their names are read, as to ask each package for them would build the tests of all.
fuzz: ## run every fuzz target for FUZZTIME
	@grep -rE --include='*_test.go' '^func Fuzz' . | sed -E 's,/[^/]*:func (Fuzz[A-Za-z0-9_]*).*, \1,' | sort -u | while read -r pkg target; do \
	  echo "$$pkg $$target"; \
	  $(GO) test -vet=off -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 10x $$pkg || exit 1; \
	done

faults: ## let calls of the system fail one at a time, under strace
	DFAPARSE_FAULTS=1 $(GO) test -count=1 -run '^TestFaultsOfTheSystem$$' ./cmd/dfaparse

bench: build ## measure on generated inputs and write docs/benchmarks.md
	$(GO) run ./fuzz/bench -mib $(BENCHMIB) -out docs/benchmarks.md

bench-peers: build ## measure beside DuckDB, polars, pyarrow and others, and write docs/peers.md
	test -x $(PEERS)/venv/bin/python || $(PYTHON) -m venv $(PEERS)/venv
	$(PEERS)/venv/bin/python -m pip install -q -r bench/peers/requirements.txt
	bench/peers/tools.sh $(PEERS)
	$(GO) build -o $(PEERS)/ ./bench/peers/gopeer
	$(PEERS)/venv/bin/python bench/peers/run.py --command bin/dfaparse --gopeer $(PEERS)/gopeer --folder $(PEERS) \
	  --mib $(BENCHMIB) --out docs/peers.md $(BENCHFLAGS)
	$(MAKE) plots

bench-table: build ## measure time to table, and a file that nobody has described to Parquet beside DuckDB
	test -x $(PEERS)/venv/bin/python || $(PYTHON) -m venv $(PEERS)/venv
	$(PEERS)/venv/bin/python -m pip install -q -r bench/peers/requirements.txt
	$(PEERS)/venv/bin/python bench/peers/totable.py --command bin/dfaparse --folder $(PEERS)/table $(BENCHFLAGS)

bench-formats: ## how each built-in format is run, and how fast: write docs/formats-speed.md
	$(GO) run ./bench/formats -mib 64 -out docs/formats-speed.md
	$(MAKE) plots

plots: ## draw docs/plots from the tables of docs
	$(GO) test ./docs -run '^TestPlots$$' -update

TORTUREFLAGS ?=
torture: build ## let other readers of CSV read the torture file, and write docs/exact.md; Spark needs Java 17
	test -x $(PEERS)/venv/bin/python || $(PYTHON) -m venv $(PEERS)/venv
	test -x $(PEERS)/engines/bin/python || $(PYTHON) -m venv $(PEERS)/engines
	$(PEERS)/venv/bin/python -m pip install -q -r bench/peers/requirements.txt -r bench/torture/requirements.txt
	$(PEERS)/engines/bin/python -m pip install -q -r bench/torture/engines.txt
	PATH="$(CURDIR)/$(PEERS)/venv/bin:$(CURDIR)/$(PEERS)/cargo/bin:$$PATH" $(PEERS)/venv/bin/python bench/torture/run.py --command bin/dfaparse \
	  --python $(PEERS)/engines/bin/python --write docs/exact.md $(TORTUREFLAGS)

bench-rows: ## measure rows as structs beside gocsv, csvutil and encoding/csv, and write docs/rows.md
	cd bench/rows && $(GO) run . -out ../../docs/rows.md

golden: ## rewrite golden files and tables from what the code gives now
	@grep -rl --include='*_test.go' 'flag.Bool("update"' . | xargs -n 1 dirname | sort -u | while read -r dir; do \
	  $(GO) test $$dir -update || exit 1; done

interop: build ## pyarrow, DuckDB, polars and pandas read what dfaparse writes
	test -x $(VENV)/bin/python || $(PYTHON) -m venv $(VENV)
	$(VENV)/bin/python -m pip install -q 'pyarrow>=18' 'duckdb>=1' 'duckdb-cli>=1' 'polars>=1' 'pandas>=2.2'
	$(VENV)/bin/python fuzz/interop/check.py bin/dfaparse
	$(VENV)/bin/python fuzz/interop/check_types.py bin/dfaparse
	$(VENV)/bin/python fuzz/interop/check_sinks.py bin/dfaparse
	$(VENV)/bin/python fuzz/interop/check_folders.py bin/dfaparse
	$(VENV)/bin/python fuzz/interop/check_recipes.py bin/dfaparse
	DFAPARSE_PYTHON=$(CURDIR)/$(VENV)/bin/python $(GO) test -count=1 -run Pyarrow ./internal/output

AZURITE ?= bin/azurite
clouds: build ## read objects of servers that speak like S3, Google's storage and Azure's
	test -x $(VENV)/bin/python || $(PYTHON) -m venv $(VENV)
	$(VENV)/bin/python -m pip install -q 'moto[server]>=5' 'gcp-storage-emulator>=2024' boto3 azure-storage-blob
	test -x $(AZURITE)/node_modules/.bin/azurite-blob || npm install --silent --no-save --prefix $(AZURITE) azurite@3
	$(VENV)/bin/python fuzz/interop/check_clouds.py bin/dfaparse $(AZURITE)/node_modules/.bin/azurite-blob

WHEELFLAGS ?=
WHEELVENV ?= .venv-wheel
wheel: ## build the Python wheels into dist, for x86-64 and arm64
	$(PYTHON) python/build.py $(WHEELFLAGS)

test-wheel: ## install the wheel of this machine into a clean virtual environment and run the tests of the package
	rm -rf $(WHEELVENV)
	$(PYTHON) -m venv $(WHEELVENV)
	$(WHEELVENV)/bin/python -m pip install -q --disable-pip-version-check -r python/requirements.txt dist/dfaparse-*_$$(uname -m).whl
	cd python/tests && ../../$(WHEELVENV)/bin/python -m pytest -q -p no:cacheprovider -c ../pyproject.toml $(foreach e,spark ray daft,--ignore-glob='/*/dfaparse/$(e).py') . --pyargs dfaparse

.PHONY: test-wheel-arm64 test-duckdb
test-wheel-arm64: ## run the tests of the package by the wheel for arm64, emulated (qemu-user-static, Debian's Python for arm64)
	PYTHON=$(PYTHON) python/arm64.sh dist/dfaparse-*_aarch64.whl dist/build/arm64

# DuckDB's headers are in its sources, which npm has.
DUCKDB_SOURCES ?= duckdb@1.4.4
DUCKDB_HEADERS ?= dist/build/duckdb/package/src/duckdb/src/include
test-duckdb: ## build the example of an extension of DuckDB, and ask it, by test-wheel's environment
	test -e $(DUCKDB_HEADERS)/duckdb_extension.h || { mkdir -p dist/build/duckdb && cd dist/build/duckdb && \
	  tar xzf $$(npm pack --silent $(DUCKDB_SOURCES)) --wildcards '*/src/include/duckdb.h' '*/src/include/duckdb_extension.h'; }
	$(WHEELVENV)/bin/python examples/duckdb/check.py $(DUCKDB_HEADERS)

engines: ## run the tests of the sources for Spark, Ray and Daft, by test-wheel's environment; Spark needs Java 17
	$(WHEELVENV)/bin/python -m pip install -q --disable-pip-version-check -r python/engines/requirements.txt
	cd python/engines && ../../$(WHEELVENV)/bin/python -m pytest -q -p no:cacheprovider -c ../pyproject.toml .

CORPORA ?= $(or $(DFAPARSE_CORPORA),../shared/corpora)
CONFORMANCEFLAGS ?= --write docs/conformance.md
VARIANTS ?= -all
conformance: build ## compare with DuckDB, polars, pyarrow and Python over public data, and write docs/conformance.md
	@test -d "$(CORPORA)" || echo "SKIPPED: no public data in $(CORPORA); CONTRIBUTING.md says where it is looked for"
	test ! -d "$(CORPORA)" || { set -e; \
	  test -x $(VENV)/bin/python || $(PYTHON) -m venv $(VENV); \
	  $(VENV)/bin/python -m pip install -q -r fuzz/conformance/requirements.txt; \
	  $(GO) build -o bin/ ./fuzz/conformance/cells ./fuzz/conformance/guess; \
	  $(VENV)/bin/python fuzz/conformance/check.py --cells bin/cells --guess bin/guess --corpora "$(CORPORA)" $(CONFORMANCEFLAGS); \
	  $(VENV)/bin/python fuzz/conformance/keyed.py --command bin/dfaparse --corpora "$(CORPORA)"; \
	  DFAPARSE_CORPORA="$(abspath $(CORPORA))" $(GO) test -count=1 ./fuzz/conformance $(VARIANTS); }

studio/node_modules/.package-lock.json: studio/package-lock.json
	cd studio && npm install --no-save --silent --no-audit --no-fund # not ci: it wants the packages of other platforms
	@touch $@

studio: studio/node_modules/.package-lock.json ## build the page of "dfaparse studio", which is checked in and embedded
	cd studio && npm run --silent check && npx vite build --logLevel warn && node pack.mjs

studio-wasm: studio/node_modules/.package-lock.json ## build bin/studio-wasm: the same page without a server, a folder that any web server may serve
	cp "$$($(GO) env GOROOT)/lib/wasm/wasm_exec.js" studio/src/
	cd studio && npm run --silent check && npx vite build --mode wasm --logLevel warn
	CGO_ENABLED=0 GOOS=js GOARCH=wasm $(GO) build -trimpath -ldflags='-s -w' -o bin/studio-wasm/dfaparse.wasm ./studio/wasm
	gzip -9nf bin/studio-wasm/dfaparse.wasm

CHROMIUM ?= $(firstword $(shell command -v chromium chromium-browser google-chrome 2>/dev/null))
test-studio: build studio-wasm ## try the page in Chromium, behind its server and as WebAssembly
	CHROMIUM="$(CHROMIUM)" node studio/test/studio.mjs

site/node_modules/.package-lock.json: site/package-lock.json
	cd site && npm install --no-save --silent --no-audit --no-fund # not ci, as above
	@touch $@

# The path that the site will be served under.
BASE ?= /
site: studio-wasm site/node_modules/.package-lock.json ## build the documentation site, site/dist, and follow its links
	$(GO) run ./site
	cp -r bin/studio-wasm site/pages/public/studio
	cd site && BASE=$(BASE) npx vitepress build
	$(GO) run ./site -check site/dist -base $(BASE)

test-site: ## try the site that is built in Chromium
	BASE=$(BASE) CHROMIUM="$(CHROMIUM)" node site/test/site.mjs

specs: build ## run the tests inside every built-in spec
	bin/dfaparse check $$(bin/dfaparse formats | awk '/^  / { print $$1 }')

VSCE ?= @vscode/vsce@3.9.2
vsix: ## pack the extension for Visual Studio Code: dist/dfp.vsix
	rm -rf dist/build/vscode && mkdir -p dist/build
	cp -r editors/vscode dist/build/vscode
	cp editors/dfp.tmLanguage.json LICENSE dist/build/vscode/
	cd dist/build/vscode && npx --yes $(VSCE) package --no-dependencies --allow-missing-repository -o ../../dfp.vsix

# What a release is called before its time, and what it is built for.
SNAPSHOT ?= 0.1.0-pre
TARGETS ?= linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64 linux/amd64/cuda
snapshot: vsix ## make what a release is made of into dist/release, and try docs/install.md with it
	cd release && $(if $(filter %/cuda,$(TARGETS)),$(CUDA_ENV)) $(GO) run . -version $(SNAPSHOT) -out ../dist/release -with "$$(echo ../dist/*.vsix $(addprefix ../,$(wildcard dist/*.whl)))" $(TARGETS)
	cd release && $(GO) vet ./... && DFAPARSE_RELEASE=$(CURDIR)/dist/release $(GO) test -count=1 -v ./...

include kernels/build/cuda.mk
include kernels/host/targets.mk

check: lint test race cross ## what has to pass before a change lands
