package infer

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

func inferText(text string) (*Table, error) {
	return inferGiven(text, &Given{})
}

func inferGiven(text string, given *Given) (*Table, error) {
	return Infer(context.Background(), "t", inputOf(text), given, runtime.WithEngine(cpu.Engine), runtime.WithThreads(1))
}

func inputOf(text string) *Input {
	return &Input{Sample: []byte(text[:min(len(text), SampleBytes)]), Whole: len(text) <= SampleBytes,
		Read: func(p *dfa.Program, columns []string, use func(Records) error, opts ...runtime.Option) error {
			if columns != nil {
				opts = append(opts, runtime.WithColumns(columns...))
			}
			r, err := runtime.NewReader(strings.NewReader(text), p, opts...)
			if err != nil {
				return err
			}
			defer r.Release()
			return use(r)
		}}
}

// namesOf are the names of the columns of t.
func namesOf(t *Table) (names []string) {
	for _, c := range t.Columns {
		names = append(names, c.Name)
	}
	return names
}

// TestDialect: what files look like, by what was made of them: the dialect in words,
// and names of columns.
func TestDialect(t *testing.T) {
	const rfc = `, quoted by '"'`
	for _, c := range []struct{ in, want, columns string }{
		{"id,name\n1,Ann\n2,Bob\n", "separated by comma" + rfc + ", a header", "id name"},
		{"1,Ann\n2,Bob\n", "separated by comma" + rfc + ", no header", "column_1 column_2"},
		{"a;b\n1,5;x\n2,25;y\n", "separated by semicolon" + rfc + ", a header", "a b"},
		{"a\tb\n1\tx, y\n2\tz\n", "separated by tab" + rfc + ", a header", "a b"},
		{"country,2019,2020\nDE,1.5,2\nFR,3,4\n", "separated by comma" + rfc + ", a header", "country 2019 2020"},
		{"who,2019,2020\nAnn,2019,2021\nBob,2018,2021\n", "separated by comma" + rfc + ", no header", "column_1 column_2 column_3"},
		{"region,2024-01-01,2024-02-01\nN,10,20\nS,30,40\n", "separated by comma" + rfc + ", a header", "region 2024-01-01 2024-02-01"},
		{"Sales,,Costs,\nQ1,Q2,Q3,Q4\n10,20,5,6\n11,21,7,8\n", "separated by comma" + rfc + ", a header of 2 lines", "Sales Q1 Q2 Costs Q3 Q4"},
		{"time,temp,p\ns,degC,hPa\n0.0,21.5,1013\n0.1,21.6,1013\n", "separated by comma" + rfc + ", a header of 2 lines", "time s temp degC p hPa"},
		{"a,b,c\nx,y,z\n1,2,w\n3,v,5\n", "separated by comma" + rfc + ", a header", "a b c"},
		{"Name      Age  City\nAlice      30  Berlin\nBob        25  Rome\nCarol      41  Paris\n", "aligned by spaces" + rfc + ", a header", "Name Age City"},
		{"a|b|c\n1|x|\n2|y|z\n", "separated by '|'" + rfc + ", a header", "a b c"},
		{"a,b\n1,\"x;y;z\"\n2,\"u;v;w\"\n", "separated by comma" + rfc + ", a header", "a b"},
		{"a,b\n1,\"x \\\"y\\\", z\"\n2,\"u\"\n", "separated by comma" + rfc + `, escaped by '\\', a header`, "a b"},
		{"a,b\n1,'x, y'\n2,'z'\n", "separated by comma, quoted by '\\'', a header", "a b"},
		{"a,b\n1,5\" pipe\n2,3\" pipe\n", "separated by comma, a header", "a b"},
		{"# made by hand\n# yesterday\na,b\n1,2\n# the end\n", "separated by comma" + rfc + `, comments from "#", a header`, "a b"},
		{"Report of May\n\nname,amount\nx,1\ny,2\nz,3\n", "separated by comma" + rfc + ", 2 lines before the table, a header", "name amount"},
		{"10:15:00\n10:16:00\n", "one column" + rfc + ", no header", "column_1"},
		{"name\nAnn Lee\nBob Ray\n", "one column" + rfc + ", a header", "name"},
		{"name  size  at\nx        1  2024-01-02\nlonger  12  2024-01-03\n", "aligned by spaces" + rfc + ", a header", "name size at"},
		{"a,b,c\n1,2,3\n4,5\n6,7,8\n", "separated by comma" + rfc + ", a header", "a b c"},
		{"a\tb\n" + strings.Repeat("\t7\n", 12), "separated by tab" + rfc + ", a header", "a b"},
		{"a\tb\n" + strings.Repeat("2024-01-01 10:00\t\n", 12), "separated by tab" + rfc + ", a header", "a b"},
		{"values\n" + strings.Repeat("\t7\n", 12), "one column" + rfc + ", a header", "values"},
		{"true,false\nfalse,true\ntrue,true\n", "separated by comma" + rfc + ", no header", "column_1 column_2"},
		{"a,b\n1,2\n3,4\n5,6\n\\.\n", "separated by comma" + rfc + ", a header, a footer of 1 line left out", "a b"},
		{"day,v\n2024-01-01,2\n2024-01-02,4\n2024-01-03,6\n\"Source: A, B, C\"\n", "separated by comma" + rfc + ", a header", "day v"},
		{"day,v\n" + strings.Repeat("2024-01-01,2\n", 8) + "\"Source: A, B\"\n", "separated by comma" + rfc + ", a header", "day v"},
		{"N/A,-\n1,2\n3,4\n", "separated by comma" + rfc + ", no header", "column_1 column_2"},
		{"NaN,-inf\n1.5,2\n3,4\n", "separated by comma" + rfc + ", no header", "column_1 column_2"},
		{"NA,EU\n1,2\n3,4\n", "separated by comma" + rfc + ", a header", "NA EU"},
		{"#n,\"a,b\",c\n1,2,x\n3,4,y\n", "separated by comma" + rfc + ", a header", "#n a,b c"},
		{"color,name\n#ff0000,red\n#00ff00,green\n", "separated by comma" + rfc + ", a header", "color name"},
		{"issue,title\n#12,first\n#13,\"second, third\"\n", "separated by comma" + rfc + ", a header", "issue title"},
		{"tag,n\n#a,1\n#b,2\nc,3\n#d,4\n", "separated by comma" + rfc + ", a header", "tag n"},
		{"tag,n\n#a,1\nb,2\nc,3\n", "separated by comma" + rfc + `, comments from "#", a header`, "tag n"},
		{"id,n\n#1,1\n#2,2\n3,3\n#4,4\n", "separated by comma" + rfc + `, comments from "#", a header`, "id n"},
		{"id,n\n# none, yet\n", "separated by comma" + rfc + `, comments from "#", a header`, "id n"},
		{"tag,n\n#a,1\nb,2\n", "separated by comma" + rfc + `, comments from "#", a header`, "tag n"},
		{"tag\n#a\n#b\n", "one column" + rfc + ", a header", "tag"},
		{"tag,n\n" + strings.Repeat("#a,1\nb,2\n#c,3\n", 2000), "separated by comma" + rfc + ", a header", "tag n"},
		{"one,two,three\n1,2\n3,4\n5,6\n", "separated by comma" + rfc + ", a header", "one two three"},
		{"a,b\n1,2,\n3,4,\n", "separated by comma" + rfc + ", a header", "a b"},
		{"a,,a\n1,2,3\n", "separated by comma" + rfc + ", a header", "a column_2 a_2"},
		{"x,y\nx,z\ny,x\n", "separated by comma" + rfc + ", no header", "column_1 column_2"},
		{"a,b\r1,2\r3,4\r", "separated by comma" + rfc + ", lines that end in CR, a header", "a b"},
		{"a,b\n1,\"x, y\"\n2,z\r3,\"u, v\"\n4,w\n", "separated by comma" + rfc + ", lines that end in CR, LF or both, a header", "a b"},
		{"a,b\n1,\"x, y\"\r2,z\r\n3,\"u, v\"\n4,w\n", "separated by comma" + rfc + ", lines that end in CR, LF or both, a header", "a b"},
		{"a,b\n1,\"x, y\"\n2,z\rz\n3,\"u, v\"\n4,w\n", "separated by comma" + rfc + ", lines that end in LF, a header", "a b"},
		{"a,b\n1,\"x\ry\"\n2,z\n3,\"u, v\"\n4,w\n", "separated by comma" + rfc + ", a header", "a b"},
		{"a,b\n1,\"x\"\n2,\"y\"\r", "separated by comma" + rfc + ", a header", "a b"},
		{"a,b\r\n1,\"x\ry\"\r\n2,z\r\n3,w\r\n4,\"y\"\r", "separated by comma" + rfc + ", a header", "a b"},
		{"a,b\n1,\"two\nlines\"\n3,\"x\"\n", "separated by comma" + rfc + ", a header", "a b"},
		{"\xef\xbb\xbfa,b\n1,2\n", "separated by comma" + rfc + ", a header", "a b"},
		{"a~b\n1~2\n3~4\n", "separated by '~'" + rfc + ", a header", "a b"},
		{"id, name\n1, \"x, y\"\n2, \"z\" \n", "separated by comma" + rfc + ", in odd places too, a header", "id  name"},
		{"id,path\n1,a\\,b\n2,c\\\nd\n3,e\n", `separated by comma, escaped by '\\', a header`, "id path"},
		{"id,path\n1,a\\,b\n2,\"c\\\"d,\"\n3,e\n", "separated by comma" + rfc + `, escaped by '\\', a header`, "id path"},
		{" # made by hand\n1;2\n # and so on\n3;4\n5;6\n", "separated by semicolon" + rfc + `, comments from " #", no header`, "column_1 column_2"},
		{"#id,name\n1,Ann\n2,Bob\n", "separated by comma" + rfc + ", a header", "#id name"},
		{"# id, name\nid,name\n1,Ann\n2,Bob\n", "separated by comma" + rfc + `, comments from "#", a header`, "id name"},
		{"a,b\n1,2\n3,4\n5\n6,7\n", "separated by comma" + rfc + ", a header", "a b"},
		{"Shop\tX\nFrom\t01/02/2024\nTo\t03/02/2024\nday\ta\tb\tc\td\te\tf\tg\n1\t2\t3\t4\t5\t6\t7\t8\n2\t2\t3\t4\t5\t6\t7\t8\nRows\t2\n",
			"separated by tab" + rfc + ", 3 lines before the table, a header, a footer of 1 line left out", "day a b c d e f g"},
		{"10:15\n", "one column" + rfc + ", no header", "column_1"},
		{"12:0\n", "one column" + rfc + ", no header", "column_1"},
		{"Value\n68,527.00\n", "one column" + rfc + ", a header", "Value"},
		{"a,b\n12,345\n67,890\n", "separated by comma" + rfc + ", a header", "a b"},
		{"a,,\"test\",x\n1,,\"test\",y\n2,,\"test\",z\n", "separated by comma" + rfc + ", no header", "column_1 column_2 column_3 column_4"},
		{"a||b\n1||x\n2|z|y\n", "separated by '|'" + rfc + ", a header", "a column_2 b"},
		{"2024-01-01|a|x\n2024-01-02|b|y|z\n2024-01-03|c|\"w\"\n", "separated by '|', no header, the last column up to the end of the line", "column_1 column_2 column_3"},
		{"[10:00:00]|a|x|y\n[10:00:01]|b|y\n[10:00:02]|c|w\n", "separated by '|', no header, the last column up to the end of the line", "column_1 column_2 column_3"},
		{"2024-01-01|a|x|1\n2024-01-02|b|y|2\n2024-01-03|c|w\n", "separated by '|'" + rfc + ", no header", "column_1 column_2 column_3 column_4"},
		{"2024-01-01|a|x\n2024-01-02|b|y\\|z\n2024-01-03|c|w\n", "separated by '|', escaped by '\\\\', no header", "column_1 column_2 column_3"},
		{"\"2024-01-01 10:00:00\":1:a\n\"2024-01-02 10:00:01\":2:b\n", "separated by ':'" + rfc + ", no header", "column_1 column_2 column_3"},
		{"[2013-06-06T19:13:20.1bad] msg one\n[2013-06-06T19:13:20.2bad] a: b c d\n", "one column" + rfc + ", no header", "column_1"},
		{"2024-01-01T10:00:00:a\n2024-01-02T10:00:01:b\n", "one column" + rfc + ", no header", "column_1"},
		{"a::b\n1::x\n2::y\n", `separated by "::"` + rfc + ", a header", "a b"},
		{"1\\|\"x\"\n2\\|\"y\"\n", `separated by "\\|"` + rfc + ", no header", "column_1 column_2"},
		{"0☃x\n1☃y z\n", `separated by "☃"` + rfc + ", no header", "column_1 column_2"},
	} {
		got, err := inferText(c.in)
		if err != nil {
			t.Errorf("%q: %v", c.in, err)
			continue
		}
		names := namesOf(got)
		if d := got.Dialect.String(); d != c.want || strings.Join(names, " ") != c.columns {
			t.Errorf("%q:\n got %s: %q\nwant %s: %q", c.in, d, names, c.want, c.columns)
		}
		if got.Rejected > 0 {
			t.Errorf("%q: %s", c.in, got.Reject)
		}
	}
	for _, empty := range []string{"", "\n\n", "\xef\xbb\xbf"} {
		if _, err := inferText(empty); err != ErrNoTable {
			t.Errorf("%q: %v", empty, err)
		}
	}
}

