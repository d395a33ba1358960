// The records of a warp of lines.cu: each stepped by one lane, their fields, and
// values from these.
#pragma once

#define DFAPARSE_LINES
#include "tile.cuh"

namespace dfaparse {

// A transition. Its lowest bits are the next state times groups; the highest says
// that the others count.
enum LineBits : uint32_t {
  kLineNext = 0xfff,
  kLineColumn = 12, // 8 bits: number of the field that ends, or one of the two below
  kLineLag = 20,    // 5 bits: how far before the symbol it ends
  kLineClass = 25,  // 3 bits: its class
  kLineWhat = 3u << 28,
  kLineField = 0u << 28, // a field ends
  kLineSkip = 1u << 28,  // the symbol is no data; kLineEscape: it belongs to the field even where that begins
  kLineBad = 2u << 28,   // the record's row is left
  kLineOther = 3u << 28, // the record is no row: not for this path
  kLineRecord = 1u << 30, // the record ends
  kLineEvent = 1u << 31,
  kLineEscape = 1u << kLineColumn,
  kLineStays = 1u << 28, // nothing counts, and the state is one that few symbols leave, and stays, see LineExits
};
// It is the one after that before; and so it is, and the next one begins with the symbol.
constexpr uint32_t kLineNextColumn = 0xff, kLineOpens = 0xfe;
constexpr uint32_t kLineMostLag = 31, kLineMostClass = 7;
constexpr uint32_t kLineTransitions = kLineNext + 1;
// What a step asks of a transition, in 16 bits: the lowest as above, the two highest, and
// that the state stays.
constexpr uint32_t kShortShift = 16, kShortFlags = (kLineRecord | kLineEvent) >> kShortShift;
constexpr uint32_t kShortStays = kLineStays >> kShortShift;
__device__ __forceinline__ uint16_t short_line(uint32_t line) {
  return uint16_t((line & kLineNext) | (line >> kShortShift & (line & kLineEvent ? kShortFlags : kShortStays)));
}

// The symbols that leave a state, four times each, beside the one that ends records: one, or
// two. All others are data and leave it as it is.
struct LineExits {
  uint32_t a, b;
};

// A column that is taken apart: the number of its field, and of its first part; the hop
// that its values begin with, 0: none; how many null tokens it has.
struct LineSplit {
  uint32_t field, first, hop, ntokens;
};
constexpr uint32_t kLineSplits = 4; // of these in shared memory

constexpr uint32_t kLineLongest = 0x7f00; // where a record ends at the latest, in a warp's memory
constexpr uint32_t kLineRoom = 16;        // events of a lane that have been met, but not looked at

// The dynamic shared memory of dfa_lines: this, the transitions, of 16 bits each, what else
// all records are read by, and a pool for each warp.
struct alignas(16) LineBlock {
  PointPlace places[kPlaces];
  // As they were given, but for where what lies in shared memory is.
  Job job;
  Delivery delivery;
  Fused fused;
  uint8_t groups[256];
  uint8_t classes[256]; // per number of a field that it must have, 0: any
  uint32_t pools;       // where the first pool begins, in bytes from here
  uint32_t pool;        // bytes of each
  uint32_t words;       // where in a pool the symbols are
  uint32_t room;        // for so many of them, a multiple of 16; behind them are 16 bytes
  uint32_t inverse;     // times a state's place in the transitions: 2^16 times the state
  uint32_t hops;        // where the hops are, in bytes from here
  uint32_t texts;       // and what is of texts, LineText, 0: nothing
  uint32_t none;
  LineSplit splits[kLineSplits];
};
constexpr uint32_t kLineOutputs = 64; // in shared memory, numbers and texts

// What is asked of a text again and again.
struct alignas(16) LineText {
  uint32_t *starts, *ends; // spans by row
  uint32_t *offsets;       // of the output that is the text as it is, nullptr: there is none; and its
  uint32_t* valid;
  const Output* output;
  uint4* views; // of the output, if it has some
  uint16_t field, flags;
  uint32_t lengths; // of null tokens, bits; the last one is of longer ones too
  uint32_t alone;   // the symbol that is the only null token, kNoSymbols: there is no token, or kNoQuick: see take_texts
  uint32_t none;
};
constexpr uint32_t kNoSymbols = 0x100, kNoQuick = 0x101; // in LineText.alone
static_assert(kTrim < 1u << 16 && kRequired < 1u << 16 && kHasDefault < 1u << 16 && kEmptyIsNull < 1u << 16 && kKeepUTF8 < 1u << 16, "they have room");

__device__ __forceinline__ LineText line_text(const Delivery& delivery, const Fused& fused, uint32_t text) {
  const uint64_t at = (uint64_t)fused.text_column[text] * delivery.capacity;
  const uint32_t made = fused.text_output[text];
  LineText x{delivery.span_start + at, delivery.span_end + at, nullptr, nullptr, nullptr, nullptr, (uint16_t)fused.text_field[text], 0, 0, kNoQuick, 0};
  if (made == kNoOutput) return x;
  x.output = delivery.outputs + made;
  x.offsets = x.output->offsets;
  x.valid = x.output->valid;
  x.views = static_cast<uint4*>(x.output->views);
  x.flags = (uint16_t)x.output->flags;
  const uint32_t* token = (const uint32_t*)x.output->tokens;
  for (uint32_t i = 0; i < x.output->ntokens; i++) {
    x.lengths |= 1u << min(*token, 31u);
    token += 1 + (*token + 3) / 4;
  }
  if ((x.flags & (kTrim | kRequired | kHasDefault)) == 0) {
    if (x.output->ntokens == 0) x.alone = kNoSymbols;
    if (x.output->ntokens == 1 && x.lengths == 1u << 1) x.alone = ((const uint8_t*)x.output->tokens)[4];
  }
  return x;
}

// The records that a warp has at once. In its pool, fields lie behind, and the symbols
// of the records. What of a record has no room is read from
// where it is.
struct LineWarp {
  uint32_t first;  // row of the first
  uint32_t count;
  uint32_t low;    // the row of bit 0 of its word in a bitmap
  uint32_t blocks; // of 32 rows from low on
  uint32_t origin; // offset of the memory's first symbol
  uint32_t end;    // so many symbols are there
  uint32_t ascii;  // not 0: all are ASCII
  uint32_t hops;   // not 0: records may be read by hops
  // [record*line_pitch + number] start << 16 | end, in the memory, and kLineScattered if Job.is_data
  // says which of its symbols are data; or one of the two below
  uint32_t fields[4];
};
constexpr uint32_t kLineFixed = sizeof(LineWarp) - sizeof(LineWarp::fields);

// In place of a field: its record has none of this number, or is left as a whole.
// Both begin behind their ends.
constexpr uint32_t kLineAbsent = 0xffff0000u, kLineLeft = 0xffff0001u;
// So such a field ends behind the memory, and what makes values of what is there leaves it.
constexpr uint32_t kLineScattered = 0x8000;

__device__ __forceinline__ LineBlock& line_block() { return *reinterpret_cast<LineBlock*>(fused_shared); }
__device__ __forceinline__ const uint16_t* line_transitions() { return reinterpret_cast<const uint16_t*>(&line_block() + 1); }
__device__ __forceinline__ LineWarp& line_warp() {
  return *reinterpret_cast<LineWarp*>(reinterpret_cast<uint8_t*>(fused_shared) + line_block().pools + warp_id() * line_block().pool);
}
__device__ __forceinline__ uint32_t* line_words() { return reinterpret_cast<uint32_t*>(reinterpret_cast<uint8_t*>(&line_warp()) + line_block().words); }

// The warp's symbols as a converter's memory, and where the parts are.
struct TileWords {
  const uint32_t* words;
  __device__ __forceinline__ TileWords() : words(line_words()) {}
  __device__ __forceinline__ uint32_t operator[](uint32_t i) const { return words[i]; }
};
struct TileAddress {
  SharedAddress words, places; // places: of the first with a point
  __device__ __forceinline__ TileAddress() : words(address_of(line_words())), places(address_of(line_block().places + 1)) {}
};

} // namespace dfaparse

