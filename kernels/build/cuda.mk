# Building with the tag cuda, and the kernels. Neither needs a GPU or its driver.
#
# cuda.h is taken from CUDA_HOME or beside nvcc; where there is neither, from a
# package. What is fetched and built lies in .cuda.

CUDA_DIR := $(CURDIR)/.cuda
ifdef CUDA_HOME
CUDA_INCLUDE ?= $(CUDA_HOME)/include
else
CUDA_INCLUDE ?= $(or $(patsubst %/bin/nvcc,%/include,$(realpath $(shell command -v nvcc 2>/dev/null))),$(CUDA_DIR)/include)
endif
CUDA_RUNTIME ?= nvidia-cuda-runtime-cu12==12.9.79

# What cgo needs. The archive stands in for libcuda.so: internal/device/driver.
CUDA_ENV = CGO_ENABLED=1 CGO_CFLAGS='-O2 -g -I$(CURDIR)/internal/device/include -I$(CUDA_INCLUDE)' CGO_LDFLAGS='-L$(CUDA_DIR)/lib'

.PHONY: cuda kernels cuda-headers cuda-env lint-cuda

cuda: cuda-headers ## build bin/dfaparse-cuda, with the engine for GPUs
	$(CUDA_ENV) $(GO) build -tags cuda -o bin/dfaparse-cuda ./cmd/dfaparse

lint-cuda: cuda-headers ## go vet, staticcheck under the tag cuda
	$(CUDA_ENV) $(GO) vet -tags cuda ./...
	$(CUDA_ENV) $(GO) run $(STATICCHECK) -tags cuda ./...

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
