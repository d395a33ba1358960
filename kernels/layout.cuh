// What lies in device memory, as the host lays it out: layout.go has the same
// structures in Go, and a test compares sizes and offsets. All sizes are in
// bytes and all offsets of symbols count from Job.data, unless said otherwise.
// A pointer is 8 bytes on both sides; structures are multiples of 8 bytes.
#pragma once

#include "device.cuh"

namespace dfaparse {

// A partition is below this size, so that an offset has bit 31 to spare.
constexpr uint32_t kMaxPartition = 1u << 31;

// The symbols that one thread reads in the stages context and index.
constexpr uint32_t kChunk = 64;

// What is readable beyond Job.size, so that a thread may load whole vectors.
// Its content is not defined.
constexpr uint32_t kPadding = 128 * 1024;

// A transition, and what the index keeps of the one that ended a field:
//
//   bit  31            25     24     23..21  20..12    11..0
//        end of input  lagged coded  kind    emission  next state
//
// lagged: the emission's lag is not 0. coded: data that does not stand for
// itself. end of input: no symbol, the emission is the one of the input's end
// in the state that stands in place of the next one.
using Transition = uint32_t;
constexpr uint32_t kNextMask = 0xfff;
constexpr uint32_t kEmissionShift = 12, kEmissionMask = 0x1ff;
constexpr uint32_t kKindShift = 21, kKindMask = 7;
constexpr uint32_t kCoded = 1u << 24, kLagged = 1u << 25, kEndOfInput = 1u << 31;

// dfa.Kind.
enum Kind : uint32_t { kData = 0, kSkip = 1, kField = 2, kRecord = 3, kError = 4 };

// dfa.Substitution.
enum Substitution : uint32_t { kItself = 0, kByByte = 1, kByHex = 2, kByOctal = 3 };

// dfa.Emission.
struct Emission {
  int32_t column;  // kNextColumn, or the column that ends
  uint16_t lag, open;
  uint16_t code;
  uint8_t kind, sub, byte, cls;
  uint8_t record, blame;
};
constexpr int32_t kNextColumn = -1;

// dfa.RecordKind.
enum RecordKind : uint32_t { kDataRecord = 0, kDroppedRecord = 1, kFirstDirective = 2 };

// Facts about a Program that let kernels leave work out.
enum ProgramFlags : uint32_t {
  kHasLag = 1,      // some boundary lags
  kHasCoded = 2,    // some data symbol does not stand for itself
  kHasColumns = 4,  // some boundary names its column
  kHasKinds = 8,    // some record is not a data record
  kHasClasses = 16, // some boundary has a class
};

// How the stage context tracks states.
enum Tracking : uint32_t {
  kTrack4 = 0,      // 4 states or classes of them, a byte each in one register
  kTrack8 = 1,      // 8 in two
  kTrack16 = 2,     // 16 in four
  kTrackMonoid = 3, // one element of a transition monoid of at most 256
  kTrackVector = 4, // a vector of states in memory
  kTrackLive8 = 5,  // the states that are possible after one symbol, 8 in two registers
  kTrackLive16 = 6, // 16 in four
  kTrackWalk = 7,   // one state, which is guessed and then verified
};

// A dfa.Program. Written once a plan.
struct Program {
  const uint8_t* group;         // [256] symbol -> symbol group
  const Transition* table;      // [groups*states], entry group*states+state
  const Emission* emissions;    // [nemissions]
  const uint16_t* at_eof;       // [states] -> emission
  const uint32_t* flat;         // [states*256] Transition, entry state*256+symbol
  uint32_t states, groups, nemissions, start;
  uint32_t flags;    // ProgramFlags
  uint32_t max_lag;
  uint32_t tracking; // Tracking
  uint32_t tracked;  // classes, or elements
  const void* context;          // tables of the stage context, as its tracking lays them out
  uint64_t context_words[12];   // scalars of the same
};

// What became of a partition: counted by index, completed by shape.
struct Counts {
  uint32_t fields;     // of the complete records and of the one that is open
  uint32_t records;    // complete ones
  uint32_t rows;       // records that are data records
  uint32_t data;       // data symbols
  uint32_t faults;     // symbols, and ends of input, with an error code
  uint32_t directives; // records of kind kFirstDirective and above; more than directive_capacity: not all are listed
  uint32_t end_state;  // after the last symbol
  uint32_t consumed;   // through the boundary of the last record: where the next one begins
  uint32_t resume;     // the state in which it begins
  uint32_t malformed;  // rows, of all deliveries
  uint32_t unfused;    // not 0: the fused path is not for this partition
  uint32_t row_bytes;  // of the rows with their boundaries, of all deliveries; 0 if all records are rows
  uint32_t reserved[4];
};

// A partition and the tables that the stages make of it.
struct Job {
  const uint8_t* data;  // 16-byte aligned, readable through size + kPadding
  uint32_t size;
  uint32_t state;       // the context at data[0]
  uint32_t final;       // the input ends after data
  uint32_t directive_capacity;

