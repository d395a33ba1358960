package convert

import (
	"encoding/base64"
	"encoding/hex"
	"net/netip"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/dfaparse/dfaparse/dfa"
)

func ip(s string) [16]byte { return netip.MustParseAddr(s).As16() }

func TestOtherKinds(t *testing.T) {
	uuid := [16]byte{0x12, 0x3e, 0x45, 0x67, 0xe8, 0x9b, 0x12, 0xd3, 0xa4, 0x56, 0x42, 0x66, 0x14, 0x17, 0x40, 0x00}
	for _, c := range []typeCase{
		{
			typ:  dfa.Type{Kind: dfa.Bool},
			good: map[string]any{"true": true, "F": false, "Yes": true, "n": false, "1": true, "0": false, "ON": true, "off": false, "": nil},
			bad:  map[string]Code{"2": BadBool, "tru": BadBool, " true": BadBool, "true\x00": BadBool},
		},
		{
			typ:  dfa.Type{Kind: dfa.Bool, True: []string{"Y", "yes, really, and without any doubt whatsoever"}, False: []string{"N"}},
			good: map[string]any{"Y": true, "N": false, "yes, really, and without any doubt whatsoever": true},
			bad:  map[string]Code{"y": BadBool, "true": BadBool, "1": BadBool},
		},
		{
			typ:  dfa.Type{Kind: dfa.Enum, Tokens: []string{"INFO", "WARN", "a b"}},
			good: map[string]any{"INFO": "INFO", "WARN": "WARN", "a b": "a b", "": nil},
			bad:  map[string]Code{"info": NotInEnum, "INFO ": NotInEnum, "INF": NotInEnum},
		},
		{typ: dfa.Type{Kind: dfa.Dictionary}, good: map[string]any{"a": "a", "": "", "é": "é"}, bad: map[string]Code{"\xff": InvalidUTF8}},
		{typ: dfa.Type{Kind: dfa.Dictionary}, opt: Options{UTF8: dfa.ReplaceUTF8}, good: map[string]any{"a\xff\xc3": "a\ufffd\ufffd"}},
		{typ: dfa.Type{}, good: map[string]any{"a": "a", "": "", "é": "é", "\x00": "\x00"}, bad: map[string]Code{"\xff": InvalidUTF8, "a\xc3": InvalidUTF8, "\xed\xa0\x80": InvalidUTF8}},
		{typ: dfa.Type{}, opt: Options{UTF8: dfa.ReplaceUTF8}, good: map[string]any{"a\xff\xe2\x82b": "a\ufffd\ufffd\ufffdb", "\ufffd": "\ufffd"}},
		{typ: dfa.Type{}, opt: Options{UTF8: dfa.KeepUTF8}, good: map[string]any{"a\xff": "a\xff"}},
		{typ: dfa.Type{Kind: dfa.Binary}, good: map[string]any{"\xff\x00": "\xff\x00", "": ""}},
		{
			typ:  dfa.Type{Kind: dfa.Binary, Encoding: dfa.Hex},
			good: map[string]any{"00fF": "\x00\xff", "": ""},
			bad:  map[string]Code{"0": BadHex, "0g": BadHex, "0x00": BadHex, "00 ff": BadHex},
		},
		{
			typ:  dfa.Type{Kind: dfa.Binary, Encoding: dfa.Base64},
			good: map[string]any{"aGVsbG8=": "hello", "aGVsbG8": "hello", "": "", "-_-_": "\xfb\xff\xbf", "+/+/": "\xfb\xff\xbf", "AA==": "\x00", "AA": "\x00"},
			bad:  map[string]Code{"a": BadBase64, "a===": BadBase64, "====": BadBase64, "=": BadBase64, "aGVsbG8==": BadBase64, "AB==": BadBase64, "aG\nVs": BadBase64, "AAB": BadBase64},
		},
		{
			typ: dfa.Type{Kind: dfa.IP},
			good: map[string]any{"192.0.2.1": ip("::ffff:192.0.2.1"), "0.0.0.0": ip("::ffff:0.0.0.0"), "255.255.255.255": ip("::ffff:255.255.255.255"),
				"::": ip("::"), "2001:db8::1": ip("2001:db8::1"), "::ffff:1.2.3.4": ip("::ffff:1.2.3.4"), "": nil},
			bad: map[string]Code{"1.2.3": BadIP, "1.2.3.4.5": BadIP, "1.2.3.256": BadIP, "01.2.3.4": BadIP, "1..3.4": BadIP, "1.2.3.": BadIP, ".1.2.3": BadIP,
				"fe80::1%eth0": BadIP, ":::": BadIP, "1:2": BadIP, "1.2.3.4 ": BadIP, "1.2.3.00": BadIP, strings.Repeat("1:", 40): BadIP, "9999999999.1.1.1": BadIP},
		},
		{
			typ:  dfa.Type{Kind: dfa.UUID},
			good: map[string]any{"123e4567-e89b-12d3-a456-426614174000": uuid, "123E4567E89B12D3A456426614174000": uuid, "": nil},
			bad: map[string]Code{"{123e4567-e89b-12d3-a456-426614174000}": BadUUID, "123e4567-e89b-12d3-a456-42661417400": BadUUID, "123e4567-e89b-12d3-a456_426614174000": BadUUID,
				"123e4567-e89b-12d3-a456-42661417400g": BadUUID, "123e4567e-89b-12d3-a456-426614174000": BadUUID},
		},
		{
			typ: dfa.Type{Kind: dfa.List, Elem: &dfa.Type{Kind: dfa.Int8}, Lex: listLex(';')},
			good: map[string]any{"1;2;-3": []any{int64(1), int64(2), int64(-3)}, "7": []any{int64(7)}, "1;;2": []any{int64(1), nil, int64(2)}, ";": []any{nil, nil},
				`\1\2;3`: []any{int64(12), int64(3)}, "": nil},
			bad: map[string]Code{"1;x": NotInteger, "1;300": Overflow, `1;"`: BadList},
		},
		{
			typ:  dfa.Type{Kind: dfa.List, Elem: &dfa.Type{}, Lex: listLex(';')},
			good: map[string]any{"a;;b": []any{"a", "", "b"}, `a\;b;c`: []any{"a;b", "c"}},
			bad:  map[string]Code{"a;\xff": InvalidUTF8},
		},
		{
			typ:  dfa.Type{Kind: dfa.List, Elem: &dfa.Type{Kind: dfa.List, Elem: &dfa.Type{Kind: dfa.Bool}, Lex: listLex('|')}, Lex: listLex(';')},
			good: map[string]any{"1|0;1": []any{[]any{true, false}, []any{true}}, "1;;0": []any{[]any{true}, nil, []any{false}}},
			bad:  map[string]Code{"1|0;2": BadBool},
		},
		{
			typ: dfa.Type{Kind: dfa.Map, Elem: &dfa.Type{Kind: dfa.Int8}, Lex: mapLex()},
			good: map[string]any{"a=1;b=2": [][2]any{{"a", int64(1)}, {"b", int64(2)}}, "a": [][2]any{{"a", nil}}, "a;b=1": [][2]any{{"a", nil}, {"b", int64(1)}},
				"=1": [][2]any{{"", int64(1)}}, "": nil},
			bad: map[string]Code{"a=1;b=x": NotInteger, "\xff=1": InvalidUTF8},
		},
		{
			typ: dfa.Type{Kind: dfa.Map, Elem: &dfa.Type{Kind: dfa.Map, Elem: &dfa.Type{Kind: dfa.Int8}}, Lex: groupLex()},
			good: map[string]any{"g[a=1 b=2],h[],i": [][2]any{{"g", [][2]any{{"a", int64(1)}, {"b", int64(2)}}}, {"h", [][2]any{}}, {"i", [][2]any{}}},
				"g": [][2]any{{"g", [][2]any{}}}},
			bad: map[string]Code{"g[a=1]": BadMap, "g[a=1 b=x],h": NotInteger, "g[a=1": BadMap, "g[\xff=1],h": InvalidUTF8},
		},
	} {
		c.run(t)
	}
}

