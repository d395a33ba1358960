package infer

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/convert"
)

// TestPlainKind: what is found without an expression is what the expressions say.
func TestPlainKind(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := []byte(rapid.StringMatching(`[-+a9_. ,:Zé0]{1,8}|[0-9]{4}-[0-9]{2}-[0-9T]{2}([ T][0-9]{2}:[0-9]{2}:[0-9]{2})?`).Draw(t, "text"))
		got, ok := plainKind(text)
		if !ok {
			return
		}
		for i := range kinds {
			if kinds[i].is.Match(text) {
				if kinds[i].worth != got {
					t.Errorf("%q: %v, want %v", text, got, kinds[i].worth)
				}
				return
			}
		}
		t.Errorf("%q: %v, but nothing matches", text, got)
	})
}

// TestKindsMadeOf: what an expression matches is made of what it says, and has what it needs; and
// all expressions can be compiled.
func TestKindsMadeOf(t *testing.T) {
	for _, p := range patterns {
		p()
	}
	matched := make([]bool, len(kinds))
	check := func(t rapid.TB, text []byte) {
		has := setOf(text)
		for i := range kinds {
			if len(text) == 0 || !kinds[i].is.Match(text) {
				continue
			}
			matched[i] = true
			if !has.Minus(kinds[i].of).Empty() || has.And(kinds[i].needs).Empty() {
				t.Errorf("%q matches %s", text, kinds[i].is())
			}
		}
	}
	for _, text := range []string{"1,234.5e-7 %", "€ 12", "12\f$", "$ 1,2 3", "2024-05-31 12:30:00.5 pm +02:00", "12:30\npm", "May 31, 2024", "x 31-May-2024", "Wed Oct 10 20:19:24 +0000 2018", "Mon, 2 Jan 2006 15:04:05 GMT", "02-JAN-06 03.04.05,5 PM", "No", "\\n", "-", "fal\u017fe", "ye\u017f",
		"ftp://\v;é", "a+b@c.d", "1.2.3.4", "/a.b/c-d", "é_1", "a.b#c@d:e/f+g-", "it's (a & b) /c- d", "é\r\n,\"\xff"} {
		check(t, []byte(text))
	}
	if i := slices.Index(matched, false); i >= 0 {
		t.Errorf("nothing matches %s", kinds[i].is())
	}
	rapid.Check(t, func(t *rapid.T) {
		i := rapid.IntRange(0, len(kinds)-1).Draw(t, "of")
		check(t, []byte(rapid.StringMatching(kinds[i].is().String()).Draw(t, "text")))
		check(t, rapid.SliceOfN(rapid.Byte(), 1, 4).Draw(t, "bytes"))
	})
}

// TestPlainHeader: of values that are looked at to find a header too.
func TestPlainHeader(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := []byte(rapid.StringMatching(`[-+a9., :Z0]{1,8}|[0-9.,]{1,5}|[0-9]{4}-[0-9]{2}-[0-9T]{2}([ T][0-9]{2}:[0-9]{2}:[0-9]{2})?|(?i:true|false)`).Draw(t, "text"))
		if figures(text) && !number.Match(text) {
			t.Errorf("%q has figures, and is no number", text)
		}
		if isMoment(text) && !date.Match(text) {
			t.Errorf("%q is a moment, and no date", text)
		}
		if isLetter(text[0]) && (number.Match(text) || date.Match(text)) || !isLetter(text[0]) && truth.Match(text) {
			t.Errorf("%q: a letter in front does not tell", text)
		}
	})
}

// TestUsualNumber: what is taken by its first symbols is what would be taken by all.
func TestUsualNumber(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := []byte(rapid.StringMatching(`-?[0-9]{1,17}(\.[0-9]{0,4})?(e-?[0-9]{1,3})?|[-+0-9.,eE]{1,6}`).Draw(t, "text"))
		if !isUsualNumber(text) {
			return
		}
		if !isExactFloat(text) {
			t.Errorf("%q changes as an f64", text)
		}
		if _, err := strconv.ParseInt(string(text), 10, 64); err == nil && !isPlainInteger(text) {
			t.Errorf("%q changes as an i64", text)
		}
	})
}

