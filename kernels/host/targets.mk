# The kernels without a GPU: README.md beside this file.
#
# SANITIZE=1 builds and tests under the address and undefined-behaviour
# sanitizers. Go's allocator and the sanitizer's share the process, so nothing
# is said of leaks. ORDER is that in which the threads of a block run, STREAMS
# when streams do what they are asked.

SANITIZE ?=
ORDER ?= forward
STREAMS ?= eager
HOST_BUILD := $(CURDIR)/kernels/host/build$(if $(SANITIZE),/sanitize)
HOST_TESTS ?= ./runtime/gpu ./internal/device ./lib ./examples/gpusum
# Short, since the kernels take a hundred times as long here as the CPU's engine,
# and a part of the matrix under the sanitizers.
GOTESTFLAGS ?= -short
HOST_MATRIX ?= $(if $(SANITIZE),Generated|Drawn|Partitions|FuzzEngines|Device,Conform|Device|Encoding|Directive|Drawn|Partitions|Fuzz)
HOST_ENV = LD_LIBRARY_PATH=$(HOST_BUILD) DFAPARSE_HOST_ORDER=$(ORDER) DFAPARSE_HOST_STREAMS=$(STREAMS) $(if $(SANITIZE),\
	LD_PRELOAD=$(shell $(CXX) -print-file-name=libasan.so) ASAN_OPTIONS=detect_leaks=0:handle_segv=0 UBSAN_OPTIONS=print_stacktrace=1)

.PHONY: host-cuda test-cuda matrix-cuda

host-cuda: ## build the kernels for the host, and a driver around them
	@mkdir -p kernels/host/build
	@flock kernels/host/build/lock $(MAKE) --no-print-directory -s -C kernels/host CXX=$(CXX) SANITIZE=$(SANITIZE)

test-cuda: host-cuda cuda-headers ## run the tests of the GPU engine on the host build
	@$(MAKE) --no-print-directory -s -C kernels/host headers CUDA_HEADERS=$(CUDA_INCLUDE)
	$(CUDA_ENV) $(GO) test -count=1 -timeout 30m -tags cuda -exec 'env $(HOST_ENV)' $(GOTESTFLAGS) $(HOST_TESTS)
	SANITIZE=$(SANITIZE) $(GO) test -count=1 -run 'HostBuild|Layout|Constants' ./kernels/

matrix-cuda: host-cuda cuda-headers ## run the conformance matrix of the GPU engine on the host build
	$(CUDA_ENV) $(GO) test -count=1 -timeout 30m -tags cuda -exec 'env $(HOST_ENV)' $(GOTESTFLAGS) -run '$(HOST_MATRIX)' ./fuzz
	$(if $(SANITIZE),,$(CUDA_ENV) $(GO) test -count=1 -tags cuda -exec 'env $(HOST_ENV)' -run 'TestScripts/gpu' ./cmd/dfaparse)
