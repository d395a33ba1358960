package identify

import (
	"bytes"
	"cmp"
	"compress/flate"
	"context"
	"encoding/binary"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/formats"
	"github.com/dfaparse/dfaparse/internal/golden"
	"github.com/dfaparse/dfaparse/runtime"
)

// TestNeeds: needs.bin is what the formats make of it.
func TestNeeds(t *testing.T) {
	var b []byte
	number := func(n int) { b = binary.AppendUvarint(b, uint64(n)) }
	names := formats.Names()
	number(len(names))
	for _, name := range names {
		p, err := formats.Program(name)
		if err != nil {
			t.Fatal(err)
		}
		parent := parentOf(t, name)
		number(len(name))
		b = append(b, name...)
		number(bit(refined(t, p)))
		number(len(parent))
		b = append(b, parent...)
		var until, prefixes []string
		for i := range p.Skip {
			if s := &p.Skip[i]; len(s.Until) > 0 {
				until = s.Until
			} else if len(p.Skip) == 1 {
				prefixes = s.Prefixes
			}
		}
		for _, texts := range [][]string{until, prefixes} {
			number(len(texts))
			for _, text := range texts {
				number(len(text))
				b = append(b, text...)
			}
		}
		for _, m := range []*machine{needOf(p), slightOf(p)} {
			number(len(m.whole))
			if len(m.whole) == 0 {
				continue
			}
			number(m.groups)
			for symbol := 0; symbol < 256; {
				n := 1
				for symbol+n < 256 && m.group[symbol+n] == m.group[symbol] {
					n++
				}
				number(int(m.group[symbol]))
				number(n)
				symbol += n
			}
			for _, whole := range m.whole {
				number(bit(whole))
			}
			for _, row := range m.next {
				number(int(row) / m.groups)
			}
		}
	}
	if *golden.Update {
		var packed bytes.Buffer
		w, _ := flate.NewWriter(&packed, flate.BestCompression)
		if _, err := w.Write(b); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile("needs.bin", packed.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		t.Logf("%d bytes, packed %d", len(b), packed.Len())
		return
	}
	var was bytes.Buffer
	if _, err := was.ReadFrom(flate.NewReader(bytes.NewReader(needsFile))); err != nil || !bytes.Equal(was.Bytes(), b) {
		t.Errorf("needs.bin is not that of the formats: go test ./formats/identify -run TestNeeds -update (%v)", err)
	}
}

// parentOf is the format that one changes, "" if none.
func parentOf(t *testing.T, name string) string {
	file, err := formats.Resolve(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range file.Definitions {
		if f, ok := d.(*compile.Format); ok && f.Name.String() == name && f.Extends != nil {
			return f.Extends.String()
		}
	}
	return ""
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// refined reports whether a format reads the records of another one, by the same automaton, and
// only takes its columns apart further: sshd is syslog. Nothing tells it from that, so it is not
// named.
func refined(t *testing.T, p *dfa.Program) bool {
	parts := func(p *dfa.Program) (n int) {
		for i := range p.Columns {
			if split := p.Columns[i].Split; split != nil {
				n += len(split.Columns)
			}
		}
		return n
	}
	if parts(p) == 0 {
		return false
	}
	for _, other := range formats.Names() {
		q, err := formats.Program(other)
		if err != nil {
			t.Fatal(err)
		}
		if len(p.Columns) == len(q.Columns) && parts(p) > parts(q) && reflect.DeepEqual(p.Automaton, q.Automaton) {
			return true
		}
	}
	return false
}

// at is where the automaton of a need is: which state of the format's, which column a field is of
// (-1: unknown), how many symbols ago the first fault of the record was (0: none yet; those
// behind a boundary that is found later are none of the record's), whether nothing of the field
// was read, and whether there was a directive that names columns. Where a boundary says which
// column has ended: of which columns that it may be the field is no value, of each number of
// symbols that may stand behind the boundary already.
type at struct {
	state  dfa.StateID
	column int
	fault  int
	first  bool
	named  bool
	not    [mostNamedLag + 1]uint64
	read   bool // a record was read
}

// mostNamedLag is the lag up to which columns that boundaries say are looked at.
const mostNamedLag = 1

// needer makes the need of a format.
type needer struct {
	*dfa.Program
	lag     int
	columns []*dfa.Column // that have a field
	begin   []dfa.Set     // of a value, by column
	hold    []dfa.Set
	counted bool // the number of fields matters
	least   int
	most    int
	may     []uint64 // by state: the columns that a field may be of, if boundaries say of which; else nil
}

// needOf is an automaton for the texts that may hold a record. Lines that are skipped by what they begin
// with are no matter: such texts are not asked about.
func needOf(p *dfa.Program) *machine {
	if p.Header.Mode != dfa.NoHeader || len(p.Cells) > 0 || len(p.Skip) > 1 || len(p.Skip) == 1 && len(p.Skip[0].Prefixes) == 0 {
		return &machine{}
	}
	n := newNeeder(p)
	// Symbols that nothing tells apart.
	of := map[string][]byte{}
	for symbol := range 256 {
		key := []byte{byte(n.Automaton.Group[symbol]), byte(bit(blank(byte(symbol))))}
		for i := range n.begin {
			key = append(key, byte(bit(n.begin[i].Has(byte(symbol)))), byte(bit(n.hold[i].Has(byte(symbol)))))
		}
		of[string(key)] = append(of[string(key)], byte(symbol))
	}
	alike := slices.SortedFunc(maps.Values(of), func(a, b []byte) int { return cmp.Compare(a[0], b[0]) })
	return explored(at{read: true}, at{state: n.Automaton.Start, first: true}, alike, n.step, n.whole)
}

// slightOf is an automaton for the texts that have something else than records of which all is text of one
// column, whatever it is. No states: all have.
func slightOf(p *dfa.Program) *machine {
	if p.Header.Mode != dfa.NoHeader || p.Dynamic() || len(p.Skip)+len(p.Cells)+len(p.Widths) > 0 {
		return &machine{}
	}
	a, demands, some := p.Automaton, demandsOf(p.Automaton), false
	slight := func(e *dfa.Emission) bool {
		if e.Kind != dfa.Record || e.Record != dfa.DataRecord || e.Code != 0 || e.Lag > 0 || e.Column < 0 || int(e.Column) >= len(p.Columns) {
			return false
		}
		c := &p.Columns[e.Column]
		is := c.Type.Kind == dfa.String && len(c.NullTokens())+len(c.Empties) == 0 && !c.Trim && !c.HasDefault && !c.Hidden &&
			c.Split == nil && c.Keep == nil && (c.Class == 0 || c.Class == e.Class)
		some = some || is
		return is
	}
	const other = -1 // state: something else was read
	step := func(s int, symbol byte) int {
		next, e := a.Step(dfa.StateID(s), symbol)
		switch {
		case e.Kind == dfa.Data && e.Sub == dfa.Itself && symbol != '\n' && demands[s] == 0, symbol == '\n' && slight(e):
			return int(next)
		}
		return other
	}
	whole := func(s int) bool {
		e := a.EOF(dfa.StateID(s))
		return e.Kind == dfa.Error || e.Code != 0 || e.Kind == dfa.Record && !slight(e)
	}
	of := map[dfa.GroupID][]byte{}
	for symbol := range 256 {
		group := a.Group[symbol]
		of[group] = append(of[group], byte(symbol))
	}
	var alike [][]byte
	for _, symbols := range of {
		if i := bytes.IndexByte(symbols, '\n'); i >= 0 && len(symbols) > 1 {
			alike = append(alike, []byte{'\n'})
			symbols = slices.Delete(symbols, i, i+1)
		}
		alike = append(alike, symbols)
	}
	slices.SortFunc(alike, func(a, b []byte) int { return cmp.Compare(a[0], b[0]) })
	m := explored(other, int(a.Start), alike, step, whole)
	if !some {
		return &machine{}
	}
	return m
}

// explored is the automaton of all that can be reached from a state, end being the one that all is accepted
// in. Whole are those in which a text that ends is accepted.
func explored[S comparable](end, start S, alike [][]byte, step func(S, byte) S, whole func(S) bool) *machine {
	numbers, all := map[S]int{end: 0, start: 1}, []S{end, start}
	var next [][]int // a row each
	for i := 0; i < len(all); i++ {
		row := make([]int, len(alike))
		for g, symbols := range alike {
			if i == 0 {
				continue
			}
			to := step(all[i], symbols[0])
			k, known := numbers[to]
			if !known {
				k = len(all)
				numbers[to] = k
				all = append(all, to)
			}
			row[g] = k
		}
		next = append(next, row)
	}
	wholes := make([]bool, len(all))
	for i, s := range all {
		wholes[i] = i == 0 || whole(s)
	}
	return packed(next, wholes, merged(next, wholes), alike)
}

// merged are the classes of states that accept the same texts.
func merged(next [][]int, whole []bool) []int {
	block, blocks := make([]int, len(next)), 0
	for i := range next {
		block[i] = bit(whole[i])
		if i == 0 {
			block[i] = 2
		}
	}
	for {
		numbers, to := map[string]int{}, make([]int, len(next))
		for i, row := range next {
			key := binary.AppendUvarint(nil, uint64(block[i]))
			for _, k := range row {
				key = binary.AppendUvarint(key, uint64(block[k]))
			}
			k, known := numbers[string(key)]
			if !known {
				k = len(numbers)
				numbers[string(key)] = k
			}
			to[i] = k
		}
		block = to
		if len(numbers) == blocks {
			return block // numbered in the order of their first states
		}
		blocks = len(numbers)
	}
}

// packed is the automaton of merged states and symbols.
func packed(next [][]int, whole []bool, block []int, alike [][]byte) *machine {
	n := &machine{whole: make([]bool, slices.Max(block)+1)}
	of, columns := map[string]int{}, [][]uint32{}
	bySymbol := make([]int, 256)
	for g, symbols := range alike {
		column, key := make([]uint32, len(n.whole)), []byte(nil)
		for i, row := range next {
			column[block[i]] = uint32(block[row[g]])
		}
		for _, k := range column {
			key = binary.BigEndian.AppendUint32(key, k)
		}
		k, known := of[string(key)]
		if !known {
			k = len(columns)
			of[string(key)] = k
			columns = append(columns, column)
		}
		for _, symbol := range symbols {
			bySymbol[symbol] = k
		}
	}
	n.groups = len(columns)
	for symbol, k := range bySymbol {
		n.group[symbol] = uint8(k)
	}
	for i, b := range block {
		n.whole[b] = whole[i]
	}
	for s := range n.whole {
		for _, column := range columns {
			n.next = append(n.next, column[s]*uint32(n.groups))
		}
	}
	return n
}

func newNeeder(p *dfa.Program) *needer {
	n := &needer{Program: p, lag: p.Automaton.MaxLag()}
	if p.Dynamic() || len(p.Columns) == 0 || len(p.Widths) > 0 {
		return n
	}
	said := slices.ContainsFunc(p.Automaton.Emissions, func(e dfa.Emission) bool { return e.Boundary() && e.Column != dfa.NextColumn })
	switch n.counted = !said && len(p.Shapes) == 0; {
	case said && n.lag <= mostNamedLag:
		n.may = mayBe(p.Automaton)
	case !n.counted:
		return n // which column a symbol is of is only known where its field ends
	}
	for i := range p.Columns {
		c := &p.Columns[i]
		n.columns = append(n.columns, c)
		begin, hold := valuesOf(c)
		if p.HasRest && i == len(p.Columns)-1 || n.may != nil && (i >= 64 || again(p.Automaton, i)) {
			begin, hold = dfa.All(), dfa.All()
		}
		n.begin, n.hold = append(n.begin, begin), append(n.hold, hold)
	}
	n.least, n.most = len(n.columns), len(n.columns)
	for n.least > 0 && n.columns[n.least-1].Optional {
		n.least--
	}
	if p.Ragged&dfa.Pad != 0 {
		n.least = 0
	}
	if p.Ragged&dfa.Truncate != 0 {
		n.most = dfa.MaxColumns
	}
	if p.HasRest {
		n.least, n.most = min(n.least, len(n.columns)-1), dfa.MaxColumns
	}
	return n
}

// mayBe are, by state, the columns that the field may be of that is read in it.
func mayBe(a *dfa.Automaton) []uint64 {
	may := make([]uint64, a.NStates())
	for changed := true; changed; {
		changed = false
		add := func(s int, e *dfa.Emission, rest uint64) {
			if e.Boundary() {
				if rest = 0; e.Column >= 0 && e.Column < 64 {
					rest = 1 << e.Column
				}
			}
			changed = changed || rest&^may[s] != 0
			may[s] |= rest
		}
		for s := range may {
			for symbol := range 256 {
				next, e := a.Step(dfa.StateID(s), byte(symbol))
				add(s, e, may[next])
			}
			add(s, a.EOF(dfa.StateID(s)), 0)
		}
	}
	return may
}

// again reports whether a record may have two fields of a column, of which the last is its value.
func again(a *dfa.Automaton, column int) bool {
	of := func(e *dfa.Emission) bool { return e.Boundary() && int(e.Column) == column }
	seen, left := make([]bool, a.NStates()), []dfa.StateID(nil)
	reach := func(s dfa.StateID) {
		if !seen[s] {
			seen[s] = true
			left = append(left, s)
		}
	}
	for s := range a.NStates() {
		for symbol := range 256 {
			if next, e := a.Step(dfa.StateID(s), byte(symbol)); e.Kind == dfa.Field && of(e) {
				reach(next)
			}
		}
	}
	for len(left) > 0 {
		s := left[0]
		left = left[1:]
		if of(a.EOF(s)) {
			return true
		}
		for symbol := range 256 {
			switch next, e := a.Step(s, byte(symbol)); {
			case of(e):
				return true
			case e.Kind != dfa.Record && e.Kind != dfa.Error:
				reach(next)
			}
		}
	}
	return false
}

// valuesOf are the symbols that a value of a column may begin with, and those that it may have.
func valuesOf(c *dfa.Column) (begin, hold dfa.Set) {
	const digits, letters = "0123456789", "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	begin, hold = dfa.All(), dfa.All()
	if c.Hidden || c.Keep != nil {
		return begin, hold
	}
	switch t := &c.Type; t.Kind {
	case dfa.Int8, dfa.Int16, dfa.Int32, dfa.Int64, dfa.Uint8, dfa.Uint16, dfa.Uint32, dfa.Uint64:
		if t.Thousands == 0 && !t.Base16 && t.Size == 0 {
			begin, hold = valueOf(digits+"+-", c), valueOf(digits+"+-", c)
		}
	case dfa.Float32, dfa.Float64:
		if t.Thousands == 0 && t.Point == 0 {
			begin, hold = valueOf(digits+"+-.iInN", c), valueOf(digits+"+-."+letters, c)
		}
	case dfa.Enum:
		var first []byte
		for _, token := range t.Tokens {
			if token == "" {
				return begin, hold
			}
			first = append(first, token[0])
		}
		begin, hold = valueOf(string(first), c), valueOf(strings.Join(t.Tokens, ""), c)
	case dfa.IP:
		begin = valueOf(digits+"abcdefABCDEF:", c)
	case dfa.Date, dfa.Time, dfa.Timestamp:
		forms := append([]dfa.ClockForm{{Layout: t.Layout, Epoch: t.Epoch}}, t.Or...)
		all := ""
		for _, f := range forms {
			first := digits + "+-."
			switch {
			case f.Epoch || f.Layout == "":
			case f.Layout[0] != '%':
				first = f.Layout[:1]
			case len(f.Layout) < 2 || !strings.Contains("YymdHIMSejFTDRs", f.Layout[1:2]):
				return begin, hold
			}
			all += first
		}
		begin = valueOf(all, c)
		if len(forms) == 1 && !t.Epoch && t.Layout == "" {
			hold = valueOf(digits+"+-:.TtZz", c)
		}
	case dfa.Map:
		begin = valueOf("", c)
		for symbol := range 256 {
			if _, e := t.Lex.Step(t.Lex.Start, byte(symbol)); e.Kind != dfa.Error {
				begin = begin.Union(dfa.Bytes(byte(symbol)))
			}
		}
	}
	return begin, hold
}

// valueOf are the symbols of a column's values that are made of some, of its null tokens, and of
// the blanks around them.
func valueOf(symbols string, c *dfa.Column) dfa.Set {
	return dfa.Bytes([]byte(symbols + " \t" + strings.Join(c.NullTokens(), "") + strings.Join(c.Empties, ""))...)
}

// step is the state after a symbol.
func (n *needer) step(s at, symbol byte) at {
	next, e := n.Automaton.Step(s.state, symbol)
	s.state = next
	if s.fault > 0 {
		s.fault = min(s.fault+1, n.lost())
	}
	fault, before := e.Kind == dfa.Error, s.not
	if n.may != nil {
		copy(s.not[1:], before[:])
		if e.Kind == dfa.Data {
			for i := range min(len(n.columns), 64) {
				if e.Sub == dfa.Itself && (s.first && !n.begin[i].Has(symbol) || !n.hold[i].Has(symbol)) {
					s.not[0] |= 1 << i
				}
			}
			s.first = s.first && e.Sub == dfa.Itself && blank(symbol)
		}
	} else if known := s.column >= 0 && s.column < len(n.columns); known && e.Kind == dfa.Data {
		fault = e.Sub == dfa.Itself && (s.first && !n.begin[s.column].Has(symbol) || !n.hold[s.column].Has(symbol))
		s.first = s.first && e.Sub == dfa.Itself && blank(symbol)
	}
	if e.Kind == dfa.Skip && e.Escape {
		s.first = false
	}
	if fault && s.fault == 0 {
		s.fault = 1
	}
	if e.Code != 0 {
		s.fault = n.lost() // it is of the record of which the end is found next
	}
	if !e.Boundary() {
		return n.same(s)
	}
	if lag := int(e.Lag); s.fault > 0 && s.fault <= lag+1 && lag > 0 {
		s.fault = 0 // behind the boundary, or the boundary itself
	}
	s.not = before
	s.fault = max(s.fault, n.ended(s, e))
	s.not = [len(s.not)]uint64{}
	s.first = e.Open == e.Lag && !e.Touch && !e.Escape
	switch {
	case e.Kind == dfa.Field && e.Column != dfa.NextColumn:
		s.column = int(e.Column) + 1
	case e.Kind == dfa.Field && s.column >= 0:
		s.column = min(s.column+1, len(n.columns)+1)
	case e.Kind == dfa.Record:
		if s.fault == 0 && n.row(s, e) {
			return at{read: true}
		}
		if e.Record >= dfa.FirstDirective && n.Directives[e.Record-dfa.FirstDirective].Action == dfa.SchemaDirective {
			s.named = true
		}
		s.fault, s.column = 0, 0
		if e.Open != e.Lag {
			s.column = -1 // what stands behind the boundary may have ended fields
		}
	}
	return n.same(s)
}

func blank(symbol byte) bool { return symbol == ' ' || symbol == '\t' }

// lost is the fault of a record that no boundary can be in front of.
func (n *needer) lost() int { return n.lag + 2 }

// same forgets what makes no difference.
func (n *needer) same(s at) at {
	if len(n.columns) == 0 || n.may != nil {
		s.column = 0
	}
	if len(n.columns) == 0 || s.fault == n.lost() { // that until the record has ended
		s.column, s.first, s.not = 0, false, [len(s.not)]uint64{}
	}
	if n.may != nil {
		for i := range s.not {
			s.not[i] &= n.may[s.state]
		}
	}
	return s
}

// ended is the fault of a field that ends by e, 0 if it has none.
func (n *needer) ended(s at, e *dfa.Emission) int {
	column := s.column
	if e.Column != dfa.NextColumn {
		column = int(e.Column)
	}
	if column < 0 || column >= len(n.columns) || n.HasRest && column == len(n.columns)-1 {
		return 0
	}
	if c := n.columns[column]; c.Class != 0 && c.Class != e.Class && len(c.NullTokens()) == 0 {
		return n.lost()
	}
	if n.may != nil && e.Column != dfa.NextColumn && s.not[e.Lag]>>column&1 != 0 {
		return n.lost()
	}
	return 0
}

// row reports whether the record that e ends may be a row.
func (n *needer) row(s at, e *dfa.Emission) bool {
	fields := s.column + 1
	return e.Code == 0 && e.Record == dfa.DataRecord && (s.named || !n.Dynamic()) &&
		(!n.counted || s.column < 0 || fields >= n.least && fields <= n.most)
}

// whole reports whether a text that ends here may end with a row.
func (n *needer) whole(s at) bool {
	e := n.Automaton.EOF(s.state)
	if e.Kind != dfa.Record {
		return false
	}
	if lag := int(e.Lag); s.fault > 0 && s.fault <= lag {
		s.fault = 0
	}
	return max(s.fault, n.ended(s, e)) == 0 && n.row(s, e)
}

// TestNeedsMet: what a format reads something of meets its need, and it demands nothing of what is slight.
func TestNeedsMet(t *testing.T) {
	var texts [][]byte
	for _, name := range formats.Names() {
		s, err := formats.Spec(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, example := range s.Examples {
			texts = append(texts, []byte(example.Input))
		}
	}
	unmet, read, slight := 0, 0, 0
	check := func(t rapid.TB, b []byte, names ...string) {
		for _, name := range names {
			p, err := formats.Program(name)
			if err != nil {
				t.Fatal(err)
			}
			reads, met := promising(context.Background(), p, b, 0), needs()[name].met(b)
			if reads && !met {
				t.Errorf("%s reads something of %q", name, b)
			}
			if needs()[name].slight(b) {
				slight++
				if _, _, ok := attempt(context.Background(), p, b, nil, runtime.WithRejectDetails(0)); ok {
					t.Errorf("%s demands something of %q", name, b)
				}
				if bytes.Count(b, []byte{'\n'}) >= fewRecords && promising(context.Background(), p, b, namedShare) {
					t.Errorf("%s is promising for %q", name, b)
				}
			}
			unmet, read = unmet+bit(!met), read+bit(reads)
		}
	}
	for i, text := range texts {
		for j, name := range formats.Names() {
			if (i+j)%4 == 0 { // of all pairs so many
				check(t, text, name)
			}
		}
	}
	if read == 0 || slight == 0 || unmet < len(texts)*len(formats.Names())/8 {
		t.Errorf("of %d texts %d needs are not met, and %d texts are read, %d by what reads any", len(texts), unmet, read, slight)
	}
	i := 0
	err := filepath.WalkDir(corpora(), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		head, err := os.ReadFile(path)
		head = upToLine(head[:min(len(head), fewBytes)])
		for j, name := range formats.Names() {
			if (i+j)%40 == 0 {
				check(t, head, name)
			}
		}
		i++
		return err
	})
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	if t.Failed() {
		return
	}
	rapid.Check(t, func(t *rapid.T) {
		var text []byte
		for range rapid.IntRange(1, 4).Draw(t, "pieces") {
			from := rapid.SampledFrom(texts).Draw(t, "of")
			i := rapid.IntRange(0, len(from)).Draw(t, "from")
			text = append(text, from[i:rapid.IntRange(i, len(from)).Draw(t, "to")]...)
			if rapid.Bool().Draw(t, "more") {
				text = append(text, rapid.SampledFrom([]string{"\n", "\r\n", "\n\n", " ", "\t", "-", "\"", "x", "12", "\xef\xbb\xbf", "#", "\\", ",", "\xff", "\n\n\n\n\n\n\n\n", "\t\t \n"}).Draw(t, "text")...)
			}
		}
		if rapid.Bool().Draw(t, "mark") {
			text = append([]byte{0xEF, 0xBB, 0xBF}, text...)
		}
		check(t, text, rapid.SliceOfN(rapid.SampledFrom(formats.Names()), 1, 8).Draw(t, "names")...)
	})
}

// corpora is a folder of real data, which there need not be.
func corpora() string {
	if dir := os.Getenv("DFAPARSE_CORPORA"); dir != "" {
		return dir
	}
	return filepath.Join("..", "..", "..", "shared", "corpora")
}
