// Strings of any length and kind, copied by a whole warp in cells of 16 symbols, a
// lane each: 32 cells at a time, of as many strings as they are. Where the bytes of a
// cell come follows from is_data and data_before, whatever the cells before it have;
// what is no data is taken out in registers, and the bytes meet in shared memory.
#pragma once

#include "group.cuh"

namespace dfaparse {

// Whether a string's cells are of its symbols where they are; if not, they are of
// the bytes that it stands for.
__device__ __forceinline__ bool is_of_symbols(const Text& text, uint32_t start, uint32_t symbols) {
  return text.encoding == kAsIs && start < kDefaultText && symbols != 0;
}

template <class Notes>
__device__ __forceinline__ uint32_t cells_of(const Text& text, const Group& x) {
  if (x.n == 0) return 0;
  uint32_t symbols = x.n - Notes::kTail, first = x.start & ~kScattered & ~(kCell - 1);
  if (is_of_symbols(text, x.start, symbols)) return (x.stop - first + kCell - 1) / kCell;
  return max((symbols + kCell - 1) / kCell, 1u);
}

// n bytes of a string that is written in an encoding, or is the default, from
// number `from` on, 0 < n <= 16.
__device__ __forceinline__ Bytes16 other_bytes(const Text& text, uint32_t start, uint32_t stop, uint32_t from, uint32_t n) {
  Bytes16 x = {0, 0};
  if (start < kScattered) {
    Field field{(const uint32_t*)text.source, start, stop - start};
    x.low = decoded8(text.encoding, field, from, min(n, 8u));
    if (n > 8) x.high = decoded8(text.encoding, field, from + 8, n - 8);
  } else {
    for (uint32_t i = 0; i < n; i++) (i < 8 ? x.low : x.high) |= uint64_t(text.default_bytes[from + i]) << 8 * (i & 7);
  }
  return x;
}

// What cells are put with, of a block, in shared memory.
struct CellTables {
  uint4 first[kCell + 1]; // all bits of so many bytes
  uint4 without[kCell];   // of each word, selectors (__byte_perm) of its bytes, and of the next word's, if a byte is taken out
};
__device__ __forceinline__ CellTables& cell_tables() {
  __shared__ CellTables tables;
  return tables;
}
// By all threads of a block.
__device__ __forceinline__ void fill_cell_tables() {
  uint32_t* first = reinterpret_cast<uint32_t*>(cell_tables().first);
  for (uint32_t i = threadIdx.x; i < 4 * (kCell + 1); i += blockDim.x) first[i] = uint32_t(low_bits(8 * min(i / 4 - min(i / 4, 4 * (i % 4)), 4u)));
  uint32_t* without = reinterpret_cast<uint32_t*>(cell_tables().without);
  for (uint32_t i = threadIdx.x; i < 4 * kCell; i += blockDim.x) {
    const uint32_t below = 4 * min(i / 4 - min(i / 4, 4 * (i % 4)), 4u); // bits of the selectors of those before it
    without[i] = (0x3210 & ((1u << below) - 1)) | (0x4321 & ~((1u << below) - 1));
  }
  __syncthreads();
}

// A cell as it is loaded: of string i, the symbols from p on, with data_bits and
// data_before of their chunk, or bytes from number p on.
struct Cell {
  Bytes16 bytes;
  uint64_t bits;
  uint32_t before, i, p;
};

// Copies the cells of a group, by a whole warp.
template <class Notes>
class CellCopier {
 public:
  __device__ CellCopier(const Job& job, const Text& text, const Group& x, uint32_t first_row, const Notes& notes)
      : is_data_(reinterpret_cast<const uint64_t*>(job.is_data)), before_(job.data_before), text_(text), shared_(warp_shared()), first_row_(first_row),
        notes_(notes) {
    uint32_t lane = lane_id(), symbols = x.n - Notes::kTail, first = x.start & ~kScattered;
    first_cell_ = scan_warp_exclusive(cells_of<Notes>(text, x), Sum(), &total_);
    bool some = x.n != 0, other = some && !is_of_symbols(text, x.start, symbols), scattered = some && !other && x.start >= kScattered;
    others_ = __ballot_sync(kAllLanes, other);
    __syncwarp(); // what is there has been read
    shared_.before[lane] = first_cell_;
    shared_.start[lane] = other ? 0 : x.start;
    shared_.stop[lane] = other ? symbols : x.stop;
    shared_.base[lane] = x.begin - (other ? 0 : scattered ? data_rank(job, first) : first);
    shared_.other[lane] = Span{x.start, x.stop};
    if (lane == 0) shared_.before[kGroup] = total_;
    __syncwarp();
  }

  // Cells from to to-1, or through the last; from is one's number.
  __device__ __forceinline__ void copy(uint32_t from, uint32_t to) {
    to = min(to, total_);
    Staged staged = {0, 0, 0};
    uint32_t strings = 0;
    Cell x = {{0, 0}, 0, 0, 0, 0};
    for (uint32_t step = from; step < to + kWarp; step += kWarp) {
      Cell next = load(step, to); // while those before are copied
      if (step != from) put_step(x, step - kWarp, to, &staged, &strings);
      x = next;
    }
  }

 private:
  // Bytes that a step may add, with tails, and words that are touched behind them.
  static constexpr uint32_t kMostOfStep = kWarp * (kCell + Notes::kTail) + 32;

