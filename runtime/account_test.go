package runtime_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

// accountSpec drops, replaces and passes over what there is to.
const accountSpec = `delimited { sep ',' quote '"' doubled comment '#' } header skip 1
	fields { a i32 b str ? c list(str, sep '|') ? } ragged truncate utf8 replace on_error reject`

const accountInput = "\xEF\xBB\xBFa,b\n# one\n1,x\nz,\xFF,bad\n2,y\r\n\n3,y,,surplus,2\n#\xFF\n" +
	"4,\xFF\xFE,q|\xFF,more\n5,\xFF\n\n6\n7,\"p\nq\",,s\n8,\"open\nthree\nlines"

// TestAccount holds the numbers to those counted by hand; read holds all others
// to the oracle.
func TestAccount(t *testing.T) {
	p := spec(t, accountSpec)
	s := text(t, p, accountInput).stats
	want := runtime.Account{
		Delivered:  runtime.Extent{Records: 7, Bytes: 4 + 5 + 15 + 14 + 4 + 2 + 11},
		Rejected:   runtime.Extent{Records: 2, Bytes: 8 + 19},
		Mark:       3,
		Header:     runtime.Extent{Records: 1, Bytes: 4},
		Dropped:    runtime.Extent{Records: 4, Bytes: 6 + 1 + 3 + 1},
		Directives: runtime.Extent{},
	}
	if s.Account != want || s.Bytes != int64(len(accountInput)) {
		t.Errorf("%d bytes, %+v, want %+v", s.Bytes, s.Account, want)
	}
	if s.RejectedLines != 4 || s.SurplusFields != 4 || s.SurplusRecords != 3 || s.Replaced != 4 {
		t.Errorf("%+v", s)
	}
	if got := fmt.Sprint(s.FirstSurplus, " ", s.FirstReplaced); got != "input:7:6: record 4 (byte 36) input:9:1: record 5 (byte 49)" {
		t.Error(got)
	}
}

// TestAccountOfParts reads parts of the input, in every mode: what is counted
// depends on what is delivered alone.
func TestAccountOfParts(t *testing.T) {
	p := spec(t, accountSpec)
	for _, mode := range modes {
		for _, skip := range []int64{0, 1, 3} {
			for _, limit := range []int64{-1, 0, 1, 2, 7} {
				for _, batch := range []int{1, 100} {
					s := text(t, p, accountInput, runtime.WithErrorMode(mode.mode), runtime.WithSkip(skip), runtime.WithLimit(limit), runtime.WithBatchSize(batch)).stats
					if limit == 1 && skip == 3 && (s.SurplusFields != 2 || s.Replaced != 0) {
						t.Errorf("%s: %+v", mode.name, s)
					}
				}
			}
		}
	}
}

// TestAccountOfLongRecords: those that are passed over in parts count too.
func TestAccountOfLongRecords(t *testing.T) {
	p := spec(t, accountSpec)
	long := strings.Repeat("x", 300)
	in := "a,b\n1,x\n2," + long + "\n# " + long + "\n3,y\n4,\"" + strings.Repeat("a\n", 150) + "\"\n5,\"" + long
	for _, mode := range []dfa.ErrorMode{dfa.Fail, dfa.Reject} {
		for skip := range int64(4) {
			text(t, p, in, runtime.WithMaxRecord(20), runtime.WithErrorMode(mode), runtime.WithSkip(skip))
		}
	}
	s := text(t, p, in, runtime.WithMaxRecord(20)).stats
	if s.Account.Rejected.Records != 3 || s.RejectedLines != 1+151+1 {
		t.Errorf("%+v", s)
	}
	text(t, p, in, runtime.WithMaxRecord(20), runtime.WithMaxRejects(1))
}

