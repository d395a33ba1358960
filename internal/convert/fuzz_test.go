package convert

import (
	"bytes"
	"testing"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/columns"
)

// fuzzed are types of every kind, and those whose options have code of their
// own.
var fuzzed = func() (types []dfa.Type) {
	for k := range dfa.TypeKind(dfa.NTypeKinds) {
		types = append(types, typeOf(k))
	}
	return append(types,
		dfa.Type{Kind: dfa.Int64, Base16: true, Thousands: '_'},
		dfa.Type{Kind: dfa.Float64, Point: ',', Thousands: '.'},
		dfa.Type{Kind: dfa.Decimal, Precision: 38, Scale: 20},
		dfa.Type{Kind: dfa.Date, Layout: "%a %e %B %y"},
		dfa.Type{Kind: dfa.Time, Layout: "%I:%M:%S.%f %p", Unit: dfa.Millisecond},
		dfa.Type{Kind: dfa.Timestamp, Layout: "%d/%b/%Y:%H:%M:%S %z"},
		dfa.Type{Kind: dfa.Timestamp, Layout: "%F %T,%f", Unit: dfa.Nanosecond},
		dfa.Type{Kind: dfa.Timestamp, Layout: "%b %e %T", Zone: "Europe/Berlin"},
		dfa.Type{Kind: dfa.Timestamp, Epoch: true, CountUnit: dfa.Second, Unit: dfa.Nanosecond},
		dfa.Type{Kind: dfa.Timestamp, Layout: "%s%z%Z%j%L"},
		dfa.Type{Kind: dfa.Duration, Layout: "go"},
		dfa.Type{Kind: dfa.Duration, Layout: "clock"},
		dfa.Type{Kind: dfa.Binary, Encoding: dfa.Hex},
		dfa.Type{Kind: dfa.Binary, Encoding: dfa.Base64},
		dfa.Type{Kind: dfa.Map, Elem: &dfa.Type{Kind: dfa.Map, Elem: &dfa.Type{Kind: dfa.Dictionary}}, Lex: groupLex()},
	)
}()

// FuzzConvert: no bytes make a converter panic, read outside of the fields or
// break the invariants of a Column; and a field gives the same wherever it
// lies.
func FuzzConvert(f *testing.F) {
	for _, s := range []string{
		"1,-128,127,99999999999999999999,1e5,0x1f", "1.5,-73.98765432,inf,nan,1e400,.5,5.", "2015-05-17,2015-05-17T10:05:03.123Z,17/May/2015:10:05:03 +0000",
		"10:05:03,May 17 10:05:03,Sun 17 May 15", "true,Y,0,INFO,\xff,\xc3\xa9", "1h2m3.5s,1:02:03,00ff,aGVsbG8=", "192.0.2.1,2001:db8::1,123e4567-e89b-12d3-a456-426614174000",
		"1;2;x,a=1;b=2,g[a=1 b=2];h,\\;,\"",
	} {
		f.Add([]byte(s), uint8(0), false)
		f.Add([]byte(s), uint8(1), true)
	}
	f.Fuzz(func(t *testing.T, src []byte, policy uint8, required bool) {
		if len(src) > 1<<12 {
			return
		}
		opt := Options{UTF8: dfa.UTF8Policy(policy % 3), BaseTime: base}
		// In Src, the last field at its very end; and in Decoded.
		src = append(make([]byte, 0, len(src)), src...)
		src = src[:len(src):len(src)]
		var views, copies Fields
		views.Reset(src)
		at := 0
		for _, s := range bytes.Split(src, []byte(",")) {
			views.Push(uint32(at), uint32(at+len(s)))
			copies.PushDecoded(s)
			at += len(s) + 1
		}
		views.PushAbsent()
		copies.PushAbsent()
		for i := range fuzzed {
			col := &dfa.Column{Type: fuzzed[i], Required: required, Nulls: []string{"NA", "0"}, Trim: policy&64 != 0}
			a, errsA := appendFuzzed(t, col, opt, &views)
			b, errsB := appendFuzzed(t, col, opt, &copies)
			if !sameColumn(a, b) || len(errsA) != len(errsB) {
				t.Fatalf("%s: %+v %v in place, %+v %v elsewhere", Name(&col.Type), a, errsA, b, errsB)
			}
			for k := range errsA {
				if errsA[k] != errsB[k] || errsA[k].Code.Expected(&col.Type) == "" || errsA[k].Code == OK {
					t.Fatalf("%s: %v in place, %v elsewhere", Name(&col.Type), errsA[k], errsB[k])
				}
				field, _ := views.At(errsA[k].Row)
				if col.Trim {
					field = bytes.Trim(field, " \t")
				}
				what, at, ok := errsA[k].Code.Fault(&col.Type, field)
				if code := errsA[k].Code; ok != (code == BadList || code == BadMap) || at < 0 || at > len(field) || ok && what == "" {
					t.Fatalf("%s: %q: %v is %q at byte %d, %v", Name(&col.Type), field, code, what, at, ok)
				}
			}
			dst := NewColumn(&col.Type)
			dst.AppendRows(a, 0, a.Len/2)
			dst.AppendRows(a, a.Len/2, a.Len)
			if !sameColumn(dst, a) {
				t.Fatalf("%s: %+v gathered, was %+v", Name(&col.Type), dst, a)
			}
		}
	})
}

func appendFuzzed(t *testing.T, col *dfa.Column, opt Options, f *Fields) (*columns.Column, []FieldError) {
	c, err := NewConverter(col, opt)
	if err != nil {
		t.Fatal(err)
	}
	dst := NewColumn(&col.Type)
	errs := c.Append(dst, f, nil)
	checkColumn(t, dst)
	if dst.Len != f.Len() {
		t.Fatalf("%s: %d rows of %d fields", Name(&col.Type), dst.Len, f.Len())
	}
	last := -1
	for _, e := range errs {
		if e.Row <= last || dst.IsValid(e.Row) {
			t.Fatalf("%s: errors %v", Name(&col.Type), errs)
		}
		last = e.Row
	}
	return dst, errs
}
