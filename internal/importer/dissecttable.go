package importer

import (
	"fmt"
	"strconv"

	"github.com/dfaparse/dfaparse/compile"
)

// dissectTable reads a pattern by a table of states: one for each byte of each text, and
// of those texts that may be repeated one more.
//
//	%{a}-%{+a},,%{b}     START, A0   in the first part of a
//	                     B0, B1      in its second part, after nothing and after ","
//	                     C0          in b
//
// A text of several bytes is data until it is complete; then the field has ended as
// many symbols ago ("f lag").
func dissectTable(d *draft, before string, keys []dissectKey, joined map[int]bool) {
	if len(d.options.Continue) > 0 {
		d.fail(-1, "a pattern that is read by a table of states has records of one line")
		return
	}
	b := newTableBuilder()
	b.use(before)
	for _, k := range keys {
		b.use(k.after)
	}
	b.rows.Groups = append(b.rows.Groups, &compile.Group{Name: "X", All: true})
	inKey := func(i, j int) string { return fmt.Sprintf("K%d_%d", i, j) }
	afterKey := func(i int) string { // where the text after key i leads
		switch {
		case keys[i].pad && keys[i].after != "":
			return fmt.Sprintf("PAD%d", i)
		case i+1 < len(keys):
			return inKey(i+1, 0)
		}
		return "REST"
	}
	// The text before the first key.
	first := inKey(0, 0)
	for j := range len(before) {
		name, next := fmt.Sprintf("B%d", j), fmt.Sprintf("B%d", j+1)
		if j == 0 {
			name = "START"
		}
		if j+1 == len(before) {
			next = first
		}
		b.state(name, fmt.Sprintf("want %q", before[j:]), j == 0, func(c int) *compile.Entry {
			if c == int(before[j]) {
				return entry(next, ".")
			}
			return &compile.Entry{Error: true}
		})
	}
	b.end("!", "the record ends before the first key")
	if before == "" {
		b.key("START", keys, 0, 0, afterKey, joined, d.options.Joiner, true)
	}
	for i, k := range keys {
		for j := range max(len(k.after), 1) {
			b.key(inKey(i, j), keys, i, j, afterKey, joined, d.options.Joiner, false)
		}
		if k.pad && k.after != "" {
			next := inKey(i+1, 0)
			b.state(fmt.Sprintf("PAD%d", i), "", false, func(c int) *compile.Entry {
				if c == int(k.after[0]) {
					return entry(fmt.Sprintf("PAD%d", i), ".")
				}
				return b.keyCell(next, keys, i+1, 0, afterKey, joined, d.options.Joiner, c)
			})
		}
		name := k.name
		if !joined[i] && name != "" {
			d.columns = append(d.columns, column{d.name(name), k.typ, nil, k.at})
		}
	}
	if last := keys[len(keys)-1]; last.after != "" || last.name == "" {
		if last.after != "" {
			b.state("REST", "", false, func(c int) *compile.Entry {
				if c == '\n' {
					return entry("START", "r")
				}
				return entry("REST", ".")
			})
			b.end("r", "")
		}
		d.columns = append(d.columns, column{"_", "str", nil, last.at})
	}
	d.spec.Add(&compile.TableUse{Rows: b.rows})
	d.spec.OnError("reject").UTF8("replace")
	d.table = true
	d.note(-1, "the pattern is read by a table of states, and lines end in LF: of CRLF the CR belongs to the last key")
}

// tableBuilder makes rows with a group for each byte that matters.
type tableBuilder struct {
	rows    *compile.Rows
	symbols []int // of each group but the last; '\n' is the first
}

func newTableBuilder() *tableBuilder {
	b := &tableBuilder{rows: &compile.Rows{}}
	b.add('\n', "NL")
	return b
}

func (b *tableBuilder) add(c byte, name string) {
	b.symbols = append(b.symbols, int(c))
	b.rows.Groups = append(b.rows.Groups, &compile.Group{Name: name, Set: []*compile.Symbols{{Text: symbol(c)}}})
}

