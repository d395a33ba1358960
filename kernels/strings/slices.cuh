// Strings of symbols, copied by a whole warp in slices of the heap, a lane each. Their data is
// listed first, as runs of symbols that lie side by side: of 32 chunks at a time, a lane each,
// of however many strings. A slice is mostly of one run: then it is two loads.
#pragma once

#include "cells.cuh"

namespace dfaparse {

// The first n bytes of a word are a's, the others b's; n may be less than 0, and more than 4.
__device__ __forceinline__ uint32_t parted(int32_t n, uint32_t a, uint32_t b) {
  const uint32_t firsts = __funnelshift_lc(~0u, 0, 8 * uint32_t(max(n, 0)));
  return (a & firsts) | (b & ~firsts);
}

// The first n bytes are a's, the others b's, 0 < n < 16.
__device__ __forceinline__ uint4 parted(int32_t n, const uint4& a, const uint4& b) {
  return make_uint4(parted(n, a.x, b.x), parted(n - 4, a.y, b.y), parted(n - 8, a.z, b.z), parted(n - 12, a.w, b.w));
}

// Writes those bytes of the slice at s that are from to end-1 of the text, by a whole warp: a lane
// with `mine` has one.
__device__ __forceinline__ void put_slices(uint8_t* to, uint32_t s, uint4 x, bool mine, uint32_t from, uint32_t end) {
  const bool whole = s >= from && s + kSlice <= end;
  if (mine && whole) *reinterpret_cast<uint4*>(to + s) = x;
  for (uint32_t parts = __ballot_sync(kAllLanes, mine && !whole); parts != 0; parts &= parts - 1) {
    const uint32_t of = uint32_t(__ffs(int(parts))) - 1, lane = lane_id(), at = shuffle(s, of) + lane;
    const uint32_t words[4] = {shuffle(x.x, of), shuffle(x.y, of), shuffle(x.z, of), shuffle(x.w, of)};
    const uint32_t word = lane & 8 ? lane & 4 ? words[3] : words[2] : lane & 4 ? words[1] : words[0];
    if (lane < kSlice && at >= from && at < end) to[at] = uint8_t(word >> 8 * (lane & 3));
  }
}

// 16 symbols from place p on, from -15 on: what is before the first is 0.
__device__ __forceinline__ uint4 symbols_from(const uint8_t* source, int32_t p) {
  const uint4* quads = reinterpret_cast<const uint4*>(source) + (p >> 4);
  const uint4 low = p >= 0 ? __ldg(quads) : make_uint4(0, 0, 0, 0), high = __ldg(quads + 1);
  uint32_t x[8] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
  if (p & 8) {
#pragma unroll
    for (uint32_t i = 0; i < 6; i++) x[i] = x[i + 2];
  }
  if (p & 4) {
#pragma unroll
    for (uint32_t i = 0; i < 5; i++) x[i] = x[i + 1];
  }
  const uint32_t shift = 8 * (p & 3);
  return make_uint4(__funnelshift_r(x[0], x[1], shift), __funnelshift_r(x[1], x[2], shift), __funnelshift_r(x[2], x[3], shift), __funnelshift_r(x[3], x[4], shift));
}

// Data symbols that lie side by side: where their bytes begin in the text, and how far behind
// that they do among the symbols, modulo 2^32.
struct Run {
  uint32_t begin, beyond;
};
constexpr uint32_t kMostRuns = 256; // of a warp at once; what is kept of those before and one chunk always have room
static_assert(kMostRuns > kSlice + 1 + kChunk / 2, "a chunk has to have room");

__device__ __forceinline__ Run* warp_runs() {
  __shared__ Run runs[kCopyWarps][kMostRuns + 1];
  return runs[warp_id()];
}

// Whether all strings of a group are of symbols where they are, by a whole warp.
__device__ __forceinline__ bool are_of_symbols(const Text& text, const Group& x) {
  return __ballot_sync(kAllLanes, x.n != 0 && !is_of_symbols(text, x.start, x.n)) == 0;
}

// The chunks in which a string of symbols has some.
__device__ __forceinline__ uint32_t chunks_of(const Group& x) { return x.n == 0 ? 0 : (x.stop - 1) / kChunk - (x.start & ~kScattered) / kChunk + 1; }

// Copies what strings of symbols have in some of their chunks, by a whole warp.
class SliceCopier {
 public:
  __device__ SliceCopier(const Job& job, const Text& text, const Group& x)
      : is_data_(reinterpret_cast<const uint64_t*>(job.is_data)), before_(job.data_before), text_(text), shared_(warp_shared()), runs_(warp_runs()) {
    const uint32_t lane = lane_id(), first = x.start & ~kScattered, chunk = scan_warp_exclusive(chunks_of(x), Sum(), &total_);
    __syncwarp(); // what is there has been read
    shared_.before[lane] = chunk;
    shared_.start[lane] = x.start;
    shared_.stop[lane] = x.stop;
    shared_.base[lane] = x.begin - (x.n != 0 && x.start >= kScattered ? data_rank(job, first) : first);
    __syncwarp();
  }

