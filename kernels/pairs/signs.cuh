// Maps whose keys and values a few symbols tell apart, without stepping an automaton: each lane looks for these symbols in
// 64, whichever map they are of, and then a lane goes through the blocks of a map of its own, by words of 64 bits. What is not
// as these notations are mostly written is odd, and for the automaton.
//
//	                k e y = v   k = " v   = \ " "   k
//	separator                 1           1           1
//	key's end             1         1
//	quote                             1           1 1
//	lead of escapes                           1
//
// A key ends at the first key sign or separator, and its value at the next separator, in quotes at the next quote.
//
//	               [ i d   k e y = " v   = "   k = " "  ]  [
//	outer key        ^ .
//	key                    ^ . . .             ^ .
//	value                            ^ . . . .       ^
//
// An outer key ends at the first separator or closing sign, a key at its sign, and a value, which is in quotes, at the
// next quote. The twins are pairing and nesting of internal/convert (pairs.go, nesting.go).
#pragma once

#include "marks.cuh"

namespace dfaparse {

constexpr uint32_t kMarkThreads = 128;

// Which of the four symbols of a word are sign, in the four bits above those of behind.
__device__ __forceinline__ uint32_t find_sign(uint32_t word, uint32_t sign, uint32_t behind) {
  const uint32_t x = word ^ sign, zero = ~(((x & 0x7f7f7f7f) + 0x7f7f7f7f) | x) & 0x80808080;
  return __funnelshift_l(zero * 0x00204081, behind, 4);
}

// Where 64 symbols are each of so many signs: words of the slot at `to`.
template <uint32_t signs>
__device__ __forceinline__ void find_signs(const Pairs& pairs, const uint8_t* from, uint64_t* to) {
  const uint4* const quads = reinterpret_cast<const uint4*>(from);
  const uint4 a = quads[0], b = quads[1], c = quads[2], d = quads[3];
  const uint32_t words[16] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w, c.x, c.y, c.z, c.w, d.x, d.y, d.z, d.w};
  uint64_t found[signs];
#pragma unroll
  for (uint32_t s = 0; s < signs; s++) {
    const uint32_t sign = pairs.sign[s];
    uint32_t low = 0, high = 0;
#pragma unroll
    for (uint32_t i = 8; i-- > 0;) {
      low = find_sign(words[i], sign, low);
      high = find_sign(words[8 + i], sign, high);
    }
    found[s] = uint64_t(high) << 32 | low;
  }
#pragma unroll
  for (uint32_t s = 0; s < signs; s += 2) *reinterpret_cast<ulonglong2*>(to + s) = make_ulonglong2(found[s], found[s + 1]);
}

// Symbols before which a lead stands that is none itself escaped; escaped: so is the first one, and the first one behind these.
__device__ __forceinline__ uint64_t escaped_by(uint64_t leads, uint64_t& escaped) {
  constexpr uint64_t odd = 0xaaaaaaaaaaaaaaaaull;
  const uint64_t free = leads & ~escaped, after = (((free << 1) | odd) - free) ^ odd, by = after ^ (leads | escaped);
  escaped = (after & leads) >> 63;
  return by;
}

__device__ __forceinline__ uint64_t prefix_xor(uint64_t x) {
#pragma unroll
  for (uint32_t d = 1; d < 64; d *= 2) x ^= x << d;
  return x;
}

// Quotes, and what stands behind leads, through the blocks of a map.
struct QuotesSoFar {
  uint64_t inside, escaped; // all ones: a quote is open; 1: the next symbol stands behind a lead

