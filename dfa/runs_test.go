package dfa

import (
	"fmt"
	"strings"
	"testing"
)

// unchanged is b.On for symbols of which nothing has been said yet.
func unchanged(b *Builder) func(s StateID, set Set, to StateID, e Emission) {
	return func(s StateID, set Set, to StateID, e Emission) {
		if set = set.And(b.Free(s)); !set.Empty() {
			b.On(s, set, to, e)
		}
	}
}

// TestFindRuns: automata in which separators in a row are one, what is odd in them, and some that only look so.
func TestFindRuns(t *testing.T) {
	field, record := Emission{Kind: Field, Column: NextColumn}, Emission{Kind: Record, Column: NextColumn}
	skip, data := Emission{Kind: Skip}, Emission{Kind: Data}
	dropped := record
	dropped.Record = DroppedRecord
	blank, newline, quote, cr := Bytes(' '), Bytes('\n'), Bytes('"'), Bytes('\r')
	const eor, fld, run, in, closed, after = StateID(0), StateID(1), StateID(2), StateID(3), StateID(4), StateID(5)
	// table is blanks between fields and quoted ones; change makes it something else.
	table := func(leading, trailing bool, change func(b *Builder)) *Automaton {
		b := NewBuilder()
		for _, name := range []string{"EOR", "FLD", "RUN", "IN", "CLOSED", "CR"} {
			b.AddState(name, name)
		}
		change(b)
		on := unchanged(b)
		sep, split, opens := field, data, skip
		if trailing {
			sep, split = skip, Emission{Kind: Field, Column: NextColumn, Lag: 1}
			opens = Emission{Kind: Field, Column: NextColumn, Lag: 1, Open: 1}
		}
		if leading {
			on(eor, blank, eor, skip)
			on(eor, newline, eor, dropped)
		}
		on(run, blank, run, skip)
		on(eor, quote, in, skip)
		on(run, quote, in, opens)
		on(in, quote, closed, skip)
		on(closed, quote, in, data)
		for _, s := range []StateID{eor, fld, run, closed} {
			on(s, blank, run, sep)
			on(s, newline, eor, record)
			on(s, cr, after, skip)
		}
		on(after, newline, eor, record)
		b.Otherwise(after, fld, Emission{Kind: Error, Code: b.Message("no line end")})
		b.Otherwise(run, fld, split)
		for s, to := range map[StateID]StateID{eor: fld, fld: fld, in: in, closed: fld} {
			b.Otherwise(s, to, data)
		}
		for s := range StateID(6) {
			b.EOF(s, record)
		}
		a, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	const masks = `fields end at runs of ' ', records end at '\n', quoted by '"' that may be doubled`
	for _, test := range []struct {
		name              string
		leading, trailing bool
		change            func(b *Builder)
		want              string // of Runs.String, and what is odd
	}{
		{"runs", false, false, func(*Builder) {}, masks + `; odd no symbol, no symbol, no symbol`},
		{"leading", true, false, func(*Builder) {}, masks + `; odd no symbol, '\n' or '\r', no symbol`},
		{"trailing", false, true, func(*Builder) {}, masks + `; odd no symbol, no symbol, no symbol`},
		{"both", true, true, func(*Builder) {}, masks + `; odd no symbol, '\n' or '\r', no symbol`},
		{"a second one ends a field", false, false, func(b *Builder) { b.On(run, blank, run, field) }, "none"},
		{"a second one is data", false, false, func(b *Builder) { b.On(run, blank, fld, data) }, "none"},
		{"no quotes behind runs", false, true, func(b *Builder) { b.On(run, quote, fld, skip) }, "none"},
		{"no quotes first", true, true, func(b *Builder) { b.On(eor, quote, fld, data) }, "none"},
		{"a field is of another class in front of quotes", true, true, func(b *Builder) {
			b.On(run, quote, in, Emission{Kind: Field, Column: NextColumn, Lag: 1, Open: 1, Class: 1})
		}, "none"},
		{"of two separators one makes the other data at the start", false, false, func(b *Builder) {
			led, tab := b.AddState("LED", "behind blanks at the start"), Bytes('\t')
			b.On(eor, tab, eor, skip)
			b.On(eor, blank, led, skip)
			b.On(led, blank, led, skip)
			b.On(led, quote, in, skip)
			b.On(led, newline, eor, record)
			b.Otherwise(led, fld, data)
			b.EOF(led, record)
			b.On(fld, tab, run, field)
			b.On(closed, tab, run, field)
			b.On(run, tab, run, skip)
		}, strings.Replace(masks, "' '", `'\t' or ' '`, 1) + `; odd no symbol, '\t' or ' ', no symbol`},
		{"a run is no end after quotes", true, true, func(b *Builder) { b.On(closed, blank, fld, data) }, "none"},
		{"an escape", false, false, func(b *Builder) { b.On(fld, Bytes('\\'), fld, Emission{Kind: Skip, Escape: true}) }, "none"},
		{"a symbol is lost behind a run", false, true, func(b *Builder) { b.On(run, Bytes('x'), run, skip) }, masks + `; odd no symbol, no symbol, 'x'`},
		{"a symbol is lost in a field", false, true, func(b *Builder) { b.On(fld, Bytes('x'), fld, skip) }, masks + `; odd 'x', no symbol, no symbol`},
		{"a symbol is no data first", false, true, func(b *Builder) { b.On(eor, Bytes('x'), fld, skip) }, masks + `; odd no symbol, 'x', no symbol`},
		{"a record is another behind a run", false, false, func(b *Builder) { b.On(run, newline, eor, dropped) }, masks + `; odd no symbol, no symbol, '\n'`},
	} {
		r, got := FindRuns(table(test.leading, test.trailing, test.change)), "none"
		if r != nil {
			got = fmt.Sprintf("%s; odd %s, %s, %s", r, FormatSet(r.Odd), FormatSet(r.OddFirst), FormatSet(r.OddNext))
			if r.Leading != test.leading || r.Trailing != test.trailing || r.Return != cr {
				t.Errorf("%s: leading %v, trailing %v, return %s", test.name, r.Leading, r.Trailing, FormatSet(r.Return))
			}
		}
		if got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}
