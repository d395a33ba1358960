package dfa

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func drawTokens(t *rapid.T, label string) []string {
	if v := rapid.SliceOfN(rapid.String(), 0, 2).Draw(t, label); len(v) > 0 {
		return v
	}
	return nil
}

func drawType(t *rapid.T, depth int) Type {
	small := rapid.IntRange(0, 3)
	k := Type{
		Kind:      TypeKind(rapid.IntRange(0, NTypeKinds-1).Draw(t, "kind")),
		Scale:     small.Draw(t, "scale"),
		Unit:      Unit(small.Draw(t, "unit")),
		Encoding:  Encoding(small.Draw(t, "encoding") % 3),
		Layout:    rapid.String().Draw(t, "layout"),
		Epoch:     rapid.Bool().Draw(t, "epoch"),
		CountUnit: Unit(small.Draw(t, "counted unit")),
		Zone:      rapid.String().Draw(t, "zone"),
		NoZone:    rapid.Bool().Draw(t, "no zone"),
		Bytes:     rapid.Bool().Draw(t, "bytes"),
		Year:      rapid.IntRange(-5000, 5000).Draw(t, "year"),
		True:      drawTokens(t, "true"),
		False:     drawTokens(t, "false"),
		Tokens:    append(drawTokens(t, "tokens"), "last"),
		Thousands: byte(small.Draw(t, "thousands")),
		Point:     byte(small.Draw(t, "point")),
		Base16:    rapid.Bool().Draw(t, "base 16"),
	}
	if k.Kind >= Date && k.Kind <= Timestamp && rapid.Bool().Draw(t, "other forms") {
		k.Or = []ClockForm{{Layout: rapid.String().Draw(t, "or layout")}, {Epoch: k.Kind == Timestamp, CountUnit: Unit(small.Draw(t, "or unit"))}}
	}
	k.Implied = k.Kind == Decimal && rapid.Bool().Draw(t, "implied")
	if k.Kind >= Int8 && k.Kind <= Uint64 {
		k.Size = rapid.SampledFrom([]int{0, 1000, 1024}).Draw(t, "size")
	}
	if k.Kind.Ordered() && rapid.Bool().Draw(t, "ranges") {
		k.In = []Interval{{"1", "2"}, {Low: rapid.String().Draw(t, "low"), High: "9"}}
	}
	if rapid.Bool().Draw(t, "names") {
		names := make([]string, 12)
		for i := range names {
			names[i] = fmt.Sprint("name", i, rapid.String().Draw(t, "month"))
		}
		k.Names = TimeNames{Months: names, ShortMonths: names, Weekdays: names[:7], ShortWeekdays: names[5:], Zones: []ZoneName{{"CET", 3600}, {"EST", -5 * 3600}}}
	}
	k.Precision = k.Scale + 1 + small.Draw(t, "precision")
	if k.Kind == List || k.Kind == Map {
		if depth == 2 {
			k.Kind = Int64
			return k
		}
		elem := drawType(t, depth+1)
		k.Elem = &elem
		if k.Kind == Map {
			k.Duplicates = Duplicates(small.Draw(t, "duplicates") % 3)
		}
		k.Lex = drawReader(t, true)
		k.Decoded = rapid.Bool().Draw(t, "decoded")
	}
	return k
}

func drawColumns(t *rapid.T, splits bool) (cols []Column) {
	for i := range rapid.IntRange(0, 2).Draw(t, "columns") {
		c := Column{
			Name:     fmt.Sprint(rapid.String().Draw(t, "name"), i),
			Type:     drawType(t, 0),
			Required: rapid.Bool().Draw(t, "required"),
			Optional: rapid.Bool().Draw(t, "optional"),
			Nulls:    drawTokens(t, "nulls"),

			DecodedNulls: drawTokens(t, "decoded nulls"),

			Default:    rapid.String().Draw(t, "default"),
			HasDefault: rapid.Bool().Draw(t, "has default"),
			Trim:       rapid.Bool().Draw(t, "trim"),
			Hidden:     rapid.Bool().Draw(t, "hidden"),
		}
		if rapid.Bool().Draw(t, "keeps") {
			c.Keep = &Kept{Lead: rapid.Byte().Draw(t, "lead"), Itself: rapid.String().Draw(t, "itself")}
		}
		keyable := c.Type.Kind == Map && c.Type.Elem.Kind != Map && c.Type.Duplicates != ListDuplicates
		if splits && keyable && rapid.Bool().Draw(t, "keyed") {
			c.Split = &Split{Columns: drawColumns(t, false), Strict: true, Decoded: c.Type.Decoded, Keyed: true, JSON: rapid.Bool().Draw(t, "json")}
		} else if splits && rapid.Bool().Draw(t, "split") {
			c.Split = &Split{Automaton: drawSplitter(t), Columns: drawColumns(t, false), Strict: rapid.Bool().Draw(t, "strict"), Decoded: rapid.Bool().Draw(t, "decoded")}
		} else if splits {
			c.Class = uint8(rapid.IntRange(0, 1).Draw(t, "class"))
		}
		cols = append(cols, c)
	}
	return cols
}