// The middle of a round: values before and after a failing row are kept, its
// elements are not.
func TestNestedRound(t *testing.T) {
	m := dfa.Type{Kind: dfa.Map, Elem: &dfa.Type{Kind: dfa.Map, Elem: &dfa.Type{Kind: dfa.Dictionary}}, Lex: groupLex()}
	dst, errs := convertAll(t, &dfa.Column{Type: m, HasDefault: true, Default: "def[k=v],x"}, Options{}, false, 0,
		"a[x=1 y=2],b", "c[x=3", "", "d[\xff=0 z=9],e", "f[x=1],g")
	if len(errs) != 2 || errs[0] != (FieldError{1, BadMap}) || errs[1] != (FieldError{3, InvalidUTF8}) {
		t.Errorf("errors %v", errs)
	}
	want := []any{
		[][2]any{{"a", [][2]any{{"x", "1"}, {"y", "2"}}}, {"b", [][2]any{}}}, nil,
		[][2]any{{"def", [][2]any{{"k", "v"}}}, {"x", [][2]any{}}}, nil,
		[][2]any{{"f", [][2]any{{"x", "1"}}}, {"g", [][2]any{}}},
	}
	for i := range want {
		if !sameCell(cell(dst, i), want[i]) {
			t.Errorf("row %d is %v, want %v", i, cell(dst, i), want[i])
		}
	}
	if tokens := dst.Children[1].Children[1].Children[0]; tokens.Len != 3 {
		t.Errorf("%d tokens: those of failing rows are kept", tokens.Len)
	}
}

