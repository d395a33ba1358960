package dfa

import "fmt"

// TypeKind is the kind of a column's values. Adding one is adding a constant, the
// last one, with its name here, and a row in the table of internal/convert.
type TypeKind uint8

const (
	String TypeKind = iota
	Bool
	Int8
	Int16
	Int32
	Int64
	Uint8
	Uint16
	Uint32
	Uint64
	Float32
	Float64
	Decimal        // Precision, Scale; 128 bits, exact
	Date           // days since 1970-01-01; Layout
	Time           // since midnight; Unit, Layout
	Timestamp      // since 1970-01-01T00:00:00; Unit, Layout or Epoch, Zone
	Duration       // Unit; Layout "" is a number of CountUnits, "go" is 1h2m3.5s, "clock" is [h:]mm:ss[.fff]
	Binary         // Encoding
	Enum           // one of Tokens: a dictionary known beforehand
	Dictionary     // strings, each stored once
	IP             // IPv4 or IPv6 address, as text; Bytes: 16 bytes, IPv4 mapped
	UUID           // 16 bytes
	List           // of Elem, split by Lex
	Map            // of strings to Elem, split by Lex
	NTypeKinds int = iota
)

// kindNames are the kinds in dumps.
var kindNames = [NTypeKinds]string{
	String: "string", Bool: "bool",
	Int8: "int8", Int16: "int16", Int32: "int32", Int64: "int64",
	Uint8: "uint8", Uint16: "uint16", Uint32: "uint32", Uint64: "uint64",
	Float32: "float32", Float64: "float64", Decimal: "decimal",
	Date: "date", Time: "time", Timestamp: "timestamp", Duration: "duration",
	Binary: "binary", Enum: "enum", Dictionary: "dictionary", IP: "ip", UUID: "uuid",
	List: "list", Map: "map",
}

// Unit is the resolution of times; the zero value is microseconds.
type Unit uint8

const (
	Microsecond Unit = iota
	Second
	Millisecond
	Nanosecond
)

// Duplicates says what becomes of a key that is in a map twice.
type Duplicates uint8

const (
	NoDuplicates   Duplicates = iota // the field is an error
	FirstDuplicate                   // the first one counts
	LastDuplicate                    // the last one counts
	ListDuplicates                   // all of them count
)

// Encoding says how a Binary is written.
type Encoding uint8

const (
	Raw Encoding = iota
	Hex
	Base64
)

// Type is a column type with its options. The zero value is String. Options
// that a kind does not name above are ignored by it.
type Type struct {
	Kind      TypeKind
	Precision int // Decimal: 1..38
	Scale     int // Decimal: 0..Precision
	Unit      Unit
	Encoding  Encoding

	// Layout is in strftime form: "%d/%b/%Y:%H:%M:%S %z". Empty is the ISO form
	// of the kind: 2006-01-02, 15:04:05[.f], and for timestamps RFC 3339 with T
	// or a space, fraction and zone optional.
	Layout string
	// Epoch: the field is a number of CountUnits since 1970, fraction allowed.
	Epoch bool
	// CountUnit is what a number that is an epoch or a duration counts. Unit is
	// the resolution of the column: what it cannot hold of a number is an error.
	CountUnit Unit
	// Zone is where a time without an offset was written, an IANA name. With ""
	// each field says which instant it means, and the column is in UTC: RFC 3339,
	// which must have its offset, an epoch, or %z, %Z or %s in the Layout; other
	// Layouts give times without a zone.
	Zone string
	// NoZone: fields without a Layout have no offset, and the column no zone.
	NoZone bool
	// Year completes a Layout that has none: a year, or 0 for the year of the
	// file's time (see runtime.WithBaseTime).
	Year int

	// Bytes: addresses become 16 bytes instead of their text.
	Bytes bool

	// True and False are the tokens of Bool; none at all are true/false, t/f,
	// yes/no, y/n, 1/0, on/off in any case.
	True, False []string
	Tokens      []string // Enum

	// Numbers.
	Thousands byte // 0: none; else this byte is passed over between digits
	Point     byte // 0 is '.'
	Base16    bool // integers in hexadecimal, 0x optional

	// List and Map. Lex reads one value: for a List each field is an element;
	// for a Map a field of column 0 is a key and one of column 1 its value. For
	// a Map whose Elem is a Map, column 0 is the outer key, 1 the inner key, 2
	// the inner value; a lower column after a higher one begins a new entry.
	//
	// What was escaped in the field is to Lex no more than data, whatever it is:
	// no separator, no quote. Decoded: it is what it decodes to.
	Elem    *Type
	Lex     *Automaton
	Decoded bool
	// Duplicates is what becomes of a key that is in a Map twice. With
	// ListDuplicates the values, of the inner map if there is one, are Lists
	// without a Lex, of all that the key has.
	Duplicates Duplicates
}

// Validate reports the first option that is out of range, to any depth.
func (t *Type) Validate() error { return t.validate(0) }

// listsValues reports whether the values of a Map, or of the Maps in it, are
// lists that nothing else reads.
func (t *Type) listsValues() bool {
	leaf := t.Elem
	if leaf != nil && leaf.Kind == Map && leaf.Lex == nil {
		leaf = leaf.Elem
	}
	return leaf != nil && leaf.Kind == List && leaf.Lex == nil
}

func (t *Type) validate(depth int) error {
	switch {
	case int(t.Kind) >= NTypeKinds:
		return fmt.Errorf("unknown type %d", t.Kind)
	case t.Kind == Decimal && (t.Precision < 1 || t.Precision > 38):
		return fmt.Errorf("decimal precision %d, want 1 to 38", t.Precision)
	case t.Kind == Decimal && (t.Scale < 0 || t.Scale > t.Precision):
		return fmt.Errorf("decimal scale %d, want 0 to %d", t.Scale, t.Precision)
	case t.Unit > Nanosecond || t.CountUnit > Nanosecond:
		return fmt.Errorf("unknown unit %d", max(t.Unit, t.CountUnit))
	case t.Duplicates > ListDuplicates:
		return fmt.Errorf("unknown policy for duplicates %d", t.Duplicates)
	case t.Kind == Map && depth == 0 && (t.Duplicates == ListDuplicates) != t.listsValues():
		return fmt.Errorf("the values of a map are lists if, and only if, those of duplicate keys are listed")
	case t.Encoding > Base64:
		return fmt.Errorf("unknown encoding %d", t.Encoding)
	case t.Kind == Enum && len(t.Tokens) == 0:
		return fmt.Errorf("enum without tokens")
	case t.Kind != List && t.Kind != Map:
		return nil
	case depth > 2:
		return fmt.Errorf("types nested more than 3 deep")
	case t.Elem == nil || t.Lex == nil && depth == 0:
		return fmt.Errorf("list or map without an element type and its lexical form")
	}
	if t.Lex != nil {
		if err := t.Lex.Validate(); err != nil {
			return err
		}
		if err := t.Lex.ValidateValue(); err != nil {
			return err
		}
	}
	return t.Elem.validate(depth + 1)
}
