// Groups: the rows of columns in the device's memory are grouped by keys, and counted, summed
// and compared, so that only groups go to the host.
//
//   columns ──test──▶ rows ──key──▶ hash ──▶ a block's cell, or a slot of the table ──▶ states
//                              │ no room: the row is listed, the table grows, and it comes again
//                              │ a long key, a time far away: the row is listed for the host
//
// No text is made: a key is compared, word by word, as its values lie in the columns, with
// the first of its kind, of which the table has a copy. A block has cells of its own
// in its memory, which are added to the table when its rows are done; what finds no cell
// goes to the table at once. The host sees to it that the table is large enough, and
// that a key's hash is nobody's to foresee. The twin is internal/aggregate.
#include "group/key.cuh"
#include "group/state.cuh"
#include "group/test.cuh"

namespace dfaparse {

constexpr uint32_t kNoGroup = 0xffffffffu;

__device__ __forceinline__ const uint64_t* key_of(const Group& q, uint32_t g) { return q.key_words + __ldcg((unsigned long long*)q.key_at + g) + 1; }

// The first group whose hash has the upper half that a row's has, mostly the row's; kNoGroup: there is none, or not yet.
// Whoever has made it had its key in the second-level cache before its slot; where the key is follows from the slot, and it is
// read there. So there is no fence, after which the first-level cache would be empty.
__device__ __forceinline__ uint32_t likely_group(const Group& q, uint64_t hash) {
  for (uint64_t i = hash & q.mask;; i = (i + 1) & q.mask) {
    uint64_t slot = __ldcg((unsigned long long*)q.slots + i);
    if (slot == 0) return kNoGroup;
    if (((slot ^ hash) >> 32) == 0) return (uint32_t)slot == kSlotTaken ? kNoGroup : (uint32_t)slot - 1;
  }
}

// The group of a row's key, which is made if there is none; kNoGroup: there is no room. Few rows come here, those
// whose likely group is not theirs.
__device__ __noinline__ uint32_t find_group(const Group& q, uint32_t row, uint64_t hash, uint32_t nwords) {
  unsigned long long* slots = (unsigned long long*)q.slots;
  uint64_t tag = hash & ~0xffffffffull;
  for (uint64_t i = hash & q.mask;; i = (i + 1) & q.mask) {
    uint64_t slot = __ldcg(slots + i);
    if (slot == 0) {
      uint64_t taken = __ldcg((unsigned long long*)&q.counts->taken);
      if ((taken & kTakenGroups) >= q.capacity || taken >> kTakenShift > q.key_room) return kNoGroup;
      slot = atomicCAS(slots + i, 0ull, (unsigned long long)(tag | kSlotTaken));
      if (slot == 0) {
        // Who finds no room leaves what it has asked for, so that nobody does from then on: the
        // groups that come about are the first ones.
        uint64_t old = atomicAdd((unsigned long long*)&q.counts->taken, (unsigned long long)((uint64_t)(nwords + 1) << kTakenShift | 1));
        uint64_t g = old & kTakenGroups, at = old >> kTakenShift;
        if (g >= q.capacity || at + nwords + 1 > q.key_room) {
          atomicExch(slots + i, 0ull);
          return kNoGroup;
        }
        atomicAdd((unsigned long long*)&q.counts->groups, 1ull);
        atomicAdd((unsigned long long*)&q.counts->room, (unsigned long long)(nwords + 1));
        uint64_t* to = q.key_words + at;
        *to++ = hash;
        bool odd = false;
        GroupCopy copy{to};
        each_word(q, row, &odd, copy);
        q.key_at[g] = at;
        __threadfence();
        atomicExch(slots + i, (unsigned long long)(tag | (g + 1)));
        return (uint32_t)g;
      }
    }
    if ((slot & ~0xffffffffull) != tag) continue;
    while ((uint32_t)slot == kSlotTaken) {
      __nanosleep(20);
      slot = atomicAdd(slots + i, 0ull);
    }
    if (slot == 0) { // it did not come about
      i = (i - 1) & q.mask;
      continue;
    }
    if ((slot & ~0xffffffffull) != tag) continue; // and somebody else's is there
    __threadfence();
    uint32_t g = (uint32_t)slot - 1;
    if (same_key(q, row, key_of(q, g))) return g;
  }
}

} // namespace dfaparse

