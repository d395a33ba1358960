// Truth values. Option: whether the column has tokens of its own; then
// Output.type is a TokenTable with the values 0 and 1. Else they are true/false,
// t/f, yes/no, y/n, on/off in any case, and 1/0. The twin is
// internal/convert/bool.go.
#pragma once

#include "tokens.cuh"

namespace dfaparse {

// Four letters as load4 gives them.
__device__ constexpr uint32_t letters(char a, char b, char c, char d) {
  return (uint32_t)a | (uint32_t)b << 8 | (uint32_t)c << 16 | (uint32_t)d << 24;
}

template <class F>
__device__ bool convert_bool(const Output& output, const F& field, uint32_t* value) {
  if (output.options[0]) return find_token((const TokenTable*)output.type, field, value);
  if (field.n - 1 >= 5) return false;
  uint32_t exact = padded4(field, 0);
  // In lower case. What is no letter becomes none of these.
  uint32_t x = exact | 0x20202020u, mask = field.n >= 4 ? ~0u : (1u << 8 * field.n) - 1;
  x &= mask;
  bool yes = false, no = false;
  switch (field.n) {
  case 1:
    yes = exact == '1' || x == 't' || x == 'y';
    no = exact == '0' || x == 'f' || x == 'n';
    break;
  case 2:
    yes = x == letters('o', 'n', 0, 0);
    no = x == letters('n', 'o', 0, 0);
    break;
  case 3:
    yes = x == letters('y', 'e', 's', 0);
    no = x == letters('o', 'f', 'f', 0);
    break;
  case 4:
    yes = x == letters('t', 'r', 'u', 'e');
    break;
  case 5:
    no = x == letters('f', 'a', 'l', 's') && (field[4] | 0x20) == 'e';
    break;
  }
  *value = yes;
  return yes || no;
}

} // namespace dfaparse
