package compile

import "github.com/alecthomas/participle/v2/lexer"

// The grammar: each struct is a production and, once parsed, the node of it.
// docs/spec.md has the same grammar in words. Positions are those of a node's
// first token; nodes made by a FormatBuilder have none.

// File is one spec file.
type File struct {
	Pos         lexer.Position
	Definitions []Definition `parser:"@@*"`
}

// Definition is a *Format, *Escape or *Table.
type Definition interface{ definition() }

// Format describes one format: what its bytes look like and its columns. Without are
// columns of the parent that are read and not delivered.
type Format struct {
	Pos     lexer.Position
	Name    *Name   `parser:"'format' @@"`
	Extends *Name   `parser:"('extends' @@"`
	Without []*Name `parser:"  ('without' @@+)? )?"`
	Items   []Item  `parser:"'{' @@* '}'"`
}

// Item is one statement of a Format.
type Item interface{ item() }

// Doc is one line about the format.
type Doc struct {
	Pos  lexer.Position
	Text *Text `parser:"'doc' @@"`
}

// Delimited says that records are fields with a separator between them.
type Delimited struct {
	Pos     lexer.Position
	Options []DelimitedOption `parser:"'delimited' '{' @@* '}'"`
}

// Lines says how the lines of any other format than a Delimited end, and which
// of them are no records.
type Lines struct {
	Pos     lexer.Position
	Options []DelimitedOption `parser:"'lines' '{' @@* '}'"`
}

// DelimitedOption is one of *Sep, *Quote, *EscapeUse, *Bracket, *Blanks,
// *Comment, *EOL and *Lax; the last three are the options of Lines too.
type DelimitedOption interface{ delimited() }

// Sep names the separators, any of which ends a field. Leading, Trailing: at
// the start, at the end of a record they separate nothing.
type Sep struct {
	Pos      lexer.Position
	Alts     []*SepAlt `parser:"'sep' @@ ('|' @@)*"`
	Leading  bool      `parser:"@'leading'?"`
	Trailing bool      `parser:"@'trailing'?"`
}

// SepAlt is one separator; Run takes any number of it in a row for one.
type SepAlt struct {
	Pos  lexer.Position
	Text *Text `parser:"@@"`
	Run  bool  `parser:"@'+'?"`
}

// Quote names the symbols that enclose a field, each to its like; Doubled: "" inside is one;
// MaxLines: a field with more line ends than that is an error.
type Quote struct {
	Pos      lexer.Position
	Text     *Text   `parser:"'quote' @@"`
	Or       []*Text `parser:"('or' @@)*"`
	Doubled  bool    `parser:"@'doubled'?"`
	MaxLines string  `parser:"('max_lines' @Number)?"`
}

// EscapeUse names an escape rule, or a lead whose next symbol is literal. Everywhere: it
// holds outside of quotes too.
type EscapeUse struct {
	Pos        lexer.Position
	Lead       *Text `parser:"'escape' (@@"`
	Name       *Name `parser:"         | @@)"`
	Everywhere bool  `parser:"@'everywhere'?"`
}

// Bracket names two symbols that enclose a field.
type Bracket struct {
	Pos   lexer.Position
	Open  *Text `parser:"'bracket' @@"`
	Close *Text `parser:"@@"`
}

// Comment gives prefixes of lines that are no records; After is what may stand in front of
// one on its line: blanks, or data, which end there.
type Comment struct {
	Pos      lexer.Position
	Prefixes []*Text `parser:"'comment' @@+"`
	After    *Word   `parser:"('after' @@)?"`
}

// EOL names the line ends, lf, crlf, cr or any, or a text that ends records in their place.
type EOL struct {
	Pos   lexer.Position
	Text  *Text   `parser:"'eol' (@@"`
	Kinds []*Word `parser:"       | @@ ('|' @@)*)"`
}

// Blanks says that spaces and tabs before a field, and after what closes it, are
// no data.
type Blanks struct {
	Pos lexer.Position
	On  bool `parser:"@'blanks'"`
}

// Lax accepts what a strict reader refuses; docs/spec.md says what.
type Lax struct {
	Pos lexer.Position
	On  bool `parser:"@'lax'"`
}