  // context: per chunk of kChunk symbols, the state in which it begins; one
  // chunk if size is 0.
  uint16_t* chunk_state;

  // index, per field in order of Transition: size+1 entries are there.
  uint32_t* found;   // offset of the symbol whose emission ended the field; size: the end of the input
  Transition* mark;  // that emission's transition
  uint16_t* column;  // number of the field in its record; nullptr unless kHasColumns

  // index, per record
  uint32_t* record_last; // its last field
  // index, per row: its record; nullptr unless kHasKinds: then row i is record i
  uint32_t* row_record;
  uint32_t* directive;   // [directive_capacity] records, in no order
  uint32_t* fault;       // bit i&31 of word i>>5: record i has a fault; zeroed before index

  // index, per symbol: bit p&31 of word p>>5: p is a byte of a value
  uint32_t* is_data;
  // index, per chunk: data symbols before it; one entry more: all. nullptr: nobody has counted
  uint32_t* data_before;
  // index: the symbols with data symbols decoded; data itself unless kHasCoded
  uint8_t* value;

  Counts* counts;
  void* scratch;         // of the scans
  uint64_t scratch_size;

  // utf8, per chunk: 0 or 1. What lies between two ASCII symbols is UTF-8 if all
  // chunks that it has symbols in have 0. nullptr if nothing is known.
  uint8_t* chunk_utf8;
};

// Where a field's value lies, beside its end: bit 31 of a start says that the
// data symbols do not lie side by side, so that is_data tells which they are;
// otherwise start to end is the value. kAbsent: the record has no such field.
// kDefaultText, which only convert writes: the text is Output.default_bytes.
constexpr uint32_t kScattered = 1u << 31;
constexpr uint32_t kAbsent = 0xffffffffu;
constexpr uint32_t kDefaultText = 0xfffffffeu;

// A column whose values are taken apart by an automaton of their own.
struct Split {
  const Program* program;
  uint32_t column;             // of the spans: of the values
  uint32_t nparts;
  const int32_t* part_column;  // [nparts] part -> column of the spans, -1: nobody wants it
  const uint8_t* source;       // of the values: Job.data or Job.value
  const uint8_t* tokens;       // null tokens of the column, as Output has them
  uint32_t ntokens;
  uint32_t strict;             // a value that the automaton does not accept is an error
  uint32_t* left;              // bit i&31 of word i>>5: the parts of row i are left
};

// In place of a field number: no field is the value of this column of the
// spans, or a split makes it.
constexpr int32_t kNoField = -1, kPartField = -2;

// Rows to deliver: some of a partition's that one binding governs. What has an
// entry per row counts rows from row_from.
struct Delivery {
  uint32_t row_from, row_to; // of the partition; row_to is cut to Counts.rows
  uint32_t capacity;         // rows that the buffers hold; no more are taken
  uint32_t max_record;
  uint32_t min_fields, max_fields, truncate;
  int32_t rest;              // field number, -1: none
  uint32_t nfields;          // of the next two
  uint32_t ncolumns;         // of the spans, those that splits make included
  const int32_t* field_column; // [nfields] field number -> column of the spans, -1: nobody wants it
  const uint8_t* field_class;  // [nfields] class that it must have, 0: any; nullptr: none must have one
  const uint32_t* widths;      // [nwidths] of columns of fixed width
  uint32_t nwidths;
  uint32_t noutputs;
  const int32_t* column_field; // [ncolumns] column of the spans -> field number, kNoField or kPartField
  Split* splits;               // [nsplits]
  uint64_t nsplits;

