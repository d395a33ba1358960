package expr

import (
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
)

var testColumns = arrow.NewSchema([]arrow.Field{
	{Name: "n", Type: arrow.PrimitiveTypes.Int32}, {Name: "s", Type: arrow.BinaryTypes.String},
	{Name: "ok", Type: arrow.FixedWidthTypes.Boolean}, {Name: "l", Type: arrow.ListOf(arrow.PrimitiveTypes.Int8)},
	{Name: "at", Type: arrow.FixedWidthTypes.Timestamp_us}, {Name: "and", Type: arrow.PrimitiveTypes.Int32},
	{Name: "a b", Type: arrow.PrimitiveTypes.Int32}, {Name: "local", Type: &arrow.TimestampType{Unit: arrow.Second}},
}, nil)

// TestFaults: each has its place, and says what was expected.
func TestFaults(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"n = 1", ""}, {"not ok or n = 1 and s != \"x\"", ""}, {"`and` = 1", ""}, {"`a b` < n", ""}, {"1 < n", ""},
		{"l is not null", ""}, {"hour(at) = '2024-05-01 10:00'", ""}, {"at >= '2024-05-01'", ""}, {"((ok))", ""},
		{"n", "w:1:1: n is int32 and alone no test"},
		{"1 = 2", "w:1:1: both sides are values"},
		{"n = 'x'", "w:1:5: n is int32, which is not compared with 'x'; expected a number"},
		{"n = true", "w:1:5: n is int32, which is not compared with true or false"},
		{"ok = 3", "w:1:6: ok is bool, which is not compared with 3; expected true or false"},
		{"l = 3", "w:1:1: l is list, which is not compared; expected is null or is not null"},
		{"n < s", "w:1:5: n is int32 and s is text, which are not compared"},
		{"at = local", "w:1:6: at is timestamp and local is timestamp, which are not compared"},
		{"and = 1", "w:1:1: and is no column here"},
		{"n = 1\n and m = 2", "w:2:6: there is no column \"m\"; the columns are"},
		{"n == 1", "w:1:4: unexpected \"=\"; expected a column, a value or a function; equal is written ="},
		{"n <> 1", "; unequal is written !="},
		{"n = 1 AND ok", "w:1:7: unexpected \"AND\"; expected and, or, or the end; it is written in small letters, and"},
		{"s IS NULL", "; it is written in small letters, is"},
		{"s LIKE 'a%'", "; texts are compared whole"},
		{"n in (1, 2)", "; several values are put together with or: a = 1 or a = 2"},
		{"s = null", "w:1:5: null is no column here, and no value is equal to it: is null asks for it, or is not null; a column"},
		{"n between 1 and 2", "; a range is a >= 1 and a <= 2"},
		{"n = 1 n", "w:1:7: unexpected \"n\"; expected"},
		{"s = EUR", "w:1:5: there is no column \"EUR\"; the columns are"},
		{"s = EUR", "; a text is written 'EUR'"},
		{"at >= 2024-01-02", "w:1:11: unexpected \"-01\"; expected and, or, or the end; a date is written '2024-01-02'"},
		{"hours(at) = 1", `w:1:1: there is no function hours here, did you mean "hour"?`},
		{"hour(at, at) = 1", "w:1:5: hour wants one column"},
		{"n = 1e999999999", "w:1:5: 1e999999999 is out of range"},
		{`s = 'a\q'`, `w:1:5: unknown escape \q`},
		{"s = 'a", "w:1:5: a text begins here that does not end"},
		{"n # 1", "w:1:3: unexpected '#'"},
		{strings.Repeat("(", 300) + "ok", "more than 200 parentheses or nots"},
		{strings.Repeat("not ", 300) + "ok", "more than 200 parentheses or nots"},
		{" ", "it is empty; expected a test"},
	} {
		src := Source{Name: "w", Text: c.text}
		or, err := ParseWhere(src)
		if err == nil {
			_, err = src.BindWhere(or, testColumns)
		}
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", c.text, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%q:\n%v\nwant\n%s", c.text, err, c.want)
		}
	}
}

// FuzzWhere: whatever the text, there is a test or a fault.
func FuzzWhere(f *testing.F) {
	f.Add("n = 1 and not (s < 'x' or ok)")
	f.Fuzz(func(t *testing.T, text string) {
		src := Source{Name: "w", Text: text}
		or, err := ParseWhere(src)
		if err == nil {
			_, err = src.BindWhere(or, testColumns)
		}
		if err != nil {
			_ = err.Error()
		}
	})
}