  // Gives the symbols of a block that are in quotes, with those that open them. Of quotes only those are left that quote.
  // leads become those in quotes that begin an escape. by: symbols in a block behind a lead. False: one does not stand for
  // itself.
  __device__ __forceinline__ bool step(const Pairs& pairs, const uint8_t* block, uint64_t map, uint64_t& quotes, uint64_t& leads, uint64_t& by, uint64_t& within) {
    by = 0;
    if ((leads | escaped) != 0) {
      by = escaped_by(leads, escaped);
      quotes &= ~by;
    }
    within = inside;
    if (quotes != 0) within ^= prefix_xor(quotes);
    inside = uint64_t(int64_t(within) >> 63);
    leads &= within & ~by;
    for (uint64_t left = by & within; left != 0; left &= left - 1) {
      const uint32_t i = uint32_t(__ffsll(int64_t(left))) - 1, symbol = block[i];
      if ((map >> i & 1) == 0 || (pairs.itself[symbol >> 5] >> (symbol & 31) & 1) == 0) return false;
    }
    return true;
  }
};

// Symbols from the begins up to the ends that follow them; open: the first begin was before, and that behind the last symbol none ends.
__device__ __forceinline__ uint64_t fill_between(uint64_t begins, uint64_t ends, uint64_t& open) {
  begins |= open;
  open = ends < begins;
  return ends - begins;
}

// Makes marks of the signs of a map, block by block: sign[] becomes those of the block.
struct FlatSigns {
  QuotesSoFar quotes;
  uint64_t starts, in_key, at_value, opened, closed, key_open, value_open, odd;

  __device__ __forceinline__ void begin() {
    quotes = {0, 0};
    starts = in_key = at_value = opened = closed = key_open = value_open = odd = 0;
  }
  // map: the symbols of the block that are the map's; first and end: a bit if the map begins in it, and for what is behind it.
  __device__ __forceinline__ bool step(const Pairs& pairs, const uint8_t* block, uint64_t map, uint64_t first, uint64_t end, uint64_t* sign) {
    uint64_t quote = pairs.flags & kHasQuote ? sign[kSignQuote] & map : 0, lead = pairs.flags & kHasLead ? sign[kSignLead] & map : 0, by, within;
    if (!quotes.step(pairs, block, map, quote, lead, by, within)) return false;
    const uint64_t separator = ((sign[kSignSeparator] & map) | end) & ~within, key = sign[kSignKey] & map & ~within, either = separator | key;
    const uint64_t begins = starts | first | separator << 1, through = begins + ~either, sum = through + in_key, ends = sum & either;
    in_key = through < begins || sum < through;
    const uint64_t keyed = ends & key, alone = ends & separator, value_at = keyed << 1 | at_value;
    const uint64_t opening = quote & within, closing = quote & ~within;
    const uint64_t after_opening = opening << 1 | opened, after_closing = closing << 1 | closed;
    odd |= (begins & ends) | (opening & ~value_at) | (after_closing & ~separator);
    const uint64_t value_ends = (separator & ~after_closing) | closing;
    const uint64_t value = fill_between((value_at & ~opening) | after_opening | alone, value_ends, value_open);
    sign[kMarkKey] = fill_between(begins & map, ends, key_open) | (value & lead);
    sign[kMarkKeyEnd] = ends;
    sign[kMarkValue] = value;
    sign[kMarkValueEnd] = value_ends;
    starts = separator >> 63;
    at_value = keyed >> 63;
    opened = opening >> 63;
    closed = closing >> 63;
    return true;
  }
  __device__ __forceinline__ bool right() const { return (odd | quotes.inside) == 0; }
};

struct NestedSigns {
  QuotesSoFar quotes;
  uint64_t opens, outers, keys, in_outer, in_key, keyed, opened, closed, outer_open, key_open, value_open, odd;

