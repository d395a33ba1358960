package dfa

import (
	"fmt"
	"slices"
)

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
	Duration       // Unit; Layout "" is a number of CountUnit, "go" is 1h2m3.5s, "clock" is [h:]mm:ss[.fff]
	Binary         // Encoding
	Enum           // one of Tokens: a dictionary known beforehand
	Dictionary     // strings, each stored once
	IP             // IPv4 or IPv6 address, as text; Bytes: 16 bytes, IPv4 mapped
	UUID           // 16 bytes
	List           // of Elem, split by Lex
	Map            // of strings to Elem, split by Lex
	NTypeKinds int = iota
)

// TypeWords is how specs and dumps speak of a kind. It stands here, and not in the type
// table of internal/convert, which adds all else, because the compiler needs it
// without Arrow.
type TypeWords struct {
	Dump      string        `part:"name in dumps"`
	Name      string        `part:"name"` // in the spec language
	Also      []string      // other names
	Arguments []string      // the words that a type may have in its parentheses
	Examples  []TypeExample `part:"examples"` // with other arguments each
	// Shape is what all fields look like, if they are of one length: a template
	// then knows the end of a field without a delimiter. Of layouts and tokens
	// package compile knows it.
	Shape []Set
}

// TypeExample is a type as a spec has it, and a field that is a value of it.
type TypeExample struct{ Type, Field string }

// WordsOf are the words of a kind, which nobody changes.
func WordsOf(k TypeKind) *TypeWords { return &typeWords[k] }

// KindOf is the kind that a name in a spec stands for.
func KindOf(name string) (k TypeKind, ok bool) {
	for k := range typeWords {
		if w := &typeWords[k]; w.Name == name || slices.Contains(w.Also, name) {
			return TypeKind(k), true
		}
	}
	return 0, false
}

var typeWords = [NTypeKinds]TypeWords{
	String:  {Dump: "string", Name: "str", Also: []string{"string"}, Examples: []TypeExample{{"str", "a text"}}},
	Bool:    {Dump: "bool", Name: "bool", Arguments: []string{"true", "false"}, Examples: []TypeExample{{`bool(true "Y", false "N")`, "Y"}}},
	Int8:    integerWords("int8", "i8", "-12"),
	Int16:   integerWords("int16", "i16", "-12,345"),
	Int32:   integerWords("int32", "i32", "-1,234,567"),
	Int64:   integerWords("int64", "i64", "-1,234,567"),
	Uint8:   integerWords("uint8", "u8", "12"),
	Uint16:  integerWords("uint16", "u16", "12,345"),
	Uint32:  integerWords("uint32", "u32", "1,234,567"),
	Uint64:  integerWords("uint64", "u64", "1,234,567"),
	Float32: floatWords("float32", "f32"),
	Float64: floatWords("float64", "f64"),
	Decimal: {Dump: "decimal", Name: "dec", Also: []string{"decimal"}, Arguments: []string{"thousands", "point", "implied"}, Examples: []TypeExample{{"dec(12, 2)", "-12345.67"}, {"dec(12, 2, implied)", "-0001234567"}}},
	Date:    {Dump: "date", Name: "date", Arguments: []string{"year"}, Examples: []TypeExample{{`date("%d/%m/%Y")`, "17/05/2015"}}},
	Time:    {Dump: "time", Name: "time", Arguments: []string{"unit"}, Examples: []TypeExample{{`time("%H:%M")`, "10:05"}, {"time(unit ms)", "10:05:03.25"}}},
	Timestamp: {
		Dump: "timestamp", Name: "ts", Also: []string{"timestamp"}, Arguments: []string{"rfc3339", "epoch", "unit", "tz", "year"},
		Examples: []TypeExample{{`ts("%F %T", tz "UTC")`, "2015-05-17 10:05:03"}, {"ts(epoch(ms))", "1431857103250"},
			{`ts("%d/%b/%Y:%T" | "%F %T" | epoch(s), tz "UTC")`, "2015-05-17 10:05:03"}},
	},
	Duration: {
		Dump: "duration", Name: "dur", Also: []string{"duration"}, Arguments: []string{"s", "ms", "us", "ns", "go", "clock", "unit"},
		Examples: []TypeExample{{"dur(ms)", "12345"}, {"dur(s, unit ms)", "12.345"}},
	},
	Binary:     {Dump: "binary", Name: "binary", Arguments: []string{"hex", "base64", "raw"}, Examples: []TypeExample{{"binary(hex)", "00ff"}}},
	Enum:       {Dump: "enum", Name: "enum", Examples: []TypeExample{{"enum(INFO WARN ERROR)", "WARN"}}},
	Dictionary: {Dump: "dictionary", Name: "dict", Examples: []TypeExample{{"dict", "a text"}}},
	IP:         {Dump: "ip", Name: "ip", Arguments: []string{"binary"}, Examples: []TypeExample{{"ip", "192.0.2.1"}, {"ip(binary)", "2001:db8::1"}}},
	UUID: {
		Dump: "uuid", Name: "uuid", Examples: []TypeExample{{"uuid", "123e4567-e89b-12d3-a456-426614174000"}},
		Shape: digitsLike("00000000-0000-0000-0000-000000000000"),
	},
	List: {
		Dump: "list", Name: "list", Arguments: []string{"sep", "quote", "doubled", "escape", "open", "close", "lex", "after"},
		Examples: []TypeExample{{"list(u64, sep ';')", "1;23"}},
	},
	Map: {
		Dump: "map", Name: "map", Arguments: []string{"pairs", "kv", "quote", "doubled", "keys", "escape", "open", "close", "duplicates", "lex", "after"},
		Examples: []TypeExample{{"map(str, pairs '&', kv '=')", "a=1&b=2"}},
	},
}

