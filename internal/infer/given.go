package infer

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dfaparse/dfaparse/compile"
)

// Given is what somebody says of an input; the rest is inferred. The zero Given
// says nothing.
type Given struct {
	Separator  string // "" is inferred
	Quote      string // a symbol, or "none"
	Escape     string // a symbol, or "none": quotes are doubled
	Comment    string // what comments begin with, or "none"
	Header     string // "auto" as "", "none", or of how many lines
	LineEnd    string // lf, crlf, cr or any
	Lax        bool
	Nulls      []string // of every column, in place of the usual ones
	Types      []GivenType
	AllStrings bool
	Point      string // before fractions: "." or ","
	Thousands  string // what stands between thousands: ",", ".", "'" or " ", or "none"
	// Misfits is what becomes of values that do not fit the type that the first rows
	// have: "widen" as "" reads all of the input before it decides.
	Misfits string
	// Exact: nothing is inferred of how it is written.
	Exact bool
	// Several: other inputs follow, whose own headers say where their columns are.
	Several bool
}

// GivenType is the type of a column as in a spec, with ! or ? behind it, or without.
type GivenType struct{ Column, Type string }

// None, in place of a symbol, says that there is no such thing.
const None = "none"

// ParseTypes reads types as in `id: u64, "at: noon": ts("%F %T")`.
func ParseTypes(text string) (types []GivenType, err error) {
	for len(strings.TrimSpace(text)) > 0 {
		text = strings.TrimSpace(text)
		var t GivenType
		if quote := text[0]; quote == '"' || quote == '`' {
			end := strings.IndexByte(text[1:], quote)
			if end < 0 {
				return nil, fmt.Errorf("%s: the name is not closed", text)
			}
			t.Column, text = text[1:end+1], strings.TrimSpace(text[end+2:])
			if !strings.HasPrefix(text, ":") {
				return nil, fmt.Errorf("%q has no type: want %q", t.Column, t.Column+":TYPE")
			}
			text = text[1:]
		} else {
			name, rest, ok := strings.Cut(text, ":")
			if t.Column, text = strings.TrimSpace(name), rest; !ok || t.Column == "" {
				return nil, fmt.Errorf("%q has no type: want NAME:TYPE, as id:u64", name)
			}
		}
		end := endOfType(text)
		t.Type = strings.TrimSpace(text[:end])
		if t.Type == "" {
			return nil, fmt.Errorf("%q has no type: want %q", t.Column, t.Column+":TYPE")
		}
		if err := t.check(); err != nil {
			return nil, err
		}
		types = append(types, t)
		text = strings.TrimPrefix(text[end:], ",")
	}
	return types, nil
}

// endOfType is where the comma is that is behind a type, or the end of text.
func endOfType(text string) int {
	depth, quote := 0, rune(0)
	for i, c := range text {
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '`' || c == '\'':
			quote = c
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == ',' && depth == 0:
			return i
		}
	}
	return len(text)
}

// field adds the column to b.
func (t *GivenType) field(b *compile.FormatBuilder) {
	typ, modifiers := t.parts()
	b.Field(t.Column, typ, modifiers...)
}

// check finds what is wrong with the type by itself, in a format of this column alone. Where
// that stands in its spec tells nobody anything.
func (t *GivenType) check() error {
	b := compile.New("t").Delimited(compile.Separator(","))
	t.field(b)
	_, err := b.Build()
	if faults := compile.Faults(nil); errors.As(err, &faults) {
		return fmt.Errorf("type %q of column %q: %s", t.Type, t.Column, faults[0].Message)
	}
	return err
}

// parts are the type and what stands behind it.
func (t *GivenType) parts() (string, []*compile.Modifier) {
	typ, modifiers := t.Type, []*compile.Modifier(nil)
	switch typ[len(typ)-1] {
	case '!':
		typ, modifiers = typ[:len(typ)-1], append(modifiers, compile.Required())
	case '?':
		typ, modifiers = typ[:len(typ)-1], append(modifiers, compile.Optional())
	}
	return strings.TrimSpace(typ), modifiers
}