// Record is the template of a record, or of those of one shape, or with Append more of
// the parent's.
type Record struct {
	Pos      lexer.Position
	Shape    *Word `parser:"'record' @@?"`
	Append   bool  `parser:"@'+='?"`
	Template *Text `parser:"@@"`
}

// Fixed gives the widths of columns in bytes, of all records, or of those of one shape,
// which begin with When.
type Fixed struct {
	Pos     lexer.Position
	Shape   *Word    `parser:"'fixed' ((?! 'when') @@)?"`
	When    *Text    `parser:"('when' @@)?"`
	Columns []*Width `parser:"'{' @@* '}'"`
}

// Binary says that records are binary: all of one length, with nothing between them. Length, if it
// is given, is that length in bytes; Header is how many come before the first record, Magic what
// they begin with.
type Binary struct {
	Pos     lexer.Position
	Length  string          `parser:"'binary' ('record' @Number)?"`
	Header  string          `parser:"('header' @Number)?"`
	Magic   *Text           `parser:"('magic' @@)?"`
	Columns []*BinaryColumn `parser:"'{' @@* '}'"`
}

// BinaryColumn is one column of a Binary: of so many bytes of text, or a number in a form as u32le. Pad is the
// symbol that fills a text up, Since the day that counting begins with. The name _ is a gap.
type BinaryColumn struct {
	Pos   lexer.Position
	Name  *Name  `parser:"@@"`
	Bytes string `parser:"( @Number"`
	Form  string `parser:"| @Ident )"`
	Pad   *Text  `parser:"('pad' @@)?"`
	Since *Text  `parser:"('since' @@)?"`
}

// ShapeColumn names the column that says which shape a record has.
type ShapeColumn struct {
	Pos  lexer.Position
	Name *Name `parser:"'shape' @@"`
}

// Width is one column of a Fixed; the name _ is a gap.
type Width struct {
	Pos   lexer.Position
	Name  *Name  `parser:"@@"`
	Bytes string `parser:"@Number"`
}

// TableUse reads records by a table, a named one or one in place.
type TableUse struct {
	Pos  lexer.Position
	Rows *Rows `parser:"'dfa' ('{' @@ '}'"`
	Name *Name `parser:"       | @@)"`
}

// SkipItem says which lines at the head of a file are passed over: so many, or all
// that begin with one of Prefixes, or all before the first that begins with one
// of Until.
type SkipItem struct {
	Pos      lexer.Position
	Lines    string  `parser:"'skip' ( @Number ('lines' | 'line')"`
	Until    []*Text `parser:"       | 'until' @@+"`
	Prefixes []*Text `parser:"       | @@+ )"`
}

// Header says what the first lines are, after those that are skipped. Joined is what stands
// between the names of several records; After, blank, says that a line after an empty one is a
// header again.
type Header struct {
	Pos    lexer.Position
	Mode   *Word  `parser:"'header' @@"`
	Rows   string `parser:"@Number?"`
	Joined *Text  `parser:"('joined' @@)?"`
	After  *Word  `parser:"('after' @@)?"`
}

// Fields gives columns their types.
type Fields struct {
	Pos  lexer.Position
	List []*Field `parser:"'fields' '{' (@@ ','?)* '}'"`
}

// Field is one column.
type Field struct {
	Pos       lexer.Position
	Name      *Name       `parser:"@@"`
	Type      *TypeExpr   `parser:"@@"`
	Modifiers []*Modifier `parser:"@@*"`
}

// Modifier is one of !, ?, null TOKEN…, empty TOKEN…, default TEXT, trim and in RANGE | ….
// Null tokens are compared with what was written, bare: unless it is enclosed, or, after
// escape, with what it decodes to.
type Modifier struct {
	Pos      lexer.Position
	Required bool     `parser:"  @'!'"`
	Optional bool     `parser:"| @'?'"`
	Bare     bool     `parser:"| 'null' ( @'bare'"`
	Decoded  bool     `parser:"         | @('after' 'escape') )?"`
	Nulls    []*Text  `parser:"  @@+"`
	Empties  []*Text  `parser:"| 'empty' @@+"`
	Default  *Text    `parser:"| 'default' @@"`
	Trim     bool     `parser:"| @'trim'"`
	In       []*Range `parser:"| 'in' @@ ('|' @@)*"`
}

