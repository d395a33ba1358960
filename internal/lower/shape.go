package lower

import (
	"slices"

	"github.com/dfaparse/dfaparse/dfa"
)

// EOL is a set of line ends. 0 is LF|CRLF.
type EOL uint8

const (
	LF   EOL = 1 << iota // "\n"
	CRLF                 // "\r\n"
	CR                   // "\r"

	AnyEOL = LF | CRLF | CR
)

// Blank says what an empty line is.
type Blank uint8

const (
	SkipBlank Blank = iota // no record
	KeepBlank              // a record of one empty field
)

// Escape says how symbols are written that would mean something else.
type Escape struct {
	Lead  byte          // '\\'
	To    map[byte]byte // after Lead: 'n' -> '\n', '"' -> '"'
	Hex   byte          // after Lead, introduces two hexadecimal digits: 'x'; 0: none
	Octal bool          // after Lead, three octal digits up to 377
	Other Other         // after Lead, any other symbol
}

// Other says what an escape rule makes of a symbol after its lead that it does
// not name.
type Other uint8

const (
	FaultOther Other = iota // the record is malformed
	DropLead                // the symbol stands for itself
	KeepBoth                // both stand for themselves; only if the rule decodes nothing
)

// Separator is a text between two fields, or with Run one or more bytes of it
// in any order.
type Separator struct {
	Text []byte
	Run  bool
}

// Delimited are records of fields with a separator between them.
type Delimited struct {
	Separators []Separator // any of them
	Quote      byte        // encloses a field that may hold anything; 0: none
	Quotes     []byte      // further quotes, for which all holds that holds for Quote
	Doubled    bool        // inside quotes two quotes are one
	MaxLines   int         // line ends that a field in quotes may hold; 0: any number
	Escape     *Escape     // inside quotes; without a Quote everywhere
	Everywhere bool        // the Escape holds outside of quotes too
	Brackets   [][2]byte   // further enclosures: '[' and ']'
	Blanks     bool        // spaces and tabs before a field and after a closer are no data
	// AfterData are texts that end a record outside of enclosures: from there on its line
	// is a comment. Where nothing but blanks stands before one, the line is no record.
	AfterData []string
	Lines
	// Leading, Trailing: a run of separators at the start, at the end of a
	// record separates nothing. The separators must then be one Run.
	Leading, Trailing bool
	// Openers: what opens an enclosure is of an escape, so that how the field was written
	// says that it was enclosed, see dfa.Definition.Openers.
	Openers bool
	// Rest: the last column takes, as written, all that follows the one before it.
	Rest bool
	// Classes numbers the lexeme classes of fields (bare, quoted, …) in the
	// emissions. It costs states, and only columns with a Class need it.
	Classes bool
}

// Lines are what records that end at line ends have in common; alone, each
// line is a record of one field.
type Lines struct {
	EOL      EOL
	End      []byte // ends a record in place of a line end; nil: EOL does
	Blank    Blank
	Comments []string // prefixes of lines that are no records
	// AfterBlanks are prefixes of such lines too, and spaces and tabs may stand in
	// front of them.
	AfterBlanks []string
	Directives  []string // prefixes of lines of the kinds dfa.FirstDirective+i
	Stops       []string // prefixes of lines with which the data end: they and all after them are no records
	StopAtBlank bool     // an empty line is such a line
	// Names is 1 + the index of the directive that the first line is, and each line after an
	// empty one; its prefix is "". 0: there is none.
	Names int
	Words []bool // Words[i]: a line whose word goes on after Directives[i] is another; may be shorter
	Lax   bool
	Work  *Work // that building may take, nil: any
}

// Part is a part of a template: a Literal, Hole, Blanks or Optional.
type Part interface{ part() }

// Literal is text as it stands.
type Literal struct{ Text string }

// Hole is where a field stands.
type Hole struct {
	Name     string
	Escape   *Escape        // its escape rule, nil: none
	Embedded *dfa.Automaton // what the field must look like, nil: anything
	ToEnd    bool           // it takes all up to the end of the record

	column int // in a union
}

// Blanks are one or more spaces or tabs.
type Blanks struct{}

// Optional are parts that are there together or not at all. If Told, what tells
// whether they are there is the form of a field, not a text that they begin with.
type Optional struct {
	Parts []Part
	Told  bool
}

func (Literal) part()  {}
func (Hole) part()     {}
func (Blanks) part()   {}
func (Optional) part() {}

