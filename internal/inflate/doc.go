// Package inflate reads gzip data from places within them.
//
// Whoever begins within a gzip stream needs the bit at which a block of it begins, and the
// 32 KiB of text before, to which the block may refer. A Point has both:
//
//	compressed   |member: header|block|block|block …|crc| |member: header|block …
//	points       ^                    ^ a window          ^ no window is needed
//	text         |   …           |32 KiB|  …              |  …
//
// A Reader notes Points as it reads, and begins at one. The decompressors that there are
// do not say where blocks begin; reading gzip as a whole is left to them. Formats: RFC 1951,
// RFC 1952. A file that bgzip has written is many members of at most 64 KiB.
package inflate
