// Package zstdfast compresses short texts as frames of Zstandard, quickly: it is
// made for pages of columns, some hundred kilobytes that are compressed on their
// own.
//
//	src ──match──▶ literals, sequences ──▶ block: literals (Huffman), sequences (FSE)
//	      a block of 128 KiB at a time                 │
//	      table of positions                           └─▶ or stored, if that is shorter
//
// A sequence is a run of literals, and a match: so many bytes from so far back.
// Matches are looked for greedily, by one table of the last position of eight
// bytes: there are few of them then, and what they cost is by the sequence.
//
// Frames have no checksum and no dictionary; the whole content is the window.
// The format is that of RFC 8878, whose sections the code names. The Huffman
// coder is klauspost/compress's.
package zstdfast
