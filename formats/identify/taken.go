package identify

import (
	"math/bits"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/dfaparse/dfaparse/dfa"
)

// taken is what of the records went into columns that take any text.
type taken struct {
	free     text
	doubtful int64 // rows that no such file would have
	// plausible is whether the columns can be those of such a file: where its first
	// line names them and none has a type, they have to be names.
	plausible bool

	columns []taker // of the schema; parts of a split are in the column that was split
	spans   []int   // those that are durations
	host    int     // the column of hosts, else -1
	tag     int     // the column of tags, else -1
	last    int     // the column that is null where a record ends early, if it may; else -1
	late    []int   // the second half of the columns by position, where records may end early
	// wantsNulls: columns of text by position, with no names in the file, are any text
	// that has the separators; only null tokens say that a file is of that format.
	wantsNulls bool
	nulls      int
	named      bool // the file has names for all columns, which is demand enough

	demanding []int            // columns whose types demand something, if no record is without all of them
	kind      int              // the column that says of which shape a record is; else -1
	shapes    map[string][]int // the columns of each
	valued    []bool           // by column: it has a value in some record
}

// taker counts what a column takes, and says which rows are doubtful.
type taker func(a arrow.Array, doubtful []bool) text

func newTaken(p *dfa.Program, schema *arrow.Schema) *taken {
	t := &taken{plausible: true, last: -1, kind: -1}
	kinds := map[string]dfa.TypeKind{}
	parts := map[string]bool{}
	for i := range p.Columns {
		c := &p.Columns[i]
		kinds[c.Name] = c.Type.Kind
		if c.Split != nil {
			for j := range c.Split.Columns {
				parts[c.Split.Columns[j].Name] = true
			}
		}
	}
	fields := schema.Fields()
	textAt := func(name string) int {
		return slices.IndexFunc(fields, func(f arrow.Field) bool { return f.Name == name && takerOf(f.Type) != nil })
	}
	t.host, t.tag = textAt("host"), textAt("tag")
	t.valued = make([]bool, len(fields))
	for i, f := range fields {
		if f.Type.ID() == arrow.DURATION {
			t.spans = append(t.spans, i)
		}
		kind, known := kinds[f.Name]
		switch {
		case parts[f.Name]:
			t.columns = append(t.columns, nil)
		case known && !takesText(kind):
			t.columns = append(t.columns, nil) // its type demands something
		case f.Name == "host" || f.Name == "hostname":
			t.columns = append(t.columns, takeHost)
		case f.Name == "message" && p.Columns[0].Name == "time":
			t.columns = append(t.columns, takeBehindClock)
		default:
			t.columns = append(t.columns, takerOf(f.Type))
		}
	}
	t.required(p, schema)
	if len(p.Columns) == 0 {
		header := p.Header.Mode == dfa.NamesHeader
		t.plausible = len(fields) > 1 && (!header || areNames(fields))
		t.wantsNulls, t.named = !header, header
		if header && p.Ragged&dfa.Pad != 0 {
			t.last = len(fields) - 1
		}
	}
	if own := len(p.Columns); p.Ragged&dfa.Pad != 0 && len(p.Columns) > 0 {
		for i, f := range fields {
			if !parts[f.Name] && i >= own/2 {
				t.late = append(t.late, i)
			}
		}
	}
	return t
}

// takesText reports whether columns of a kind take any text.
func takesText(kind dfa.TypeKind) bool {
	return kind == dfa.String || kind == dfa.Dictionary || kind == dfa.Binary || kind == dfa.Map || kind == dfa.List
}

// required finds the columns of which a record has to have some.
func (t *taken) required(p *dfa.Program, schema *arrow.Schema) {
	at := make([]int, len(p.Columns)) // in the schema
	for i := range p.Columns {
		at[i] = slices.IndexFunc(schema.Fields(), func(f arrow.Field) bool { return f.Name == p.Columns[i].Name })
		if p.Columns[i].Shape {
			t.kind, t.shapes = at[i], map[string][]int{}
		}
	}
	if t.kind >= 0 {
		for _, shape := range p.Shapes {
			for _, i := range shape.Columns {
				if at[i] >= 0 {
					t.shapes[shape.Name] = append(t.shapes[shape.Name], at[i])
				}
			}
		}
	}
	if len(p.Columns) == 0 || len(p.Shapes) > 0 || p.Dynamic() {
		return
	}
	for i := range p.Columns {
		if at[i] >= 0 && t.columns[at[i]] == nil && !p.Columns[i].Optional && p.Columns[i].Split == nil {
			t.demanding = append(t.demanding, at[i])
		}
	}
	positional := !slices.ContainsFunc(p.Automaton.Emissions, func(e dfa.Emission) bool { return e.Boundary() && e.Column != dfa.NextColumn })
	if !positional && (at[0] < 0 || !slices.Contains(t.demanding, at[0])) {
		t.demanding = nil // they may all be in groups that are not there
	}
}