// Range is the values from Low to High, or with neither Dots nor High the one that is
// Low.
type Range struct {
	Pos  lexer.Position
	Low  *Bound `parser:"@@?"`
	Dots bool   `parser:"( @('.' '.')"`
	High *Bound `parser:"  @@? )?"`
}

// Bound is an end of a Range.
type Bound struct {
	Pos    lexer.Position
	Number string `parser:"  @Number"`
	Text   *Text  `parser:"| @@"`
}

// TypeExpr is a type with its arguments: dec(12, 2). In an argument it is also
// how a word is written: rfc3339, epoch(ms), GET.
type TypeExpr struct {
	Pos  lexer.Position
	Name string `parser:"@Ident"`
	Args []*Arg `parser:"('(' (@@ (',' @@)*)? ')')?"`
}

// Arg is one argument of a TypeExpr: an option with its value, or a value. Or are
// further layouts, of which the first that fits counts.
type Arg struct {
	Pos   lexer.Position
	Atoms []*Atom `parser:"@@+"`
	Or    []*Atom `parser:"('|' @@)*"`
}

// Atom is one word of an Arg. Run is for separators: any number of it.
type Atom struct {
	Pos    lexer.Position
	Text   *Text     `parser:"  @@"`
	Run    bool      `parser:"  @'+'?"`
	Number string    `parser:"| @Number"`
	Word   *TypeExpr `parser:"| @@"`
}

// Months names the months, or, Short, their abbreviations.
type Months struct {
	Pos   lexer.Position
	Short bool    `parser:"'months' @'short'?"`
	Names []*Name `parser:"'{' @@* '}'"`
}

// Weekdays names the days of the week, or, Short, their abbreviations.
type Weekdays struct {
	Pos   lexer.Position
	Short bool    `parser:"'weekdays' @'short'?"`
	Names []*Name `parser:"'{' @@* '}'"`
}

// Zones gives names of zones.
type Zones struct {
	Pos  lexer.Position
	List []*ZoneOffset `parser:"'zones' '{' @@* '}'"`
}

// ZoneOffset says how far the times of a zone are ahead of UTC.
type ZoneOffset struct {
	Pos     lexer.Position
	Name    *Name  `parser:"@@"`
	Plus    bool   `parser:"@'+'?"`
	Hours   string `parser:"@Number"`
	Minutes string `parser:"':' @Number"`
}

// Stop says with which line the data end: an empty one, or one that begins with a prefix.
type Stop struct {
	Pos      lexer.Position
	Blank    bool    `parser:"'stop' 'at' ( @'blank'"`
	Prefixes []*Text `parser:"            | @@+ )"`
}

// Null names tokens that are null in every column, as Modifier does.
type Null struct {
	Pos     lexer.Position
	Bare    bool    `parser:"'null' ( @'bare'"`
	Decoded bool    `parser:"       | @('after' 'escape') )?"`
	Tokens  []*Text `parser:"@@+"`
}

// Empty names tokens that are an empty value, in every column that may have one.
type Empty struct {
	Pos    lexer.Position
	Tokens []*Text `parser:"'empty' @@+"`
}

// OnError has the name of one of dfa.ErrorModes.
type OnError struct {
	Pos  lexer.Position
	Mode *Word `parser:"'on_error' @@"`
}

// RaggedItem is error, or pad and truncate in any combination.
type RaggedItem struct {
	Pos   lexer.Position
	Modes []string `parser:"'ragged' @('pad' | 'truncate' | 'error')+"`
}

// Blank is skip or keep.
type Blank struct {
	Pos  lexer.Position
	Mode *Word `parser:"'blank' @@"`
}

// UTF8 has the name of one of dfa.UTF8Policies.
type UTF8 struct {
	Pos  lexer.Position
	Mode *Word `parser:"'utf8' @@"`
}

// EncodingItem names the encoding of inputs, as IANA does.
type EncodingItem struct {
	Pos  lexer.Position
	Name *Text `parser:"'encoding' @@"`
}

// MaxRecord bounds the bytes of a record.
type MaxRecord struct {
	Pos  lexer.Position
	Size *Size `parser:"'max_record' @@"`
}