// TestTypes: the type of a column is one that all its values have without changing.
func TestTypes(t *testing.T) {
	for _, c := range []struct{ values, want string }{
		{"1 2 -3", "i64"},
		{"0 10 200", "i64"},
		{"1 007", "str"},
		{"+49 +1", "str"},
		{"-0 1", "f64"},
		{"18446744073709551615 1", "u64"},
		{"18446744073709551616 1", "dec(20, 0)"},
		{"1 2.50", "f64"},
		{"1e5 2", "f64"},
		{"1e-400 2", "str"}, // would be 0
		{"1.23456789e-320 2", "str"},
		{"5e-324 2", "f64"},
		{"0e-400 2", "f64"},
		{"1;5e-400 2;5", "str"},
		{"0." + strings.Repeat("0", 400) + "1 2", "str"},
		{"0.1 25.79319953918457", "f64"},
		{"82544000000000707.52 1", "dec(19, 2)"},
		{"-. 1.5", "str"},
		{"1;5 2;25", "f64(point ',')"}, // ; stands for a comma
		{"1; 2;", "str"},               // a comma behind a number
		{"1;500 2;250", "str"},
		{"0;31183145201048545 1;5", "f64(point ',')"}, // the shortest text of an f64
		{"0;311831452010485451 1;5", "str"},
		{"true FALSE", "bool"},
		{"yes no", "str"},
		{"T F", "str"},
		{"2024-01-02 2023-12-31", "date"},
		{"2024-1-2 2024-01-03", `date("%Y-%m-%d")`},
		{"01/02/2024 03/04/2024", "str"},
		{"01/02/2024 13/04/2024", `date("%d/%m/%Y")`},
		{"01/02/2024 03/14/2024", `date("%m/%d/%Y")`},
		{"31.12.2024 01.02.2024", `date("%d.%m.%Y")`},
		{"01-02-03 04-05-06", "str"},
		{"02-Jan-2024", `date("%d-%b-%Y")`},
		{"2_January_2024", `date("%d %B %Y")`},
		{"02JAN2024 31Dec1999", `date("%d%b%Y")`},
		{"02JAN2024 10DEC1234", "str"}, // codes, maybe
		{"02JAN2024 31XYZ1999", "str"},
		{"02JAN24", "str"}, // a code
		{"02JAN2024:10:11:12 31DEC1999:00:00:00", `ts("%d%b%Y:%H:%M:%S")`},
		{"02JAN2024:10:11:12.25", `ts("%d%b%Y:%H:%M:%S.%f")`},
		{"02JAN2024_10:11:12", `ts("%d%b%Y %H:%M:%S")`},
		{"02-JAN-06 31-DEC-99", `date("%d-%b-%y")`},
		{"02-JAN-2006_15:04:05", `ts("%d-%b-%Y %H:%M:%S")`},
		{"02-JAN-06_03.04.05.123456_PM 31-DEC-99_12.00.00.000000_AM", `ts("%d-%b-%y %I.%M.%S.%f %p")`},
		{"02-JAN-06_03.04.05_PM", `ts("%d-%b-%y %I.%M.%S %p")`},
		{"02-JAN-06_03.04.60_PM", "str"}, // would be the next minute's first
		{"Mon_Jan__2_15:04:05_2006 Tue_Jan_03_15:04:05_2006", `ts("%a %b %e %H:%M:%S %Y")`},
		{"Mon_Jan__2_15:04:60_2006", "str"},
		{"Mon_Jan__2_15:04:05_UTC_2006", `ts("%a %b %e %H:%M:%S %Z %Y")`},
		{"Mon_Jan__2_15:04:05_CET_2006", "str"}, // of which nobody knows the offset
		{"Wed_Oct_10_20:19:24_+0000_2018", `ts("%a %b %e %H:%M:%S %z %Y")`},
		{"Mon;_02_Jan_2006_15:04:05_-0700 Tue;_3_Jan_2006_15:04:05_+0000", `ts("%a, %d %b %Y %H:%M:%S %z")`},
		{"Mon;_02_Jan_2006_15:04:05_GMT", `ts("%a, %d %b %Y %H:%M:%S %Z")`},
		{"Mon;_02_Jan_2006_15:04:05_GMT Mon;_02_Jan_2006_15:04:05", "str"},
		{"02_Jan_2006_15:04:05_+0100", `ts("%d %b %Y %H:%M:%S %z")`},
		{"2024-01-02T03:04:05Z 2024-01-02T03:04:05.5+01:00", "ts"},
		{"2024-01-02_03:04:05", "ts(tz none)"}, // _ stands for a blank
		{"2024-01-02T03:04:05 2024-01-02", "str"},
		{"2024-01-02_03:04:05_+0100", `ts("%Y-%m-%d %H:%M:%S %z")`},
		{"13/01/2024_10:00", `ts("%d/%m/%Y %H:%M")`},
		{"2024-01-13T10:00 2024-01-02T03:04", `ts("%Y-%m-%dT%H:%M")`},
		{"2024-01-13T10:00Z 2024-01-02T03:04+01:00", `ts("%Y-%m-%dT%H:%M%z")`},
		{"2024-01-13T10:00Z 2024-01-02T03:04:05.5Z", `ts(rfc3339 | "%Y-%m-%dT%H:%M%z")`}, // as Java writes them
		{"2024-01-13T10:00:01 2024-01-02T03:04", `ts("%Y-%m-%dT%H:%M:%S" | "%Y-%m-%dT%H:%M:%S.%f" | "%Y-%m-%dT%H:%M")`},
		{"2024-01-13T10:00:01 2024-01-02T03:04 2024-01-02T03:04:05.123456789", `ts("%Y-%m-%dT%H:%M:%S" | "%Y-%m-%dT%H:%M:%S.%f" | "%Y-%m-%dT%H:%M", unit ns)`},
		{"2024-01-13T10:00Z 2024-01-02T03:04", "str"},
		{"Jan_2_2024 Feb_13_2024", `date("%b %d %Y")`},
		{"1/13/2024;_10:00:00_AM 1/2/2024;_3:04:05_PM", `ts("%m/%d/%Y, %I:%M:%S %p")`},
		{"31/12/2024;_10:00:00", `ts("%d/%m/%Y, %H:%M:%S")`},
		{"1.2.2024;_10:00:00 3.4.2024;_23:59:00", `ts("%d.%m.%Y, %H:%M:%S")`}, // as nearly all mean it
		{"1/2/2024;_10:00_AM", "str"},
		{"01/13/2024_10:00:00_AM", `ts("%m/%d/%Y %I:%M:%S %p")`},
		{"2024-01-02_03:04:05 2016-12-31_23:59:60", "str"}, // would be the next day's first
		{"2024-01-02T03:04:05Z 2016-12-31T23:59:60Z", "str"},
		{"10:15:00 23:59:59.5", "time"},
		{"10:15:00.123456789 23:59:59", "time(unit ns)"},
		{"10:15:00;123 23:59:59;5", `time("%H:%M:%S,%f")`},
		{"2025-04-24T19:51:48.520963849Z 2025-04-24T19:51:48Z 2025-04-24T19:51:48.52+02:00", "ts(unit ns)"},
		{"2025-04-24T19:51:48Z 2025-04-24T19:51:48.520963849Z", "ts(unit ns)"},
		{"2025-04-24T19:51:48.520963000Z", "ts"},
		{"2025-04-24T19:51:48.5209638490001Z", "str"},
		{"2025-04-24T19:51:48.520963849Z 2262-04-12T00:00:00Z", "str"}, // beyond nanoseconds
		{"2025-04-24T19:51:48.520963849Z 1677-09-21T00:00:00Z", "str"},
		{"2025-04-24T19:51:48.520963Z 9999-12-31T23:59:59Z", "ts"},
		{"2025-04-24_19:51:48.5209638", "ts(unit ns, tz none)"},
		{"2025-04-24_19:51:48;520", `ts("%Y-%m-%d %H:%M:%S,%f")`},
		{"2025-04-24T19:51:48;520963849Z", `ts("%Y-%m-%dT%H:%M:%S,%f%z", unit ns)`},
		{"04/24/2025_07:51:48.123_PM", `ts("%m/%d/%Y %I:%M:%S.%f %p")`},
		{"04/24/2025_07:51:48.1234567_PM 04/02/2025_07:51:48.1_PM", `ts("%m/%d/%Y %I:%M:%S.%f %p", unit ns)`},
		{"04/02/2025_07:51:48.1234567_PM", "str"}, // or the 4th of February
		{"24/Apr/2025:19:51:48.123_+0000", `ts("%d/%b/%Y:%H:%M:%S.%f %z")`},
		{"10:15 09:30 23:59", `time("%H:%M")`},
		{"12:30", "str"}, // minutes and seconds
		{"03:45 04:10 02:59 11:00", "str"},
		{"24:20 23:21 20:22 22:25", "str"},
		{"16:9 21:9", "str"},
		{"11.5.2", "str"}, // a version
		{"11.5.2 12.1.12 13.2.1 14.10.3", "str"},
		{"2023.1.4 2022.3.2", "str"},
		{"2024.05.31 2022.11.12", `date("%Y.%m.%d")`},
		{"6.1.7601 5.1.2600", "str"}, // Windows
		{"1.5.2024 31.12.2023", `date("%d.%m.%Y")`},
		{"31.05.99", `date("%d.%m.%y")`},
		{"31.5.99", "str"},
		{"1.5.24 9.7.23 28.2.24 13.1.22 4.4.24 5.5.24 6.6.24 30.11.23", `date("%d.%m.%y")`},
		{"5/31/24", `date("%m/%d/%y")`},
		{"45/5/12", "str"},
		{"99-05-31", `date("%y-%m-%d")`},
		{"40-5-20 41-6-1", "str"},          // parts
		{"7440-12-2", "str"},               // as substances are numbered
		{"31.12.9999", `date("%d.%m.%Y")`}, // never
		{"3.8 3.9 3.10 3.11", "str"},       // 3.1 is another one
		{"2.5 2.10 3.75", "f64"},           // prices
		{"2.50 2.10", "f64"},
		{"2.5 2.10 7", "f64"},
		{".5 .10", "f64"},
		{"3.9 3.10 NaN", "str"}, // which says nothing of others
		{"12E4 NaN 12345678", "str"},
		{"NaN 2.5", "f64"},
		{"12E4 5e10 12345678", "str"}, // names
		{"1e5 1e6", "f64"},
		{"1.0e5 12E4", "f64"},
		{"12e-4 12e5", "f64"},
		{"2024-02-30 2024-01-01", "str"},
		{"1 NA 3", "i64 null NA"},
		{"1 NULL - 3", "i64 null NULL -"},
		{"a NA b", "str"},
		{"1_ _2", "i64 trim"},
		{"nan 1.5", "f64"},
		{"1 x", "str"},
		{"0x10 1", "str"},
		{"1,000 2", "str"},
		{"1;234.50 -12.00", "f64(thousands ',')"},
		{"1.234;50 -12;00", "f64(point ',', thousands '.')"},
		{"1;234;567 2", "str"},
		{"101;102 103;104;105", "str"},
		{"1;00;000.50 2", "str"},
		{"192.168.100.200", "str"},
		{"0;123.50 2", "str"},
		{"9:05_AM 12:30_PM", `time("%I:%M %p")`},
	} {
		var in strings.Builder
		in.WriteString("other\tvalue\n")
		for i, v := range strings.Fields(c.values) {
			fmt.Fprintf(&in, "%d\t%s\n", i+100, strings.NewReplacer("_", " ", ";", ",").Replace(v))
		}
		got, err := inferText(in.String())
		if err != nil || len(got.Columns) != 2 {
			t.Errorf("%s: %v, %d columns", c.values, err, len(got.Columns))
			continue
		}
		col := got.Columns[1]
		text := col.Type
		if col.Blanks && col.Type != "str" {
			text += " trim"
		}
		if len(col.Nulls) > 0 {
			text += " null " + strings.Join(col.Nulls, " ")
		}
		if text != c.want {
			t.Errorf("%s: %s (%s), want %s", c.values, text, col.Why, c.want)
		}
		accepted(t, got, in.String())
	}
}

