// From a symbol to the row of transitions that it stands for: three ways, of one
// interface.
//
//   uint32_t key(word, b)    what is to be known of the symbol in byte b of word
//   Row row(before, key)     its row; the key of the symbol before it may matter
//
// Rows lie in shared memory, in as many copies as fit a row of banks, one for
// each lane or few lanes, so that a warp's lanes read different rows at once.
#pragma once

#include "../scan.cuh"
#include "tables.cuh"

namespace dfaparse {

// Rows in shared memory: copy c of row r at index (r << copies_log) + c. A place
// is an offset in bytes from the first of them.
template <class Row>
struct Rows {
  const uint8_t* bytes;
  uint32_t mine;   // place of row 0 of this lane's copy
  uint32_t stride; // bytes from a row to the next, at most 128

  // All threads of the block take part, and meet at a barrier after it.
  __device__ __forceinline__ Rows(const Program* program, Row* shared) {
    const Row* rows = context_table<Row>(program, kRows);
    uint32_t log = uint32_t(program->context_words[kCopiesLog]);
    uint32_t n = uint32_t(program->context_words[kRowCount]) << log;
    for (uint32_t i = threadIdx.x; i < n; i += blockDim.x) shared[i] = rows[i >> log];
    bytes = reinterpret_cast<const uint8_t*>(shared);
    mine = (lane_id() & ((1u << log) - 1)) * uint32_t(sizeof(Row));
    stride = uint32_t(program->context_words[kStride]);
  }
  __device__ __forceinline__ uint32_t place(uint32_t row) const { return row * stride + mine; }
  __device__ __forceinline__ Row at(uint32_t place) const { return *reinterpret_cast<const Row*>(bytes + place); }
};

// Byte b of word times a factor below 256, and an offset: one instruction.
__device__ __forceinline__ uint32_t scaled_byte(uint32_t word, uint32_t b, uint32_t factor, uint32_t offset) {
  return __dp4a(word, factor << (8 * b), offset);
}

// A row for every symbol.
template <class Vector>
struct BySymbol {
  using Row = typename Vector::Row;
  static constexpr bool kPairs = false;
  Rows<Row> rows;

  __device__ __forceinline__ BySymbol(const Program* program, void* shared) : rows(program, static_cast<Row*>(shared)) {}
  __device__ __forceinline__ uint32_t key(uint32_t word, uint32_t b) const {
    return scaled_byte(word, b, rows.stride, rows.mine);
  }
  __device__ __forceinline__ Row row(uint32_t, uint32_t key) const { return rows.at(key); }
};

// A row for every byte of the lookup registers and one for all other symbols
// (ParPaRaw, section 4.5 and Table 2, with an exact test for null bytes: see
// dfa.LookupRegisters).
template <class Vector>
struct ByRegisters {
  using Row = typename Vector::Row;
  static constexpr bool kPairs = false;
  Rows<Row> rows;
  LookupRegisters registers;

  __device__ __forceinline__ ByRegisters(const Program* program, void* shared)
      : rows(program, static_cast<Row*>(shared)), registers(*context_table<LookupRegisters>(program, kGroups)) {}

  __device__ __forceinline__ uint32_t key(uint32_t word, uint32_t b) const {
    uint32_t spread = __byte_perm(word, 0, 0x1111 * b), index = 4 * registers.count;
#pragma unroll
    for (uint32_t i = 0; i < 4; i++) {
      uint32_t null = null_bytes(registers.symbols[i] ^ spread);
      uint32_t byte = (31 - uint32_t(__clz(int(null)))) >> 3; // 0x1fffffff if there is none
      index = min(index, byte + 4 * i);
    }
    return rows.place(index);
  }
  __device__ __forceinline__ Row row(uint32_t, uint32_t key) const { return rows.at(key); }

 private:
  // The highest bit of each byte is set where that byte of x is 0.
  static __device__ __forceinline__ uint32_t null_bytes(uint32_t x) {
    constexpr uint32_t low = 0x7f7f7f7f;
    return ~(((x & low) + low) | x | low);
  }
};

// A row for every two groups of symbols that follow each other. After a symbol
// few states are possible, which its group tells; a row leads from the places
// of those of one group to the places of those of the next. So vectors have no
// more entries than states are possible after one symbol.
template <class Vector>
struct ByPair {
  using Row = typename Vector::Row;
  static constexpr bool kPairs = true;
  static constexpr uint32_t kGroupBytes = 256;
  Rows<Row> rows;
  const uint8_t* groups; // shared; of text, no two lanes that differ meet in a bank
  uint32_t line; // bytes of the rows of one group

  __device__ __forceinline__ ByPair(const Program* program, void* shared)
      : rows(program, reinterpret_cast<Row*>(static_cast<uint8_t*>(shared) + kGroupBytes)),
        groups(static_cast<uint8_t*>(shared)), line(program->groups * rows.stride) {
    const uint8_t* from = context_table<uint8_t>(program, kGroups);
    for (uint32_t i = threadIdx.x; i < kGroupBytes; i += blockDim.x) static_cast<uint8_t*>(shared)[i] = from[i];
  }
  __device__ __forceinline__ uint32_t key(uint32_t word, uint32_t b) const { return groups[scaled_byte(word, b, 1, 0)]; }
  __device__ __forceinline__ Row row(uint32_t before, uint32_t key) const {
    return rows.at(before * line + rows.place(key));
  }
};

} // namespace dfaparse
