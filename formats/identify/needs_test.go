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
		m := needOf(p)
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
		for _, next := range m.next {
			number(int(next))
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
// was read, and whether there was a directive that names columns.
type at struct {
	state  dfa.StateID
	column int
	fault  int
	first  bool
	named  bool
	read   bool // a record was read
}

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
}

// needOf is an automaton for the texts that may hold a record.
func needOf(p *dfa.Program) *need {
	if p.Header.Mode != dfa.NoHeader || len(p.Skip)+len(p.Cells) > 0 {
		return &need{}
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
	// All that can be reached, a row each.
	numbers, all := map[at]int{}, []at{{read: true}, {state: n.Automaton.Start, first: true}}
	numbers[all[0]], numbers[all[1]] = 0, 1
	var next [][]int
	for i := 0; i < len(all); i++ {
		row := make([]int, len(alike))
		for g, symbols := range alike {
			if all[i].read {
				continue
			}
			to := n.step(all[i], symbols[0])
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
	whole := make([]bool, len(all))
	for i, s := range all {
		whole[i] = s.read || n.whole(s)
	}
	block := merged(next, whole)
	return packed(next, whole, block, alike)
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
func packed(next [][]int, whole []bool, block []int, alike [][]byte) *need {
	n := &need{whole: make([]bool, slices.Max(block)+1)}
	of, columns := map[string]int{}, [][]uint16{}
	bySymbol := make([]int, 256)
	for g, symbols := range alike {
		column, key := make([]uint16, len(n.whole)), []byte(nil)
		for i, row := range next {
			column[block[i]] = uint16(block[row[g]])
		}
		for _, k := range column {
			key = binary.BigEndian.AppendUint16(key, k)
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
			n.next = append(n.next, column[s])
		}
	}
	return n
}

func newNeeder(p *dfa.Program) *needer {
	n := &needer{Program: p, lag: p.Automaton.MaxLag()}
	n.counted = !p.Dynamic() && len(p.Columns) > 0 && len(p.Widths) == 0 && len(p.Shapes) == 0
	if !n.counted {
		return n
	}
	for i := range p.Automaton.Emissions {
		if e := &p.Automaton.Emissions[i]; e.Boundary() && e.Column != dfa.NextColumn {
			n.counted = false
		}
	}
	if !n.counted && len(p.Columns) > 1 {
		return n // which column a symbol is of is only known where its field ends
	}
	for i := range p.Columns {
		c := &p.Columns[i]
		n.columns = append(n.columns, c)
		begin, hold := dfa.All(), dfa.All()
		switch t := &c.Type; {
		case p.HasRest && i == len(p.Columns)-1:
		case t.Kind >= dfa.Int8 && t.Kind <= dfa.Uint64 && t.Thousands == 0 && !t.Base16 && t.Size == 0:
			begin, hold = valueOf("0123456789+-", c), valueOf("0123456789+-", c)
		case t.Kind == dfa.Enum:
			tokens := strings.Join(t.Tokens, "")
			begin, hold = valueOf(tokens, c), valueOf(tokens, c)
		case t.Kind == dfa.Map:
			begin = valueOf("", c)
			for symbol := range 256 {
				if _, e := t.Lex.Step(t.Lex.Start, byte(symbol)); e.Kind != dfa.Error {
					begin = begin.Union(dfa.Bytes(byte(symbol)))
				}
			}
		}
		n.begin, n.hold = append(n.begin, begin), append(n.hold, hold)
	}
	n.least, n.most = len(n.columns), len(n.columns)
	if p.Ragged&dfa.Pad != 0 || slices.ContainsFunc(p.Columns, func(c dfa.Column) bool { return c.Optional }) {
		n.least = 0
	}
	if p.Ragged&dfa.Truncate != 0 {
		n.most = dfa.MaxColumns
	}
	if p.HasRest {
		n.least, n.most = n.least-1, dfa.MaxColumns
	}
	return n
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
	fault := e.Kind == dfa.Error
	if known := s.column >= 0 && s.column < len(n.columns); known && e.Kind == dfa.Data {
		fault = e.Sub == dfa.Itself && (s.first && !n.begin[s.column].Has(symbol) || !n.hold[s.column].Has(symbol))
		s.first = s.first && blank(symbol)
	}
	if e.Kind == dfa.Skip && e.Escape {
		s.first = false
	}
	if fault && s.fault == 0 {
		s.fault = 1
	}
	if !e.Boundary() {
		return n.same(s)
	}
	if lag := int(e.Lag); s.fault > 0 && s.fault <= lag+1 && lag > 0 {
		s.fault = 0 // behind the boundary, or the boundary itself
	}
	s.fault = max(s.fault, n.ended(s, e))
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
	if len(n.columns) == 0 {
		s.column, s.first = 0, false
	}
	if s.fault == n.lost() {
		s.column, s.first = 0, false // until the record has ended
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

// TestNeedsMet: what a format reads something of meets its need.
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
	unmet, read := 0, 0
	check := func(t rapid.TB, text []byte, names ...string) {
		for _, name := range names {
			p, err := formats.Program(name)
			if err != nil {
				t.Fatal(err)
			}
			reads, met := promising(context.Background(), p, text, 0), needs()[name].met(text)
			if reads && !met {
				t.Errorf("%s reads something of %q", name, text)
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
	if read == 0 || unmet < len(texts)*len(formats.Names())/8 {
		t.Errorf("of %d texts %d needs are not met, and %d texts are read", len(texts), unmet, read)
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
				text = append(text, rapid.SampledFrom([]string{"\n", "\r\n", "\n\n", " ", "\t", "-", "\"", "x", "12", "\xef\xbb\xbf", "#", "\\", ","}).Draw(t, "text")...)
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