// symbol is one byte, as a character of the language.
func symbol(c byte) *compile.Text {
	switch {
	case c == '\'' || c == '\\':
		return &compile.Text{Token: `'\` + string(rune(c)) + "'"}
	case c == '\n' || c == '\t' || c == '\r' || c >= ' ' && c < 0x7f:
		return &compile.Text{Token: strconv.QuoteRune(rune(c))}
	}
	return &compile.Text{Token: fmt.Sprintf(`'\x%02x'`, c)}
}

// use makes groups of the bytes of a text.
func (b *tableBuilder) use(text string) {
	for i := range len(text) {
		c := text[i]
		known := false
		for _, s := range b.symbols {
			known = known || s == int(c)
		}
		if !known {
			b.add(c, fmt.Sprintf("S%02X", c))
		}
	}
}

// other is the symbol that stands for all without a group.
const other = -1

// state adds a state; at the start of a record an empty line is none.
func (b *tableBuilder) state(name, doc string, start bool, cell func(symbol int) *compile.Entry) {
	s := &compile.State{Name: name}
	if doc != "" {
		s.Doc = compile.NewText(doc)
	}
	for _, c := range append(append([]int{}, b.symbols...), other) {
		if start && c == '\n' {
			e := entry("START", "r")
			e.Action.Drop = true
			s.Cells = append(s.Cells, e)
			continue
		}
		s.Cells = append(s.Cells, cell(c))
	}
	b.rows.States = append(b.rows.States, s)
	if start {
		b.rows.EOF = append(b.rows.EOF, &compile.AtEOF{States: []string{name}, Action: "ok"})
	}
}

// end says what the end of the input means in the states that nothing was said of.
func (b *tableBuilder) end(action, message string) {
	said := map[string]bool{}
	for _, e := range b.rows.EOF {
		for _, s := range e.States {
			said[s] = true
		}
	}
	e := &compile.AtEOF{Error: action == "!"}
	if message != "" {
		e.Message = compile.NewText(message)
	}
	if !e.Error {
		e.Action = action
	}
	for _, s := range b.rows.States {
		if !said[s.Name] {
			e.States = append(e.States, s.Name)
		}
	}
	if e.States != nil {
		b.rows.EOF = append(b.rows.EOF, e)
	}
}

func entry(next, action string) *compile.Entry {
	a := &compile.Action{}
	if action == "." {
		a.Kind = "."
	} else {
		a.Word = action
	}
	return &compile.Entry{Next: next, Action: a}
}

// key adds the state in key i after j bytes of the text that ends it.
func (b *tableBuilder) key(name string, keys []dissectKey, i, j int, after func(int) string, joined map[int]bool, joiner string, start bool) {
	doc := "in " + keys[i].name
	if keys[i].name == "" {
		doc = "in a key that is passed over"
	}
	own := name
	if start {
		own = fmt.Sprintf("K%d_%d", i, j)
	}
	b.state(name, doc, start, func(c int) *compile.Entry { return b.keyCell(own, keys, i, j, after, joined, joiner, c) })
	if i+1 == len(keys) && keys[i].after == "" {
		b.end("r", "")
	} else {
		b.end("!", fmt.Sprintf("the record ends before %q", keys[i].after))
	}
}

// keyCell is what a symbol means in key i after j bytes of the text that ends it.
func (b *tableBuilder) keyCell(own string, keys []dissectKey, i, j int, after func(int) string, joined map[int]bool, joiner string, c int) *compile.Entry {
	k := keys[i]
	text := "d"
	if k.name == "" {
		text = "."
	}
	last := i+1 == len(keys) && k.after == ""
	switch {
	case c == '\n' && last:
		return entry("START", "r")
	case c == '\n':
		return &compile.Entry{Error: true, Message: compile.NewText(fmt.Sprintf("the record ends before %q", k.after))}
	case last:
		return entry(own, text)
	}
	j = matched(k.after, j, c)
	if j < len(k.after) {
		return entry(fmt.Sprintf("K%d_%d", i, j), text)
	}
	switch {
	case joined[i] && k.after == joiner:
		return entry(after(i), "d")
	case joined[i] && joiner == "":
		return entry(after(i), ".")
	case joined[i]:
		e := entry(after(i), "d")
		e.Action.As = compile.NewText(joiner)
		return e
	case k.name == "":
		return entry(after(i), ".")
	}
	e := entry(after(i), "f")
	if lag := len(k.after) - 1; lag > 0 {
		e.Action.Lag, e.Action.Open = strconv.Itoa(lag), strconv.Itoa(lag)
	}
	return e
}

// matched is how many bytes of text the input ends with, after j of them and c.
func matched(text string, j, c int) int {
	if c == other {
		return 0
	}
	seen := text[:j] + string([]byte{byte(c)})
	for n := min(len(seen), len(text)); n > 0; n-- {
		if seen[len(seen)-n:] == text[:n] {
			return n
		}
	}
	return 0
}
