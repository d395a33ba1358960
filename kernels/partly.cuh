// Texts of which not all rows are left to dfa_convert.
#pragma once

#include "noted.cuh"

namespace dfaparse {

// Of Output.flags, beside OutputFlags: of a string whose lengths dfa_tiles, dfa_quoted or dfa_lines
// has made, only rows that have a bit in todo are done. Of others nobody reads span_end, unless they
// are scattered or maps: they end where their lengths say.
constexpr uint32_t kPartly = 1u << 31;

constexpr uint32_t kUnit = 128; // rows of a text that a warp copies

// Of such an output's options: where the bytes of each kUnit of its rows are added up, zeroed
// before, 16-byte aligned. Then dfa_offsets makes of these where units begin, and dfa_gather offsets
// of the lengths. 0: dfa_offsets makes them.
constexpr uint32_t kUnitBytes = 1;
__device__ __forceinline__ uint32_t* unit_bytes(const Output& output) { return output.flags & kPartly ? reinterpret_cast<uint32_t*>(output.options[kUnitBytes]) : nullptr; }

// A row has so many bytes more.
__device__ __forceinline__ void add_bytes(uint32_t* units, uint32_t row, uint32_t n) {
  if (units != nullptr && n != 0) atomicAdd(units + row / kUnit, n);
}

} // namespace dfaparse