  __device__ __forceinline__ void begin() {
    quotes = {0, 0};
    opens = outers = keys = in_outer = in_key = keyed = opened = closed = outer_open = key_open = value_open = odd = 0;
  }
  __device__ __forceinline__ bool step(const Pairs& pairs, const uint8_t* block, uint64_t map, uint64_t first, uint64_t end, uint64_t* sign) {
    uint64_t quote = sign[kSignQuote] & map, lead = pairs.flags & kHasLead ? sign[kSignLead] & map : 0, by, within;
    const uint64_t all_quotes = quote;
    if (!quotes.step(pairs, block, map, quote, lead, by, within)) return false;
    uint64_t close = sign[kSignClose] & map;
    odd |= (all_quotes & by & ~within) | (pairs.flags & kBarred ? close & within & ~by : 0);
    const uint64_t separator = sign[kSignSeparator] & map & ~within, key = sign[kSignKey] & map & ~within;
    close &= ~within;
    const uint64_t opening = quote & within, closing = quote & ~within, any = separator | key | close | opening;
    uint64_t begin = opens | first | close << 1; // where a map has to begin
    odd |= end & ~begin;
    begin &= ~end;
    odd |= begin & ~sign[kSignOpen];
    const uint64_t outer_begins = outers | begin << 1, key_begins = keys | separator << 1;
    const uint64_t outer_through = outer_begins + ~any, outer_sum = outer_through + in_outer, outer_ends = outer_sum & any;
    const uint64_t key_through = key_begins + ~any, key_sum = key_through + in_key, key_ends = key_sum & any;
    in_outer = outer_through < outer_begins || outer_sum < outer_through;
    in_key = key_through < key_begins || key_sum < key_through;
    const uint64_t value_at = key << 1 | keyed, behind = closing << 1 | closed;
    odd |= ((outer_begins | key_begins) & any) | (outer_ends & ~(separator | close)) | (key_ends ^ key) | ((separator | close) ^ (outer_ends | behind)) | (opening ^ value_at);
    const uint64_t value = fill_between(opening << 1 | opened, closing, value_open);
    sign[kMarkKey] = fill_between(key_begins & map, key_ends, key_open) | (value & lead);
    sign[kMarkKeyEnd] = key_ends;
    sign[kMarkValue] = value;
    sign[kMarkValueEnd] = closing;
    sign[kMarkOuter] = fill_between(outer_begins & map, outer_ends, outer_open);
    sign[kMarkOuterEnd] = outer_ends;
    opens = close >> 63;
    outers = begin >> 63;
    keys = separator >> 63;
    keyed = key >> 63;
    opened = opening >> 63;
    closed = closing >> 63;
    return true;
  }
  __device__ __forceinline__ bool right() const { return (odd | quotes.inside) == 0; }
};

template <uint32_t words>
__device__ __forceinline__ void load_slot(const uint64_t* slot, uint64_t* to) {
#pragma unroll
  for (uint32_t i = 0; i < words; i += 2) {
    const ulonglong2 two = *reinterpret_cast<const ulonglong2*>(slot + i);
    to[i] = two.x;
    to[i + 1] = two.y;
  }
}

template <uint32_t words>
__device__ __forceinline__ void store_slot(uint64_t* slot, const uint64_t* from) {
#pragma unroll
  for (uint32_t i = 0; i < words; i += 2) *reinterpret_cast<ulonglong2*>(slot + i) = make_ulonglong2(from[i], from[i + 1]);
}

