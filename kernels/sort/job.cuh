// What is sorted, as the host describes it, and the bounds of the memory that sorting takes
// besides keys, values and as much again.
#pragma once

#include "../device.cuh"

namespace dfaparse {

constexpr uint32_t kSortThreads = 512; // of a block that counts
// Of a block that scatters keys and values of so many bytes, in order or in any: its threads, how many keys a thread has, of
// which it writes so many at once where there are no values, and how many blocks a multiprocessor has at least. Tiles of a
// kind are the same. Keys that are small make longer ones, so that runs of one digit are longer in bytes.
template <uint32_t kThreads_, uint32_t kItems_, uint32_t kBlocks_, uint32_t kStep_> struct SortShape {
  static constexpr uint32_t kThreads = kThreads_, kItems = kItems_, kBlocks = kBlocks_, kStep = kStep_, kTile = kThreads * kItems;
};
template <uint32_t kKey, uint32_t kValue> struct SortShapes {
  using Ordered = SortShape<384, 16, 2, 4>;
  using Any = Ordered;
};
template <> struct SortShapes<4, 0> {
  using Ordered = SortShape<384, 24, 3, 8>;
  using Any = SortShape<512, 18, 2, 6>;
};
// How many blocks that sort medium buckets a multiprocessor has at least.
template <class Key> constexpr uint32_t kSortMediumBlocks = sizeof(Key) == 4 ? 3 : 2;
constexpr uint32_t kSortDigits = 256;
// The most keys: how many there are before a tile is published in 30 bits.
constexpr uint64_t kSortMost = (1ull << 30) - 1;

// Buckets that are sorted in a block's memory, by classes of their size; of which
// neighbours are merged while they stay in the second.
constexpr uint32_t kSortSmall = 1024, kSortMedium = 4608, kSortLarge = 9216;
constexpr uint32_t kSortSmallThreads = 128, kSortMediumThreads = 512, kSortLargeThreads = 512;

// A pass takes 8 bits or more, a first one may find out that a sample did not say all, and a last one may copy.
constexpr uint32_t kSortPasses = 10;

// A bucket that is too large: keys that are the same in all bits but those of mask.
struct SortBucket {
  uint64_t mask;         // 0: it is sorted, and only to be copied to the first array
  uint64_t differ;       // bits by which its keys do differ, which the pass finds out
  uint32_t start, count;
  uint32_t shift;        // of the digit that it is parted by
  uint32_t side;         // 0: it lies in the first array, 1: in the other
  uint32_t tile;         // its first
  uint32_t scatters;     // whether it is parted in this pass, which the plan says
  uint32_t backward;     // 0: from its highest digit on; kSortCounting: from the last one, digits are counted now; and the one to sort by
  uint32_t copies;       // who counts puts its keys into the other array too
};
// Of scatters: many keys have one digit; or keys without values differ by it alone, so that how often digits are says all.
constexpr uint32_t kSortSkewed = 2, kSortFills = 3;
constexpr uint32_t kSortFew = 4; // before the first pass: values are counted
// Of each part values are counted: its keys become numbers of 16 bits, in the other array; and many have one digit.
constexpr uint32_t kSortBrief = 5, kSortBriefSkewed = 6;
constexpr uint32_t kSortCounting = 1, kSortBackward = 2; // of backward, the latter plus the number of the digit

// A digit of a sort from the last to the first: of bits that may differ, 8 of them or fewer, put side by side.
// A byte of shifts and masks is a run of such bits: how far it is moved down, and where it is then.
struct SortCut {
  uint64_t shifts, masks;
  uint64_t runs; // 1 to 8
};
constexpr uint32_t kSortCuts = 8;

// How many keys are looked at before a large sort, and of a less large one.
constexpr uint32_t kSortSample = 4096, kSortSampleFew = 512;
constexpr uint32_t kSortBeginThreads = 1024; // of the block that does, which sorts them
constexpr uint32_t kSortSampled = 1 << 20; // keys that are large

// A bucket that is small.
struct SortLocal {
  uint32_t start, count, side;
};

// A bucket of keys alone of which values are counted, which are fewer than keys: numbers from bit low on.
struct SortTally {
  uint64_t share; // the other bits
  uint32_t start, count, side;
  uint32_t low, nvalues;
  uint32_t few; // 1: they are counted, and are those of a table
  uint32_t tile;
  uint32_t brief; // 1: numbers of 16 bits are what is left of its keys, in the first half of its place or less
};
// By which value a tile of such a bucket begins.
struct SortBegin {
  uint32_t tally, value;
};
// Values of keys of which there are few, and how often each is there. The last count is that of the value that empty slots hold.
constexpr uint32_t kSortFewSlots = 4096, kSortFewMost = 2048, kSortFewSample = 1536;
constexpr uint32_t kSortFewBins = 1024;
struct SortFew {
  uint64_t keys[kSortFewSlots];
  uint64_t empty;
  uint32_t counts[kSortFewSlots + 1];
  uint32_t failed;
  uint8_t steps[kSortFewBins]; // how many steps values of a bin are moved on
};
// Keys of 64 bits alone that differ within 32 neighbouring ones, at most: these are sorted, by a job of their own in the
// other array, which in the end writes whole keys. Fewer than so many bits are not worth it.
constexpr uint32_t kSortNarrowLeast = 17;
struct SortNarrow {
  uint64_t share; // the other bits
  uint32_t low;   // the first of these
  uint32_t wanted, failed; // a sample has said so; there is a key that differs in others
};
// One block counts values of a bucket of so many tiles at most.
constexpr uint32_t kSortTallyWhole = 512;
constexpr uint32_t kSortTallyBits = 16, kSortTallyTile = 16384, kSortTallyThreads = 1024, kSortFillThreads = 512;

// Numbers that the kernels count up, zero before the first: of each pass, of each class, and three of tallies,
// their tiles, how many they are, and the most tiles that one has.
enum SortCount : uint32_t { kSortBuckets = 0, kSortTiles = 16, kSortTicket = 32, kSortLocals = 48, kSortTallies = 52, kSortCounts = 64 };

struct Sort {
  void* keys;         // [n] what is sorted, and the result
  void* other_keys;   // [n] as much again
  void* values;       // [n] that go with the keys; null: there are none
  void* other_values;
  uint64_t n;
  uint64_t key_bits;  // of a key: 32 or 64
  uint64_t numbered;  // 1: values become 0, 1, 2 … before
  uint32_t* counts;   // [kSortCounts]
  SortBucket* buckets; // [2][most_buckets], of passes by turns
  uint32_t* digits;   // [2][most_buckets][kSortDigits] how often digits are, then where they begin
  uint32_t* tiles;    // [2][most_tiles] whose they are
  uint32_t* before;   // [most_tiles][kSortDigits] what tiles have published
  SortLocal* locals;  // [3][most_locals]
  uint32_t* lows;     // [kSortCuts][kSortDigits] of a sort from the last digit: how often these are, then where they begin
  SortCut* cuts;      // [kSortCuts]
  uint64_t most_buckets;
  uint64_t most_tiles;
  uint64_t most_locals;
  uint64_t tile;      // of SortShapes of keys and values
  SortTally* tallies; // [most_buckets]
  SortBegin* tally_tiles; // [sort_most_tally_tiles]
  SortFew* few;
  SortNarrow* narrow;
  void* wide;         // [n] keys of 64 bits, to which those of 32 become in the end; null: they are what they are
};

// Buckets are larger than kSortLarge, and a tile is full but for the last of a bucket. Two
// neighbours that are not merged have more than kSortMedium keys together, unless there is a large bucket,
// or the end of the bucket that they are parts of, between.
__host__ __device__ constexpr uint64_t sort_most_buckets(uint64_t n) { return n / kSortLarge + 1; }
__host__ __device__ constexpr uint64_t sort_most_tiles(uint64_t n, uint64_t tile) { return n / tile + sort_most_buckets(n) + 1; }
__host__ __device__ constexpr uint64_t sort_most_tally_tiles(uint64_t n) { return n / kSortTallyTile + sort_most_buckets(n); }
__host__ __device__ constexpr uint64_t sort_most_locals(uint64_t n) { return 2 * (n / kSortMedium) + 2 * kSortPasses * sort_most_buckets(n) + 2; }

} // namespace dfaparse
