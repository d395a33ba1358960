// What is grouped, as the host describes it: the columns of a batch, what a key is made
// of, what is kept of each group, and which rows are wanted. Addresses change from batch
// to batch, the rest is one query's.
#pragma once

#include "../layout.cuh"

namespace dfaparse {

// How the values of a column lie.
enum GroupForm : uint32_t {
  kFormBits = 0,     // a bitmap
  kFormSigned = 1,   // whole numbers of width bytes, stride apart
  kFormUnsigned = 2,
  kFormFloat = 3,    // of 4 or 8 bytes
  kFormWide = 4,     // whole numbers of 16 bytes
  kFormBytes = 5,    // width bytes that have no order
  kFormTexts = 6,    // offsets and bytes
  kFormCodes = 7,    // numbers of texts
  kFormNothing = 8,  // only whether they are null is known
};

// What times are taken back to.
enum GroupRounding : uint32_t { kRoundNone = 0, kRoundTicks = 1, kRoundDay = 2, kRoundWeek = 3, kRoundMonth = 4, kRoundQuarter = 5, kRoundYear = 6 };

// A column, or a rounding of one.
struct GroupColumn {
  const uint8_t* values; // or codes
  const uint32_t* offsets;
  const uint8_t* text;
  const uint32_t* valid; // nullptr: none is null
  uint32_t form;         // GroupForm
  uint32_t width, stride;
  uint32_t round;        // GroupRounding
  int64_t ticks;         // of the column in a second; 0 of a date
  int64_t unit;          // kRoundTicks: so many seconds
};

enum GroupTallyKind : uint32_t {
  kTallyCount = 0,
  kTallyWhole = 1,    // of 64 bits
  kTallyUnsigned = 2, // of 64 bits, summed in 192
  kTallyWide = 3,     // of 128 bits, summed in 192
  kTallyFloat = 4,
};

// What is kept of the values of a column. In a state of the table, 64 bits a word:
//
//   [n], then of kTallySums the sum (2 words, or 3; of floats kFloatWords), then of kTallyBounds [least, greatest]
//
// and in a block's cell likewise, but of floats, whose sums have kCellFloatWords there.
struct GroupTally {
  uint32_t kind;   // GroupTallyKind
  uint32_t column; // of Group.columns
  uint32_t at;     // first word in a state
  uint32_t cell;   // first word in a cell
  uint32_t parts;  // GroupParts
  uint32_t reserved;
};
enum GroupParts : uint32_t { kTallySums = 1, kTallyBounds = 2 };

// A step of the test of a row. A stack has false, unknown, or true.
enum GroupTestKind : uint32_t {
  kTestSigned = 0,   // low <= value <= high
  kTestUnsigned = 1,
  kTestWide = 2,
  kTestFloat = 3,    // compared with low, whose bits they are
  kTestText = 4,     // compared with the size bytes at text
  kTestNull = 5,     // is null
  kTestNot = 6,
  kTestAll = 7,      // of the two on top
  kTestAny = 8,
  kTestNone = 9,     // no value is what is asked for
};
struct GroupTest {
  uint32_t kind;   // GroupTestKind
  uint32_t column;
  uint32_t holds;  // kTestFloat, kTestText: bit 0 if less, bit 1 if equal, bit 2 if greater; others: 1, or 0 where the contrary is asked for
  uint32_t size;
  uint64_t low, low_above; // low words, high words
  uint64_t high, high_above;
  const uint8_t* text;
};

// Keys of more words are the host's.
constexpr uint32_t kMostKeyWords = 512;
constexpr uint32_t kMostKeys = 32;

// Of group g: key_at[g] words into key_words its hash, then the words of its key; its state at states + g*words.
struct Group {
  uint64_t seed;
  GroupColumn* columns;
  const uint32_t* keys;  // [nkeys] columns
  const GroupTally* tallies;
  const GroupTest* tests;
  uint32_t nkeys, ntallies, ntests;
  uint32_t counts_rows;  // the first word of a state is how many rows there were
  uint32_t words, cell_words;
  const uint64_t* begin; // [words] what states begin with
  const uint64_t* cell_begin;

  // The table. A slot is 0, or the upper half of a key's hash and a group's number + 1, or
  // kSlotTaken while somebody makes it.
  uint64_t* slots;
  uint64_t mask;       // of slots
  uint64_t* key_at;    // [capacity]
  uint64_t* key_words;
  uint64_t* states;
  uint64_t key_room;   // words
  uint32_t capacity;   // groups
  uint32_t ncells;     // of a block
  struct GroupCounts* counts;
};
constexpr uint32_t kSlotTaken = 0xffffffffu;

// What became of rows; zeroed before the first.
struct GroupCounts {
  uint64_t taken;   // groups, and key words << kTakenShift, that somebody wanted
  uint64_t groups;  // that are there
  uint64_t room;    // words of their keys
  uint64_t again;   // rows that found no room
  uint64_t hosts;   // rows that are the host's
  uint64_t reserved;
};
constexpr uint32_t kTakenShift = 28;
constexpr uint64_t kTakenGroups = (1ull << kTakenShift) - 1;
constexpr uint32_t kMostGroups = 1u << 27; // there may be as many again that find no room

constexpr uint32_t kGroupProbes = 4; // cells that are looked at

} // namespace dfaparse