// TestRivals: what cannot be a rival is not looked at, and nothing else changes.
func TestRivals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sample := []byte(rapid.StringMatching(`([a1;,: '"|]{0,12}\n){1,12}`).Draw(t, "sample"))
		var all []Rating
		met := worths{}
		for _, d := range (&Given{}).candidates(sample) {
			d.LineEnd = lineEnd(sample)
			rows, faults, spaced := cut(sample, &d, true)
			d.Lax = spaced
			if len(rows) == 0 {
				continue
			}
			o := newOutline(d, rows, faults, 0, true)
			if o.stands() {
				continue
			}
			most := o.Score
			if o.rate(met); o.Score > most*(1+1e-9) {
				t.Errorf("%s: %v, at most %v were expected", d.String(), o.Score, most)
			}
			all = append(all, o.Rating)
		}
		slices.SortStableFunc(all, func(a, b Rating) int { return cmp.Compare(b.Score, a.Score) })
		rated := Rate(sample, true, &Given{})
		for n, r := range all {
			if r.Score <= closeScore*all[0].Score {
				all = all[:n]
				break
			}
		}
		if len(rated) != len(all) {
			t.Fatalf("%d dialects, want %d", len(rated), len(all))
		}
		for i, r := range rated {
			if r.Dialect != all[i].Dialect || r.Score != all[i].Score {
				t.Errorf("dialect %d: %s, %v, want %s, %v", i, r.Dialect.String(), r.Score, all[i].Dialect.String(), all[i].Score)
			}
		}
	})
}

// TestUsualWord: what a word shows to be a usual number is one, wherever it stands, and short
// ones of digits and points are found by it.
func TestUsualWord(t *testing.T) {
	for _, s := range []string{"1", "9", "0", "-1", "-0", "-", "07", "0.5", "12345678", "123456789", "1e5", "1E5", "12:30", "1,5", "1.5", "7x", "1\u00e9", "999999999999999", "9999999999999999", "-1.5", "0x1", "1.23456e", "1.234567e", "1 ", " 1", "\t1", "0 ", "0.25", "00", "/", "."} {
		for _, around := range [][2]string{{"", ""}, {"e", "e"}, {"0", "0"}, {"0000000", "eeeeeeeee"}, {"", "xxxxxxxx"}} {
			text := []byte(around[0] + s + around[1])
			from := len(around[0])
			got, usual := isUsualWord(text, int32(from), int32(from+len(s))), isUsualNumber([]byte(s))
			found := usual && len(s) <= 8 && from+8 <= len(text) && !strings.ContainsAny(s, "- ,é")
			if got && (!usual || blank(s[0]) || blank(s[len(s)-1])) || !got && found {
				t.Errorf("%q in %q: %t, and it is usual: %t", s, text, got, usual)
			}
		}
	}
}

// TestMarks: what has not the marks of a candidate is not of it.
func TestMarks(t *testing.T) {
	values := []string{"2024-05-31", "2024/05/31", "31.05.2024", "5/31/24", "31-May-2024", "May 31, 2024", "31 May 2024", "2024-05-31 12:30:00.5", "2024-05-31T12:30:00Z", "12:30", "12:30:00",
		"31/May/2024:12:30:00 +0200", "20240531", "1", "-1.5", "true", "x", "05/31/2024 01:30 PM", "2024-05-31 12:30:00 +0200",
		"2024-05-31 12:30:00,5", "2024-05-31T12:30:00,123456789Z", "12:30:00,5", "05/31/2024 01:30:00.5 PM", "31/May/2024:12:30:00.5 +0200", "31.5.24"}
	p := probes.Get().(*probe)
	for i := range types() {
		trial, err := p.of(i)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range values {
			var f convert.Fields
			f.Reset([]byte(v))
			f.Start, f.End = []uint32{0}, []uint32{uint32(len(v))}
			if fits := trial.text != "dec" && !trial.refuses(&f); fits && !types()[i].may([]byte(v)) {
				t.Errorf("%q is %s, and has not %q", v, types()[i].text, types()[i].marks)
			}
		}
	}
}

// TestCandidateNames: candidates of dates and times are named as specs name their types.
func TestCandidateNames(t *testing.T) {
	for _, c := range types() {
		if name := convert.Name(&c.typ); c.typ.Kind >= dfa.Date && c.text != name {
			t.Errorf("%s is %s", c.text, name)
		}
	}
}