// lacks reports whether a record has nothing of what no record is without, or less than two thirds
// of what its shape has.
func (t *taken) lacks(rec arrow.Record, row int) bool {
	null := func(i int) bool {
		a := rec.Column(i)
		return a.IsNull(row) || takerOf(a.DataType()) != nil && strings.TrimSpace(stringAt(a, row)) == ""
	}
	if t.kind >= 0 && !null(t.kind) {
		columns, nulls := t.shapes[stringAt(rec.Column(t.kind), row)], 0
		for _, i := range columns {
			if null(i) {
				nulls++
			}
		}
		return 3*nulls > len(columns)
	}
	return len(t.demanding) > 0 && !slices.ContainsFunc(t.demanding, func(i int) bool { return !null(i) })
}

// hollow reports whether most columns have no value.
func (t *taken) hollow() bool {
	n := 0
	for _, valued := range t.valued {
		if valued {
			n++
		}
	}
	return 2*n < len(t.valued)
}

// fewSymbols are those of a form; more are those of names, which any word has.
const fewSymbols = 32

// formed is what a format demands of texts by the form that their fields have, in bits: of each
// symbol where only few may stand as much as these are fewer than all, up to what any other says.
func formed(p *dfa.Program, sample []byte) (sum int64) {
	if len(p.Columns) == 0 || p.Dynamic() || p.Header.Mode != dfa.NoHeader || len(p.Widths) > 0 || len(p.Cells) > 0 {
		return 0
	}
	a, demands := p.Automaton, demandsOf(p.Automaton)
	state, column := a.Start, 0
	var record, field int64
	for _, symbol := range sample {
		next, e := a.Step(state, symbol)
		if e.Kind == dfa.Data {
			field += demands[state]
		}
		state = next
		if e.Kind == dfa.Error {
			record, field = -1<<40, 0 // nothing of this record
		}
		if !e.Boundary() {
			continue
		}
		if e.Column != dfa.NextColumn {
			column = int(e.Column)
		}
		if column < len(p.Columns) && takesText(p.Columns[column].Type.Kind) {
			record += field
		}
		field = 0
		column++
		if e.Kind == dfa.Record {
			if record > 0 && e.Code == 0 && e.Record == dfa.DataRecord {
				sum += record
			}
			record, column = 0, 0
		}
	}
	return sum
}

// demandsOf are the bits that a symbol of a field demands where only few may stand, by state.
func demandsOf(a *dfa.Automaton) []int64 {
	demands := make([]int64, a.NStates())
	for s := range demands {
		allowed := 0
		for symbol := range 256 {
			if _, e := a.Step(dfa.StateID(s), byte(symbol)); e.Kind != dfa.Error {
				allowed++
			}
		}
		if allowed > 0 && allowed <= fewSymbols {
			demands[s] = min(4, int64(bits.Len(uint(256/allowed)))-1)
		}
	}
	return demands
}

var (
	aName  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[\pL_#@$][\pL\pN_ .()%/#$&*+-]*$`) })
	aLevel = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^\[?(?:trace|debug|info|notice|warn(?:ing)?|err(?:or)?|crit(?:ical)?|fatal|panic)(?:[] ]|$)`)
	})
	aKey = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[\pL_@][\pL\pN_.@/-]*$`) })
)

// areNames is whether columns have names, not values.
func areNames(fields []arrow.Field) bool {
	for _, f := range fields {
		if len(f.Name) > 48 || strings.Count(f.Name, " ") > 4 || !aName().MatchString(f.Name) {
			return false
		}
	}
	return true
}

// add counts a batch.
func (t *taken) add(rec arrow.Record) {
	doubtful := make([]bool, rec.NumRows())
	for i, take := range t.columns {
		a := rec.Column(i)
		t.valued[i] = t.valued[i] || a.NullN() < a.Len()
		if take == nil {
			continue
		}
		u := take(a, doubtful)
		t.free.blanks += u.blanks
		t.free.others += u.others
		t.nulls += a.NullN()
		if i == t.last {
			for row := range doubtful {
				doubtful[row] = doubtful[row] || a.IsNull(row)
			}
		}
	}
	for _, i := range t.spans {
		doubtEpochs(rec.Column(i), doubtful)
	}
	if t.host >= 0 && t.tag >= 0 {
		doubtLevels(rec.Column(t.host), rec.Column(t.tag), doubtful)
	}
	for row := range doubtful {
		ends := len(t.late) > 0 // before half of its columns
		for _, i := range t.late {
			ends = ends && rec.Column(i).IsNull(row)
		}
		doubtful[row] = doubtful[row] || ends || t.lacks(rec, row)
	}
	for _, d := range doubtful {
		if d {
			t.doubtful++
		}
	}
}

