package importer

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/internal/charset"
)

// dialect is how a file of separated values is written, in whichever words.
type dialect struct {
	sep     string
	quote   string // "": no quotes
	escape  string // "": two quotes are one; else the byte that makes the next one itself
	doubled bool
	header  int // lines: the last has the names
	byName  bool
	join    bool   // they name the columns together, with
	joined  string // between the parts
	skip    int    // lines before the header
	comment string
	blanks  bool
	lax     bool
	ends    []string // of lines: lf, crlf, cr
	nulls   []string
	onError string
	in      string // the encoding; "": UTF-8
	ragged  []string
}

// delimited says how the records look.
func (d *draft) delimited(at int, x dialect) {
	d.table = true
	for i, s := range []string{x.quote, x.escape} {
		if len(s) > 1 {
			d.fail(at, "the %s is %q, and has to be one byte", []string{"quote", "escape"}[i], s)
			return
		}
	}
	if x.sep == "" {
		d.fail(at, "the separator is empty")
		return
	}
	separator := compile.NewText(x.sep)
	if len(x.sep) == 1 {
		separator = symbol(x.sep[0])
	}
	options := []compile.DelimitedOption{&compile.Sep{Alts: []*compile.SepAlt{{Text: separator}}}}
	if x.quote != "" {
		options = append(options, &compile.Quote{Text: symbol(x.quote[0]), Doubled: x.doubled || x.escape == x.quote})
	}
	if x.escape != "" && x.escape != x.quote {
		options = append(options, &compile.EscapeUse{Lead: symbol(x.escape[0])})
	}
	if x.comment != "" {
		options = append(options, compile.CommentPrefix(x.comment))
	}
	if x.blanks {
		options = append(options, compile.PassBlanks())
	}
	if len(x.ends) > 0 {
		options = append(options, compile.LineEnds(x.ends...))
	}
	if x.lax {
		options = append(options, compile.Laxly())
	}
	d.spec.Delimited(options...)
	if x.skip > 0 {
		d.spec.SkipLines(x.skip)
	}
	switch {
	case x.header > 0 && x.byName && x.join:
		d.spec.HeaderJoined(x.header, x.joined)
	case x.header > 0 && x.byName:
		d.spec.HeaderNames(x.header)
	case x.header > 0:
		d.spec.HeaderSkip(x.header)
	case len(d.columns) == 0:
		d.spec.Add(&compile.Header{Mode: &compile.Word{Value: "none"}})
	}
	if len(x.nulls) > 0 {
		d.spec.Null(x.nulls...)
	}
	if x.in != "" {
		d.spec.Encoding(x.in)
	}
	if x.onError != "" {
		d.spec.OnError(x.onError)
	}
	if len(x.ragged) > 0 {
		d.spec.Ragged(x.ragged...)
	}
}

// encoding is an encoding by the name that IANA has for it, "" for UTF-8.
func (d *draft) encoding(at int, name string) string {
	canonical, err := charset.Canonical(name)
	if err != nil {
		d.note(at, "the encoding %s is none that is known here: convert the input to UTF-8 first", name)
	}
	return canonical
}

// lineEnds are the kinds of line ends that a text names.
func lineEnds(texts ...string) (kinds []string, ok bool) {
	for _, t := range texts {
		switch t {
		case "\n":
			kinds = append(kinds, "lf")
		case "\r\n":
			kinds = append(kinds, "crlf")
		case "\r":
			kinds = append(kinds, "cr")
		default:
			return nil, false
		}
	}
	return kinds, true
}

// javaParts are letters of the patterns of Java, and of Unicode's UAX 35, for dates.
var javaParts = map[string]string{
	"yyyy": "%Y", "uuuu": "%Y", "y": "%Y", "yy": "%y", "MM": "%m", "M": "%m", "MMM": "%b", "MMMM": "%B", "dd": "%d", "d": "%d", "DDD": "%j", "HH": "%H", "H": "%H",
	"hh": "%I", "h": "%I", "mm": "%M", "ss": "%S", "SSS": "%L", "a": "%p", "E": "%a", "EEE": "%a", "EEEE": "%A", "X": "%z", "XX": "%z", "XXX": "%z", "Z": "%z", "ZZ": "%z", "ZZZ": "%z", "x": "%z", "xx": "%z", "xxx": "%z", "z": "%Z",
}

var javaPart = regexp.MustCompile(`'((?:[^']|'')*)'|([a-zA-Z])`)

// dateLayout is a pattern for dates, of strftime where it has a %, else of Java, as a layout.
func dateLayout(pattern string) (string, error) {
	if strings.Contains(pattern, "%") {
		text, _, why := layout(pattern)
		if why != "" {
			return "", fmt.Errorf("%s", why)
		}
		return text, nil
	}
	var b strings.Builder
	for i := 0; i < len(pattern); {
		m := javaPart.FindStringSubmatchIndex(pattern[i:])
		switch {
		case m == nil || m[0] > 0:
			b.WriteByte(pattern[i])
			i++
		case m[2] >= 0:
			text := strings.ReplaceAll(pattern[i+m[2]:i+m[3]], "''", "'")
			if text == "" {
				text = "'"
			}
			b.WriteString(text)
			i += m[1]
		default:
			j := i
			for j < len(pattern) && pattern[j] == pattern[i] {
				j++
			}
			part := pattern[i:j]
			to, ok := javaParts[part]
			if !ok && strings.Trim(part, "S") == "" {
				to, ok = "%f", true
			}
			if !ok {
				return "", fmt.Errorf("%s in the pattern %q has no counterpart in layouts", part, pattern)
			}
			b.WriteString(to)
			i = j
		}
	}
	return b.String(), nil
}

// sqlTypes are the types of SQL, of DuckDB and Spark.
var sqlTypes = map[string]string{
	"tinyint": "i8", "byte": "i8", "smallint": "i16", "short": "i16", "int2": "i16", "int": "i32", "integer": "i32", "int4": "i32", "bigint": "i64", "long": "i64", "int8": "i64",
	"utinyint": "u8", "usmallint": "u16", "uinteger": "u32", "ubigint": "u64", "hugeint": "dec(38, 0)",
	"float": "f32", "real": "f32", "float4": "f32", "double": "f64", "float8": "f64", "boolean": "bool", "bool": "bool",
	"varchar": "str", "string": "str", "text": "str", "char": "str", "uuid": "uuid", "blob": "binary", "binary": "binary", "bytea": "binary",
	"date": "date", "time": "time", "timestamp": "ts(tz none)", "timestamp_ntz": "ts(tz none)", "datetime": "ts(tz none)", "timestamptz": "ts", "timestamp with time zone": "ts",
}

var sqlDecimal = regexp.MustCompile(`^(?:decimal|numeric|dec)(?:\(\s*([0-9]+)\s*(?:,\s*([0-9]+)\s*)?\))?$`)

// sqlType is a type of SQL as one of ours; "" if there is none.
func sqlType(name string) string {
	name = strings.ToLower(strings.TrimSpace(name))
	if m := sqlDecimal.FindStringSubmatch(name); m != nil {
		precision, scale := 18, 3
		if m[1] != "" {
			precision, _ = strconv.Atoi(m[1])
			scale, _ = strconv.Atoi("0" + m[2])
		}
		return fmt.Sprintf("dec(%d, %d)", precision, scale)
	}
	name, _, _ = strings.Cut(name, "(")
	return sqlTypes[strings.TrimSpace(name)]
}