func integerWords(dump, name, field string) TypeWords {
	return TypeWords{
		Dump: dump, Name: name, Also: []string{dump}, Arguments: []string{"thousands", "hex", "size"},
		Examples: []TypeExample{{name + "(thousands ',')", field}, {name + "(hex)", "7f"}, {name + "(size 1024)", "9B"}},
	}
}

func floatWords(dump, name string) TypeWords {
	return TypeWords{
		Dump: dump, Name: name, Also: []string{dump}, Arguments: []string{"thousands", "point"},
		Examples: []TypeExample{{name + "(thousands '.', point ',')", "-1.234,5e-3"}},
	}
}

// digitsLike is the Shape of fields like form, with a hexadecimal digit in place of
// each 0.
func digitsLike(form string) []Set {
	hex := Range('0', '9').Union(Range('a', 'f')).Union(Range('A', 'F'))
	shape := make([]Set, len(form))
	for i := range shape {
		if shape[i] = Bytes(form[i]); form[i] == '0' {
			shape[i] = hex
		}
	}
	return shape
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
	// Epoch: the field is a number of CountUnit since 1970, fraction allowed.
	Epoch bool
	// CountUnit is what a number that is an epoch or a duration counts. Unit is
	// the resolution of the column: what it cannot hold of a number is an error.
	CountUnit Unit
	// Or are further forms that fields may have, of a Date, Time or Timestamp: a
	// field is in the first that it fits, of that of Layout and Epoch and these.
	Or []ClockForm
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

	// Names are those that %b, %B, %a, %A and %Z read in Layouts.
	Names TimeNames

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
	Implied   bool // Decimal: fields have no point, their last Scale digits come after it
	// Size: integers are sizes as 10K, 1.5MB, 2GiB, counted in bytes, a K being 1000
	// or 1024 of them; 0: they are not.
	Size int
	// In are ranges of which a value is in one, of numbers, dates and times; none at
	// all: it may be any.
	In []Interval

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
	// Ahead, of a Map: which symbols mean something to Lex is found before it reads.
	Ahead *KeyAhead
	// Duplicates is what becomes of a key that is in a Map twice. With
	// ListDuplicates the values, of the inner map if there is one, are Lists
	// without a Lex, of all that the key has.
	Duplicates Duplicates
}