// By a lane: makes marks of the signs in the slots of a row, whose map has n symbols from start on and lies in so many blocks.
// False: it is odd.
template <class Signs, bool nested>
__device__ __forceinline__ bool mark_map(const Pairs& pairs, uint32_t row, uint32_t start, uint32_t n, uint32_t blocks, MapCounts& counts) {
  constexpr uint32_t words = nested ? kNestedMarkWords : kMarkWords;
  uint32_t end = start + n;
  if (!nested && (pairs.sign[kSignSeparator] & 0xff) == pairs.source[end - 1]) end--; // nothing begins behind the last separator
  if (end == start) return false;
  Signs signs;
  signs.begin();
  const uint32_t first = start / kMarkBlock;
  uint64_t* slot = mark_slot(pairs, first, row, words);
  const uint8_t* block = pairs.source + uint64_t(first) * kMarkBlock;
  uint64_t mark[words], next[words];
  load_slot<words>(slot, next);
  uint64_t from = ~uint64_t(0) << start % kMarkBlock, begin = uint64_t(1) << start % kMarkBlock;
  uint32_t left = end - first * kMarkBlock; // symbols from the block's first on
  bool right = true;
#pragma unroll 1
  for (uint32_t b = 0; b < blocks; b++) {
#pragma unroll
    for (uint32_t i = 0; i < words; i++) mark[i] = next[i];
    if (b + 1 < blocks) load_slot<words>(slot + words, next);
    if (left == ~0u) { // the separator that was left out ended the block before
#pragma unroll
      for (uint32_t i = 0; i < words; i++) mark[i] = 0;
    } else {
      const uint64_t behind = left < kMarkBlock ? uint64_t(1) << left : 0;
      right = right && signs.step(pairs, block, from & (behind - 1), begin, behind, mark);
      if (!right) return false;
      count_marks<nested>(mark, counts);
      left = left < kMarkBlock ? ~0u : left - kMarkBlock;
    }
    store_slot<words>(slot, mark);
    from = ~uint64_t(0);
    begin = 0;
    slot += words;
    block += kMarkBlock;
  }
  return signs.right();
}

// Marks the maps of the rows of a grid, a row a lane, and says which are odd.
template <class Signs, bool nested>
__device__ __forceinline__ void mark_maps(const Pairs& pairs, uint32_t rows) {
  constexpr uint32_t words = nested ? kNestedMarkWords : kMarkWords;
  const uint32_t lane = lane_id();
  const Emission& last = pairs.program->emissions[pairs.program->at_eof[pairs.program->start]];
  const bool may_be_empty = last.kind == kSkip && last.code == 0;
  const uint64_t stride = uint64_t(gridDim.x) * blockDim.x;
  for (uint64_t at = uint64_t(blockIdx.x) * blockDim.x + threadIdx.x; at - lane < rows; at += stride) {
    const uint32_t row = uint32_t(at), before = row - lane;
    const bool is = row < rows && has_map(pairs, row);
    // Of a record that is left as a whole only the length is known, which is 0.
    const uint32_t n = is ? pairs.level[0].begins[row] : 0, start = n != 0 ? pairs.start[row] : 0;
    const bool near = n != 0 && n <= kLongestMap && start < kScattered && pairs.end[row] - start == n;
    const uint32_t first = start / kMarkBlock, blocks = near && pairs.notation != kNoSigns ? mark_blocks(start, n) : 0;
    const RowEntries cells(blocks);
    for (uint32_t from = 0; from < cells.count(); from += kWarp) {
      const uint32_t i = from + lane, owner = cells.lane_of(min(i, cells.count() - 1));
      const uint32_t b = __shfl_sync(kAllLanes, first, owner) + cells.within(i, owner);
      if (i < cells.count()) find_signs<words>(pairs, pairs.source + uint64_t(b) * kMarkBlock, mark_slot(pairs, b, before + owner, words));
    }
    __syncwarp();
    MapCounts counts = {0, 0, 0, 0, 0};
    const bool right = blocks != 0 && mark_map<Signs, nested>(pairs, row, start, n, blocks, counts);
    if (!right) counts = {0, 0, 0, 0, 0};
    if (row < rows) store_counts(pairs, row, counts);
    const uint32_t odd = __ballot_sync(kAllLanes, near && !right), left = __ballot_sync(kAllLanes, is && !near && !(n == 0 && may_be_empty));
    if (lane == 0) {
      pairs.odd[before >> 5] = odd;
      if (odd != 0) *pairs.any_odd = 1;
      if (left != 0) {
        pairs.todo[before >> 5] |= left;
        pairs.valid[before >> 5] &= ~left;
        atomicAdd(&pairs.counters[1], uint32_t(__popc(int(left))));
      }
    }
  }
}

} // namespace dfaparse