func drawProgram(t *rapid.T) *Program {
	d := Definition{
		Name:         rapid.String().Draw(t, "name"),
		Doc:          rapid.String().Draw(t, "doc"),
		Encoding:     rapid.SampledFrom([]string{"", "windows-1252"}).Draw(t, "encoding"),
		Automaton:    drawReader(t, false),
		Classes:      []string{"any", "quoted"},
		Columns:      drawColumns(t, true),
		DefaultNulls: drawTokens(t, "default nulls"),

		DefaultDecodedNulls: drawTokens(t, "default decoded nulls"),

		Header:    drawHeader(t),
		Ragged:    Ragged(rapid.IntRange(0, 3).Draw(t, "ragged")),
		OnError:   ErrorMode(rapid.IntRange(0, 2).Draw(t, "on error")),
		UTF8:      UTF8Policy(rapid.IntRange(0, 2).Draw(t, "utf8")),
		MaxRecord: rapid.IntRange(1, LimitMaxRecord).Draw(t, "longest record"),
	}
	if rapid.Bool().Draw(t, "skip") {
		d.Skip = []SkippedLines{{Lines: rapid.IntRange(1, 1<<40).Draw(t, "lines")}, {Prefixes: []string{"#", "//"}}, {Until: []string{"Date;"}}}
	}
	if rapid.Bool().Draw(t, "directive") {
		d.Directives = []Directive{{Prefix: "#", Action: SchemaDirective}, {Prefix: "#Fields:"}}
	}
	if len(d.Columns) > 0 {
		d.HasRest = rapid.Bool().Draw(t, "rest")
		endsFields := slices.ContainsFunc(d.Automaton.Emissions, func(e Emission) bool { return e.Kind == Field })
		if !endsFields && rapid.Bool().Draw(t, "widths") {
			for range d.Columns {
				d.Widths = append(d.Widths, rapid.IntRange(1, 1000).Draw(t, "width"))
			}
		}
	}
	p, err := NewProgram(d)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestDecodeOfEncode(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawProgram(t)
		b := p.Encode()
		q, err := DecodeProgram(b)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(p.Definition, q.Definition) {
			t.Fatalf("decoded:\n%+v\nencoded:\n%+v", q.Definition, p.Definition)
		}
		if !bytes.Equal(q.Encode(), b) {
			t.Fatal("encoded again, it differs")
		}
	})
}

// TestEveryPartIsEncoded fails when a part is added to a Definition and
// layout.go does not know of it.
func TestEveryPartIsEncoded(t *testing.T) {
	base := func() *Definition {
		lex := csvMachine(t, false, false)
		elem := Type{Kind: Int64}
		return &Definition{
			Automaton: csvMachine(t, true, true), Classes: []string{"any"}, Shapes: []Shape{{"a", []int{0}}}, DefaultNulls: []string{"-"}, DefaultEmpties: []string{"e"}, Widths: []int{4},
			Columns:    []Column{{Nulls: []string{"x"}, Empties: []string{"e"}, Type: Type{Kind: List, Elem: &elem, Lex: lex, True: []string{"t"}, False: []string{"f"}, Tokens: []string{"k"}, Ahead: &KeyAhead{}}, Split: &Split{Automaton: lex, Columns: []Column{{}}, FromEnd: []string{""}}}},
			Directives: []Directive{{"#", 0, "", []Column{{}}}}, Skip: []SkippedLines{{1, []string{"#"}, []string{"x"}}},
		}
	}
	encoded := func(d *Definition) string { return string((&Program{Definition: *d}).Encode()) }
	want := encoded(base())
	var visit func(path string, get func(*Definition) reflect.Value)
	visit = func(path string, get func(*Definition) reflect.Value) {
		d := base()
		v := get(d)
		switch v.Kind() {
		case reflect.Struct:
			for i := range v.NumField() {
				visit(path+"."+v.Type().Field(i).Name, func(d *Definition) reflect.Value { return get(d).Field(i) })
			}
			return
		case reflect.Pointer:
			if !v.IsNil() {
				visit(path, func(d *Definition) reflect.Value { return get(d).Elem() })
			}
			return
		case reflect.Slice, reflect.Array:
			if v.Len() == 0 { // filled in further out
				return
			}
			visit(path+"[0]", func(d *Definition) reflect.Value { return get(d).Index(0) })
			return
		case reflect.Bool:
			v.SetBool(!v.Bool())
		case reflect.String:
			v.SetString(v.String() + "!")
		case reflect.Int, reflect.Int16:
			v.SetInt(v.Int() + 1)
		default:
			v.SetUint(v.Uint() ^ 1)
		}
		if encoded(d) == want {
			t.Errorf("Definition%s is not encoded", path)
		}
	}
	visit("", func(d *Definition) reflect.Value { return reflect.ValueOf(d).Elem() })
}

