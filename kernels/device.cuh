// The language that kernels are written in: CUDA C++, without its runtime
// library. The host build puts its own definitions in place of the compiler's.
#pragma once

#ifdef DFAPARSE_HOST
#include "host/cuda.h"
#else
using uint8_t = unsigned char;
using uint16_t = unsigned short;
using uint32_t = unsigned int;
using uint64_t = unsigned long long;
using int8_t = signed char;
using int16_t = short;
using int32_t = int;
using int64_t = long long;
#endif