// Split takes the value of a column apart into further ones, as it was written, or,
// after escape, as it is decoded; from end: texts are looked for from its end.
type Split struct {
	Pos      lexer.Position
	Column   *Name `parser:"'split' @@"`
	Template *Text `parser:"@@"`
	FromEnd  bool  `parser:"@('from' 'end')?"`
	Decoded  bool  `parser:"@('after' 'escape')?"`
	Else     *Word `parser:"('else' @@)?"`
}

// Keyed gives keys of a map columns of their own, of the type that each says; JSON: the
// values are texts of JSON, and a key with Path in it is one of an object in that of the key before.
type Keyed struct {
	Pos    lexer.Position
	Column *Name    `parser:"'keyed' @@"`
	As     *Word    `parser:"((?! '{' | 'path') @@)?"`
	Path   *Text    `parser:"('path' @@)?"`
	List   []*Field `parser:"'{' (@@ ','?)* '}'"`
}

// Multiline says where a record of several lines begins.
type Multiline struct {
	Pos     lexer.Position
	Options []*MultilineOption `parser:"'multiline' '{' @@* '}'"`
}

// MultilineOption is one statement of a Multiline.
type MultilineOption struct {
	Pos      lexer.Position
	Start    *Text   `parser:"  'start' @@"`
	Continue []*Text `parser:"| 'continue' @@+"`
	Into     *Name   `parser:"| 'into' @@"`
	Max      *Size   `parser:"| 'max' @@"`
}

// Directive gives records with a prefix a meaning: schema, skip, metadata, separator, is with a
// Value, or types with what each name of a type is.
type Directive struct {
	Pos    lexer.Position
	Prefix *Text    `parser:"'directive' @@"`
	Action *Word    `parser:"@@"`
	Value  *Text    `parser:"( @@"`
	List   []*Field `parser:"| '{' (@@ ','?)* '}' )?"`
}

// Rest names the column that takes all that follows the last one.
type Rest struct {
	Pos  lexer.Position
	Name *Name `parser:"'rest' @@"`
}

// Test is an input and what must come of it. With two texts the first is the
// name of the test.
type Test struct {
	Pos      lexer.Position
	First    *Text     `parser:"'test' @@"`
	Second   *Text     `parser:"@@?"`
	Outcomes []Outcome `parser:"'=>' @@+"`
}

// Outcome is a *Row, a *Rejected or a *Nothing.
type Outcome interface{ outcome() }

// Row is one expected row.
type Row struct {
	Pos   lexer.Position
	Cells []*Cell `parser:"'{' (@@ ','?)* '}'"`
}

// Cell is one expected value. The bare word null is null.
type Cell struct {
	Pos    lexer.Position
	Name   *Name  `parser:"@@"`
	Text   *Text  `parser:"(  @@"`
	Number string `parser:" | @Number"`
	Word   string `parser:" | @Ident )"`
}

// Rejected is one expected reject, with a part of its error text.
type Rejected struct {
	Pos  lexer.Position
	On   bool  `parser:"@'reject'"`
	Text *Text `parser:"@@?"`
}

// Nothing says that no row comes of the input.
type Nothing struct {
	Pos lexer.Position
	On  bool `parser:"@'none'"`
}

// Escape is a named rule of what follows the lead of an escape.
type Escape struct {
	Pos   lexer.Position
	Name  *Name         `parser:"'escape' @@"`
	Lead  *Text         `parser:"'=' @@"`
	Rules []*EscapeRule `parser:"'{' @@* '}'"`
}

// EscapeRule is one thing that may follow the lead: a char that stands for
// itself, or with = for another; a letter for what it means in C; x:hex2 and
// oct3, a number in digits. Other says what becomes of everything else.
type EscapeRule struct {
	Pos   lexer.Position
	Char  *Text  `parser:"  @@"`
	As    *Text  `parser:"  ('=' @@)?"`
	Other *Word  `parser:"| 'other' @@"`
	Word  string `parser:"| ( @Ident"`
	Form  string `parser:"    (':' @Ident)? )"`
}

// Table is a named automaton.
type Table struct {
	Pos  lexer.Position
	Name *Name `parser:"'dfa' @@"`
	Rows *Rows `parser:"'{' @@ '}'"`
}