// A block of lists is converted when it is full, in the middle of a round.
func TestNestedBlocks(t *testing.T) {
	l := dfa.Type{Kind: dfa.List, Elem: &dfa.Type{Kind: dfa.Uint8}, Lex: listLex(';')}
	var fields []string
	for i := range 3000 {
		fields = append(fields, strings.Repeat("1;", 20+i%50)+[]string{"2", "x", `\3`}[i%3])
	}
	dst, errs := convertAll(t, &dfa.Column{Type: l}, Options{}, false, 0, fields...)
	for i := range fields {
		if i%3 == 1 {
			if e := errs[i/3]; e != (FieldError{i, NotInteger}) {
				t.Fatalf("error %v, want row %d", e, i)
			}
			continue
		}
		want := make([]any, 21+i%50)
		for k := range want {
			want[k] = uint64(1)
		}
		want[len(want)-1] = uint64(2 + i%3/2)
		if !sameCell(cell(dst, i), want) {
			t.Fatalf("row %d is %v, want %v", i, cell(dst, i), want)
		}
	}
}

func TestNulls(t *testing.T) {
	kinds := []struct {
		typ   dfa.Type
		field string
		value any
	}{
		{dfa.Type{}, "v", "v"}, {dfa.Type{Kind: dfa.Int32}, "42", int64(42)}, {dfa.Type{Kind: dfa.Bool}, "true", true},
		{dfa.Type{Kind: dfa.Dictionary}, "v", "v"}, {dfa.Type{Kind: dfa.Binary, Encoding: dfa.Hex}, "7676", "vv"},
		{dfa.Type{Kind: dfa.Enum, Tokens: []string{"u", "v"}}, "v", "v"}, {dfa.Type{Kind: dfa.Float64}, "4.5", 4.5},
		{dfa.Type{Kind: dfa.List, Elem: &dfa.Type{Kind: dfa.Int8}, Lex: listLex(';')}, "1;2", []any{int64(1), int64(2)}},
	}
	for _, k := range kinds {
		isText := k.typ.Kind == dfa.String || k.typ.Kind == dfa.Dictionary || k.typ.Kind == dfa.Binary
		for _, c := range []struct {
			what  string
			col   dfa.Column
			field string
			want  any
			code  Code
		}{
			{"value", dfa.Column{}, k.field, k.value, OK},
			{"token", dfa.Column{Nulls: []string{"-", "NA"}}, "NA", nil, OK},
			{"a value as token", dfa.Column{Nulls: []string{k.field}}, k.field, nil, OK},
			{"token with a default", dfa.Column{Nulls: []string{"-"}, Default: k.field, HasDefault: true}, "-", k.value, OK},
			{"default that is a token", dfa.Column{Nulls: []string{"-", k.field}, Default: k.field, HasDefault: true}, "-", k.value, OK},
			{"required token", dfa.Column{Nulls: []string{"-"}, Required: true}, "-", nil, IsNull},
			{"required with a default", dfa.Column{Nulls: []string{"-"}, Required: true, Default: k.field, HasDefault: true}, "-", k.value, OK},
			{"trimmed value", dfa.Column{Trim: true}, " \t" + k.field + "  ", k.value, OK},
			{"trimmed token", dfa.Column{Trim: true, Nulls: []string{"-"}}, " - ", nil, OK},
			{"empty token", dfa.Column{Nulls: []string{""}}, "", nil, OK},
			{"trimmed to an empty token", dfa.Column{Trim: true, Nulls: []string{""}}, " \t ", nil, OK},
		} {
			c.col.Type = k.typ
			if got, code := one(t, &c.col, Options{}, c.field); !sameCell(got, c.want) || code != c.code {
				t.Errorf("%s: %s: %v (%v), want %v (%v)", Name(&k.typ), c.what, got, code, c.want, c.code)
			}
		}
		got, code := one(t, &dfa.Column{Type: k.typ, Required: true}, Options{}, "")
		if isText && (got != "" || code != OK) || !isText && code != IsNull {
			t.Errorf("%s: an empty field is %v (%v)", Name(&k.typ), got, code)
		}
		// A default that does not convert, unless any text does.
		_, err := NewConverter(&dfa.Column{Name: "c", Type: k.typ, Default: "\xff?", HasDefault: true}, Options{})
		if err == nil {
			t.Errorf("%s: a default that is no value: no error", Name(&k.typ))
		}
	}
	// Absent fields between others.
	for _, k := range kinds {
		for _, col := range []dfa.Column{{Type: k.typ}, {Type: k.typ, Required: true}, {Type: k.typ, HasDefault: true, Default: k.field}} {
			c, err := NewConverter(&col, Options{})
			if err != nil {
				t.Fatal(err)
			}
			var f Fields
			f.Reset([]byte(k.field + strings.Repeat(" ", 40)))
			for i := range 20 {
				if i%3 == 0 {
					f.PushAbsent()
				} else {
					f.Push(0, uint32(len(k.field)))
				}
			}
			dst := NewColumn(&col.Type)
			errs := c.Append(dst, &f, nil)
			checkColumn(t, dst)
			for i := range 20 {
				want := k.value
				if i%3 == 0 && !col.HasDefault {
					want = nil
				}
				if !sameCell(cell(dst, i), want) {
					t.Errorf("%s: row %d is %v, want %v", Name(&k.typ), i, cell(dst, i), want)
				}
			}
			if col.Required && (len(errs) != 7 || errs[6] != (FieldError{18, IsNull})) || !col.Required && len(errs) != 0 {
				t.Errorf("%s: errors %v", Name(&k.typ), errs)
			}
		}
	}
}

