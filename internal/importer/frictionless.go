package importer

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/dfaparse/dfaparse/compile"
)

// Frictionless: a Table Schema, a Table Dialect, a resource with both, or a package, of
// which the first resource is read: https://specs.frictionlessdata.io and
// https://datapackage.org, versions 1 and 2.

type frictionlessDoc struct {
	Resources []json.RawMessage    `json:"resources"`
	Dialect   *frictionlessDialect `json:"dialect"`
	Schema    *frictionlessSchema  `json:"schema"`
	Encoding  string               `json:"encoding"`
	frictionlessDialect
	frictionlessSchema
}

type frictionlessDialect struct {
	Delimiter        *string `json:"delimiter"`
	LineTerminator   string  `json:"lineTerminator"`
	QuoteChar        given   `json:"quoteChar"`
	DoubleQuote      *bool   `json:"doubleQuote"`
	EscapeChar       string  `json:"escapeChar"`
	NullSequence     string  `json:"nullSequence"`
	SkipInitialSpace bool    `json:"skipInitialSpace"`
	Header           *bool   `json:"header"`
	HeaderRows       []int   `json:"headerRows"`
	HeaderJoin       *string `json:"headerJoin"`
	CommentChar      string  `json:"commentChar"`
	CommentRows      []int   `json:"commentRows"`
}

type frictionlessSchema struct {
	Fields        []frictionlessField `json:"fields"`
	FieldsMatch   any                 `json:"fieldsMatch"`
	MissingValues []any               `json:"missingValues"`
	PrimaryKey    any                 `json:"primaryKey"`
	ForeignKeys   []any               `json:"foreignKeys"`
	UniqueKeys    []any               `json:"uniqueKeys"`
}

type frictionlessField struct {
	Name          string                     `json:"name"`
	Type          string                     `json:"type"`
	Format        string                     `json:"format"`
	Constraints   map[string]json.RawMessage `json:"constraints"`
	MissingValues []any                      `json:"missingValues"`
	TrueValues    []string                   `json:"trueValues"`
	FalseValues   []string                   `json:"falseValues"`
	DecimalChar   string                     `json:"decimalChar"`
	GroupChar     string                     `json:"groupChar"`
	BareNumber    *bool                      `json:"bareNumber"`
	ItemType      string                     `json:"itemType"`
	Delimiter     string                     `json:"delimiter"`
}

// given is a text that may be missing; null is an empty one.
type given struct {
	is   bool
	text string
}

// UnmarshalJSON implements json.Unmarshaler.
func (g *given) UnmarshalJSON(b []byte) error {
	g.is = true
	return json.Unmarshal(b, &g.text)
}

// decode reads JSON into a document.
func (d *draft) decode(text []byte, into any) {
	err := json.Unmarshal(text, into)
	if err == nil {
		return
	}
	at := -1
	if e := (*json.SyntaxError)(nil); errors.As(err, &e) {
		at = int(e.Offset) - 1
	}
	hint := ""
	if t := strings.TrimSpace(d.text); t != "" && t[0] != '{' {
		hint = "; a file that holds it is @FILE"
	}
	d.fail(at, "this is no such JSON: %s%s", strings.TrimPrefix(err.Error(), "json: "), hint)
}

// member is the place of a key in a document of JSON, of a value with it if one is given.
func (d *draft) member(key string, value ...string) int {
	at := strings.Index(d.text, `"`+key+`"`)
	for _, v := range value {
		quoted, _ := json.Marshal(v)
		for from := at; from >= 0; {
			rest := strings.TrimLeft(d.text[from+len(key)+2:], ": \t\r\n")
			if strings.HasPrefix(rest, string(quoted)) {
				return from
			}
			next := strings.Index(d.text[from+1:], `"`+key+`"`)
			if next < 0 {
				break
			}
			from += 1 + next
		}
	}
	return at
}