// Rows is the table: symbol groups across, states down.
type Rows struct {
	Pos    lexer.Position
	Groups []*Group `parser:"'group' @@ ('|' @@)*"`
	States []*State `parser:"@@+"`
	EOF    []*AtEOF `parser:"'eof' ':' @@ (',' @@)*"`
	// Recover are the groups at which reading goes on after an error.
	Recover []string `parser:"('recover' @Ident ('|' @Ident)*)?"`
}

// Group is one column of a table.
type Group struct {
	Pos  lexer.Position
	Name string     `parser:"@Ident '='"`
	All  bool       `parser:"( @'*'"`
	Set  []*Symbols `parser:"| @@+ )"`
}

// Symbols is one symbol, or the range through Last.
type Symbols struct {
	Pos  lexer.Position
	Text *Text `parser:"@@"`
	Last *Text `parser:"('-' @@)?"`
}

// State is one row of a table.
type State struct {
	Pos   lexer.Position
	Name  string   `parser:"(?! 'eof') @Ident"`
	Doc   *Text    `parser:"@@? ':'"`
	Cells []*Entry `parser:"@@ ('|' @@)*"`
}

// Entry is one cell of a table: where a symbol leads, and what becomes of it.
type Entry struct {
	Pos     lexer.Position
	Error   bool    `parser:"( @'!'"`
	Message *Text   `parser:"  @@? )"`
	Next    string  `parser:"| @Ident"`
	Action  *Action `parser:"  @@"`
}

// Action is . (skip), e (skip, of an escape), d (data, as it is or as another symbol), f (field, with
// @ of an explicit column) or r (record; drop: it was a comment). A boundary
// with a lag was that many symbols back, see dfa.Emission.
type Action struct {
	Pos    lexer.Position
	Kind   string `parser:"( @'.'"`
	Word   string `parser:"| @Ident )"`
	As     *Text  `parser:"( '=' ( @@"`
	AsForm string `parser:"      | @Ident ) )?"`
	Column string `parser:"('@' @Number)?"`
	Drop   bool   `parser:"@'drop'?"`
	Lag    string `parser:"('lag' @Number"`
	Open   string `parser:"  ('open' @Number)?)?"`
}

// AtEOF says what the end of the input means in some states.
type AtEOF struct {
	Pos     lexer.Position
	States  []string `parser:"@Ident ('|' @Ident)*"`
	Error   bool     `parser:"( @'!'"`
	Message *Text    `parser:"  @@?"`
	Action  string   `parser:"| @Ident )"`
}

// Name is a word, or a text where a word will not do.
type Name struct {
	Pos  lexer.Position
	Word string `parser:"  @Ident"`
	Text *Text  `parser:"| @@"`
}

// Word is a keyword that is an argument.
type Word struct {
	Pos   lexer.Position
	Value string `parser:"@Ident"`
}

// Size is a number of bytes.
type Size struct {
	Pos   lexer.Position
	Value string `parser:"@(Size | Number)"`
}

func (*Format) definition() {}
func (*Escape) definition() {}
func (*Table) definition()  {}

func (*Doc) item()          {}
func (*Delimited) item()    {}
func (*Record) item()       {}
func (*Lines) item()        {}
func (*Fixed) item()        {}
func (*Binary) item()       {}
func (*ShapeColumn) item()  {}
func (*TableUse) item()     {}
func (*SkipItem) item()     {}
func (*Header) item()       {}
func (*Fields) item()       {}
func (*Null) item()         {}
func (*Empty) item()        {}
func (*Stop) item()         {}
func (*Months) item()       {}
func (*Weekdays) item()     {}
func (*Zones) item()        {}
func (*OnError) item()      {}
func (*RaggedItem) item()   {}
func (*Blank) item()        {}
func (*UTF8) item()         {}
func (*EncodingItem) item() {}
func (*MaxRecord) item()    {}
func (*Split) item()        {}
func (*Keyed) item()        {}
func (*Multiline) item()    {}
func (*Directive) item()    {}
func (*Rest) item()         {}
func (*Test) item()         {}

func (*Sep) delimited()       {}
func (*Quote) delimited()     {}
func (*EscapeUse) delimited() {}
func (*Bracket) delimited()   {}
func (*Comment) delimited()   {}
func (*EOL) delimited()       {}
func (*Blanks) delimited()    {}
func (*Lax) delimited()       {}

func (*Row) outcome()      {}
func (*Rejected) outcome() {}
func (*Nothing) outcome()  {}