// TestNamesOfTypes: by the name of a column, what has points is no number, as versions are, or is one for sure, as prices
// are; conversions are neither.
func TestNamesOfTypes(t *testing.T) {
	for _, c := range []struct{ name, values, want string }{
		{"version", "1 2", "i64"},
		{"version", "2 1.5", "str"},
		{"appVersion", "3.10 4.00", "str"},
		{"TLS_VERSION", "1.2 1.3", "str"},
		{"file versions", "2024.05.31 2024.11.30", "str"},
		{"conversion", "1.2 1.3", "f64"},
		{"Conversions", "1.2 1.3", "f64"},
		{"versioned_at", "2024-05-31", "date"},
		{"release", "3.9 3.10", "str"},
		{"price", "3.9 3.10", "f64"},
		{"unitPrice", "3.9 3.10", "f64"},
		{"UNIT_PRICES (EUR)", "3.9 3.10", "f64"},
		{"priceless", "3.9 3.10", "str"},
		{"template", "3.9 3.10", "str"},
		{"version of prices", "3.9 3.10", "str"},
		{"part", "28.2.99 13.12.98", "str"},
		{"birthDate", "28.2.99 13.12.98", `date("%d.%m.%y")`},
		{"Datum", "99-12-31", `date("%y-%m-%d")`},
		{"date", "10-11-12", "str"}, // in which order
		{"update", "28.2.24", "str"},
	} {
		in := "other\t" + c.name + "\n"
		for i, v := range strings.Fields(c.values) {
			in += fmt.Sprintf("%d\t%s\n", i+100, v)
		}
		got, err := inferText(in)
		if err != nil || got.Columns[1].Type != c.want {
			t.Errorf("%s: %s: %v, %v, want %s", c.name, c.values, got.Columns[1], err, c.want)
		}
	}
}