// Rounds of text: what is checked at once is what each row says.
func TestTextAgainstRows(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		fields := rapid.SliceOfN(rapid.OneOf(
			rapid.String(),
			rapid.SampledFrom([]string{"", "plain", "\x82\xac", "\xe2", "\xe2\x82\xac", "-", "€", strings.Repeat("long ", 20)}),
		), 1, 12).Draw(rt, "fields")
		opt := Options{UTF8: rapid.SampledFrom([]dfa.UTF8Policy{dfa.RejectUTF8, dfa.ReplaceUTF8, dfa.KeepUTF8}).Draw(rt, "policy")}
		col := &dfa.Column{Trim: rapid.Bool().Draw(rt, "trim"), Required: rapid.Bool().Draw(rt, "required")}
		if rapid.Bool().Draw(rt, "nulls") {
			col.Nulls = []string{"-"}
		}
		col.Type.Kind = rapid.SampledFrom([]dfa.TypeKind{dfa.String, dfa.Dictionary}).Draw(rt, "kind")
		decoded := rapid.Bool().Draw(rt, "decoded")
		dst, errs := convertAll(t, col, opt, decoded, 0, fields...)
		for i, s := range fields {
			if col.Trim {
				s = strings.Trim(s, " \t")
			}
			var want any = s
			code := OK
			switch {
			case s == "-" && col.Nulls != nil:
				if want = nil; col.Required {
					code = IsNull
				}
			case utf8.ValidString(s) || opt.UTF8 == dfa.KeepUTF8:
			case opt.UTF8 == dfa.RejectUTF8:
				want, code = nil, InvalidUTF8
			default:
				want = string([]rune(s)) // U+FFFD for each invalid byte
			}
			if code != OK {
				if len(errs) == 0 || errs[0] != (FieldError{i, code}) {
					rt.Fatalf("row %d: errors %v, want %v", i, errs, code)
				}
				errs = errs[1:]
			}
			if cell(dst, i) != want {
				rt.Fatalf("row %d, %q: %q, want %q", i, s, cell(dst, i), want)
			}
		}
		if len(errs) > 0 {
			rt.Fatalf("errors left: %v", errs)
		}
	})
}