func readFrictionless(d *draft) {
	var doc frictionlessDoc
	d.decode([]byte(d.text), &doc)
	if len(doc.Resources) > 0 {
		if len(doc.Resources) > 1 {
			d.note(d.member("resources"), "of %d resources the first is read", len(doc.Resources))
		}
		first := doc.Resources[0]
		doc = frictionlessDoc{}
		d.decode(first, &doc)
	}
	if d.failure != nil {
		return
	}
	dia, schema := doc.frictionlessDialect, doc.frictionlessSchema
	if doc.Dialect != nil {
		dia = *doc.Dialect
	}
	if doc.Schema != nil {
		schema = *doc.Schema
	}
	x := dialect{sep: ",", quote: `"`, doubled: true, header: 1, byName: true, escape: dia.EscapeChar, blanks: dia.SkipInitialSpace, comment: dia.CommentChar}
	if dia.Delimiter != nil {
		x.sep = *dia.Delimiter
	}
	if dia.QuoteChar.is {
		x.quote = dia.QuoteChar.text
	}
	if dia.DoubleQuote != nil {
		x.doubled = *dia.DoubleQuote
	}
	if dia.Header != nil && !*dia.Header {
		x.header = 0
	}
	if n := len(dia.HeaderRows); n > 0 && x.header > 0 {
		x.header = dia.HeaderRows[n-1]
		switch first := dia.HeaderRows[0]; {
		case n == 1:
		case first >= 1 && x.header-first == n-1:
			x.skip, x.header = first-1, n
			x.joined = " "
			if dia.HeaderJoin != nil {
				x.joined = *dia.HeaderJoin
			}
			x.join = true
		default:
			d.note(d.member("headerRows"), "header rows that do not follow each other: the last names the columns")
		}
	}
	if dia.CommentRows != nil {
		d.note(d.member("commentRows"), "commentRows: rows that are comments by their number are read")
	}
	if dia.LineTerminator != "" && dia.LineTerminator != "\r\n" {
		var ok bool
		if x.ends, ok = lineEnds(dia.LineTerminator); !ok {
			d.fail(d.member("lineTerminator"), "lines end in \\n, \\r\\n or \\r, not %q", dia.LineTerminator)
			return
		}
	}
	if doc.Encoding != "" {
		x.in = d.encoding(d.member("encoding"), doc.Encoding)
	}
	x.nulls = missing(schema.MissingValues, []string{""})
	if dia.NullSequence != "" {
		x.nulls = append(x.nulls, dia.NullSequence)
	}
	if schema.PrimaryKey != nil || schema.ForeignKeys != nil || schema.UniqueKeys != nil {
		key := "primaryKey"
		if schema.PrimaryKey == nil {
			key = "foreignKeys"
		}
		d.note(d.member(key), "keys are not checked")
	}
	match, _ := schema.FieldsMatch.(string)
	if list, ok := schema.FieldsMatch.([]any); ok && len(list) > 0 {
		match, _ = list[0].(string)
	}
	for _, f := range schema.Fields {
		c := d.frictionlessColumn(f)
		if slices.Contains([]string{"partial", "superset"}, match) && x.header > 0 {
			c.modifiers = append(c.modifiers, compile.Optional())
		}
		d.columns = append(d.columns, c)
	}
	d.delimited(d.member("delimiter"), x)
	d.open = true
}

// missing are the texts of missingValues, each a text or, in version 2, {"value": …}.
func missing(values []any, otherwise []string) []string {
	if values == nil {
		return otherwise
	}
	var out []string
	for _, v := range values {
		if m, ok := v.(map[string]any); ok {
			v = m["value"]
		}
		if s, ok := v.(string); ok {
			out = append(out, s)
		}
	}
	return out
}

// frictionlessTypes are those that are the same whatever else is said.
var frictionlessTypes = map[string]string{"": "str", "string": "str", "any": "str", "year": "i32", "number": "f64", "integer": "i64", "date": "date", "time": "time", "datetime": "ts", "boolean": "bool"}