  // Chunks from to to-1, or through the last.
  __device__ __forceinline__ void copy(uint32_t from, uint32_t to) {
    to = min(to, total_);
    n_ = done_ = 0;
    for (uint32_t chunk = from; chunk < to;) {
      uint32_t begin, end;
      const uint32_t taken = list(chunk, to, &begin, &end);
      if (chunk == from) done_ = begin;
      chunk += taken;
      __syncwarp();
      const uint32_t limit = chunk < to ? end & ~(kSlice - 1) : end;
      if (limit > done_) put(limit);
      if (chunk < to) keep(end);
    }
  }

 private:
  // Lists the runs of up to 32 chunks from number `chunk` on, and gives how many chunks they are
  // and which bytes they have.
  __device__ __forceinline__ uint32_t list(uint32_t chunk, uint32_t to, uint32_t* begin, uint32_t* end) {
    const uint32_t number = chunk + lane_id();
    const bool in = number < to;
    uint32_t i = 0; // the last string that begins at number or before it
#pragma unroll
    for (uint32_t d = kGroup / 2; d != 0; d /= 2) {
      if (shared_.before[i + d] <= number) i += d;
    }
    const uint32_t start = shared_.start[i], first = start & ~kScattered, p = (first / kChunk + number - shared_.before[i]) * kChunk, skip = max(p, first) - p;
    uint64_t all = ~uint64_t(0);
    uint32_t before = p;
    if (in && start >= kScattered) {
      all = is_data_[p / kChunk];
      before = before_[p / kChunk];
    }
    const uint64_t bits = in ? all & low_bits(shared_.stop[i] - p) & ~low_bits(skip) : 0;
    const uint32_t at = shared_.base[i] + before + uint32_t(__popcll((long long)(all & low_bits(skip))));
    uint64_t starts = bits & ~(bits << 1);
    const uint32_t last = __shfl_up_sync(kAllLanes, uint32_t(bits >> 63), 1);
    if (lane_id() != 0 && number != shared_.before[i] && last != 0) starts &= ~uint64_t(1); // it goes on
    const uint32_t mine = uint32_t(__popcll((long long)starts)), through = scan_warp(mine, Sum());
    const bool fits = in && n_ + through <= kMostRuns;
    const uint32_t taken = uint32_t(__popc(int(__ballot_sync(kAllLanes, fits))));
    if (fits) {
      Run* run = runs_ + n_ + through - mine;
      for (; starts != 0; starts &= starts - 1) {
        const uint32_t bit = uint32_t(__ffsll((long long)starts)) - 1, place = at + uint32_t(__popcll((long long)(bits & low_bits(bit))));
        *run++ = Run{place, p + bit - place};
      }
    }
    n_ += shuffle(through, taken - 1);
    if (lane_id() == 0) runs_[n_].begin = ~0u;
    *begin = shuffle(at, 0);
    *end = shuffle(at + uint32_t(__popcll((long long)bits)), taken - 1);
    return taken;
  }

  // The last run that begins at byte `at` or before it.
  __device__ __forceinline__ uint32_t run_of(uint32_t at) const {
    uint32_t r = 0;
#pragma unroll
    for (uint32_t d = kMostRuns / 2; d != 0; d /= 2) {
      if (r + d < n_ && runs_[r + d].begin <= at) r += d;
    }
    return r;
  }

  // Writes the bytes before `limit` that are not written yet.
  __device__ __forceinline__ void put(uint32_t limit) {
    const uint32_t lane = lane_id();
    uint32_t before = 0; // runs that end before the step
    for (uint32_t step = done_ & ~(kSlice - 1); step < limit; step += kWarp * kSlice) {
      const uint32_t s = step + lane * kSlice, at = max(s, done_), end = min(s + kSlice, limit);
      const bool mine = s < limit;
      const uint32_t begin = runs_[min(before + 1 + lane, n_)].begin, some = uint32_t(__popc(int(__ballot_sync(kAllLanes, begin < step + kWarp * kSlice))));
      uint32_t r = before;
      if (some <= 10) { // few begin here
        for (uint32_t k = 0; k < some; k++) r += shuffle(begin, k) <= at;
      } else {
        r = run_of(at);
      }
      before = shuffle(r, kWarp - 1);
      uint4 x = make_uint4(0, 0, 0, 0);
      if (mine) {
        x = symbols_from(text_.source, int32_t(s + runs_[r].beyond));
        for (uint32_t next = runs_[++r].begin; next < end; next = runs_[++r].begin) {
          x = parted(int32_t(next - s), x, symbols_from(text_.source, int32_t(s + runs_[r].beyond)));
        }
      }
      put_slices(text_.to, s, x, mine, done_, limit);
    }
    done_ = limit;
  }

  // Keeps those runs that have bytes that are not written, of those before `end`.
  __device__ __forceinline__ void keep(uint32_t end) {
    const uint32_t r = end > done_ ? run_of(done_) : n_, left = n_ - r;
    Run run{0, 0};
    if (lane_id() < left) run = runs_[r + lane_id()];
    __syncwarp();
    if (lane_id() < left) runs_[lane_id()] = run;
    n_ = left;
    __syncwarp();
  }

  const uint64_t* is_data_;
  const uint32_t* before_;
  const Text& text_;
  WarpShared& shared_;
  Run* runs_;
  uint32_t total_;
  uint32_t n_;    // runs
  uint32_t done_; // bytes before are written, or others'
};

} // namespace dfaparse