func takerOf(dt arrow.DataType) taker {
	switch dt.ID() {
	case arrow.STRING, arrow.LARGE_STRING, arrow.BINARY, arrow.LARGE_BINARY, arrow.DICTIONARY:
		return takeText
	case arrow.MAP:
		return takeMap
	case arrow.LIST:
		return takeList
	}
	return nil
}

func takeText(a arrow.Array, _ []bool) (t text) {
	for i := range a.Len() {
		if a.IsValid(i) {
			t.add([]byte(stringAt(a, i)))
		}
	}
	return t
}

// takeHost counts names of hosts: a row in which something else stands, as key=value or [INFO], is of another format.
func takeHost(a arrow.Array, doubtful []bool) text {
	for i := range doubtful {
		if a.IsValid(i) {
			host := stringAt(a, i)
			doubtful[i] = doubtful[i] || strings.HasPrefix(host, "[") && !isAddress(host[1:]) || strings.ContainsAny(host, `=,;"(){}`)
		}
	}
	return takeText(a, doubtful)
}

// isAddress reports whether a text is an address, up to the bracket that it may end with.
func isAddress(text string) bool {
	_, err := netip.ParseAddr(strings.TrimSuffix(text, "]"))
	return err == nil
}

// doubtLevels doubts rows with a colon behind their host and a level in place of their tag, as imap: Info: has: of another
// format. Routers write a colon behind their own names, too, as in router1: %SYS-5-CONFIG_I:.
func doubtLevels(host, tag arrow.Array, doubtful []bool) {
	for i := range doubtful {
		doubtful[i] = doubtful[i] || host.IsValid(i) && tag.IsValid(i) && strings.HasSuffix(stringAt(host, i), ":") && aLevel().MatchString(stringAt(tag, i))
	}
}

// doubtEpochs doubts rows with durations that nothing takes, for they are seconds since 1970: of another format.
func doubtEpochs(a arrow.Array, doubtful []bool) {
	const since = 1_000_000_000 * time.Second // 2001
	d, unit := a.(*array.Duration), a.DataType().(*arrow.DurationType).Unit.Multiplier()
	for i := range doubtful {
		doubtful[i] = doubtful[i] || d.IsValid(i) && int64(d.Value(i)) >= int64(since/unit)
	}
}

// takeBehindClock counts messages behind a time: AM or PM there makes another time of it.
func takeBehindClock(a arrow.Array, doubtful []bool) text {
	for i := range doubtful {
		if a.IsValid(i) {
			half, _, _ := strings.Cut(stringAt(a, i), " ")
			doubtful[i] = doubtful[i] || half == "AM" || half == "PM" || half == "am" || half == "pm"
		}
	}
	return takeText(a, doubtful)
}

func takeList(a arrow.Array, doubtful []bool) text {
	if values := a.(array.ListLike).ListValues(); takerOf(values.DataType()) != nil {
		return takeText(values, doubtful)
	}
	return text{}
}

// takeMap counts keys without a value, keys that are no names, and all values: a key
// that is one, where there are several, and the sign behind it, are demands. A row with many of the first is no
// row of pairs, and neither is {a=1, b=2}.
func takeMap(a arrow.Array, doubtful []bool) (t text) {
	m := a.(*array.Map)
	items := m.Items()
	for i := range m.Len() {
		if m.IsNull(i) {
			continue
		}
		from, to := m.ValueOffsets(i)
		bad := int64(0)
		for j := from; j < to; j++ {
			key := stringAt(m.Keys(), int(j))
			named := items.IsValid(int(j)) && aKey().MatchString(key)
			if !named {
				bad++
			}
			if !named || to-from == 1 { // one sign in a line is by chance
				t.add([]byte(key))
			}
			if items.IsValid(int(j)) && items.DataType().ID() == arrow.STRING {
				t.add([]byte(stringAt(items, int(j))))
			}
		}
		if bad*5 > to-from || to > from && strings.HasPrefix(stringAt(m.Keys(), int(from)), "{") {
			doubtful[i] = true
		}
	}
	return t
}

func stringAt(a arrow.Array, i int) string {
	switch a := a.(type) {
	case *array.String:
		return a.Value(i)
	case *array.LargeString:
		return a.Value(i)
	case *array.Binary:
		return string(a.Value(i))
	case *array.Dictionary:
		return stringAt(a.Dictionary(), a.GetValueIndex(i))
	}
	return ""
}