// plainNumber is a type of numbers that says nothing of how they are written, as in a spec.
var plainNumber = lazily(`^([iu](?:8|16|32|64)|f32|f64|dec)(?:\(([\d, ]+)\))?\s*([!?]?)$`)

// numbers is g with what it says of all numbers said of the types of columns that say nothing of it.
func (g *Given) numbers() *Given {
	of := *g
	of.Types = slices.Clone(g.Types)
	for i, t := range of.Types {
		m := plainNumber().FindStringSubmatch(t.Type)
		if m == nil {
			continue
		}
		var said []string
		if m[2] != "" {
			said = append(said, m[2])
		}
		if whole := m[1][0] == 'i' || m[1][0] == 'u'; g.Point == "," && !whole {
			said = append(said, "point ','")
		}
		if g.Thousands != "" && g.Thousands != None {
			sign := "'" + g.Thousands + "'"
			if g.Thousands == "'" {
				sign = `"'"`
			}
			said = append(said, "thousands "+sign)
		}
		if len(said) > 0 {
			of.Types[i].Type = m[1] + "(" + strings.Join(said, ", ") + ")" + m[3]
		}
	}
	return &of
}

// Delimited is what a built-in format says, of those that a Given may say more of.
func Delimited(format string) (*Given, bool) {
	g := &Given{Separator: ",", Quote: `"`, Escape: None, Comment: None, Header: "1"}
	switch format {
	case "csv":
	case "csv_lax":
		g.Lax = true
	case "tsv":
		g.Separator, g.Quote = "\t", None
	default:
		return nil, false
	}
	return g, true
}

// Over is what g says, and else what base has; nothing is inferred.
func (g *Given) Over(base *Given) *Given {
	m := *g
	for _, f := range []struct {
		to   *string
		from string
	}{{&m.Separator, base.Separator}, {&m.Quote, base.Quote}, {&m.Escape, base.Escape}, {&m.Comment, base.Comment}, {&m.Header, base.Header}} {
		if *f.to == "" {
			*f.to = f.from
		}
	}
	m.Lax = m.Lax || base.Lax
	m.AllStrings, m.Exact = true, true
	return &m
}

// GivenError is what cannot be meant.
type GivenError struct {
	What string // the flag: quote
	Text string
	Want string
}

func (e *GivenError) Error() string { return fmt.Sprintf("--%s %s: want %s", e.What, e.Text, e.Want) }

// Check says what cannot be meant.
func (g *Given) Check() error {
	for _, f := range []struct{ what, text string }{{"quote", g.Quote}, {"escape", g.Escape}} {
		if len(f.text) > 1 && f.text != None {
			return &GivenError{f.what, f.text, "one symbol of one byte, or " + None}
		}
	}
	if n, err := strconv.Atoi(g.Header); g.Header != "" && g.Header != "auto" && g.Header != None && (err != nil || n < 1) {
		return &GivenError{"header", g.Header, "auto, " + None + ", or the number of its lines"}
	}
	switch g.LineEnd {
	case "", "lf", "crlf", "cr", "any":
	default:
		return &GivenError{"eol", g.LineEnd, "lf, crlf, cr or any"}
	}
	if g.Point != "" && g.Point != "." && g.Point != "," {
		return &GivenError{"decimal", g.Point, ". or ,"}
	}
	switch g.Thousands {
	case "", ".", ",", " ", "'", None:
	default:
		return &GivenError{"thousands", g.Thousands, ". or , or ' or a blank, or " + None}
	}
	if g.Thousands == g.Point && g.Point != "" {
		return &GivenError{"thousands", g.Thousands, "another sign than that of --decimal"}
	}
	switch g.Misfits {
	case "", "widen", "fail", "null":
	default:
		return fmt.Errorf("misfits: %s: want widen, fail or null", g.Misfits)
	}
	return nil
}

