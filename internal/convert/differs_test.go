package convert

import (
	"testing"

	"github.com/dfaparse/dfaparse/dfa"
)

func TestDiffers(t *testing.T) {
	clf := dfa.Type{Kind: dfa.Timestamp, Layout: "%d/%b/%Y:%T %z"}
	named := dfa.Type{Kind: dfa.Timestamp, Layout: "%F %T %Z"}
	for _, c := range []struct {
		code  Code
		typ   dfa.Type
		field string
		want  string
	}{
		{BadTimestamp, clf, "17/Mai/2015:10:05:03 +0000", `"Mai" where %b, a month like Jan, should be, after "17/"`},
		{BadTimestamp, clf, "17/May/2015 10:05:03 +0000", `" " where ":" should be, after "17/May/2015"`},
		{BadTimestamp, clf, "17/May/2015:10:05:03", `the end where " " should be, after "17/May/2015:10:05:03"`},
		{BadTimestamp, clf, "17/May/2015:10:05:03 +0000 x", `" " where the end should be, after …"/May/2015:10:05:03 +0000"`},
		{BadTimestamp, clf, "x", `"x" where %d, a day, 01 to 31, should be, after nothing`},
		{BadTimestamp, named, "2024-07-11 10:11:12 CEST", `"CEST" where %Z, UTC, GMT or Z (of other names of zones it is not known which offset they mean), should be, after "2024-07-11 10:11:12 "`},
		{BadTimestamp, dfa.Type{Kind: dfa.Timestamp}, "11/07/2024 10:11", `"/" where a digit should be, after "11"`},
		{BadTimestamp, dfa.Type{Kind: dfa.Timestamp}, "2024-07-11", `the end where a T or a space, and the time, should be, after "2024-07-11"`},
		{BadTimestamp, dfa.Type{Kind: dfa.Timestamp}, "2024-07-11T10:11:12 CEST", `" " where an offset like Z or +01:00 should be, after "2024-07-11T10:11:12"`},
		{BadTimestamp, dfa.Type{Kind: dfa.Timestamp, Zone: "UTC"}, "2024-07-11T10:11:12 CEST", `" " where an offset like Z or +01:00, or the end, should be, after "2024-07-11T10:11:12"`},
		{BadTimestamp, dfa.Type{Kind: dfa.Timestamp, NoZone: true}, "2024-07-11T10:11:12Z", `"Z" where the end should be, after "2024-07-11T10:11:12"`},
		{BadTimestamp, dfa.Type{Kind: dfa.Timestamp}, "2024-07-11T10:11:12.x", `"x" where a digit of the fraction should be, after "2024-07-11T10:11:12."`},
		{BadDate, dfa.Type{Kind: dfa.Date}, "2024-7-11", `"-" where a digit should be, after "2024-7"`},
		{BadDate, dfa.Type{Kind: dfa.Date}, "2024-07-110", `"0" where the end should be, after "2024-07-11"`},
		{BadTime, dfa.Type{Kind: dfa.Time}, "10:05", `the end where ":" should be, after "10:05"`},
		{BadTime, dfa.Type{Kind: dfa.Time, Layout: "%I:%M %p"}, "10:05 Uhr", `"Uhr" where %p, AM or PM, should be, after "10:05 "`},
		{NoSuchTime, clf, "31/Apr/2015:10:05:03 +0000", ""},
		{BadTimestamp, dfa.Type{Kind: dfa.Timestamp, Epoch: true}, "x", ""},
		{NotInteger, dfa.Type{Kind: dfa.Int8}, "x", ""},
	} {
		if got := c.code.Differs(&c.typ, []byte(c.field)); got != c.want {
			t.Errorf("%q in %s %q:\n got %s\nwant %s", c.field, c.typ.Kind, c.typ.Layout, got, c.want)
		}
	}
}

// TestDiffersWhereRefused holds that what a converter refuses as not of the
// form has a place, and that the words know every directive.
func TestDiffersWhereRefused(t *testing.T) {
	for i := range len(directives) {
		if d := directives[i]; directiveWords[d] == "" {
			t.Errorf("no words for %%%c", d)
		}
	}
	for _, layout := range []string{"", "%d/%b/%Y:%T %z", "%F %T,%L", "%e %B %Y %I:%M %p"} {
		typ := dfa.Type{Kind: dfa.Timestamp, Layout: layout}
		whole := "2015-05-17T10:05:03Z"
		if layout != "" {
			l, err := compileLayout(layout)
			if err != nil {
				t.Fatal(err)
			}
			whole = l.example()
		}
		for cut := 1; cut < len(whole); cut++ {
			for _, field := range []string{whole[:cut], whole[:cut] + "\x00" + whole[cut:], whole + whole[:cut]} {
				_, code := one(t, &dfa.Column{Type: typ}, Options{BaseTime: base}, field)
				if code == BadTimestamp && code.Differs(&typ, []byte(field)) == "" {
					t.Errorf("%q refused by %q, and nothing says why", field, layout)
				}
			}
		}
	}
}
