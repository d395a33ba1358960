package main

// What the assembly knows of the types of package cpu, whose tests fail where it
// is not so.

// Offsets of the fields of marker, all of them of 8 bytes.
const (
	kSrc = 8 * iota
	kBlocks
	kMarks
	kRecords
	kNMarks
	kNRecords
	kAll
	kNumber
	kOffset
	kDoubling
	kQuoted
	kBracketed
	kAfterRecord
	kAfterField
	kAfterQuote
	kAfterBracket
	kAfterReturn
	kAfterQuoteReturn
	kAfterBracketReturn
	kAfterBlank
	kDoubled
	kAnyDoubled
	kAnyReturn
	kOdd
	kRoles
)

// Offsets in roles, and the roles in their order there.
const (
	rolesHigh   = 16
	rolesBits   = 32
	rolesNibble = 48
	rolesWide   = 64
)

const (
	fieldRole = iota
	recordRole
	returnRole
	oddRole
	oddFirstRole
	oddNextRole
	quoteRole
	oddQuotedRole
	openRole
	closeRole
	oddBracketedRole
	nroles
)

// stripBlocks is the number of blocks of a strip: each has a bit in a set of them.
const stripBlocks = 64

// Offsets in bitmaps.
const (
	bOf      = 0
	bPresent = bOf + 8*nroles
	bSome    = bPresent + 8
	bLasts   = bSome + 8
	bEmit    = bLasts + 8
	bEnds    = bEmit + 8*stripBlocks
	bRecords = bEnds + 8*stripBlocks
	bQuoted  = bRecords + 8*stripBlocks
	bOther   = bQuoted + 8*stripBlocks
	bNumbers = bOther + 8*stripBlocks
)