func csvProgram(tb testing.TB) *Program {
	lex := barsMachine(tb)
	p, err := NewProgram(Definition{
		Name: "csv", Doc: "RFC 4180", Automaton: csvMachine(tb, true, true),
		Columns: []Column{
			{Name: "id", Type: Type{Kind: Uint64}, Required: true},
			{Name: "when", Type: Type{Kind: Timestamp, Layout: "%F %T", Zone: "Europe/Berlin", Unit: Millisecond}, Nulls: []string{"-", ""}},
			{Name: "price", Type: Type{Kind: Decimal, Precision: 12, Scale: 2, Point: ','}, Default: "0", HasDefault: true},
			{Name: "tags", Type: Type{Kind: List, Elem: &Type{Kind: Enum, Tokens: []string{"a", "b c"}}, Lex: lex}},
			{Name: "pair", Split: &Split{Automaton: pairMachine(tb), Columns: []Column{{Name: "left"}, {Name: "right", Type: Type{Kind: Bool}}}, Strict: true}},
		},
		Header: Header{Mode: SkipHeader, Rows: 1}, Ragged: Pad, OnError: Null,
	})
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

func TestDecodeFaults(t *testing.T) {
	good := csvProgram(t).Encode()
	body := good[:len(good)-checksumLen]
	start := append([]byte(encodingMagic), encodingVersion)
	start = start[:len(start):len(start)]
	for _, c := range []struct {
		name string
		b    []byte
		want string
	}{
		{"empty", nil, ErrNotProgram.Error()},
		{"text", []byte("format csv { }"), ErrNotProgram.Error()},
		{"magic only", []byte("DFAP"), "version: cut off"},
		{"newer", appendChecksum([]byte("DFAP\x63")), fmt.Sprintf("version 99, this release reads version %d", encodingVersion)},
		{"flipped", append(append(start, 7), good[6:]...), "damaged"},
		{"cut", good[:len(good)/2], "damaged or cut off"},
		{"cut, checksum right", appendChecksum(bytes.Clone(body[:len(body)-1])), "longest record: cut off"},
		{"left over", appendChecksum(append(bytes.Clone(body), 0, 0)), "2 bytes are left over"},
		{"long string", appendChecksum(append(start, "\xff\xff\xff\x7f"...)), "name: 268435455 of them in 0 bytes"},
		{"long number", appendChecksum(append(start, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"...)), "more than 64 bits"},
		{"no automaton", appendChecksum(append(start, make([]byte, 27)...)), "no automaton"},
		{"flag", appendChecksum(append(start, 0, 0, 0, 2)), "automaton: 2 is neither 0 nor 1"},
	} {
		_, err := DecodeProgram(c.b)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	if _, err := DecodeProgram([]byte("PK\x03\x04")); !errors.Is(err, ErrNotProgram) {
		t.Errorf("%v, want ErrNotProgram", err)
	}
}

func TestDecodeNamesThePlace(t *testing.T) {
	d := csvProgram(t).Definition
	d.Columns = append([]Column(nil), d.Columns...)
	d.Columns[2].Class = 0
	b := (&Program{Definition: d}).Encode()
	at := bytes.Index(b, []byte("price")) + len("price")
	b = b[:len(b)-checksumLen]
	b = binary.AppendUvarint(b[:at:at], 1<<20)
	_, err := DecodeProgram(appendChecksum(b))
	if want := "column 2: type: kind: 1048576 is out of range"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %q", err, want)
	}
}

// FuzzDecodeProgram decodes bytes that were given the right checksum; what
// decodes has to run and to encode to the same Program.
func FuzzDecodeProgram(f *testing.F) {
	f.Add(csvProgram(f).Encode())
	for _, a := range machines(f) {
		p, err := NewProgram(Definition{Name: "machine", Automaton: a})
		if err != nil {
			f.Fatal(err)
		}
		f.Add(p.Encode())
	}
	f.Add([]byte("DFAP"))
	f.Add([]byte("DFAP\x02"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) > checksumLen {
			b = appendChecksum(bytes.Clone(b[:len(b)-checksumLen]))
		}
		p, err := DecodeProgram(b)
		if err != nil {
			return
		}
		q, err := DecodeProgram(p.Encode())
		if err != nil {
			t.Fatal(err)
		}
		if p.Dump() != q.Dump() {
			t.Fatalf("encoded and decoded:\n%s\nwas:\n%s", q.Dump(), p.Dump())
		}
		run := func(a *Automaton) {
			for _, in := range [][]byte{nil, b, []byte("a,\"b\"\r\n\\x41||\n")} {
				a.Walk(in, a.Start, func(*RawRecord) bool { return true })
				a.Table().Fields(in, nil, nil)
			}
			for s := range a.States {
				a.Expected(StateID(s))
			}
			a.DOT()
		}
		run(p.Automaton)
		for _, c := range p.Columns {
			if c.Type.Lex != nil {
				run(c.Type.Lex)
			}
			if c.Split != nil {
				run(c.Split.Automaton)
			}
		}
	})
}

func drawHeader(t *rapid.T) Header {
	h := Header{Mode: HeaderMode(rapid.IntRange(0, 2).Draw(t, "header")), Rows: rapid.IntRange(1, 9).Draw(t, "rows")}
	if h.Mode == NamesHeader && rapid.Bool().Draw(t, "joined") {
		h.Joined, h.Between = true, rapid.SampledFrom([]string{"", " / "}).Draw(t, "between")
	}
	return h
}