// TimeNames are what months, weekdays and zones are called in a Date, Time or Timestamp. A list
// that is empty is the English one.
type TimeNames struct {
	Months, ShortMonths     []string // 12, from January on, in any case
	Weekdays, ShortWeekdays []string // 7, from Monday on
	Zones                   []ZoneName
}

// ZoneName says that times of a zone of that name are so many seconds ahead of UTC.
type ZoneName struct {
	Name   string
	Offset int
}

// None reports whether all names are the usual ones.
func (n *TimeNames) None() bool {
	return len(n.Months)+len(n.ShortMonths)+len(n.Weekdays)+len(n.ShortWeekdays)+len(n.Zones) == 0
}

// Of is the list that a directive reads, nil if it is the English one or none.
func (n *TimeNames) Of(directive byte) []string {
	switch directive {
	case 'B':
		return n.Months
	case 'b':
		return n.ShortMonths
	case 'A':
		return n.Weekdays
	case 'a':
		return n.ShortWeekdays
	}
	return nil
}

func (n *TimeNames) validate() error {
	for _, of := range []struct {
		names []string
		n     int
	}{{n.Months, 12}, {n.ShortMonths, 12}, {n.Weekdays, 7}, {n.ShortWeekdays, 7}} {
		if len(of.names) != 0 && len(of.names) != of.n || slices.Contains(of.names, "") {
			return fmt.Errorf("%d names, want %d that are not empty", len(of.names), of.n)
		}
	}
	for _, z := range n.Zones {
		if z.Name == "" || z.Offset <= -86400 || z.Offset >= 86400 {
			return fmt.Errorf("a zone %q at %d seconds", z.Name, z.Offset)
		}
	}
	return nil
}

// Interval is the values from Low to High, both included; "" is no bound. They are written
// as fields are, numbers without what the type says of their notation.
type Interval struct{ Low, High string }

// String is r as a spec has it.
func (r Interval) String() string {
	if r.Low == r.High {
		return r.Low
	}
	return r.Low + ".." + r.High
}

// HasEmpty reports whether columns of the kind may have empty values.
func (k TypeKind) HasEmpty() bool {
	switch k {
	case String, Dictionary, Binary, List, Map:
		return true
	}
	return false
}

// Ordered reports whether columns of the kind may have ranges.
func (k TypeKind) Ordered() bool { return k >= Int8 && k <= Duration }

// ClockForm is a way in which a date or time may be written: by a layout, as an
// epoch, or, if it is neither, in the ISO form of the kind.
type ClockForm struct {
	Layout    string
	Epoch     bool
	CountUnit Unit
}

// Forms are the ways in which fields of a Date, Time or Timestamp may be written, in
// the order in which they are tried: the type with each of them alone.
func (t *Type) Forms() []Type {
	forms := make([]Type, 1, 1+len(t.Or))
	forms[0] = *t
	forms[0].Or = nil
	for _, f := range t.Or {
		form := forms[0]
		form.Layout, form.Epoch, form.CountUnit = f.Layout, f.Epoch, f.CountUnit
		forms = append(forms, form)
	}
	return forms
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
	case len(t.Or) > 0 && (t.Kind < Date || t.Kind > Timestamp):
		return fmt.Errorf("several layouts for a %s", t.Kind)
	case slices.ContainsFunc(t.Or, func(f ClockForm) bool { return f.CountUnit > Nanosecond || f.Epoch && t.Kind != Timestamp }):
		return fmt.Errorf("an epoch of an unknown unit, or for a %s", t.Kind)
	case t.Size != 0 && t.Size != 1000 && t.Size != 1024 || t.Size != 0 && (t.Kind < Int8 || t.Kind > Uint64):
		return fmt.Errorf("sizes of which a K is %d, as a %s", t.Size, t.Kind)
	case t.Implied && t.Kind != Decimal:
		return fmt.Errorf("an implied point in a %s", t.Kind)
	case len(t.In) > 0 && !t.Kind.Ordered():
		return fmt.Errorf("ranges of a %s", t.Kind)
	case slices.Contains(t.In, Interval{}):
		return fmt.Errorf("a range without a bound")
	case t.Names.validate() != nil:
		return t.Names.validate()
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