// accepted checks that the spec reads every record that was read as text.
func accepted(t *testing.T, table *Table, text string) {
	t.Helper()
	source, err := table.Source("t", "x")
	if err != nil {
		t.Error(err)
		return
	}
	spec, err := compile.Compile("t.dfp", []byte(source), compile.WithVerifier(runtime.Verifier(cpu.Engine)))
	if err != nil {
		t.Errorf("%v\n%s", err, source)
		return
	}
	var first string
	r, err := runtime.NewReader(strings.NewReader(text), spec.Program, runtime.WithEngine(cpu.Engine), runtime.WithThreads(1), runtime.WithErrorMode(dfa.Reject),
		runtime.WithRejectHandler(func(j *runtime.Reject) error {
			if first == "" {
				first = j.Error()
			}
			return nil
		}))
	if err != nil {
		t.Errorf("%v\n%s", err, source)
		return
	}
	defer r.Release()
	for r.Next() {
	}
	if s := r.Stats(); r.Err() != nil || s.Rows != table.Records || s.Rejected != table.Rejected {
		t.Errorf("%d records and %d rejects, as text %d and %d: %v %s\n%s", s.Rows, s.Rejected, table.Records, table.Rejected, r.Err(), first, source)
	}
}

// TestSurpriseAtTheEnd: types are of all values, however many are alike before.
func TestSurpriseAtTheEnd(t *testing.T) {
	var in strings.Builder
	in.WriteString("a,b,c\n")
	for i := range 100_000 {
		fmt.Fprintf(&in, "%d,%d.5,2024-01-02\n", i, i)
	}
	in.WriteString("x,1e400,2024-13-01\n")
	got, err := inferText(in.String())
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{`for example "x"`, "", `for example "2024-13-01"`} {
		if c := got.Columns[i]; want != "" && (c.Type != "str" || c.Why != want) {
			t.Errorf("%s: %s, %s", c.Name, c.Type, c.Why)
		}
	}
	accepted(t, got, in.String())
}