func (g *Given) lineEnd(sample []byte) string {
	if g.LineEnd != "" {
		return g.LineEnd
	}
	return lineEnd(sample)
}

// symbol is what is given, and whether it is.
func symbol(text string) (c byte, given bool) {
	if text == "" || text == None {
		return 0, text != ""
	}
	return text[0], true
}

// header sets what is given of the header, and reports whether it is.
func (g *Given) header(d *Dialect) bool {
	n, err := strconv.Atoi(g.Header)
	switch {
	case g.Header == None:
		d.Header = false
	case err == nil:
		d.Header, d.Names = true, n
	default:
		return false
	}
	return true
}

// separate sets the separator that is given, and reports whether it is.
func (g *Given) separate(d *Dialect) bool {
	if g.Separator == "" {
		return false
	}
	if d.Separator = g.Separator[0]; len(g.Separator) > 1 {
		d.Wide = g.Separator
	}
	return true
}

// Dialect is the dialect of base but for what is given.
func (g *Given) Dialect(base Dialect) Dialect {
	d := base
	g.separate(&d)
	if c, ok := symbol(g.Quote); ok {
		d.Quote = c
	}
	if c, ok := symbol(g.Escape); ok {
		d.Escape = c
	}
	if g.Comment == None {
		d.Comment = ""
	} else if g.Comment != "" {
		d.Comment = g.Comment
	}
	if g.LineEnd != "" {
		d.LineEnd = g.LineEnd
	}
	g.header(&d)
	d.Lax = d.Lax || g.Lax
	return d
}

// candidates are all dialects whose signs are in the sample, or that are given.
func (g *Given) candidates(sample []byte) []Dialect {
	has := func(c byte) bool { return bytes.IndexByte(sample, c) >= 0 }
	escape, escapeGiven := symbol(g.Escape)
	var quotes []Dialect
	quoted := func(quote byte) {
		if !escapeGiven || escape == 0 {
			quotes = append(quotes, Dialect{Quote: quote})
		}
		if e := escape; e != 0 || !escapeGiven && bytes.Contains(sample, []byte{'\\', quote}) {
			if e == 0 {
				e = '\\'
			}
			quotes = append(quotes, Dialect{Quote: quote, Escape: e})
		}
	}
	switch quote, ok := symbol(g.Quote); {
	case ok && quote == 0:
		quotes = append(quotes, Dialect{Escape: escape})
	case ok:
		quoted(quote)
	default:
		if has('"') {
			quoted('"')
		}
		if has('\'') {
			quoted('\'')
		}
		if has('"') {
			quotes = append(quotes, Dialect{Escape: escape})
		} else {
			quotes = append(quotes, Dialect{Quote: '"', Escape: escape}) // there may be some further on
		}
		if !escapeGiven && escapesEnds(sample) {
			quotes = append(quotes, Dialect{Escape: '\\'})
			if has('"') {
				quotes = append(quotes, Dialect{Quote: '"', Escape: '\\', Bare: true})
			}
		}
	}
	var comments []string
	switch {
	case g.Comment == None:
	case g.Comment != "":
		comments = []string{g.Comment}
	default:
		for _, sign := range commentSigns {
			for _, sign := range []string{sign, " " + sign} {
				if saysSomething(sample, sign) && !(sign == "#" && headings(sample)) && !(strings.HasSuffix(sign, "!") && isOfText(sample, sign)) {
					comments = append(comments, sign)
				}
			}
		}
	}
	if len(comments) == 0 || g.Comment == "" {
		comments = append(comments, "")
	}
	wide := wideSeparators(sample)
	inWide := func(c byte) bool {
		return slices.ContainsFunc(wide, func(w string) bool { return strings.IndexByte(w, c) >= 0 })
	}
	var all []Dialect
	for _, d := range quotes {
		for _, comment := range comments {
			if d.Comment = comment; g.separate(&d) {
				all = append(all, d)
				continue
			}
			for _, w := range wide {
				d.Separator, d.Wide = w[0], w
				all = append(all, d)
			}
			d.Wide = ""
			for _, c := range separators {
				if !has(c) || inWide(c) {
					continue
				}
				d.Separator, d.Run = c, false
				all = append(all, d)
				if c == ' ' && bytes.Contains(sample, []byte("  ")) {
					d.Run = true
					all = append(all, d)
				}
			}
			d.Separator, d.Run = 0, false
			for d.Filler = 0; has(d.Filler) && d.Filler < 0x1f; d.Filler++ {
			}
			all = append(all, d)
			d.Filler = 0
		}
	}
	return all
}

