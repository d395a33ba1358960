// Texts of which not all rows are left to dfa_convert.
#pragma once

#include "noted.cuh"

namespace dfaparse {

// Of Output.flags, beside OutputFlags: of a string whose lengths dfa_tiles, dfa_quoted or dfa_lines
// has made, only rows that have a bit in todo are done. Of others nobody reads span_end, unless they
// are scattered or maps: they end where their lengths say.
constexpr uint32_t kPartly = 1u << 31;

} // namespace dfaparse