// TestMaxRejectShare: a share of rejects is looked at from the thousandth record
// on, and at the end.
func TestMaxRejectShare(t *testing.T) {
	p := spec(t, `delimited { sep ',' } fields { a i32 } on_error reject`)
	lines := func(n int, bad ...int) string {
		var b strings.Builder
		for i := 1; i <= n; i++ {
			if slices.Contains(bad, i) {
				b.WriteByte('x')
			}
			fmt.Fprintf(&b, "%d\n", i)
		}
		return b.String()
	}
	for _, c := range []struct {
		in      string
		share   float64
		skip    int64
		records int64 // read, if it fails
		want    string
	}{
		{lines(200, 1, 2), 0.01, 0, 0, ""},
		{lines(200, 1, 2, 3), 0.01, 0, 200, "more than 1% of the records are rejected, 3 of 200"},
		{lines(200, 1, 2, 3), 0.01, 2, 0, ""},
		{lines(200, 1, 2, 3), 0.01, 5, 0, ""},
		{lines(1500, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12), 0.01, 0, 0, ""},
		{lines(1500, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1000), 0.01, 0, 1000, "rejected, 11 of 1,000; the last one: "},
		{lines(1500, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1000), 0.01, 1, 0, ""},
		{lines(1500, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 999, 1100), 0.01, 0, 1100, "rejected, 12 of 1,100"},
		{lines(10, 7), 0, 0, 10, "more than 0% of the records are rejected, 1 of 10"},
		{lines(10, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10), 1, 0, 0, ""},
	} {
		o := text(t, p, c.in, runtime.WithMaxRejectShare(c.share), runtime.WithSkip(c.skip))
		if c.want == "" && o.err == nil {
			continue
		}
		if !errors.Is(o.err, runtime.ErrTooManyRejects) || c.want == "" || !strings.Contains(o.err.Error(), c.want) || o.stats.Records != c.records {
			t.Errorf("share %v, skip %d: after %d records %v, want %q after %d", c.share, c.skip, o.stats.Records, o.err, c.want, c.records)
		}
	}
	for _, share := range []float64{-0.1, 1.1, math.NaN()} {
		if _, err := runtime.ReadBytes(nil, p, runtime.WithEngine(cpu.Engine), runtime.WithMaxRejectShare(share)); err == nil {
			t.Errorf("a share of %v is accepted", share)
		}
	}
}

// TestMaxLines: a quote that is never closed costs so many lines and no more, and
// what comes after them is read.
func TestMaxLines(t *testing.T) {
	p := spec(t, `delimited { sep ',' quote '"' doubled max_lines 3 } fields { a i32 b str } on_error reject`)
	var in strings.Builder
	for i := range 60 {
		switch i {
		case 7:
			fmt.Fprintf(&in, "%d,\"open\n", i)
		case 30:
			fmt.Fprintf(&in, "%d,\"four\nlines\r\nare\"\"\nin\"\n", i)
		default:
			fmt.Fprintf(&in, "%d,x%d\n", i, i)
		}
	}
	o := text(t, p, in.String())
	if s := o.stats; s.Rows != 60-4 || s.Rejected != 1 || s.RejectedLines != 4 {
		t.Errorf("%+v", s)
	}
	want := `input:8:3: record 8, field "b": a field that '"' opens holds more line ends than max_lines 3 allows`
	if got := o.rejects[0].Error(); !strings.HasPrefix(got, want) || !strings.Contains(got, "the record has 4 lines (byte") || o.rejects[0].Lines != 4 {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestBeginsAbove: of a record that has swallowed lines it is said how far above the error it begins, for what is
// wrong is often there.
func TestBeginsAbove(t *testing.T) {
	for _, eol := range []struct{ name, symbol string }{{"lf", "\n"}, {"cr", "\r"}} {
		p := spec(t, `delimited { sep ',' quote '"' doubled eol `+eol.name+` } header names fields { a i32 b str }`)
		for _, c := range []struct{ input, want string }{
			{"a,b\n1,\"x\n2,\"y\",z\n", "the record has 2 lines, and begins 1 line above (byte"},
			{"a,b\n1,\"x\n\n\n2,\"y\",z\n", "the record has 4 lines, and begins 3 lines above (byte"},
		} {
			if o := text(t, p, strings.ReplaceAll(c.input, "\n", eol.symbol)); o.err == nil || !strings.Contains(o.err.Error(), c.want) {
				t.Errorf("eol %s, %q: %v, want %s", eol.name, c.input, o.err, c.want)
			}
		}
	}
}
