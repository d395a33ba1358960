package importer

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/internal/near"
)

// Options of a reader of separated values, as DuckDB and Spark call them:
// delim='|', quote='"', header=true, columns={'a': 'INT'}. Underscores and case do
// not count.

// csvOption is one key and its value.
type csvOption struct {
	at    int
	key   string
	value string
	place int // of the value
}

var (
	optionKey  = regexp.MustCompile(`^[\s,;]*([A-Za-z_]\w*)\s*=`)
	nextOption = regexp.MustCompile(`[\s,;]+[A-Za-z_]\w*\s*=`)
	signOnly   = regexp.MustCompile(`^[ \t]*([,;])(?:\s*$|[\s,;]+[A-Za-z_]\w*\s*=)`) // is the value, and then nothing, or another option
	optionOnly = regexp.MustCompile(`^(?:\s*$|[\s,;]+[A-Za-z_]\w*\s*=)`)
)

// signOptions are those whose value may be a comma or a semicolon, and is never empty.
var signOptions = []string{"sep", "delim", "delimiter", "decimalseparator"}

// csvOptions takes the text apart.
func csvOptions(d *draft) (out []csvOption) {
	text := d.text
	for at := 0; strings.Trim(text[at:], " \t\r\n,;") != ""; {
		m := optionKey.FindStringSubmatchIndex(text[at:])
		if m == nil {
			d.fail(at, "an option is KEY=VALUE, with a comma between two")
			return nil
		}
		o := csvOption{at: at + m[2], key: strings.ToLower(strings.ReplaceAll(text[at+m[2]:at+m[3]], "_", "")), place: at + m[1]}
		at += m[1]
		rest := text[at:]
		if m := signOnly.FindStringSubmatchIndex(rest); m != nil && slices.Contains(signOptions, o.key) {
			o.value, o.place = rest[m[2]:m[3]], at+m[2]
			at += m[3]
			out = append(out, o)
			continue
		}
		if !optionOnly.MatchString(rest) { // else the value is empty
			rest = strings.TrimLeft(rest, " \t")
			at = len(text) - len(rest)
			o.place = at
		}
		closers := map[byte]byte{'{': '}', '[': ']', '\'': '\'', '"': '"'}
		n := -1
		if rest != "" && closers[rest[0]] != 0 && (len(rest) == 1 || !optionOnly.MatchString(rest[1:])) {
			n = strings.IndexByte(rest[1:], closers[rest[0]])
		}
		switch {
		case n >= 0 && optionOnly.MatchString(rest[n+2:]):
			if o.value = rest[1 : n+1]; rest[0] == '{' || rest[0] == '[' {
				o.value = rest[:n+2]
			}
			at += n + 2
		default:
			end := len(rest)
			if optionOnly.MatchString(rest) {
				end = 0
			} else if len(rest) > 0 {
				if i := nextOption.FindStringIndex(rest[1:]); i != nil {
					end = i[0] + 1
				}
			}
			o.value = strings.TrimRight(rest[:end], " \t\r\n")
			if o.value == "" {
				o.value = rest[:end]
			}
			at += end
		}
		o.value = strings.NewReplacer(`\t`, "\t", `\n`, "\n", `\r`, "\r", `\\`, `\`).Replace(o.value)
		out = append(out, o)
	}
	return out
}

// ignoredOptions are those that change nothing of what is read here.
var ignoredOptions = []string{"autodetect", "samplesize", "parallel", "filename", "compression", "hivepartitioning", "unionbyname", "buffersize", "maxlinesize", "maximumlinesize",
	"multiline", "storerejects", "rejectstable", "rejectsscan", "rejectslimit", "forcenotnull", "allvarchar", "normalizenames", "inferschema", "samplingratio", "enforceschema",
	"maxcolumns", "maxcharspercolumn", "allowquotednulls", "autotypecandidates", "names", "locale"}

var optionWords = []string{"sep", "delim", "delimiter", "quote", "escape", "header", "nullstr", "nullvalue", "null", "skip", "skiprows", "comment", "columns", "types", "dtypes", "schema",
	"dateformat", "timestampformat", "timestampntzformat", "decimalseparator", "thousands", "mode", "ignoreerrors", "nullpadding", "newline", "linesep", "ignoreleadingwhitespace", "ignoretrailingwhitespace", "strictmode", "emptyvalue", "encoding", "charset"}

var listItem = regexp.MustCompile(`'([^']*)'|"([^"]*)"|([^\s,\[\]{}:'"]+)`)

// items are the texts of a list or of keys and values.
func items(value string) []string {
	var out []string
	for _, m := range listItem.FindAllStringSubmatch(value, -1) {
		out = append(out, m[1]+m[2]+m[3])
	}
	return out
}

// ddlColumn is a column of a schema as Spark writes one: a INT, b DECIMAL(5,2).
var ddlColumn = regexp.MustCompile("(?:`([^`]+)`|(\\w+))\\s*:?\\s+(\\w+(?:\\([^)]*\\))?)(?:\\s+[Nn][Oo][Tt]\\s+[Nn][Uu][Ll][Ll])?\\s*(?:,|$)")

// csvReader is what options say of a reader of CSV.
type csvReader struct {
	*draft
	as               dialect
	typed            []column // with types of SQL
	date, stamp      string   // layouts
	point, thousands string   // of numbers
}

func readOptions(d *draft) {
	x := &csvReader{draft: d, as: dialect{sep: ",", quote: `"`, doubled: true, header: 1, byName: true}}
	said := map[string]int{}
	for _, o := range csvOptions(d) {
		said[o.key] = o.at
		if !x.bytes(o) && !x.values(o) {
			x.other(o)
		}
	}
	if d.failure != nil {
		return
	}
	if _, ok := said["header"]; !ok {
		d.note(-1, "header is not said: the first record is taken for the names of the columns")
	}
	if at, ok := said["escape"]; ok && x.as.quote == "" {
		d.note(at, "without quotes the escape holds everywhere")
	}
	for _, c := range x.typed {
		d.columns = append(d.columns, x.column(c))
	}
	d.delimited(-1, x.as)
	d.open = true
}

// holds reports whether the option is said to be so.
func (o *csvOption) holds() bool {
	return slices.Contains([]string{"true", "1", "yes", "on"}, strings.ToLower(o.value))
}

// bytes takes an option about what bytes look like; false: it is another one.
func (x *csvReader) bytes(o csvOption) bool {
	switch o.key {
	case "sep", "delim", "delimiter":
		if x.as.sep = o.value; x.as.sep == "" {
			x.fail(o.place, "%s is empty: a comma or a semicolon that separates stands in quotes, %s=','", o.key, o.key)
		}
	case "quote":
		x.as.quote = o.value
	case "escape":
		x.as.escape, x.as.doubled = o.value, o.value == x.as.quote
	case "header":
		if x.as.header = 0; o.holds() {
			x.as.header = 1
		}
	case "skip", "skiprows":
		n, err := strconv.Atoi(o.value)
		if err != nil || n < 0 {
			x.fail(o.place, "%s is a number of lines", o.key)
		}
		x.as.skip = n
	case "comment":
		x.as.comment = o.value
	case "encoding", "charset":
		x.as.in = x.encoding(o.place, o.value)
	case "newline", "linesep":
		var ok bool
		if x.as.ends, ok = lineEnds(o.value); !ok {
			x.fail(o.place, `a line ends in \n, \r\n or \r`)
		}
	case "ignoreleadingwhitespace":
		x.as.blanks = o.holds()
	case "strictmode":
		x.as.lax = !o.holds()
	default:
		return false
	}
	return true
}

// values takes an option about columns and their values; false: it is another one.
func (x *csvReader) values(o csvOption) bool {
	switch o.key {
	case "nullstr", "nullvalue", "null":
		if strings.HasPrefix(o.value, "[") {
			x.as.nulls = append(x.as.nulls, items(o.value)...)
		} else {
			x.as.nulls = append(x.as.nulls, o.value)
		}
	case "columns", "types", "dtypes":
		pairs := items(o.value)
		if !strings.HasPrefix(o.value, "{") || len(pairs)%2 != 0 {
			x.fail(o.place, "%s is {'name': 'TYPE', …}", o.key)
			break
		}
		for i := 0; i < len(pairs); i += 2 {
			x.named(o, pairs[i], pairs[i+1])
		}
	case "schema":
		for _, m := range ddlColumn.FindAllStringSubmatch(o.value, -1) {
			x.named(o, m[1]+m[2], m[3])
		}
		if len(x.typed) == 0 {
			x.fail(o.place, "a schema is: name TYPE, name TYPE")
		}
	case "dateformat":
		x.date = x.dates(o.place, o.value)
	case "timestampformat", "timestampntzformat":
		x.stamp = x.dates(o.place, o.value)
	case "decimalseparator":
		x.point = o.value
	case "thousands":
		x.thousands = o.value
	default:
		return false
	}
	return true
}

// named adds a column that an option names.
func (x *csvReader) named(o csvOption, name, typ string) {
	x.typed = append(x.typed, column{name, typ, nil, o.place + max(0, strings.Index(x.text[o.place:], name))})
}

// other takes an option about what becomes of records, one that the spec has nothing for, and one
// that is not known.
func (x *csvReader) other(o csvOption) {
	switch o.key {
	case "mode":
		modes := map[string]string{"permissive": "null", "dropmalformed": "reject", "failfast": "fail"}
		if x.as.onError = modes[strings.ToLower(o.value)]; x.as.onError == "" {
			x.fail(o.place, "mode is PERMISSIVE, DROPMALFORMED or FAILFAST")
		}
	case "ignoreerrors":
		if x.as.onError = "fail"; o.holds() {
			x.as.onError = "reject"
		}
	case "nullpadding":
		if o.holds() {
			x.as.ragged = []string{"pad"}
		}
	case "ignoretrailingwhitespace":
		if o.holds() {
			x.note(o.at, "blanks at the end of a field: trim, behind the type of a column, takes them off")
		}
	case "emptyvalue":
		x.note(o.at, "%s: an empty text in quotes and none are the same here", o.key)
	case "allvarchar":
	case "inferschema", "autodetect":
		if o.holds() {
			x.note(o.at, "types are not guessed: a column without a type is text")
		}
	default:
		if slices.Contains(ignoredOptions, o.key) {
			x.note(o.at, "%s says nothing about what the bytes mean", o.key)
			break
		}
		hint := ""
		if meant := near.Word(o.key, optionWords); meant != "" {
			hint = "; did you mean " + meant + "?"
		}
		x.fail(o.at, "%s is no option that is known%s", o.key, hint)
	}
}

// column is a column with the type of the spec that its type of SQL is.
func (x *csvReader) column(c column) column {
	sql := c.typ
	if c.typ = sqlType(sql); c.typ == "" {
		x.note(c.at, "the type %s of %s has no counterpart: it is text", sql, c.name)
		c.typ = "str"
	}
	c.typ = withSeparators(c.typ, x.point, x.thousands)
	switch {
	case c.typ == "date" && x.date != "":
		c.typ = typeOf("date", x.date)
	case strings.HasPrefix(c.typ, "ts") && x.stamp != "":
		c.typ = typeOf("ts", x.stamp)
	}
	return c
}

// dates is a pattern for dates as a layout.
func (d *draft) dates(at int, pattern string) string {
	text, err := dateLayout(pattern)
	if err != nil {
		d.note(at, "%v: dates are read as ISO 8601 has them", err)
	}
	return text
}

// isNumber reports whether a type is one of numbers, its arguments left out.
func isNumber(name string) bool {
	return name == "f32" || name == "f64" || name == "dec" || len(name) > 1 && len(name) <= 3 && (name[0] == 'i' || name[0] == 'u') && name != "ip"
}

// withSeparators is a type of numbers with the signs that are in them.
func withSeparators(typ, point, thousands string) string {
	name, args, _ := strings.Cut(strings.TrimSuffix(typ, ")"), "(")
	isFloat := name == "f32" || name == "f64" || name == "dec"
	var more []string
	if args != "" {
		more = append(more, args)
	}
	if isFloat && point != "" && point != "." {
		more = append(more, "point "+compile.NewText(point).Token)
	}
	if isNumber(name) && thousands != "" {
		more = append(more, "thousands "+compile.NewText(thousands).Token)
	}
	if len(more) == 0 {
		return name
	}
	return name + "(" + strings.Join(more, ", ") + ")"
}
