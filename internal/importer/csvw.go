package importer

import (
	"encoding/json"
	"strings"

	"github.com/dfaparse/dfaparse/compile"
)

// CSV on the Web: the metadata of a table, or of a group, of which the first is read.
// https://www.w3.org/TR/tabular-metadata/. Columns go by position, as they do there.

type csvwDoc struct {
	Tables  []json.RawMessage `json:"tables"`
	Dialect *csvwDialect      `json:"dialect"`
	Schema  *csvwSchema       `json:"tableSchema"`
	Null    any               `json:"null"`
}

type csvwDialect struct {
	CommentPrefix    *string `json:"commentPrefix"`
	Delimiter        *string `json:"delimiter"`
	DoubleQuote      *bool   `json:"doubleQuote"`
	Encoding         string  `json:"encoding"`
	Header           *bool   `json:"header"`
	HeaderRowCount   *int    `json:"headerRowCount"`
	LineTerminators  any     `json:"lineTerminators"`
	QuoteChar        given   `json:"quoteChar"`
	SkipInitialSpace bool    `json:"skipInitialSpace"`
	SkipRows         int     `json:"skipRows"`
	SkipColumns      int     `json:"skipColumns"`
	Trim             any     `json:"trim"`
}

type csvwSchema struct {
	Columns     []csvwColumn `json:"columns"`
	PrimaryKey  any          `json:"primaryKey"`
	ForeignKeys []any        `json:"foreignKeys"`
	Null        any          `json:"null"`
}

type csvwColumn struct {
	Name      string          `json:"name"`
	Titles    any             `json:"titles"`
	Datatype  json.RawMessage `json:"datatype"`
	Null      any             `json:"null"`
	Default   string          `json:"default"`
	Required  bool            `json:"required"`
	Separator *string         `json:"separator"`
	Virtual   bool            `json:"virtual"`
}

type csvwDatatype struct {
	Base   string `json:"base"`
	Format any    `json:"format"`

	rest map[string]json.RawMessage
}

// csvwTypes are the datatypes, of XML Schema mostly.
var csvwTypes = map[string]string{
	"": "str", "string": "str", "normalizedString": "str", "token": "str", "anyURI": "str", "anyAtomicType": "str", "any": "str", "language": "str", "Name": "str", "NMTOKEN": "str", "QName": "str", "json": "str", "xml": "str", "html": "str",
	"boolean": "bool", "integer": "i64", "long": "i64", "int": "i32", "short": "i16", "byte": "i8", "nonNegativeInteger": "u64", "positiveInteger": "u64", "negativeInteger": "i64", "nonPositiveInteger": "i64",
	"unsignedLong": "u64", "unsignedInt": "u32", "unsignedShort": "u16", "unsignedByte": "u8", "decimal": "f64", "number": "f64", "double": "f64", "float": "f32",
	"date": "date", "time": "time", "dateTime": "ts", "datetime": "ts", "dateTimeStamp": "ts", "hexBinary": "binary(hex)", "base64Binary": "binary(base64)", "binary": "binary(base64)",
	"gYear": "i32",
}