  // partition, and split: column-major, entry column*capacity + row. convert
  // cuts off what kTrim says, of strings, and writes kDefaultText.
  uint32_t* span_start;
  uint32_t* span_end;
  uint32_t* malformed;   // bit i&31 of word i>>5: row i has a structural problem
  uint32_t* record_start; // [capacity+1] per row: offset of its record's first symbol; nullptr if not asked for

  struct Output* outputs; // [noutputs]
  uint8_t* heap;          // the bytes of strings, output by output, each 64-byte aligned
  uint64_t heap_size;
};

enum OutputFlags : uint32_t {
  kTrim = 1,         // spaces and tabs around a field are cut off
  kRequired = 2,     // null is an error
  kHasDefault = 4,   // default_value or default_bytes comes in place of null
  kEmptyIsNull = 8,
  kRaw = 16,         // the value is as written: is_data does not apply
  kOnHost = 32,      // no kernel converts it
  kRejectUTF8 = 64,  // bytes that are not UTF-8 are an error
  kKeepUTF8 = 128,   // they are passed on; neither: they are replaced
  kOfMaps = 256,     // a text is a map, which is not copied: offsets become those of its entries, see pairs.cu
};

// A column to deliver. A row that a kernel does not decide is left: its bit in
// todo is set, its value and validity are not defined, its string is empty.
struct Output {
  uint32_t kind;    // dfa.TypeKind
  uint32_t column;  // of the spans
  uint32_t flags;   // OutputFlags
  uint32_t width;   // bytes of a value in fixed; 0: none, or a bitmap
  const uint8_t* source; // Job.data or Job.value
  const uint8_t* tokens; // null tokens: ntokens times a length (4 bytes, aligned) and the bytes, padded to 4
  uint32_t ntokens;
  uint32_t default_length;
  uint64_t default_value[2];    // as in fixed
  const uint8_t* default_bytes; // of strings
  const void* type;             // the options of the type, as its converter lays them out
  uint64_t options[8];          // scalars of the same

  void* fixed;        // [capacity] values, or the bits of Bool
  uint32_t* valid;    // bit i&31 of word i>>5: row i is not null
  uint32_t* todo;     // likewise: row i is left
  const uint32_t* left; // of a part: Split.left, all of which become todo; else nullptr
  uint32_t* offsets;  // [capacity+1], of strings: lengths at first, then where each begins
  // [8]: nulls, rows left; of strings their bytes (0xffffffff: so many or more),
  // heap offset low, high, 1 if the heap or int32 offsets cannot hold them
  // and were not copied, and not 0 if some that have views are there; zeroed before convert
  uint32_t* counters;
  // [capacity*16], of strings: views, see strings/views.cuh, and then the heap gets only strings
  // that are not as their symbols lie, and offsets are there only if there are some; nullptr: there are none
  void* views;
};

// A row that is left to the host.
struct Leftover {
  uint32_t row;   // counted from Delivery.row_from
  uint32_t start; // offset of its record's first symbol
  uint32_t end;   // offset after the symbol that ended it; one more than Job.size for the end of the input
  uint32_t state; // in which the record begins
};

// How the symbols of a column that have been moved together are told apart
// (ParPaRaw, sections 3.3 and 4.1).
enum Tagging : uint32_t {
  kTagged = 0,     // each symbol has the number of its row
  kTerminated = 1, // behind each field comes a symbol that is in none
  kDelimited = 2,  // behind each field comes a symbol, and a bit says that it is one
};

// The first columns of the spans, the symbols of each moved together: their
// concatenated symbol strings. Nothing of them is scattered.
struct Css {
  uint32_t tagging;    // Tagging
  uint32_t terminator; // the symbol behind each field, not 0; kTagged has none
  uint32_t ncolumns;
  uint32_t pitch;      // from a column's offsets to the next one's: capacity+1 or more, a multiple of 4
  const uint8_t* raw;  // [ncolumns] 1: the values are as written
  uint32_t* offsets;   // [ncolumns*pitch] per column as Output.offsets
  uint32_t* counters;  // [ncolumns*8] per column as Output.counters; zeroed before
  uint32_t* failed;    // 1: what is there makes no index, and the spans are as they were; zeroed before
  uint8_t* symbols;    // column by column, each 64-byte aligned, readable through size + kPadding
  uint64_t size;
  uint32_t* tags;      // kTagged: [size]
  uint32_t* ends;      // kDelimited: bit i&31 of word i>>5: symbol i is behind a field
};

} // namespace dfaparse