#include "../convert/fetch.cuh"
#include "../split/parts.cuh"
#include "kinds.cuh"

namespace dfaparse {

// The field of a lane: that of one column in one of 32 rows.
struct LinePlace {
  uint32_t row, k; // k: of the record
  __device__ __forceinline__ LinePlace(const LineWarp& rows, uint32_t block) : row(rows.low + block * 32 + lane_id()), k(row - rows.first) {}
  __device__ __forceinline__ bool here(const LineWarp& rows) const { return k < rows.count; }
  __device__ __forceinline__ uint32_t field(uint32_t pitch, uint32_t column) const { return line_warp().fields[k * pitch + column]; }
  __device__ __forceinline__ void next() {
    row += 32;
    k += 32;
  }
};

// The highest bits of those bytes of x that are neither blanks nor tabs.
__device__ __forceinline__ uint32_t not_blank(uint32_t x) {
  const uint32_t low = 0x7f7f7f7fu, space = x ^ 0x20202020u, tab = x ^ 0x09090909u;
  return (((space & low) + low) | space) & (((tab & low) + low) | tab) & ~low;
}

// Cuts off the blanks around a field that is in the memory, four at a time.
__device__ __forceinline__ void trim_line(uint32_t* start, uint32_t* stop) {
  const SharedAddress words = address_of(line_words());
  auto symbols = [=](uint32_t p) { return __funnelshift_r(load32(words + (p & ~3u)), load32(words + (p & ~3u) + 4), 8 * (p & 3)); };
  uint32_t from = *start, to = *stop;
  while (from < to) {
    const uint32_t some = not_blank(symbols(from));
    from += some != 0 ? ((uint32_t)__ffs((int)some) - 1) / 8 : 4;
    if (some != 0) break;
  }
  from = min(from, to);
  while (from < to) { // the last four, of which those before the field's begin are taken for none
    const uint32_t n = min(to - from, 4u), some = not_blank(symbols(to - n) << 8 * (4 - n)) & ~0u << 8 * (4 - n);
    to -= some != 0 ? (uint32_t)__clz((int)some) / 8 : n;
    if (some != 0) break;
  }
  *start = from;
  *stop = to;
}

// Settles 32 rows of which a kind has not decided all, by a whole warp: done
// says that the lane's row is stored and valid.
__device__ __noinline__ void settle_lines(const Output& output, uint32_t pitch, uint32_t column, uint32_t block, bool done) {
  const LineWarp& rows = line_warp();
  LinePlace place(rows, block);
  bool here = place.here(rows), truth = false;
  Decision decision = done ? kValid : kNull;
  if (here && !done) {
    Value value{0, 0};
    uint32_t field = place.field(pitch, column), start = field >> 16, end = field & 0xffff;
    if (start > end) {
      if (output.flags & kHasDefault) {
        value = Value{output.default_value[0], output.default_value[1]};
        decision = kValid;
      } else if ((output.flags & kRequired) && field == kLineAbsent) {
        decision = kLeft;
      }
    } else {
      decision = kLeft; // what is not in memory
      if (end <= rows.end) decision = decide(output, FieldIn<TileWords>{TileWords(), start, end - start}, &value);
    }
    store(output, place.row, value);
    truth = (value.lo & 1) != 0;
  }
  uint32_t all = __ballot_sync(kAllLanes, here), valid = __ballot_sync(kAllLanes, decision == kValid);
  uint32_t left = __ballot_sync(kAllLanes, decision == kLeft), bits = __ballot_sync(kAllLanes, truth);
  if (lane_id() != 0) return;
  uint32_t word = place.row / 32;
  if (output.width == 0) atomicOr(static_cast<uint32_t*>(output.fixed) + word, bits); // Bool
  if (valid != 0) atomicOr(&output.valid[word], valid);
  uint32_t nulls = (uint32_t)__popc(all & ~valid & ~left);
  if (nulls != 0) atomicAdd(&output.counters[0], nulls);
  if (left != 0) {
    atomicOr(&output.todo[word], left);
    atomicAdd(&output.counters[1], (uint32_t)__popc(left));
  }
}

// As convert_run.
template <class Kind, uint32_t width>
__device__ __noinline__ void convert_lines_run(const Output& output, uint32_t pitch, uint32_t column, uint32_t block, uint32_t end) {
  uint32_t pending = 0, decided = 0;
  {
    TileAddress tile;
    const LineWarp& rows = line_warp();
    Kind kind(output);
    LinePlace place(rows, block);
    uint32_t lane = lane_id(), nulls = 0;
    const bool trims = (output.flags & kTrim) != 0;
    // Null tokens are no values in such a notation: see formOf in runtime/gpu/fused.go.
    const bool none_is_null = (output.flags & (kRequired | kHasDefault)) == 0, asks = none_is_null && output.ntokens != 0;
    const bool empty_is_null = none_is_null && (output.flags & kEmptyIsNull) != 0;
    uint8_t* to = static_cast<uint8_t*>(output.fixed) + (uint64_t)place.row * width;
    uint32_t* valid = output.valid + place.row / 32;
    for (uint32_t i = 0; i < end - block; i++, place.next(), to += 32 * width, valid++) {
      bool done = false, here = place.here(rows), null = false;
      if (here) {
        uint32_t field = place.field(pitch, column), at = field >> 16, stop = field & 0xffff;
        if (trims && stop <= rows.end) trim_line(&at, &stop);
        const uint32_t n = stop - at;
        null = (n == 0 && empty_is_null) || (at > stop && none_is_null);
        Value value{0, 0};
        done = n - 1 < kHead && stop <= rows.end && kind.convert(tile, at, n, &value);
        if (asks && !done && n - 1 < kHead && stop <= rows.end) null = is_null_token(output, FieldIn<TileWords>{TileWords(), at, n});
        if (null) value = Value{0, 0};
        store_value<width>(to, value);
      }
      uint32_t is = __ballot_sync(kAllLanes, done);
      if (is == kAllLanes) {
        if (lane == 0) *valid = is;
        continue;
      }
      uint32_t all = __ballot_sync(kAllLanes, here), is_null = __ballot_sync(kAllLanes, null);
      if ((is | is_null) != all) {
        pending |= 1u << i;
        decided |= (uint32_t)done << i;
      } else {
        nulls += (uint32_t)__popc(is_null);
        if (lane == 0 && is != 0) atomicOr(valid, is);
      }
    }
    if (nulls != 0 && lane == 0) atomicAdd(&output.counters[0], nulls);
  }
  for (; pending != 0; pending &= pending - 1) {
    uint32_t i = (uint32_t)__ffs((int)pending) - 1;
    settle_lines(output, pitch, column, block + i, decided >> i & 1);
  }
}

__device__ __forceinline__ void convert_lines(const Output& output, uint32_t form, uint32_t pitch, uint32_t column, uint32_t block, uint32_t end) {
  switch (form) {
  case kFormDouble: return convert_lines_run<DoubleKind, 8>(output, pitch, column, block, end);
  case kFormInt32: return convert_lines_run<IntegerKind<true>, 4>(output, pitch, column, block, end);
  case kFormInt64: return convert_lines_run<IntegerKind<true>, 8>(output, pitch, column, block, end);
  case kFormUint32: return convert_lines_run<IntegerKind<false>, 4>(output, pitch, column, block, end);
  case kFormUint64: return convert_lines_run<IntegerKind<false>, 8>(output, pitch, column, block, end);
  case kFormDecimal: return convert_lines_run<DecimalKind, 16>(output, pitch, column, block, end);
  case kFormClock32: return convert_lines_run<ClockKind, 4>(output, pitch, column, block, end);
  case kFormClock64: return convert_lines_run<ClockKind, 8>(output, pitch, column, block, end);
  case kFormInt8:
  case kFormUint8: return convert_lines_run<NarrowKind, 1>(output, pitch, column, block, end);
  case kFormInt16:
  case kFormUint16: return convert_lines_run<NarrowKind, 2>(output, pitch, column, block, end);
  case kFormIP: return convert_lines_run<AddressKind, 16>(output, pitch, column, block, end);
  case kFormEnum: return convert_lines_run<EnumKind, 4>(output, pitch, column, block, end);
  case kFormLayout32: return convert_lines_run<LayoutKind, 4>(output, pitch, column, block, end);
  case kFormLayout64: return convert_lines_run<LayoutKind, 8>(output, pitch, column, block, end);
  case kFormPlaced32: return convert_lines_run<PlacedKind, 4>(output, pitch, column, block, end);
  case kFormPlaced64: return convert_lines_run<PlacedKind, 8>(output, pitch, column, block, end);
  }
  for (; block < end; block++) settle_lines(output, pitch, column, block, false);
}

// Spans of the warp's texts, and, where nothing has to be looked at any more, the lengths of the
// strings. Rows of which not all is known are dfa_convert's: see kPartly there. One function for
// all texts, which keeps what is of the records in registers.
__device__ __noinline__ void take_texts() {
  const LineBlock& block = line_block();
  const LineWarp& rows = line_warp();
  const uint32_t ntexts = (uint32_t)block.fused.ntexts, pitch = block.fused.line_pitch, origin = rows.origin, end = rows.end, blocks = rows.blocks;
  const bool ascii = rows.ascii != 0;
  const LinePlace first(rows, 0);
  const SharedAddress fields = address_of(rows.fields) + (int32_t)(4 * first.k * pitch); // maybe before them
  const SharedAddress words = address_of(line_words());
  const LineText* texts = reinterpret_cast<const LineText*>(reinterpret_cast<const uint8_t*>(&block) + block.texts);
#pragma unroll 1
  for (uint32_t text = 0; text < ntexts; text++) {
    const LineText x = block.texts != 0 ? texts[text] : line_text(block.delivery, block.fused, text);
    const uint32_t flags = x.flags;
    const bool right = ascii || (flags & kKeepUTF8) != 0; // symbols in the memory are UTF-8
    uint4* const views = x.views;
    const bool quick = right && x.alone != kNoQuick;
    SharedAddress from = fields + 4 * x.field;
    uint32_t nulls = 0;
    LinePlace place = first;
#pragma unroll 1
    for (uint32_t i = 0; i < blocks; i++, place.next(), from += 128 * pitch) {
      const bool here = place.here(rows);
      bool done = false, null = false;
      if (quick) { // nothing is to be looked at but the null token, unless some text is not in the memory
        const uint32_t field = here ? load32(from) : kLineAbsent, start = field >> 16, stop = field & 0xffff, n = stop - start;
        const bool is = field < kLineAbsent;
        if (__ballot_sync(kAllLanes, is && stop > end) == 0) {
          null = !is || (n == 0 && (flags & kEmptyIsNull) != 0);
          if (is && n == 1) null = load_byte(words + start) == x.alone;
          const uint32_t size = null ? 0 : n;
          if (here) {
            x.offsets[place.row] = views != nullptr ? 0 : size;
            if (views != nullptr) {
              views[place.row] = view_in(words, null ? 0 : start, size, origin);
            } else {
              x.starts[place.row] = is ? origin + start : kAbsent;
              x.ends[place.row] = is ? origin + stop : 0;
            }
          }
          const uint32_t valid = __ballot_sync(kAllLanes, here && !null);
          nulls += (uint32_t)__popc(__ballot_sync(kAllLanes, here && null));
          if (lane_id() == 0) add_bits(x.valid + place.row / 32, valid);
          continue;
        }
      }
      if (here) {
        const uint32_t field = load32(from);
        uint32_t start = field >> 16, stop = field & 0xffff;
        const bool is = field < kLineAbsent, there = stop <= end, scattered = is && (stop & kLineScattered) != 0;
        if ((flags & kTrim) && is && there) trim_line(&start, &stop);
        const uint32_t n = stop - start;
        if (x.output != nullptr) {
          done = !is || (right && there);
          null = !is;
          if (is && done) null = (n == 0 && (flags & kEmptyIsNull)) || ((x.lengths >> min(n, 31u) & 1) != 0 && is_null_token(*x.output, FieldIn<TileWords>{TileWords(), start, n}));
          if (null && (flags & (kRequired | kHasDefault))) done = false;
          if (done) x.offsets[place.row] = null || views != nullptr ? 0 : n;
          if (views != nullptr) views[place.row] = done && !null ? view_in(words, start, n, origin) : make_uint4(0, 0, 0, 0);
        }
        if (!done || views == nullptr) {
          x.starts[place.row] = is ? (origin + start) | (scattered ? kScattered : 0) : kAbsent;
          x.ends[place.row] = is ? origin + (stop & ~kLineScattered) : 0;
        }
      }
      if (x.output == nullptr) continue;
      const uint32_t valid = __ballot_sync(kAllLanes, done && !null), none = __ballot_sync(kAllLanes, done && null), todo = __ballot_sync(kAllLanes, here && !done);
      nulls += (uint32_t)__popc(none);
      if (lane_id() == 0) {
        add_bits(x.valid + place.row / 32, valid);
        if (todo != 0) note_undone(block.job, *x.output, place.row, todo);
      }
    }
    if (nulls != 0 && lane_id() == 0) atomicAdd(&x.output->counters[0], nulls);
  }
}

// Cuts a record that has been stepped as one field into columns of fixed width;
// false: it has not as many as it must, or is longer than all of them.
__device__ __forceinline__ bool cut_by_width(const Delivery& delivery, uint32_t* to) {
  uint32_t at = to[0] >> 16, n = 0;
  const uint32_t end = to[0] & 0xffff;
  to[0] = kLineAbsent;
  for (; n < delivery.nwidths && at < end; n++) {
    const uint32_t stop = at + min(delivery.widths[n], end - at);
    to[n] = at << 16 | stop;
    at = stop;
  }
  return n >= delivery.min_fields && at == end;
}

// Puts the parts of a value behind a record's fields.
struct PutLineParts {
  uint32_t* to;
  uint32_t value; // where it starts in the memory
  __device__ __forceinline__ void operator()(uint32_t part, uint32_t start, uint32_t end) const { to[part] = (value + start) << 16 | (value + end); }
};

// Takes the value at start to stop-1 of the memory apart, whose parts are `to`, and absent so far;
// false: the row is left.
__device__ __noinline__ bool split_line(const Split& split, uint32_t start, uint32_t stop, uint32_t* to) {
  const uint8_t* from = reinterpret_cast<const uint8_t*>(line_words()) + start;
  const uint32_t n = stop - start;
  if (n > kLongestSplit) return false;
  if (is_null_value(split, from, n)) return true;
  const Program& program = *split.program;
  const Apart apart = split_value(split, from, n, program.group, program.table, PutLineParts{to, start});
  if (apart != kNotApart) return apart == kApart;
  for (uint32_t part = 0; part < split.nparts; part++) to[part] = kLineAbsent;
  return !split.strict;
}

// What a lane finds in a record.
struct Line {
  bool bad;
  uint32_t other;
  uint32_t after; // the state behind it, times groups
};

// Of n symbols from p on Job.is_data says that they are no data.
__device__ __forceinline__ void mark_no_data(uint32_t* is_data, uint32_t p, uint32_t n) {
  for (const uint32_t end = p + n; p < end; p++) atomicAnd(&is_data[p >> 5], ~(1u << (p & 31)));
}

// Room to step so many symbols more.
constexpr uint32_t kLineAhead = 4;
static_assert(kLineRoom >= 2 * kLineAhead, "a lane has room");

// Not 0 where a byte of x is 0; the lowest bit that is set says which is the first.
__device__ __forceinline__ uint32_t null_bytes(uint32_t x) { return (x - 0x01010101u) & ~x & 0x80808080u; }

// Whether the record from p on in state*groups, too long for its fields to be found, is no row.
template <bool several>
__device__ __noinline__ bool is_no_row(const Fused* fused, const uint8_t* memory, uint32_t p, uint32_t stop, uint32_t last, uint32_t state) {
  const LineBlock& block = line_block();
  const uint16_t* const lines = line_transitions();
  for (uint32_t e = state; p <= stop; p++) {
    const uint32_t at = (e & kLineNext) + (several && p == stop ? last : block.groups[memory[p]]);
    e = lines[at];
    if (e & kLineEvent >> kShortShift) {
      if ((__ldg(fused->lines + at) & kLineWhat) == kLineOther) return true;
    } else if (e & kShortStays) {
      const LineExits exits = fused->line_exits[(e & kLineNext) * block.inverse >> 16];
      auto leaves = [&](uint32_t w) { return null_bytes(w ^ exits.a) | null_bytes(w ^ exits.b); };
      uint32_t next = p + 1;
      while (next < stop && (next & 3) != 0 && leaves(memory[next] * 0x01010101u) == 0) next++;
      if ((next & 3) == 0) {
        while (next + 4 <= stop && leaves(*reinterpret_cast<const uint32_t*>(memory + next)) == 0) next += 4;
      }
      p = next - 1;
    }
  }
  return false;
}

// Steps records by a whole warp, one a lane that has one: that from p on in state*groups, whose
// last symbol is at `stop`. several: they have more lines than one, so that this symbol is told by
// where it is, and its group is `last`. Their fields, of which there are to be `least` to `most`, go to
// `to`. Lanes meet what counts at different symbols; so it is listed, each lane has room for
// kLineRoom, and they look at it together. Where a state has stayed for a while, the symbol
// that leaves it is sought. What within a field is no data is marked so in is_data.
template <bool several>
__device__ __noinline__ Line step_lines(const Fused* fused, uint32_t* is_data, const uint8_t* memory, bool there, uint32_t p, uint32_t stop, uint32_t last, uint32_t state,
    uint32_t least, uint32_t most, uint32_t* to) {
  const LineBlock& block = line_block();
  LineWarp& warp = line_warp();
  uint32_t events[kLineRoom]; // few records are stepped
  const uint32_t near = max(warp.end, 8u) - 8; // four symbols from there on are there, in two words
  const uint32_t* const transitions = fused->lines;
  Line line{there && stop > kLineLongest, 0, 0};
  if (line.bad) line.other = is_no_row<several>(fused, memory, p, stop, last, state);
  there = there && !line.bad;
  uint32_t e = state, start = p, number = 0;
  uint32_t skip_from = 0, skip_to = 0; // the last run of symbols within a field that are no data
  uint32_t scattered = 0;              // kLineScattered if the field has such before that, or an escape
  const SharedAddress words = address_of(line_words()), groups = address_of(block.groups), lines = address_of(line_transitions());
  auto symbols = [=](uint32_t p) { // four, from p on
    if (p <= near) {
      const SharedAddress from = words + (p & ~3u);
      return __funnelshift_r(load32(from), load32(from + 4), 8 * (p & 3));
    }
    uint32_t w = 0;
    for (uint32_t i = 0; i < 4; i++) w |= uint32_t(memory[p + i]) << 8 * i;
    return w;
  };
  for (;;) {
    uint32_t n = 0;
    for (bool steps = there; steps;) {
      uint32_t seen = 0, all = 0, before, w = symbols(p);
      // What does not depend on states is loaded ahead: the groups, and the symbols behind.
      uint32_t group[4] = {load_byte(groups + (w & 0xff)), load_byte(groups + (w >> 8 & 0xff)), load_byte(groups + (w >> 16 & 0xff)), load_byte(groups + (w >> 24))};
      do {
        if (several && stop - p < 4) {
#pragma unroll
          for (uint32_t i = 0; i < 4; i++) {
            if (p + i == stop) group[i] = last;
          }
        }
        w = symbols(p + 4);
        before = all;
        all = kShortStays;
        uint32_t ahead[4];
#pragma unroll
        for (uint32_t i = 0; i < 4; i++) {
          const uint32_t from = e & kLineNext;
          e = load16(lines + 2 * group[i] + 2 * from);
          seen |= e;
          all &= e;
          if (e & kLineEvent >> kShortShift) {
            events[n++] = (p + i) << 16 | (from + group[i]);
          }
          ahead[i] = load_byte(groups + (w >> 8 * i & 0xff));
        }
#pragma unroll
        for (uint32_t i = 0; i < 4; i++) group[i] = ahead[i];
        p += 4;
      } while (!(seen & kLineRecord >> kShortShift) && n <= kLineRoom - kLineAhead && (all & before) == 0);
      steps = (all & before) != 0;
      if (!steps) break;
      const LineExits exits = fused->line_exits[(e & kLineNext) * block.inverse >> 16];
      for (; p < stop; p += 4) {
        w = symbols(p);
        const uint32_t leaves = null_bytes(w ^ exits.a) | null_bytes(w ^ exits.b);
        if (leaves != 0) {
          p += ((uint32_t)__ffs((int)leaves) - 1) / 8;
          break;
        }
      }
      p = min(p, stop);
    }
    for (uint32_t i = 0; __ballot_sync(kAllLanes, i < n) != 0; i++) {
      if (i >= n) continue;
      const uint32_t event = events[i], step = __ldg(transitions + (event & 0xffff)), at = event >> 16, what = step & kLineWhat;
      if (what == kLineField) {
        uint32_t end = at - (step >> kLineLag & kLineMostLag), column = step >> kLineColumn & kLineNextColumn;
        const uint32_t opens = column == kLineOpens;
        if (column >= kLineOpens) column = number;
        if (skip_to > start) {
          if (skip_to < end) {
            mark_no_data(is_data, warp.origin + skip_from, skip_to - skip_from);
            scattered = kLineScattered;
          } else {
            end = min(end, skip_from);
          }
        }
        start = min(start, end); // of a field without data, before which symbols were passed over, as of its run of separators
        if (column < most) {
          to[column] = start << 16 | end | scattered;
          if (scattered != 0) *fused->control = 1;
          line.bad |= scattered != 0 && start == end;
          uint32_t want = block.classes[column];
          line.bad |= want != 0 && want != (step >> kLineClass & kLineMostClass);
        } else {
          line.bad = true;
        }
        start = at + 1 - opens;
        number = column + 1;
        scattered = 0;
      } else if (what == kLineSkip) {
        const bool escape = (step & kLineEscape) != 0;
        if (escape) scattered = kLineScattered;
        if (at == start && !escape) {
          start++;
        } else {
          if (skip_to != at) {
            if (skip_to > start) {
              mark_no_data(is_data, warp.origin + skip_from, skip_to - skip_from);
              scattered = kLineScattered;
            }
            skip_from = at;
          }
          skip_to = at + 1;
        }
      } else {
        line.bad |= what == kLineBad;
        line.other |= what == kLineOther;
      }
      if (step & kLineRecord) { // what lies behind is the next one's
        line.bad |= number < least;
        if (several) line.after = step & kLineNext;
        there = false;
        n = 0;
      }
    }
    if (__ballot_sync(kAllLanes, there) == 0) return line;
  }
}

} // namespace dfaparse