func readCSVW(d *draft) {
	var doc csvwDoc
	d.decode([]byte(d.text), &doc)
	if len(doc.Tables) > 0 {
		if len(doc.Tables) > 1 {
			d.note(d.member("tables"), "of %d tables the first is read", len(doc.Tables))
		}
		group := doc
		doc = csvwDoc{}
		d.decode(group.Tables[0], &doc)
		if doc.Dialect == nil {
			doc.Dialect = group.Dialect
		}
		if doc.Schema == nil {
			doc.Schema = group.Schema
		}
	}
	if d.failure != nil {
		return
	}
	if doc.Schema == nil || len(doc.Schema.Columns) == 0 {
		d.fail(d.member("tableSchema"), "there is no tableSchema with columns")
		return
	}
	x := dialect{sep: ",", quote: `"`, doubled: true, header: 1}
	trim := false
	if dia := doc.Dialect; dia != nil {
		if dia.Delimiter != nil {
			x.sep = *dia.Delimiter
		}
		if dia.QuoteChar.is {
			x.quote = dia.QuoteChar.text
		}
		if x.quote == "" {
			x.doubled = false
		} else if dia.DoubleQuote != nil && !*dia.DoubleQuote {
			x.doubled, x.escape = false, `\`
		}
		if dia.Header != nil && !*dia.Header {
			x.header = 0
		}
		if dia.HeaderRowCount != nil {
			x.header = *dia.HeaderRowCount
		}
		if dia.CommentPrefix != nil {
			x.comment = *dia.CommentPrefix
		}
		x.skip, x.blanks = dia.SkipRows, dia.SkipInitialSpace
		if dia.SkipColumns > 0 {
			for range dia.SkipColumns {
				d.columns = append(d.columns, column{name: "_", typ: "str", at: d.member("skipColumns")})
			}
		}
		trim = dia.Trim == true || dia.Trim == "true" || dia.Trim == "start" || dia.Trim == "end"
		if ends := textsOf(dia.LineTerminators); ends != nil {
			var ok bool
			if x.ends, ok = lineEnds(ends...); !ok {
				d.fail(d.member("lineTerminators"), "lines end in \\n, \\r\\n or \\r, not %q", ends)
				return
			}
		}
		if dia.Encoding != "" {
			x.in = d.encoding(d.member("encoding"), dia.Encoding)
		}
	}
	if doc.Schema.PrimaryKey != nil || doc.Schema.ForeignKeys != nil {
		d.note(d.member("tableSchema"), "keys are not checked")
	}
	inherited := textsOf(doc.Null)
	if own := textsOf(doc.Schema.Null); own != nil {
		inherited = own
	}
	for i, col := range doc.Schema.Columns {
		if col.Virtual {
			d.note(d.member("virtual"), "columns that are not in the file are left out")
			continue
		}
		c := d.csvwColumn(col, i+1, inherited)
		if trim {
			c.modifiers = append(c.modifiers, compile.Trim())
		}
		d.columns = append(d.columns, c)
	}
	d.delimited(d.member("delimiter"), x)
}

// textsOf are the texts of a value that is one or a list.
func textsOf(v any) []string {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		var out []string
		for _, s := range v {
			out = append(out, textsOf(s)...)
		}
		return out
	}
	return nil
}

// csvwColumn is a column of a table's schema.
func (d *draft) csvwColumn(col csvwColumn, number int, inherited []string) column {
	name := col.Name
	if titles := textsOf(col.Titles); name == "" && len(titles) > 0 {
		name = titles[0]
	} else if m, ok := col.Titles.(map[string]any); ok && name == "" {
		for _, v := range m {
			name = append(textsOf(v), "")[0]
		}
	}
	if name == "" {
		name = "_col." + string(rune('0'+number%10))
	}
	at := d.member("name", name)
	if col.Name == "" {
		at = d.member("titles", name)
	}
	dt := csvwDatatype{}
	if len(col.Datatype) > 0 && json.Unmarshal(col.Datatype, &dt.Base) != nil {
		d.decode(col.Datatype, &dt)
		d.decode(col.Datatype, &dt.rest)
	}
	typ, known := csvwTypes[dt.Base]
	format, _ := dt.Format.(string)
	point, group := "", ""
	if m, ok := dt.Format.(map[string]any); ok {
		point, _ = m["decimalChar"].(string)
		group, _ = m["groupChar"].(string)
	}
	base, _, _ := strings.Cut(typ, "(")
	switch {
	case !known:
		d.note(at, "%s: the datatype %s has no counterpart: it is text", name, dt.Base)
		typ = "str"
	case typ == "bool":
		yes, no := []string{"true", "1"}, []string{"false", "0"}
		if t, f, ok := strings.Cut(format, "|"); ok {
			yes, no = []string{t}, []string{f}
		}
		typ = "bool(true" + texts(yes) + ", false" + texts(no) + ")"
	case (typ == "date" || typ == "time" || typ == "ts") && format != "":
		text, err := dateLayout(format)
		if err != nil {
			d.note(at, "%s: %v: it is text", name, err)
			typ = "str"
			break
		}
		typ = typeOf(typ, text)
	case dt.Base == "dateTime" || dt.Base == "datetime":
		d.note(at, noOffset, name)
	case dt.Base == "decimal":
		d.note(at, "%s: a decimal has no scale here: it is f64; dec(18, 2) is exact", name)
	case base == "str" && format != "":
		d.note(at, "%s: the format %q is not checked", name, format)
	}
	if isNumber(base) && strings.Contains(format, ",") {
		group = "," // of a pattern as #,##0.00
	}
	var in *compile.Modifier
	for _, k := range [][2]string{{"minimum", "maximum"}, {"minInclusive", "maxInclusive"}, {"minExclusive", "maxExclusive"}, {"length", ""}, {"minLength", "maxLength"}} {
		m, _ := within(typ, dt.rest, k[0], k[1])
		if m != nil && in == nil && k[0] != "minExclusive" && col.Separator == nil {
			in = m
			continue
		}
		for _, member := range k {
			if dt.rest[member] != nil {
				d.note(at, "%s: %s is not checked", name, member)
			}
		}
	}
	typ = withSeparators(typ, point, group)
	if col.Separator != nil {
		typ = "list(" + typ + ", sep " + compile.NewText(*col.Separator).Token + ")"
	}
	c := column{name: name, typ: typ, at: at}
	null := inherited
	if own := textsOf(col.Null); own != nil {
		null = own
	}
	if null == nil {
		null = []string{""} // what CSVW says where nothing is
	}
	if in != nil {
		c.modifiers = append(c.modifiers, in)
	}
	if col.Required {
		c.modifiers = append(c.modifiers, compile.Required())
	}
	c.modifiers = append(c.modifiers, nulls(null...))
	if col.Default != "" {
		c.modifiers = append(c.modifiers, compile.Default(col.Default))
	}
	return c
}