// TestDrawnTables: tables written in drawn dialects come back as they were.
func TestDrawnTables(t *testing.T) {
	n := 300
	if testing.Short() {
		n = 60
	}
	rng := rand.New(rand.NewPCG(41, 42))
	words := []string{"alpha", "beta gamma", "delta", "epsilon zeta", "eta", "theta iota"}
	for k := range n {
		sep := []byte(",;\t|")[rng.IntN(4)]
		columns, rows := 2+rng.IntN(6), 4+rng.IntN(30)
		kind := make([]int, columns)
		for c := range kind {
			kind[c] = rng.IntN(4)
		}
		kind[rng.IntN(columns)] = 0
		var in bytes.Buffer
		var want [][]string
		header := rng.IntN(2) == 0
		for r := range rows + 1 {
			var fields []string
			for c := range columns {
				v := ""
				switch {
				case r == 0 && !header:
				case r == 0:
					v = fmt.Sprintf("name_%c", 'a'+c)
				case kind[c] == 0:
					v = fmt.Sprint(rng.IntN(1e6))
				case kind[c] == 1:
					v = fmt.Sprintf("20%02d-%02d-%02d", rng.IntN(30), 1+rng.IntN(12), 1+rng.IntN(28))
				case kind[c] == 2:
					v = words[rng.IntN(len(words))]
				default:
					v = words[rng.IntN(len(words))] + []string{"", string(sep), "\n", `"`}[rng.IntN(4)] + words[rng.IntN(len(words))]
				}
				fields = append(fields, v)
			}
			if r == 0 && !header {
				continue
			}
			for c, v := range fields {
				if c > 0 {
					in.WriteByte(sep)
				}
				if strings.ContainsAny(v, string(sep)+"\n\"") {
					v = `"` + strings.ReplaceAll(v, `"`, `""`) + `"`
				}
				in.WriteString(v)
			}
			in.WriteByte('\n')
			if r > 0 {
				want = append(want, fields)
			}
		}
		got, err := inferText(in.String())
		if err != nil {
			t.Fatalf("table %d: %v\n%s", k, err, in.String())
		}
		if got.Separator != sep || got.Header != header || len(got.Columns) != columns || got.Records != int64(rows) {
			t.Errorf("table %d: %s, %d columns, %d records; want %q, %v, %d, %d\n%.600s", k, got.Dialect.String(), len(got.Columns), got.Records, sep, header, columns, rows, in.String())
			continue
		}
		accepted(t, got, in.String())
		if have := textsOf(t, got, in.String()); !slices.EqualFunc(have, want, slices.Equal) {
			t.Errorf("table %d: %q, want %q", k, have, want)
		}
	}
}