func TestReplacedIsCounted(t *testing.T) {
	for _, typ := range []dfa.Type{{}, {Kind: dfa.Dictionary}, {Kind: dfa.List, Elem: &dfa.Type{}, Lex: listLex(';')}} {
		c, err := NewConverter(&dfa.Column{Type: typ}, Options{UTF8: dfa.ReplaceUTF8})
		if err != nil {
			t.Fatal(err)
		}
		var f Fields
		for _, s := range []string{"ok", "\xff\xff", "a\xc3", "\xff\xff", "é"} {
			f.PushDecoded([]byte(s))
		}
		for i := range int64(3) {
			c.Append(NewColumn(&typ), &f, nil)
			if c.Replaced() != 5*(i+1) {
				t.Errorf("%s: %d bytes replaced, want %d", Name(&typ), c.Replaced(), 5*(i+1))
			}
		}
	}
}

// Encodings against the standard library's.
func TestEncodings(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		b := rapid.SliceOf(rapid.Byte()).Draw(rt, "bytes")
		for _, s := range []string{base64.StdEncoding.EncodeToString(b), base64.RawURLEncoding.EncodeToString(b)} {
			if got, code := one(t, &dfa.Column{Type: dfa.Type{Kind: dfa.Binary, Encoding: dfa.Base64}}, Options{}, s); code != OK || got != string(b) {
				rt.Fatalf("base64 %q: %q (%v), want %q", s, got, code, b)
			}
		}
		if got, code := one(t, &dfa.Column{Type: dfa.Type{Kind: dfa.Binary, Encoding: dfa.Hex}}, Options{}, hex.EncodeToString(b)); code != OK || got != string(b) {
			rt.Fatalf("hex of %q: %q (%v)", b, got, code)
		}
	})
}

// Addresses against net/netip.
func TestAddressesAgainstNetip(t *testing.T) {
	col := &dfa.Column{Type: dfa.Type{Kind: dfa.IP}}
	rapid.Check(t, func(rt *rapid.T) {
		s := rapid.OneOf(
			rapid.StringMatching(`[0-9]{1,3}(\.[0-9]{1,3}){2,4}`),
			rapid.StringMatching(`([0-9a-f]{0,4}:){2,7}[0-9a-f]{0,4}`),
			rapid.Map(rapid.SliceOfN(rapid.Byte(), 16, 16), func(b []byte) string { return netip.AddrFrom16([16]byte(b)).String() }),
		).Draw(rt, "address")
		got, code := one(t, col, Options{}, s)
		want, err := netip.ParseAddr(s)
		if (err == nil) != (code == OK) || err == nil && got != want.As16() {
			rt.Fatalf("%q: %v (%v), want %v (%v)", s, got, code, want, err)
		}
	})
}

func TestSplit(t *testing.T) {
	// method SP path SP protocol
	s := &dfa.Split{Columns: make([]dfa.Column, 3), Automaton: automaton(func(b *dfa.Builder) {
		m, p, v := b.AddState("M", "in the method"), b.AddState("P", "in the path"), b.AddState("V", "in the protocol")
		bad := b.AddState("BAD", "after an error")
		msg := b.Message("a part is missing")
		b.On(m, dfa.Bytes(' '), p, dfa.Emission{Kind: dfa.Field, Column: 0})
		b.On(p, dfa.Bytes(' '), v, dfa.Emission{Kind: dfa.Field, Column: 1})
		b.On(p, dfa.Bytes('+'), p, dfa.Emission{Sub: dfa.ByByte, Byte: ' '})
		b.On(v, dfa.Bytes(' '), bad, dfa.Emission{Kind: dfa.Error, Code: msg})
		for _, x := range []dfa.StateID{m, p, v} {
			b.Otherwise(x, x, dfa.Emission{})
		}
		b.Otherwise(bad, bad, dfa.Emission{Kind: dfa.Skip})
		b.EOF(m, dfa.Emission{Kind: dfa.Record, Code: msg})
		b.EOF(p, dfa.Emission{Kind: dfa.Record, Column: 1})
		b.EOF(v, dfa.Emission{Kind: dfa.Record, Column: 2})
		b.EOF(bad, dfa.Emission{Kind: dfa.Record, Column: 2})
	})}
	var f Fields
	f.Reset([]byte("xxGET /a HTTP/1.1yyPOST /a+b HTTP/2-"))
	f.Push(2, 17)
	f.PushAbsent()
	f.Push(19, 35)
	f.Push(35, 36)
	f.PushDecoded([]byte("PUT /c"))
	f.PushDecoded([]byte("a b c d"))
	parts := make([]Fields, 3)
	split := NewSplitter(&dfa.Column{Split: s, Nulls: []string{"-"}})
	for range 2 {
		misfits := split.Split(&f, parts)
		if len(misfits) != 1 || misfits[0] != 5 {
			t.Fatalf("misfits %v", misfits)
		}
		want := [][]string{{"GET", "", "POST", "", "PUT", ""}, {"/a", "", "/a b", "", "/c", ""}, {"HTTP/1.1", "", "HTTP/2", "", "", ""}}
		for k := range parts {
			if parts[k].Len() != f.Len() {
				t.Fatalf("part %d has %d rows", k, parts[k].Len())
			}
			for i := range f.Len() {
				b, ok := parts[k].At(i)
				if string(b) != want[k][i] || ok != (want[k][i] != "") {
					t.Errorf("part %d of row %d is %q, %v; want %q", k, i, b, ok, want[k][i])
				}
			}
		}
	}
}