// frictionlessColumn is a field as a column.
func (d *draft) frictionlessColumn(f frictionlessField) column {
	c := column{name: f.Name, at: d.member("name", f.Name)}
	typ, known := frictionlessTypes[f.Type]
	isTime := slices.Contains([]string{"date", "time", "datetime"}, f.Type)
	switch {
	case f.Type == "string" && f.Format == "binary":
		typ = "binary(base64)"
	case f.Type == "string" && f.Format == "uuid":
		typ = "uuid"
	case f.Type == "list":
		item := frictionlessTypes[f.ItemType]
		if item == "" {
			item = "str"
		}
		sep := f.Delimiter
		if sep == "" {
			sep = ","
		}
		typ = "list(" + item + ", sep " + compile.NewText(sep).Token + ")"
	case isTime && f.Format != "" && f.Format != "default":
		text, at, why := layout(strings.TrimPrefix(f.Format, "fmt:"))
		switch {
		case f.Format == "any":
			d.note(c.at, "%s: a format that is to be guessed: it is text", f.Name)
			typ = "str"
		case at >= 0:
			d.note(c.at, "%s: %s: it is text", f.Name, why)
			typ = "str"
		default:
			typ = typeOf(map[string]string{"date": "date", "time": "time", "datetime": "ts"}[f.Type], text)
		}
	case f.Type == "datetime":
		d.note(c.at, noOffset, f.Name)
	case f.BareNumber != nil && !*f.BareNumber:
		d.note(c.at, "%s: numbers with other text around them are text", f.Name)
		typ = "str"
	case f.Type == "boolean":
		yes, no := f.TrueValues, f.FalseValues
		if yes == nil {
			yes = []string{"true", "True", "TRUE", "1"}
		}
		if no == nil {
			no = []string{"false", "False", "FALSE", "0"}
		}
		typ = "bool(true" + texts(yes) + ", false" + texts(no) + ")"
	case !known:
		d.note(c.at, "%s: the type %s has no counterpart: it is text", f.Name, f.Type)
		typ = "str"
	}
	var left []string
	for name, value := range f.Constraints {
		switch name {
		case "required":
			if string(value) == "true" {
				c.modifiers = append(c.modifiers, compile.Required())
			}
		case "enum":
			var tokens []string
			if json.Unmarshal(value, &tokens) == nil && typ == "str" && len(tokens) > 0 {
				typ = "enum(" + strings.TrimSpace(texts(tokens)) + ")"
				break
			}
			left = append(left, name)
		case "minimum", "maximum": // below
		default:
			left = append(left, name)
		}
	}
	if m, not := within(typ, f.Constraints, "minimum", "maximum"); m != nil {
		c.modifiers = append(c.modifiers, m)
	} else {
		left = append(left, not...)
	}
	if slices.Sort(left); left != nil {
		d.note(c.at, "%s: not checked: %s", f.Name, strings.Join(left, ", "))
	}
	if f.MissingValues != nil {
		c.modifiers = append(c.modifiers, nulls(missing(f.MissingValues, nil)...))
	}
	c.typ = withSeparators(typ, f.DecimalChar, f.GroupChar)
	return c
}

// within is the range that two members of JSON give a column of a type, nil if they say none
// that can be checked; then not are those that are there.
func within(typ string, members map[string]json.RawMessage, least, most string) (m *compile.Modifier, not []string) {
	var bounds [2]string
	for i, key := range []string{least, most} {
		raw, there := members[key]
		if !there {
			continue
		}
		not = append(not, key)
		text := ""
		if json.Unmarshal(raw, &text) != nil {
			text = string(raw)
		}
		switch base, _, _ := strings.Cut(typ, "("); {
		case (base == "date" || base == "time" || base == "ts") && typ == base:
			bounds[i] = text
		case isNumber(base) && bareNumber.MatchString(text):
			bounds[i] = text
		default:
			return nil, not
		}
	}
	if not == nil {
		return nil, nil
	}
	return compile.In(bounds[0] + ".." + bounds[1]), nil
}

// bareNumber is a number as a range has it.
var bareNumber = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?$`)

// texts are texts as arguments, each with a space before it.
func texts(values []string) string {
	s := ""
	for _, v := range values {
		s += fmt.Sprintf(" %s", compile.NewText(v).Token)
	}
	return s
}

// noOffset is said of times for which an offset is optional.
const noOffset = "%s: a time without an offset is an error; where there is none, the type is ts(tz none)"
