package dfa

import (
	"fmt"
	"testing"
)

// TestFindCountedRuns: automata with places of their own for each field, what is odd in them, and some that only look so.
func TestFindCountedRuns(t *testing.T) {
	skip, data := Emission{Kind: Skip}, Emission{Kind: Data}
	field := func(column int16) Emission { return Emission{Kind: Field, Column: column} }
	record := Emission{Kind: Record, Column: 1}
	dropped := Emission{Kind: Record, Column: NextColumn, Record: DroppedRecord}
	blank, newline, cr := Bytes(' '), Bytes('\n'), Bytes('\r')
	const eor, in, gap, last, after, bol, com = StateID(0), StateID(1), StateID(2), StateID(3), StateID(4), StateID(5), StateID(6)
	for _, test := range []struct {
		name   string
		change func(b *Builder)
		want   string // of Runs.String, what is odd, and whether records are passed over
	}{
		{"two fields", func(*Builder) {}, `fields end at runs of ' ', records end at '\n', 2 fields each; odd no symbol, '\n', '\r' or '#', '\n' or '\r', passes true`},
		{"a blank first is data", func(b *Builder) { b.On(eor, blank, in, data) }, `fields end at runs of ' ', records end at '\n', 2 fields each; odd no symbol, '\n', '\r', ' ' or '#', '\n' or '\r', passes false`},
		{"a symbol is lost in the first field", func(b *Builder) { b.On(in, Bytes('x'), in, skip) }, `fields end at runs of ' ', records end at '\n', 2 fields each; odd 'x', '\n', '\r' or '#', '\n' or '\r', passes true`},
		{"a symbol is lost behind the run", func(b *Builder) { b.On(gap, Bytes('x'), gap, skip) }, `fields end at runs of ' ', records end at '\n', 2 fields each; odd no symbol, '\n', '\r' or '#', '\n', '\r' or 'x', passes true`},
		{"blank lines are records", func(b *Builder) { b.On(eor, newline, eor, record) }, `fields end at runs of ' ', records end at '\n', 2 fields each; odd no symbol, '\n', '\r' or '#', '\n' or '\r', passes false`},
		{"a comment ends elsewhere", func(b *Builder) { b.On(com, Bytes('x'), eor, dropped) }, `fields end at runs of ' ', records end at '\n', 2 fields each; odd no symbol, '\n', '\r' or '#', '\n' or '\r', passes false`},
		{"a second blank ends a field", func(b *Builder) { b.On(gap, blank, gap, field(1)) }, "none"},
		{"a blank is no data of the last field", func(b *Builder) { b.On(last, blank, last, skip) }, "none"},
		{"another column", func(b *Builder) { b.On(in, blank, gap, field(1)) }, "none"},
		{"a record of another class", func(b *Builder) {
			e := record
			e.Class = 1
			b.On(last, newline, eor, e)
		}, "none"},
	} {
		b := NewBuilder()
		for _, name := range []string{"EOR", "IN", "GAP", "LAST", "CR", "BOL", "COM"} {
			b.AddState(name, name)
		}
		test.change(b)
		on := unchanged(b)
		wrong := Emission{Kind: Error, Code: b.Message("wrong")}
		on(eor, blank, gap, field(0))
		on(eor, newline, eor, dropped)
		on(eor, cr, bol, skip)
		on(eor, Bytes('#'), com, skip)
		on(in, blank, gap, field(0))
		on(in, newline, in, wrong)
		on(gap, blank, gap, skip)
		on(gap, newline, in, wrong)
		on(gap, cr, after, skip)
		on(last, newline, eor, record)
		on(last, cr, after, skip)
		on(after, newline, eor, record)
		on(bol, newline, eor, dropped)
		on(com, newline, eor, dropped)
		for s, to := range map[StateID]StateID{eor: in, in: in, gap: last, last: last} {
			b.Otherwise(s, to, data)
		}
		b.Otherwise(after, in, wrong)
		b.Otherwise(bol, in, wrong)
		b.Otherwise(com, com, skip)
		for s := range StateID(7) {
			b.EOF(s, record)
		}
		a, err := b.Build()
		if err != nil {
			t.Fatal(test.name, err)
		}
		r, got := FindCountedRuns(a), "none"
		if r != nil {
			got = fmt.Sprintf("%s; odd %s, %s, %s, passes %v", r, FormatSet(r.Odd), FormatSet(r.OddFirst), FormatSet(r.OddNext), r.Passes)
		}
		if got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}