func TestExpected(t *testing.T) {
	for _, c := range []struct {
		code Code
		typ  dfa.Type
		want string
	}{
		{NotInteger, dfa.Type{Kind: dfa.Uint16}, "an integer from 0 to 65535"},
		{Overflow, dfa.Type{Kind: dfa.Int8}, "an integer from -128 to 127"},
		{BadTimestamp, dfa.Type{Kind: dfa.Timestamp, Layout: "%d/%b/%Y:%H:%M:%S %z"}, "a time stamp like %d/%b/%Y:%H:%M:%S %z, e.g. 17/May/2015:10:05:03 +0000"},
		{FinerThanUnit, dfa.Type{Kind: dfa.Timestamp}, "a time stamp like 2015-05-17T10:05:03Z, with at most 6 fraction digits"},
		{NoOffset, dfa.Type{Kind: dfa.Timestamp}, `a time stamp like 2015-05-17T10:05:03Z, with at most 6 fraction digits; where there are no offsets, ts(tz "Europe/Berlin") says by which zone the times are, ts(tz none) that it is not known`},
		{BadTimestamp, dfa.Type{Kind: dfa.Timestamp, NoZone: true}, "a time stamp like 2015-05-17T10:05:03, with at most 6 fraction digits"},
		{FinerThanUnit, dfa.Type{Kind: dfa.Timestamp, Epoch: true, CountUnit: dfa.Second, Unit: dfa.Millisecond}, "a number of seconds since 1970, with at most 3 fraction digits"},
		{FinerThanUnit, dfa.Type{Kind: dfa.Timestamp, Epoch: true, CountUnit: dfa.Nanosecond, Unit: dfa.Millisecond}, "a number of nanoseconds since 1970, a whole number of milliseconds"},
		{FractionLost, dfa.Type{Kind: dfa.Decimal, Precision: 12, Scale: 2}, "a number of at most 10 digits before the point and 2 after it, e.g. 1234.56"},
		{Overflow, dfa.Type{Kind: dfa.Decimal, Precision: 2, Scale: 2}, "a number of at most 0 digits before the point and 2 after it, e.g. 0.56"},
		{NotFloat, dfa.Type{Kind: dfa.Float64, Point: ',', Thousands: '.'}, "a number, e.g. 1.234,5"},
		{NotInEnum, dfa.Type{Kind: dfa.Enum, Tokens: []string{"A", "B"}}, `one of "A", "B"`},
		{NotInteger, dfa.Type{Kind: dfa.List, Elem: &dfa.Type{Kind: dfa.Uint8}}, "a list, each element an integer from 0 to 255"},
		{InvalidUTF8, dfa.Type{}, "UTF-8 text"},
		{IsNull, dfa.Type{Kind: dfa.Bool}, "a value"},
	} {
		if got := c.code.Expected(&c.typ); got != c.want {
			t.Errorf("%s: expected %s, want %s", Name(&c.typ), got, c.want)
		}
	}
}