// escapesEnds reports whether backslashes stand before what ends fields and records.
func escapesEnds(sample []byte) bool {
	for rest := sample; ; {
		i := bytes.IndexByte(rest, '\\')
		if i < 0 || i+1 == len(rest) {
			return false
		}
		switch rest[i+1] {
		case ',', ';', '\t', '|', '\n', '\r':
			return true
		}
		rest = rest[i+2:]
	}
}

// What is looked at for separators of several symbols.
const (
	wideLines  = 20
	widestSign = 4 // bytes
)

// wideSeparators are those of several symbols that may be meant: signs, or one that takes
// several bytes and is no letter, which stand in every line as often as in the first, while no symbol of
// theirs stands anywhere else, as those do that separate alone.
func wideSeparators(sample []byte) (wide []string) {
	lines := bytes.SplitN(sample, []byte{'\n'}, wideLines+1)
	if len(lines) > wideLines {
		lines = lines[:wideLines]
	}
	for len(lines) > 0 && len(bytes.TrimSpace(lines[len(lines)-1])) == 0 {
		lines = lines[:len(lines)-1]
	}
	if len(lines) < 2 {
		return nil
	}
	for first := lines[0]; len(first) > 0; {
		n := signLength(first)
		if n == 0 {
			_, size := utf8.DecodeRune(first)
			first = first[size:]
			continue
		}
		sign := first[:n]
		first = first[n:]
		if n < 2 || n > widestSign || slices.Contains(wide, string(sign)) {
			continue
		}
		count := bytes.Count(lines[0], sign)
		all := true
		for _, line := range lines {
			all = all && bytes.Count(line, sign) == count
			for _, c := range sign {
				all = all && bytes.Count(line, []byte{c}) == count*bytes.Count(sign, []byte{c})
			}
		}
		if all {
			wide = append(wide, string(sign))
		}
	}
	return wide
}

// signLength is how long the sign is with which b begins: signs of ASCII in a row, but
// none that stand in values or around them, or one symbol that stands in no sentence.
func signLength(b []byte) int {
	if b[0] >= utf8.RuneSelf {
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError || !unicode.IsSymbol(r) {
			return 0
		}
		return n
	}
	n := 0
	for n < len(b) && strings.IndexByte("|~^:\\$@#&*=<>!", b[n]) >= 0 {
		n++
	}
	return n
}

// saysSomething reports whether a line begins with sign, and goes on.
func saysSomething(sample []byte, sign string) bool {
	for rest := sample; ; {
		if bytes.HasPrefix(rest, []byte(sign)) && len(rest) > len(sign) && rest[len(sign)] != '\n' && rest[len(sign)] != '\r' {
			return true
		}
		i := bytes.Index(rest, []byte("\n"+sign))
		if i < 0 {
			return false
		}
		rest = rest[i+1:]
	}
}

// isOfText reports whether a line begins with sign that a text follows with no blank between, as one of QIF, a quality of FASTQ
// or a cause in a stack trace: a comment behind an exclamation mark has a blank there.
func isOfText(sample []byte, sign string) bool {
	for line := range bytes.Lines(sample) {
		behind, ok := bytes.CutPrefix(line, []byte(sign))
		if ok && len(behind) > 0 && !bytes.ContainsRune([]byte(" \t\r\n!"), rune(behind[0])) {
			return true
		}
	}
	return false
}