// The groups of rows 0 to n, or of the n rows listed. again gets the rows that found no room,
// hosts those that the host has to group. The memory of a block is cells of 8 bytes
// and cell_words words each, q->ncells of them.
//
// The lanes of a warp do one thing at a time, and meet after each: they hash, look for what is likely the group, compare
// all of its key, and add.
extern "C" __global__ void __launch_bounds__(512) dfa_group(const dfaparse::Group* query, const uint32_t* rows, uint64_t n, uint32_t* again, uint32_t* hosts) {
  using namespace dfaparse;
  extern __shared__ __align__(16) uint64_t group_cells[];
  const Group& q = *query;
  uint32_t ncells = q.ncells, cell_words = q.cell_words;
  uint64_t* tags = group_cells; // as slots: the upper half of a hash, and the group + 1
  uint64_t* cells = tags + ncells;
  for (uint32_t i = threadIdx.x; i < ncells; i += blockDim.x) tags[i] = 0;
  for (uint32_t i = threadIdx.x; i < ncells * cell_words; i += blockDim.x) cells[i] = q.cell_begin[i % cell_words];
  __syncthreads();
  for (uint64_t first = (uint64_t)blockIdx.x * blockDim.x; first < n; first += (uint64_t)gridDim.x * blockDim.x) {
    const uint64_t i = first + threadIdx.x;
    bool odd = false, takes = false;
    uint32_t row = 0;
    GroupHash h{q.seed, 0};
    if (i < n) {
      row = rows ? rows[i] : (uint32_t)i;
      takes = group_wanted(q, row, &odd);
      bool is_short = (odd || takes) && each_word(q, row, &odd, h);
      for (uint32_t k = 0; k < q.ntallies && !odd; k++)
        if (q.columns[q.tallies[k].column].round != kRoundNone && q.tallies[k].kind != kTallyCount && group_valid(q.columns[q.tallies[k].column], row)) group_whole(q.columns[q.tallies[k].column], row, &odd);
      if (odd || (takes && !is_short)) {
        hosts[atomicAdd((unsigned long long*)&q.counts->hosts, 1ull)] = row;
        takes = false;
      }
    }
    __syncwarp();
    uint64_t hash = h.hash ^ h.hash >> 32;
    hash = hash << 32 | (uint32_t)(hash * 0xff51afd7ed558ccdull >> 32); // the tag's half, and the slot's
    const uint64_t tag = hash & ~0xffffffffull;
    uint32_t group = kNoGroup, cell = kNoGroup, empty = kNoGroup;
    if (takes) {
      uint32_t at = (uint32_t)((uint64_t)(uint32_t)hash * ncells >> 32);
      for (uint32_t k = 0; k < kGroupProbes && k < ncells; k++, at = at + 1 == ncells ? 0 : at + 1) {
        const uint64_t there = *(volatile uint64_t*)(tags + at);
        if (there == 0) {
          empty = at;
          break;
        }
        if ((there & ~0xffffffffull) == tag) {
          cell = at;
          group = (uint32_t)there - 1;
          break;
        }
      }
      if (group == kNoGroup) group = likely_group(q, hash);
    }
    __syncwarp();
    const bool same = group != kNoGroup && same_key(q, row, key_of(q, group));
    __syncwarp();
    if (takes && !same) {
      cell = kNoGroup;
      group = find_group(q, row, hash, h.nwords);
      if (group == kNoGroup) {
        again[atomicAdd((unsigned long long*)&q.counts->again, 1ull)] = row;
        takes = false;
      }
    }
    __syncwarp();
    if (takes && cell == kNoGroup && empty != kNoGroup) {
      const uint64_t mine = tag | (group + 1), there = atomicCAS((unsigned long long*)tags + empty, 0ull, (unsigned long long)mine);
      if (there == 0 || there == mine) cell = empty;
    }
    __syncwarp();
    auto there = [&] { return q.states + (uint64_t)group * q.words; };
    if (takes && cell != kNoGroup) add_row<true>(q, row, cells + (uint64_t)cell * cell_words, &odd, there);
    __syncwarp();
    if (takes && cell == kNoGroup) add_row<false>(q, row, there(), &odd, there);
    __syncwarp();
  }
  __syncthreads();
  for (uint32_t i = threadIdx.x; i < ncells; i += blockDim.x)
    if (tags[i] != 0) add_cell(q, q.states + (uint64_t)((uint32_t)tags[i] - 1) * q.words, cells + (uint64_t)i * cell_words);
}

// States of groups from to to, as they begin. Any grid.
extern "C" __global__ void __launch_bounds__(256) dfa_group_begin(const dfaparse::Group* query, uint64_t from, uint64_t to) {
  const dfaparse::Group& q = *query;
  for (uint64_t i = from * q.words + (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < to * q.words; i += (uint64_t)gridDim.x * blockDim.x) q.states[i] = q.begin[i % q.words];
}

// Puts the first n groups into slots that are all free. Any grid.
extern "C" __global__ void __launch_bounds__(256) dfa_group_rehash(const dfaparse::Group* query, uint64_t n) {
  const dfaparse::Group& q = *query;
  unsigned long long* slots = (unsigned long long*)q.slots;
  for (uint64_t g = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; g < n; g += (uint64_t)gridDim.x * blockDim.x) {
    uint64_t hash = q.key_words[q.key_at[g]], slot = (hash & ~0xffffffffull) | (g + 1);
    for (uint64_t i = hash & q.mask; atomicCAS(slots + i, 0ull, (unsigned long long)slot) != 0;) i = (i + 1) & q.mask;
  }
}