// Record is a template that every record matches, or several, of which each record
// matches one.
type Record struct {
	Parts  []Part
	Shapes []Shape // instead of Parts
	// Rest, if not "", names a last column for what follows the template: a
	// separator and anything. It need not be there.
	Rest string
	// Fewer says that a record may end before the last field of a list.
	Fewer bool
	Lines
	Multiline *Multiline // nil: a record is a line
	// Positional keeps the machine of one state a position where a smaller one
	// that takes lexing and shape apart exists. Both read the same records.
	Positional bool
}

// Multiline are records of several lines: a record begins where a line begins
// as Start or, if there is no Start, where a line does not begin as any of
// Continue and is not empty. Every other line, its line end included, belongs
// to the last field.
type Multiline struct {
	Start    []dfa.Set // one set a byte; see Text
	Continue []string
}

// Text gives the sets that s matches byte by byte, for Multiline.Start.
func Text(s string) []dfa.Set {
	sets := make([]dfa.Set, len(s))
	for i := range sets {
		sets[i] = dfa.Bytes(s[i])
	}
	return sets
}

// RecordShape is what a Record was built to.
type RecordShape struct {
	Automaton *dfa.Automaton
	Classes   []string // as dfa.Definition.Classes
	Columns   []HoleColumn
	Shapes    [][]int // per shape: its Columns; its records end in class 1 + its index. None if there is one shape
	HasRest   bool    // the last of Columns is Record.Rest, see dfa.Definition.HasRest
	Factored  bool    // one lexical machine for all columns, which have a Class each
}

// Absent reports whether no record has column i, as a field of another always begins where it could.
func (r *RecordShape) Absent(i int) bool {
	if r.Factored || !r.Columns[i].Optional || r.HasRest && i == len(r.Columns)-1 {
		return false
	}
	return !slices.ContainsFunc(r.Automaton.Emissions, func(e dfa.Emission) bool {
		ends := e.Kind == dfa.Field || e.Kind == dfa.Record
		return ends && e.Code == 0 && (e.Column == int16(i) || e.Kind == dfa.Field && e.Column == dfa.NextColumn)
	})
}

// HoleColumn is the column of a hole.
type HoleColumn struct {
	Name     string
	Class    uint8 // lexeme class that the field must have, 0: any
	Optional bool  // a record may lack it
}

// List is how a value of type List is written.
type List struct {
	Separator   Separator
	Quote       byte // encloses an element; 0: none
	Doubled     bool
	Escape      *Escape // inside quotes; without a Quote everywhere
	Open, Close byte    // around the list, 0: nothing; the pair may be missing
	Work        *Work   // that building may take, nil: any
}

// Map is how a value of type Map is written.
type Map struct {
	Pair        Separator // between pairs
	KeyValue    []byte    // between a key and its value: "="; a key without it has no value
	Quote       byte      // encloses a value; 0: none
	QuotedKeys  bool      // and keys
	Doubled     bool
	Escape      *Escape // inside quotes; without a Quote everywhere
	Open, Close byte    // around the map, 0: nothing; the pair may be missing
	// Groups: the value is a map of maps, written as groups. A group is Open,
	// an outer key, pairs after a Pair separator each, and Close.
	Groups bool
	Nil    byte  // alone it stands for no map at all, like '-' in syslog; 0: nothing does
	Work   *Work // that building may take, nil: any
}

// Table is an automaton written out.
type Table struct {
	Groups []TableGroup
	Rows   []TableRow // the first is the start state
	EOF    []TableEOF // what the end of the input means, for every state
	// Recover are the groups that end the record after an error; none are the
	// groups that end a record in the start state.
	Recover []string
}

// TableGroup names symbols. The symbols of no group belong to the one that
// has All set.
type TableGroup struct {
	Name string
	Set  dfa.Set
	All  bool
}

// TableRow is one state and what it does on each group.
type TableRow struct {
	Name  string
	Doc   string // in words, for errors; "" is the name
	Cells []Cell // one a group
}

// Cell is one transition; of a Cell of Kind Error only Message counts.
type Cell struct {
	Next    string
	Kind    dfa.Kind
	Sub     dfa.Substitution // of Data
	Byte    byte             // of Data, Sub == dfa.ByByte
	Escape  bool             // of Skip: the symbol is of an escape
	Column  int              // of Field and Record: dfa.NextColumn, or the column
	Record  dfa.RecordKind   // of Record
	Lag     int              // of Field and Record, see dfa.Emission
	Open    int
	Message string // of Error: what was expected; "" names state and group
}

// TableEOF says what the end of the input means in states: nothing, the end of
// a record, or the end of a malformed one.
type TableEOF struct {
	States  []string
	Kind    dfa.Kind // Skip, Record, or Error
	Message string   // of Error
}
