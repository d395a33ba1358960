// Records that are read by hops in place of steps: a run of symbols that all leave the
// automaton where it is, up to one of two symbols or the record's end, and behind it up to four
// symbols that have to be some. Where it has no more than that to compare, what comes of them is
// known, see runtime/gpu/hops.go. A record that follows no hops is stepped.
#pragma once

#include "lines.cuh"

namespace dfaparse {

// What a hop does.
enum HopBits : uint32_t {
  kHopLength = 15,      // the symbols behind the run
  kHopRun = 7u << 4,    // HopRun
  kHopRetry = 1u << 7,  // where the first symbols behind it fit, all of which are data, and another does not, it goes on there
  kHopLast = 1u << 8,   // the last symbol ends the record
  kHopEnd = 1u << 9,    // the field's data ends, so far behind the run
  kHopStore = 1u << 10, // the field ends
  kHopStart = 1u << 11, // the next one begins, so far behind the run
  kHopMin = 1u << 18,   // the run may not be empty
  kHopSame = 1u << 22,  // the run is that of the hop in whose place it is tried
};
constexpr uint32_t kHopEndShift = 12, kHopBias = 32, kHopStartShift = 19, kHopColumnShift = 24;
constexpr uint32_t kHopSymbols = 4, kLineHops = 64;
constexpr uint32_t kHopLowEnd = '"' + 1;

// What run there is, and what ends it beside the record's end.
enum HopRun : uint32_t {
  kHopRunNone = 0u << 4,
  kHopRunRest = 1u << 4,   // nothing
  kHopRunTwo = 2u << 4,    // a and b are symbols, four times each
  kHopRunFolded = 3u << 4, // the bytes of a are two symbols, and then bits of each that do not matter
  kHopRunFour = 4u << 4,   // the bytes of a are symbols
  kHopRunGroups = 5u << 4, // a and b are bits of the symbol groups that do not end it
  kHopRunLow = 6u << 4,    // the same, and what ends it is below kHopLowEnd
};

struct LineHop {
  uint32_t a, b;      // HopRun
  uint32_t low, high; // what the symbols behind it are from and to, the latter with its highest bits set,
  uint32_t fold;      // once these bits are set
  uint32_t mask;      // the highest bits of as many bytes as there are symbols
  uint32_t what;      // HopBits
  uint32_t next;      // the hop behind it << 16 | one to be tried in its place, 0: none
};

// The next symbol before stop, from q on, that leaves(four of them) finds, else stop or what is behind it.
template <class Leaves>
__device__ __forceinline__ uint32_t seek(SharedAddress words, uint32_t q, uint32_t stop, const Leaves& leaves) {
  for (; q < stop; q += 8) {
    const SharedAddress from = words + (q & ~3u);
    const uint32_t a = load32(from), b = load32(from + 4), c = load32(from + 8);
    const uint32_t first = leaves(__funnelshift_r(a, b, 8 * (q & 3))), second = leaves(__funnelshift_r(b, c, 8 * (q & 3)));
    if ((first | second) != 0) return q + (first != 0 ? (uint32_t)__ffs((int)first) - 1 : (uint32_t)__ffs((int)second) + 31) / 8;
  }
  return q;
}

// Reads a record of the warp's memory, from p to the symbol at stop, which ends it, by hops from
// number `first` on, and puts its fields to `to`; false: it follows none, and what is there is of
// no use. Or a value that is taken apart: then what is at stop is behind it, whatever it is.
__device__ __forceinline__ bool hop_line(uint32_t first, uint32_t p, uint32_t stop, uint32_t* to) {
  const SharedAddress words = address_of(line_words()), groups = address_of(line_block().groups), hops = address_of(reinterpret_cast<const uint8_t*>(&line_block()) + line_block().hops);
  auto symbols = [=](uint32_t p) {
    const SharedAddress from = words + (p & ~3u);
    return __funnelshift_r(load32(from), load32(from + 4), 8 * (p & 3));
  };
  uint32_t start = p, end = p, from = p, met = p; // met: where the run ends that begins at p
  uint4 ends = load128(hops + first * 32), what = load128(hops + first * 32 + 16);
  for (;;) {
    // The run.
    uint32_t q = from;
    const uint32_t run = what.z & kHopRun;
    if (run == kHopRunTwo) {
      q = min(seek(words, q, stop, [=](uint32_t w) { return null_bytes(w ^ ends.x) | null_bytes(w ^ ends.y); }), stop);
    } else if (run == kHopRunFolded) {
      const uint32_t a = __byte_perm(ends.x, 0, 0x0000), b = __byte_perm(ends.x, 0, 0x1111), fold_a = __byte_perm(ends.x, 0, 0x2222), fold_b = __byte_perm(ends.x, 0, 0x3333);
      q = min(seek(words, q, stop, [=](uint32_t w) { return null_bytes((w | fold_a) ^ a) | null_bytes((w | fold_b) ^ b); }), stop);
    } else if (run == kHopRunRest) {
      q = stop;
    } else if (run == kHopRunLow) {
      for (;;) {
        q = seek(words, q, stop, [=](uint32_t w) { return (w - kHopLowEnd * 0x01010101u) & ~w & 0x80808080u; });
        if (q >= stop) break;
        const uint32_t group = load_byte(groups + load_byte(words + q));
        if (!((group < 32 ? ends.x : ends.y) >> (group & 31) & 1)) break;
        q++;
      }
      q = min(q, stop);
    } else if (run == kHopRunFour) {
      const uint32_t a = __byte_perm(ends.x, 0, 0x0000), b = __byte_perm(ends.x, 0, 0x1111), c = __byte_perm(ends.x, 0, 0x2222), d = __byte_perm(ends.x, 0, 0x3333);
      q = min(seek(words, q, stop, [=](uint32_t w) { return null_bytes(w ^ a) | null_bytes(w ^ b) | null_bytes(w ^ c) | null_bytes(w ^ d); }), stop);
    } else if (run == kHopRunGroups) {
      for (; q < stop; q += 4) {
        const uint32_t w = symbols(q);
        uint32_t leaves = 16;
#pragma unroll
        for (uint32_t i = 0; i < 4; i++) {
          const uint32_t group = load_byte(groups + (w >> 8 * i & 0xff));
          leaves |= (~(group < 32 ? ends.x : ends.y) >> (group & 31) & 1) << i;
        }
        q += (uint32_t)__ffs((int)leaves) - 1;
        if (leaves != 16) break;
        q -= 4;
      }
      q = min(q, stop);
    }
    if (from == p) met = q;
    // What follows: not below, not above, and ASCII. Hops that have this run are tried until one fits,
    // so that lanes are at one place of their records again.
    bool tries;
    do {
      const uint32_t bits = what.z, n = bits & kHopLength;
      const uint32_t w = symbols(q) | what.x, high = 0x80808080u;
      const uint32_t misses = ~(((w | high) - ends.z) & (ends.w - (w & ~high)) & ~w) & what.y;
      const bool last = (bits & kHopLast) != 0, enough = !((bits & kHopMin) && q == p); // the run is as long as it has to be
      tries = false;
      uint32_t hop;
      if (misses == 0 && (last ? q + n == stop + 1 : q + n <= stop) && enough) {
        if (bits & kHopEnd) end = q + (bits >> kHopEndShift & 63) - kHopBias;
        if (bits & kHopStore) {
          if (start > end) return false;
          to[bits >> kHopColumnShift] = start << 16 | end;
        }
        if (last) return true;
        if (bits & kHopStart) start = q + (bits >> kHopStartShift & 7);
        hop = what.w >> 16;
        p = from = q + n;
      } else {
        const uint32_t fit = ((uint32_t)__ffs((int)misses) - 1) / 8;
        if ((bits & kHopRetry) && misses != 0 && fit > 0 && enough) {
          from = q + fit;
          if (from > stop) return false;
          break;
        }
        hop = what.w & 0xffff;
        if (hop == 0) return false;
        from = p;
        q = met;
        tries = true;
      }
      ends = load128(hops + hop * 32);
      what = load128(hops + hop * 32 + 16);
    } while (tries && (what.z & kHopSame));
  }
}

} // namespace dfaparse
