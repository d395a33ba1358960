// Strings of any length and kind, copied by a whole warp in cells of 16 symbols, a
// lane each: 32 cells at a time, of as many strings as they are. What is no data is
// taken out in registers, and the bytes meet in shared memory.
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

// A cell as it is loaded: of string i, the symbols or bytes, which of them are the string's and
// the part's, and which are data; and whether the string ends with it.
struct Cell {
  Bytes16 bytes;
  uint32_t in, data, i;
  bool ends;
};

// Copies the cells of a group, by a whole warp.
template <class Notes>
class CellCopier {
 public:
  __device__ CellCopier(const Job& job, const Text& text, const Group& x, uint32_t first_row, const Notes& notes)
      : job_(job), is_data_(reinterpret_cast<const uint16_t*>(job.is_data)), text_(text), shared_(warp_shared()), first_row_(first_row), notes_(notes) {
    uint32_t lane = lane_id(), symbols = x.n - Notes::kTail, first = scan_warp_exclusive(cells_of<Notes>(text, x), Sum(), &total_);
    bool other = x.n != 0 && !is_of_symbols(text, x.start, symbols);
    others_ = __ballot_sync(kAllLanes, other);
    __syncwarp(); // what is there has been read
    shared_.before[lane] = first;
    shared_.start[lane] = other ? 0 : x.start;
    shared_.stop[lane] = other ? symbols : x.stop;
    shared_.begin[lane] = x.begin;
    shared_.other[lane] = Span{x.start, x.stop};
    if (lane == 0) shared_.before[kGroup] = total_;
    __syncwarp();
  }

  // Copies cells from to to-1, or through the last; from is one's number.
  __device__ __forceinline__ void copy(uint32_t from, uint32_t to) {
    to = min(to, total_);
    if (from >= to) return;
    number_ = from + lane_id();
    string_ = 0; // the last that begins at number or before it
#pragma unroll
    for (uint32_t d = kGroup / 2; d != 0; d /= 2) {
      if (shared_.before[string_ + d] <= number_) string_ += d;
    }
    enter_string();
    place_ = shuffle(lane_id() == 0 ? first_byte() : 0, 0);
    // A loop of its own for symbols alone: what is loaded is waited for where ways meet.
    if (others_ == 0) {
      copy_steps<false>(from, to);
    } else {
      copy_steps<true>(from, to);
    }
  }

 private:
  template <bool others>
  __device__ __forceinline__ void copy_steps(uint32_t from, uint32_t to) {
    Staged staged = {0, 0, 0};
    uint32_t strings = 0;
    Cell next = load<others>(to);
    for (uint32_t step = from; step < to; step += kWarp) {
      const Cell x = next;
      number_ += kWarp;
      at_ += kWarp * kCell;
      if (number_ < to && number_ >= end_) {
        do string_++;
        while (number_ >= shared_.before[string_ + 1]);
        enter_string();
      }
      next = load<others>(to); // while those before are copied
      put_step(x, step + kWarp < to, &staged, &strings);
    }
  }

  // Bytes that a step may add, with tails, and words that are touched behind them.
  static constexpr uint32_t kMostOfStep = kWarp * (kCell + Notes::kTail) + 32;

  __device__ __forceinline__ void enter_string() {
    start_ = shared_.start[string_];
    stop_ = shared_.stop[string_];
    end_ = shared_.before[string_ + 1];
    at_ = (start_ & ~kScattered & ~(kCell - 1)) + (number_ - shared_.before[string_]) * kCell;
  }

  // Where the text has the first byte of the lane's cell.
  __device__ __forceinline__ uint32_t first_byte() const {
    const uint32_t first = start_ & ~kScattered, begin = shared_.begin[string_];
    if (at_ <= first) return begin;
    return begin + (start_ >= kScattered ? data_count(job_, first, at_) : at_ - first);
  }

  template <bool others>
  __device__ __forceinline__ Cell load(uint32_t to) const {
    Cell x = {{0, 0}, 0, ~0u, string_, false};
    if (number_ >= to) return x;
    x.ends = number_ + 1 == end_;
    x.in = ((1u << min(stop_ - at_, kCell)) - 1) & ~0u << (max(at_, start_ & ~kScattered) - at_);
    if (others && (others_ >> string_ & 1) != 0) {
      Span span = shared_.other[string_];
      if (x.in != 0) x.bytes = other_bytes(text_, span.start, span.end, at_, min(stop_ - at_, kCell));
      return x;
    }
    x.bytes = *reinterpret_cast<const Bytes16*>(text_.source + at_);
    if (start_ >= kScattered) x.data = is_data_[at_ / kCell];
    return x;
  }

  // Stages the cells of a step, and flushes them if the next may have no room; more: there is one.
  __device__ __forceinline__ void put_step(const Cell& x, bool more, Staged* staged, uint32_t* strings) {
    const uint32_t bits = x.in & x.data, tail = Notes::kTail != 0 && x.ends ? 1 : 0;
    uint32_t all, before = scan_warp_exclusive(uint32_t(__popc(int(bits))) + tail, Sum(), &all);
    if (staged->left == 0) {
      staged->base = place_ & ~(kSlice - 1);
      staged->skip = place_ - staged->base;
    }
    uint32_t at = place_ - staged->base + before, n = put(x.bytes, bits, at);
    if (n != 0) notes_.put(at, min(n, 8u), first_row_ + x.i);
    if (n > 8) notes_.put(at + 8, n - 8, first_row_ + x.i);
    if (tail != 0) {
      shared_.stage.put_one(at + n, notes_.tail());
      notes_.end(at + n);
    }
    place_ += all;
    staged->left = place_ - staged->base;
    if (Notes::kTail != 0) *strings += uint32_t(__popc(int(__ballot_sync(kAllLanes, tail != 0))));
    if (staged->left <= kStageBytes - kMostOfStep && more) return;
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

  const Job& job_;
  const uint16_t* is_data_; // of each cell
  const Text& text_;
  WarpShared& shared_;
  uint32_t first_row_, total_;
  uint32_t others_;               // bit i: string i's cells are not of its symbols
  uint32_t number_, string_, at_; // of the lane's cell: its number, its string, and where its symbols or bytes are
  uint32_t start_, stop_, end_;   // of its string, and the number of the cell behind it
  uint32_t place_;                // where the text's next byte goes
  Notes notes_;
};

} // namespace dfaparse
