# Building with the tag cuda, and the kernels. Neither needs a GPU or its driver.
#
# cuda.h is taken from CUDA_HOME or beside nvcc; where there is neither, from a
# package. What is fetched and built lies in .cuda, and machine code in kernels/cubin.

CUDA_DIR := $(CURDIR)/.cuda
ifdef CUDA_HOME
CUDA_INCLUDE ?= $(CUDA_HOME)/include
else
CUDA_INCLUDE ?= $(or $(patsubst %/bin/nvcc,%/include,$(realpath $(shell command -v nvcc 2>/dev/null))),$(CUDA_DIR)/include)
endif
# The compute capabilities that machine code is embedded for; empty: none, and the
# driver compiles PTX. Others run what is older than them and of their generation.
CUBIN_ARCHS ?= 75 80 86 89 90 100 120
# The assembler, if it is not to be looked for, or fetched.
PTXAS ?=
CUDA_RUNTIME ?= nvidia-cuda-runtime-cu12==12.9.79

# What cgo needs. The archive stands in for libcuda.so: internal/device/driver.
CUDA_ENV = CGO_ENABLED=1 CGO_CFLAGS='-O2 -g -I$(CURDIR)/internal/device/include -I$(CUDA_INCLUDE)' CGO_LDFLAGS='-L$(CUDA_DIR)/lib'

.PHONY: cuda cubins kernels cuda-headers cuda-env lint-cuda

cuda: cuda-headers cubins ## build bin/dfaparse-cuda, with the engine for GPUs
	$(CUDA_ENV) $(GO) build -tags cuda -o bin/dfaparse-cuda ./cmd/dfaparse
	@printf '%s: %.1f MB\n' bin/dfaparse-cuda "$$(wc -c < bin/dfaparse-cuda | awk '{ print $$1 / 1e6 }')"

cubins: ## assemble the PTX of the kernels to machine code, for CUBIN_ARCHS
	@$(GO) run ./internal/cubins "$(if $(CUBIN_ARCHS),$(or $(PTXAS),$$($(PYTHON) kernels/build/tools.py $(CUDA_DIR))))" $(CUBIN_ARCHS)

# The packages that have files of their own with the tag, or without it.
CUDA_PACKAGES = $(shell grep -rlE --include='*.go' '^//go:build .*\bcuda\b' . | xargs -n 1 dirname | sort -u)
lint-cuda: cuda-headers ## go vet, staticcheck under the tag cuda
	$(CUDA_ENV) $(GO) vet -tags cuda $(CUDA_PACKAGES)
	$(CUDA_ENV) $(GO) run $(STATICCHECK) -tags cuda $(CUDA_PACKAGES)

kernels: ## compile the kernels that have changed to PTX, or those of STEMS, or STEMS=all
	@$(PYTHON) kernels/build/ptx.py $(CUDA_DIR) $(STEMS)

cuda-headers: $(CUDA_INCLUDE)/cuda.h $(CUDA_DIR)/lib/libcuda.a ## fetch and build what the tag cuda needs

cuda-env: cuda-headers ## print settings for go build -tags cuda: eval "$(make -s cuda-env)"
	@echo "export $(CUDA_ENV)"

$(CUDA_DIR)/include/cuda.h: kernels/build/fetch.py
	@$(PYTHON) kernels/build/fetch.py $(CUDA_RUNTIME) '*/include/cuda.h' $(@D)
	@touch $@

$(CUDA_DIR)/lib/libcuda.a: internal/device/driver/forward.c internal/device/driver/functions.h
	@mkdir -p $(@D)
	$(CC) -O2 -fPIC -Wall -Wextra -c $< -o $(@D)/forward.o
	$(AR) rcs $@ $(@D)/forward.o