  // The string of the lane's cell.
  __device__ __forceinline__ uint32_t string_of(uint32_t step) const {
    uint32_t number = step + lane_id();
    uint32_t i = uint32_t(__popc(int(__ballot_sync(kAllLanes, first_cell_ <= step)))) - 1;
    uint32_t last = uint32_t(__popc(int(__ballot_sync(kAllLanes, first_cell_ < step + kWarp)))) - 1;
    if (last - i <= 4) { // few begin here
      for (uint32_t k = i + 1; k <= last; k++) {
        if (shared_.before[k] <= number) i = k;
      }
      return i;
    }
    i = 0; // the last that begins at number or before it
#pragma unroll
    for (uint32_t d = kGroup / 2; d != 0; d /= 2) {
      if (shared_.before[i + d] <= number) i += d;
    }
    return i;
  }

  __device__ __forceinline__ Cell load(uint32_t step, uint32_t to) const {
    Cell x = {{0, 0}, 0, 0, 0, 0};
    if (step >= to) return x;
    x.i = string_of(step);
    uint32_t number = step + lane_id(), start = shared_.start[x.i];
    x.p = (start & ~kScattered & ~(kCell - 1)) + (number - shared_.before[x.i]) * kCell;
    if (number >= to) return x;
    x.bits = ~uint64_t(0);
    x.before = x.p & ~(kChunk - 1);
    if (others_ >> x.i & 1) {
      Span span = shared_.other[x.i];
      uint32_t n = min(shared_.stop[x.i] - x.p, kCell);
      if (n != 0) x.bytes = other_bytes(text_, span.start, span.end, x.p, n);
      return x;
    }
    x.bytes = *reinterpret_cast<const Bytes16*>(text_.source + x.p);
    if (start >= kScattered) {
      x.bits = is_data_[x.p / kChunk];
      x.before = before_[x.p / kChunk];
    }
    return x;
  }

  // Stages the cells of a step, and flushes them if the next may have no room.
  __device__ __forceinline__ void put_step(const Cell& x, uint32_t step, uint32_t to, Staged* staged, uint32_t* strings) {
    bool in = step + lane_id() < to, ends = in && step + lane_id() + 1 == shared_.before[x.i + 1];
    uint32_t first = shared_.start[x.i] & ~kScattered, skip = max(x.p, first) - x.p, in_chunk = x.p % kChunk;
    uint32_t bits = ((1u << min(shared_.stop[x.i] - x.p, kCell)) - 1) & ~0u << skip & uint32_t(x.bits >> in_chunk);
    uint32_t at = shared_.base[x.i] + x.before + uint32_t(__popcll(x.bits & ~(~uint64_t(0) << (in_chunk + skip))));
    if (staged->left == 0) {
      uint32_t begin = shuffle(at, 0);
      staged->base = begin & ~(kSlice - 1);
      staged->skip = begin - staged->base;
    }
    at = in ? at - staged->base : 0;
    uint32_t n = put(x.bytes, in ? bits : 0, at);
    if (n != 0) notes_.put(at, min(n, 8u), first_row_ + x.i);
    if (n > 8) notes_.put(at + 8, n - 8, first_row_ + x.i);
    n += at;
    if (Notes::kTail != 0 && ends) {
      shared_.stage.put_one(n, notes_.tail());
      notes_.end(n++);
    }
    staged->left = shuffle(n, min(to - 1 - step, kWarp - 1));
    if (Notes::kTail != 0) *strings += uint32_t(__popc(int(__ballot_sync(kAllLanes, ends))));
    if (staged->left <= kStageBytes - kMostOfStep && step + kWarp < to) return;
    shared_.stage.flush(text_.to, *staged, [&](Bytes16 bytes) { notes_.slice(bytes); });
    notes_.flush(text_.place, *staged, first_row_ / kUnit * kUnit, *strings);
    staged->left = *strings = 0;
  }

  // Stages those bytes whose bits are set, side by side from byte `at` on, and
  // gives how many they are.
  __device__ __forceinline__ uint32_t put(Bytes16 bytes, uint32_t bits, uint32_t at) {
    const CellTables& tables = cell_tables();
    const uint32_t n = uint32_t(__popc(int(bits))), first = bits != 0 ? uint32_t(__ffs(int(bits))) - 1 : 0;
    uint4 x = make_uint4(uint32_t(bytes.low), uint32_t(bytes.low >> 32), uint32_t(bytes.high), uint32_t(bytes.high >> 32));
    bits |= (1u << first) - 1;
    while ((bits & (bits + 1)) != 0) { // few have what is no data between
      const uint32_t i = uint32_t(__ffs(int(~bits))) - 1;
      const uint4 by = tables.without[i];
      x = make_uint4(__byte_perm(x.x, x.y, by.x), __byte_perm(x.y, x.z, by.y), __byte_perm(x.z, x.w, by.z), __byte_perm(x.w, 0, by.w));
      bits = bits >> 1 | ((1u << i) - 1);
    }
    const uint4 to = tables.first[first + n], from = tables.first[first];
    x = make_uint4(x.x & to.x & ~from.x, x.y & to.y & ~from.y, x.z & to.z & ~from.z, x.w & to.w & ~from.w);
    shared_.stage.put(int32_t(at) - int32_t(first), Bytes16{uint64_t(x.y) << 32 | x.x, uint64_t(x.w) << 32 | x.z});
    return n;
  }

  const uint64_t* is_data_;
  const uint32_t* before_;
  const Text& text_;
  WarpShared& shared_;
  uint32_t first_row_, first_cell_, total_;
  uint32_t others_; // bit i: string i's cells are not of its symbols
  Notes notes_;
};

} // namespace dfaparse