// textsOf reads the records by the dialect alone.
func textsOf(t *testing.T, table *Table, text string) (rows [][]string) {
	t.Helper()
	spec, err := table.builder("t", texts).Build()
	if err != nil {
		t.Fatal(err)
	}
	r, err := runtime.NewReader(strings.NewReader(text), spec.Program, runtime.WithEngine(cpu.Engine), runtime.WithThreads(1))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	for r.Next() {
		for i := range int(r.Record().NumRows()) {
			var row []string
			for _, c := range r.Record().Columns() {
				row = append(row, c.(*array.String).Value(i))
			}
			rows = append(rows, row)
		}
	}
	if r.Err() != nil {
		t.Error(r.Err())
	}
	return rows
}

// TestCorpora: of real files, and broken ones, every record that can be read as text
// is read with the types as well.
func TestCorpora(t *testing.T) {
	root := os.Getenv("DFAPARSE_CORPORA")
	if root == "" {
		t.Skip("DFAPARSE_CORPORA names no folder of corpora")
	}
	files, inferred := 0, 0
	for _, folder := range []string{"duckdb/data_csv", "csv-spectrum/csvs", "rust-csv-bench"} {
		err := filepath.WalkDir(filepath.Join(root, folder), func(path string, d os.DirEntry, err error) error {
			if ext := filepath.Ext(path); err != nil || d.IsDir() || ext != ".csv" && ext != ".tsv" && ext != ".txt" {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil || len(text) > 8<<20 {
				return err
			}
			files++
			table, err := inferText(string(text))
			if err != nil {
				return nil
			}
			inferred++
			t.Run(filepath.Base(path), func(t *testing.T) { accepted(t, table, string(text)) })
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d of %d files", inferred, files)
}

// TestOpenLogPairs: a log whose messages hold bars is read as one whether its lines end in LF or CR LF, which no message has.
func TestOpenLogPairs(t *testing.T) {
	lines := "2024-01-01|a|x\n2024-01-02|b|y|z\n2024-01-03|c|w\n"
	for _, sample := range []string{lines, strings.ReplaceAll(lines, "\n", "\r\n")} {
		table, err := inferText(sample)
		if err != nil {
			t.Fatal(err)
		}
		if accepted(t, table, sample); table.Records != 3 || table.Rejected > 0 {
			t.Errorf("%q: %d records, %d rejected", sample, table.Records, table.Rejected)
		}
	}
}

// TestTimesAreNoNames: a first record with a time of the form of those below it is no header, of however few records.
func TestTimesAreNoNames(t *testing.T) {
	for text, header := range map[string]bool{
		"Mon|16 Sep 2024 08:04:03 +0000\nWed|01 Feb 2023 05:00:41 +0000\n":  false,
		"a|Mon, 16 Sep 2024 08:04:03 GMT\nb|Wed, 1 Feb 2023 05:00:41 GMT\n": false,
		"a|Sep 6, 2024\nb|February 16, 2024\n":                              false,
		"a|6-SEP-24 03.04.05 PM\nb|16-OCT-24 03.04.05 PM\n":                 false,
		"a|6SEP2024\nb|16OCT2024\n":                                         false,
		"a|10.2.2024, 10:11\nb|11.12.2024, 10:11\n":                         false,
		"a|16 Sep 2024\nb|7\n":                                              true,
		"a|May\nb|16 Sep 2024\n":                                            true,
	} {
		got, err := inferText(text)
		if err != nil || got.Header != header {
			t.Errorf("%q: a header %v, %v, want %v", text, got.Header, err, header)
		}
	}
}
