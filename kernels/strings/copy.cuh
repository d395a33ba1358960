// The strings of a set, copied into its heap. A warp takes kUnit neighbouring rows
// of one text, a row a lane at a time. Groups of strings that are short and lie
// side by side meet in shared memory (stage.cuh). Others are listed, and copied by
// pieces of 16 symbols, a lane each: the warp has as many strings as that are, and
// all warps as much to do.
//
// The heap's 16 bytes around the ends of what a warp has belong to two: each
// writes its own bytes of them.
#pragma once

#include "stage.cuh"

namespace dfaparse {

constexpr uint32_t kGroup = kWarp;              // rows, one a lane
constexpr uint32_t kUnit = 128;                 // rows of a warp: strings.go has it too
constexpr uint32_t kCopyThreads = 256;
constexpr uint32_t kCopyWarps = kCopyThreads / kWarp;
constexpr uint32_t kPiece = 16;                 // symbols
constexpr uint32_t kPartPieces = 256;           // of a group that a warp copies at once: strings.go has it too
constexpr uint32_t kShortString = 64;           // bytes that a lane puts alone

// The strings of a group, one a lane.
struct Group {
  uint32_t begin, n;     // bytes of the text
  uint32_t start, stop;  // the span
  uint32_t from, to;     // bytes of the text that all have
};

// What a warp has in shared memory: a stage, and of each string of a group how many
// pieces those before have; the span of its symbols, with kScattered; and what is to
// be added to a symbol's number, or to the data symbols before it if it is scattered,
// for its place in the text. Of a string whose pieces are not of its symbols, start
// and stop are from 0 to its bytes, and `other` is its span.
struct WarpShared {
  Stage stage;
  uint32_t before[kGroup + 1], start[kGroup], stop[kGroup], base[kGroup];
  Span other[kGroup];
};

__device__ __forceinline__ WarpShared& warp_shared() {
  __shared__ WarpShared shared[kCopyWarps];
  return shared[warp_id()];
}

// What is wanted of strings besides their bytes, and what stands behind each: of
// those of Arrow, nothing.
struct NoNotes {
  static constexpr uint32_t kTail = 0; // bytes behind each string, 0 or 1
  __device__ __forceinline__ uint32_t tail() const { return 0; }
  // n bytes that are put to byte `at` of the stage are of row, 0 < n <= 8.
  __device__ __forceinline__ void put(uint32_t at, uint32_t n, uint32_t row) {}
  // A string's last is.
  __device__ __forceinline__ void end(uint32_t at) {}
  // 16 bytes are flushed, then all that is staged: so many strings' ends, of rows from first_row on.
  __device__ __forceinline__ void slice(Bytes16 bytes) {}
  __device__ __forceinline__ void flush(uint64_t place, const Staged& x, uint32_t first_row, uint32_t strings) {}
};

// Where strings that lie side by side are read: in memory.
struct InMemory {
  __device__ __forceinline__ uint64_t load(const uint8_t* source, uint32_t at, uint32_t n) const { return load8(source + at, n); }
  __device__ __forceinline__ Bytes16 load_more(const uint8_t* source, uint32_t at, uint32_t n) const { return load16(source + at, n); }
};

__device__ __forceinline__ bool is_scattered(uint32_t start) { return start >= kScattered && start < kDefaultText; }

// By a whole warp: whether a group's strings can be staged: they lie side by
// side, and each is short.
template <class Notes>
__device__ __forceinline__ bool is_short(const Text& text, const Group& x) {
  bool plain = x.n <= kShortString && (x.n <= Notes::kTail || x.start < kScattered);
  return text.encoding == kAsIs && x.to - x.from <= kStageBytes - 3 * kSlice && __ballot_sync(kAllLanes, !plain) == 0;
}

// A byte of ones for each of four bits.
__device__ __forceinline__ uint32_t ones_of(uint32_t bits) { return ((bits & 0xf) * 0x00204081u & 0x01010101u) * 0xffu; }

__device__ __forceinline__ Bytes16 masked(Bytes16 x, uint32_t bits) {
  x.low &= uint64_t(ones_of(bits >> 4)) << 32 | ones_of(bits);
  x.high &= uint64_t(ones_of(bits >> 12)) << 32 | ones_of(bits >> 8);
  return x;
}

// Stages them; the stage begins at byte base of the text. Where all have few bytes,
// a lane puts 8 at a time, else 16.
template <class Source, class Notes>
__device__ __forceinline__ void stage_group(const Text& text, const Source& source, const Group& x, uint32_t row, uint32_t base, Stage& stage, Notes& notes) {
  uint32_t at = x.begin - base, symbols = x.n - Notes::kTail;
  if (__ballot_sync(kAllLanes, x.n > 8) == 0) {
    if (x.n == 0) return;
    uint64_t bytes = 0;
    if (symbols != 0) bytes = source.load(text.source, x.start, symbols) & ~uint64_t(0) >> (64 - 8 * symbols);
    if (Notes::kTail != 0) bytes |= uint64_t(notes.tail()) << 8 * symbols;
    stage.put(at, bytes);
    notes.put(at, x.n, row);
    notes.end(at + x.n - 1);
    return;
  }
  for (uint32_t i = 0; i < x.n; i += kSlice) {
    uint32_t n = min(symbols - i, kSlice);
    Bytes16 bytes = {0, 0};
    if (n != 0) bytes = masked(source.load_more(text.source, x.start + i, n), (1u << n) - 1);
    if (Notes::kTail != 0 && n < kSlice) (n < 8 ? bytes.low : bytes.high) |= uint64_t(notes.tail()) << 8 * (n & 7);
    stage.put(int32_t(at + i), bytes);
    notes.put(at + i, min(x.n - i, 8u), row);
    if (x.n - i > 8) notes.put(at + i + 8, min(x.n - i - 8, 8u), row);
  }
  if (x.n != 0) notes.end(at + x.n - 1);
}

// Whether a string's pieces are of its symbols where they are; if not, they are of
// the bytes that it stands for.
__device__ __forceinline__ bool is_of_symbols(const Text& text, uint32_t start, uint32_t symbols) {
  return text.encoding == kAsIs && start < kDefaultText && symbols != 0;
}

template <class Notes>
__device__ __forceinline__ uint32_t pieces_of(const Text& text, const Group& x) {
  if (x.n == 0) return 0;
  uint32_t symbols = x.n - Notes::kTail, first = x.start & ~kScattered & ~(kPiece - 1);
  if (is_of_symbols(text, x.start, symbols)) return (x.stop - first + kPiece - 1) / kPiece;
  return max((symbols + kPiece - 1) / kPiece, 1u);
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

// A piece as it is loaded: of string i, the symbols from p on, with data_bits and
// data_before of their chunk, or bytes from number p on.
struct Piece {
  Bytes16 bytes;
  uint64_t bits;
  uint32_t before, i, p;
};

// Copies the pieces of a group, by a whole warp.
template <class Notes>
class PieceCopier {
 public:
  __device__ PieceCopier(const Job& job, const Text& text, const Group& x, uint32_t first_row, const Notes& notes)
      : is_data_(reinterpret_cast<const uint64_t*>(job.is_data)), before_(job.data_before), text_(text), shared_(warp_shared()), first_row_(first_row),
        notes_(notes) {
    uint32_t lane = lane_id(), symbols = x.n - Notes::kTail, first = x.start & ~kScattered;
    first_piece_ = scan_warp_exclusive(pieces_of<Notes>(text, x), Sum(), &total_);
    bool some = x.n != 0, other = some && !is_of_symbols(text, x.start, symbols), scattered = some && !other && x.start >= kScattered;
    others_ = __ballot_sync(kAllLanes, other);
    __syncwarp(); // what is there has been read
    shared_.before[lane] = first_piece_;
    shared_.start[lane] = other ? 0 : x.start;
    shared_.stop[lane] = other ? symbols : x.stop;
    shared_.base[lane] = x.begin - (other ? 0 : scattered ? data_rank(job, first) : first);
    shared_.other[lane] = Span{x.start, x.stop};
    if (lane == 0) shared_.before[kGroup] = total_;
    __syncwarp();
  }

  // Pieces from to to-1, or through the last; from is one's number.
  __device__ __forceinline__ void copy(uint32_t from, uint32_t to) {
    to = min(to, total_);
    Staged staged = {0, 0, 0};
    uint32_t strings = 0;
    Piece x = {{0, 0}, 0, 0, 0, 0};
    for (uint32_t step = from; step < to + kWarp; step += kWarp) {
      Piece next = load(step, to); // while those before are copied
      if (step != from) put_step(x, step - kWarp, to, &staged, &strings);
      x = next;
    }
  }

 private:
  // Bytes that a step may add, with tails, and words that are touched behind them.
  static constexpr uint32_t kMostOfStep = kWarp * (kPiece + Notes::kTail) + 32;

  // The string of the lane's piece.
  __device__ __forceinline__ uint32_t string_of(uint32_t step) const {
    uint32_t number = step + lane_id();
    uint32_t i = uint32_t(__popc(int(__ballot_sync(kAllLanes, first_piece_ <= step)))) - 1;
    uint32_t last = uint32_t(__popc(int(__ballot_sync(kAllLanes, first_piece_ < step + kWarp)))) - 1;
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

  __device__ __forceinline__ Piece load(uint32_t step, uint32_t to) const {
    Piece x = {{0, 0}, 0, 0, 0, 0};
    if (step >= to) return x;
    x.i = string_of(step);
    uint32_t number = step + lane_id(), start = shared_.start[x.i];
    x.p = (start & ~kScattered & ~(kPiece - 1)) + (number - shared_.before[x.i]) * kPiece;
    if (number >= to) return x;
    x.bits = ~uint64_t(0);
    x.before = x.p & ~(kChunk - 1);
    if (others_ >> x.i & 1) {
      Span span = shared_.other[x.i];
      uint32_t n = min(shared_.stop[x.i] - x.p, kPiece);
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

  // Stages the pieces of a step, and flushes them if the next may have no room.
  __device__ __forceinline__ void put_step(const Piece& x, uint32_t step, uint32_t to, Staged* staged, uint32_t* strings) {
    bool in = step + lane_id() < to, ends = in && step + lane_id() + 1 == shared_.before[x.i + 1];
    uint32_t first = shared_.start[x.i] & ~kScattered, skip = max(x.p, first) - x.p, in_chunk = x.p % kChunk;
    uint32_t bits = ((1u << min(shared_.stop[x.i] - x.p, kPiece)) - 1) & ~0u << skip & uint32_t(x.bits >> in_chunk);
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
    uint32_t n = uint32_t(__popc(int(bits))), first = bits != 0 ? uint32_t(__ffs(int(bits))) - 1 : 0, skip = (1u << first) - 1;
    bits |= skip;
    while ((bits & (bits + 1)) != 0) { // few have what is no data between
      uint32_t i = uint32_t(__ffs(int(~bits))) - 1, below = (1u << i) - 1;
      uint64_t low = low_bits(8 * min(i, 8u)), high = i <= 8 ? 0 : low_bits(8 * (i - 8));
      bytes.low = (bytes.low & low) | ((bytes.low >> 8 | bytes.high << 56) & ~low);
      bytes.high = (bytes.high & high) | (bytes.high >> 8 & ~high);
      bits = (bits & below) | (bits >> 1 & ~below);
    }
    shared_.stage.put(int32_t(at) - int32_t(first), masked(bytes, bits & ~skip));
    return n;
  }

  const uint64_t* is_data_;
  const uint32_t* before_;
  const Text& text_;
  WarpShared& shared_;
  uint32_t first_row_, first_piece_, total_;
  uint32_t others_; // bit i: string i's pieces are not of its symbols
  Notes notes_;
};

// The groups that are not staged, in parts. The scratch memory is that of
// scan_texts, which is done with it: the second word of its header, zero before,
// counts the parts, which lie behind the header. If there is no room for some,
// the third word, zero before, is set.
struct LongParts {
  uint32_t* count;
  uint32_t* full;
  uint4* parts; // text, group, pieces from, to
  uint32_t capacity;

  __device__ explicit LongParts(const Job& job)
      : count(static_cast<uint32_t*>(job.scratch) + 1), full(count + 1),
        parts(reinterpret_cast<uint4*>(static_cast<uint8_t*>(job.scratch) + kOffsetsHeader)),
        capacity(uint32_t(min((job.scratch_size - kOffsetsHeader) / sizeof(uint4), uint64_t(0x7fffffffu)))) {}

  // By a whole warp: groups from `first` on, a lane each, that have so many pieces.
  __device__ void add(uint32_t text, uint32_t first, uint32_t pieces) const {
    uint32_t parts_of = (pieces + kPartPieces - 1) / kPartPieces, total, before = scan_warp_exclusive(parts_of, Sum(), &total);
    uint32_t at = lane_id() == 0 ? atomicAdd(count, total) : 0;
    at = shuffle(at, 0);
    if (at >= capacity || total > capacity - at) {
      *full = 1;
      return;
    }
    for (uint32_t left = __ballot_sync(kAllLanes, pieces != 0); left != 0; left &= left - 1) {
      uint32_t k = uint32_t(__ffs(int(left))) - 1, n = shuffle(parts_of, k), size = (shuffle(pieces, k) + n - 1) / n, to = at + shuffle(before, k);
      for (uint32_t i = lane_id(); i < n; i += kWarp) parts[to + i] = make_uint4(text, first + k, i * size, (i + 1) * size);
    }
  }
};

template <class Set>
__device__ __forceinline__ Text placed_text(const Set& set, uint32_t i, uint32_t rows) {
  const uint32_t* counters = set.counters(i);
  Text text = set.text(i);
  text.bytes = counters[5] != 0 ? 0 : counters[2];
  text.rows = rows;
  text.place = heap_offset(counters);
  text.to = set.heap() + text.place;
  return text;
}

// A group but for its strings' ends, which mostly are not needed, and those.
__device__ __forceinline__ Group group_of(const Text& text, uint32_t number) {
  Group x;
  uint32_t row = number * kGroup + lane_id();
  bool in = row < text.rows;
  x.begin = in ? text.offsets[row] : text.bytes;
  x.start = in ? text.span_start[row] : 0;
  x.stop = 0;
  x.to = text.offsets[min(number * kGroup + kGroup, text.rows)];
  x.from = shuffle(x.begin, 0);
  uint32_t next = shuffle_down(x.begin, 1);
  x.n = (lane_id() == kWarp - 1 ? x.to : next) - x.begin;
  return x;
}

__device__ __forceinline__ void find_ends(const Text& text, uint32_t number, Group* x) {
  uint32_t row = number * kGroup + lane_id();
  if (row < text.rows) x->stop = text.span_end[row];
}

// By a whole warp: the rows of a unit of text number i, but for groups that are
// listed. The stage is clear, and is left so.
template <class Source, class Notes>
__device__ __forceinline__ void copy_unit(const Job& job, const Text& text, uint32_t i, uint32_t unit, const Source& source, Notes& notes) {
  Stage& stage = warp_shared().stage;
  uint32_t groups = (text.rows + kGroup - 1) / kGroup, first = unit * (kUnit / kGroup), end = min(first + kUnit / kGroup, groups);
  Group next = group_of(text, first);
  Staged staged = {0, 0, 0};
  uint32_t strings = 0; // that are staged
  uint32_t listed = 0;  // pieces of the group that the lane has
  auto flush = [&] {
    if (staged.left == 0) return;
    stage.flush(text.to, staged, [&](Bytes16 bytes) { notes.slice(bytes); });
    notes.flush(text.place, staged, unit * kUnit, strings);
    staged.left = strings = 0;
  };
  for (uint32_t g = first; g < end; g++) {
    Group x = next;
    if (g + 1 < end) next = group_of(text, g + 1);
    if (g == groups - 1) { // what is behind the last string is 0
      for (uint32_t at = x.to + lane_id(); at < heap_size_of(x.to); at += kWarp) text.to[at] = 0;
    }
    if (x.from == x.to) continue;
    bool fits = is_short<Notes>(text, x);
    if (!fits || x.to - staged.base > kStageBytes - 2 * kSlice) flush();
    if (!fits) {
      uint32_t pieces;
      find_ends(text, g, &x);
      scan_warp_exclusive(pieces_of<Notes>(text, x), Sum(), &pieces);
      if (lane_id() == g - first) listed = pieces;
      continue;
    }
    if (staged.left == 0) {
      staged.base = x.from & ~(kSlice - 1);
      staged.skip = x.from - staged.base;
    }
    staged.left = x.to - staged.base;
    strings += min(kGroup, text.rows - g * kGroup);
    stage_group(text, source, x, g * kGroup + lane_id(), staged.base, stage, notes);
  }
  flush();
  if (__ballot_sync(kAllLanes, listed != 0) != 0) LongParts(job).add(i, first, listed);
}

// Fills the heap of a set, but for groups that are listed. Any grid: the warps take
// the units of all texts in turn.
template <class Set>
__device__ inline void copy_texts(const Job& job, const Set& set, uint32_t rows) {
  uint32_t units = (rows + kUnit - 1) / kUnit, texts = set.count(), warps = gridDim.x * kCopyWarps;
  uint32_t unit = blockIdx.x * kCopyWarps + warp_id(), i = 0, at_hand = 0xffffffffu;
  if (units == 0) return;
  warp_shared().stage.clear();
  Text text;
  NoNotes notes;
  for (;; unit += warps) {
    for (; i < texts; i++) {
      if (set.offsets(i) == nullptr || set.counters(i)[5] != 0) continue;
      if (unit < units) break;
      unit -= units;
    }
    if (i == texts) return;
    if (i != at_hand) text = placed_text(set, i, rows);
    at_hand = i;
    copy_unit(job, text, i, unit, InMemory(), notes);
  }
}

// Copies what is listed; if the list has no room for some, all that would be.
template <class Set, class Notes>
__device__ inline void copy_long(const Job& job, const Set& set, uint32_t rows, const Notes& notes) {
  LongParts list(job);
  bool full = *list.full != 0;
  uint32_t groups = (rows + kGroup - 1) / kGroup, warps = gridDim.x * kCopyWarps, warp = blockIdx.x * kCopyWarps + warp_id();
  uint64_t n = full ? uint64_t(groups) * set.count() : *list.count;
  if (warp >= n) return;
  warp_shared().stage.clear();
  for (uint64_t k = warp; k < n; k += warps) {
    uint4 part = full ? make_uint4(uint32_t(k / groups), uint32_t(k % groups), 0, 0xffffffffu) : list.parts[k];
    if (full && (set.offsets(part.x) == nullptr || set.counters(part.x)[5] != 0)) continue;
    Text text = placed_text(set, part.x, rows);
    Group x = group_of(text, part.y);
    if (full && (x.from == x.to || is_short<Notes>(text, x))) continue;
    find_ends(text, part.y, &x);
    PieceCopier<Notes>(job, text, x, part.y * kGroup, notes).copy(part.z, part.w);
  }
}

} // namespace dfaparse
