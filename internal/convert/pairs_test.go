package convert

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/drawn"
	"github.com/dfaparse/dfaparse/internal/gen"
	"github.com/dfaparse/dfaparse/internal/lower"
)

// drawPairs draws the form of a map that is read by masks.
func drawPairs(rt *rapid.T) *dfa.Automaton {
	m := &lower.Map{Pair: lower.Separator{Text: []byte(rapid.SampledFrom([]string{" ", ",", "&", ", ", "; "}).Draw(rt, "separator"))}, KeyValue: []byte(rapid.SampledFrom([]string{"=", ":"}).Draw(rt, "key sign"))}
	if rapid.IntRange(0, 3).Draw(rt, "quote") > 0 {
		m.Quote = '"'
		switch rapid.IntRange(0, 3).Draw(rt, "escape") {
		case 1:
			m.Escape = &lower.Escape{Lead: '\\', Other: lower.DropLead}
		case 2:
			m.Escape = &lower.Escape{Lead: '\\', To: map[byte]byte{'n': '\n', '"': '"', '\\': '\\'}, Hex: 'x'}
		case 3:
			m.Escape = &lower.Escape{Lead: '\\', Other: lower.KeepBoth}
		}
	}
	if rapid.IntRange(0, 2).Draw(rt, "brackets") == 0 {
		m.Open, m.Close = '{', '}'
	}
	a, err := lower.BuildMap(m)
	if err != nil {
		rt.Fatal(err)
	}
	return a
}

// comparePairs compares what a column of maps becomes with masks and without, and gives how many
// rows the last batches by masks had.
func comparePairs(rt *rapid.T, a *dfa.Automaton, typ dfa.Type) (byMasks int) {
	if newPairing(a.Table()) == nil {
		return 0
	}
	typ.Kind, typ.Lex = dfa.Map, a
	if n := compareMaps(rt, typ, func() *Fields { return drawMaps(rt, a.Table()) }); n != nil {
		byMasks = len(n.pairs.ends)
	}
	return byMasks
}

// compareMaps compares what a column of maps becomes by masks and symbol by symbol, where rows are
// drawn, and gives what has read it by masks, nil if the column makes no sense.
func compareMaps(rt *rapid.T, typ dfa.Type, draw func() *Fields) *nested {
	kind := typ.Elem.Kind
	if typ.Duplicates == dfa.ListDuplicates && kind != dfa.Map {
		typ.Elem = &dfa.Type{Kind: dfa.List, Elem: typ.Elem}
	}
	col := dfa.Column{Name: "c", Type: typ, Required: rapid.Bool().Draw(rt, "required"), Nulls: []string{"", "-", "no map"}[:rapid.IntRange(0, 3).Draw(rt, "tokens")]}
	if of, ok := map[dfa.TypeKind]string{dfa.String: "a", dfa.Map: `[a b="1"]`}[kind]; ok && rapid.IntRange(0, 3).Draw(rt, "default") == 0 {
		col.HasDefault, col.Default = true, of
	}
	opt := Options{UTF8: rapid.SampledFrom([]dfa.UTF8Policy{dfa.RejectUTF8, dfa.ReplaceUTF8, dfa.KeepUTF8}).Draw(rt, "utf8")}
	masks, err := NewConverter(&col, opt)
	if err != nil {
		return nil // the default is no map of this form
	}
	opt.Plain = true
	plain, err := NewConverter(&col, opt)
	if err != nil {
		rt.Fatal(err)
	}
	oneByOne, err := NewConverter(&col, opt)
	if err != nil {
		rt.Fatal(err)
	}
	replaced := func(c *Converter, f *Fields) (rows []replacedRow) {
		c.EachReplaced(f, func(row int, nbytes int64) { rows = append(rows, replacedRow{row, nbytes}) })
		return rows
	}
	got, want := NewColumn(&typ), NewColumn(&typ)
	for range rapid.IntRange(1, 3).Draw(rt, "rounds") {
		f := draw()
		before, wantBefore := masks.Replaced(), plain.Replaced()
		wantErrs := plain.Append(want, f, nil)
		gotErrs := masks.Append(got, f, nil)
		if !slices.Equal(gotErrs, wantErrs) || masks.Replaced()-before != plain.Replaced()-wantBefore || !sameColumn(got, want) {
			rt.Fatalf("%q, policy %v, options %v:\n%v %d\n%+v\n%v, want %v %d\n%+v\n%v", f.Src, typ.Duplicates, opt, gotErrs, masks.Replaced(), got, got.Children, wantErrs, plain.Replaced(), want, want.Children)
		}
		if kind == dfa.Dictionary {
			continue // a token that is there has been checked, whichever row it was of
		}
		if byMasks, bySymbol := replaced(masks, f), replaced(oneByOne, f); !slices.Equal(byMasks, bySymbol) {
			rt.Fatalf("%q, policy %v: bytes replaced in rows %v by masks, want %v", f.Src, typ.Duplicates, byMasks, bySymbol)
		}
	}
	return masks.impl.(*nested)
}

// drawMaps draws rows of maps with few sequences of keys, most of them whole.
func drawMaps(rt *rapid.T, t *dfa.Table) *Fields {
	x := newPairing(t)
	sep, sign, quote, lead := string(x.signs[signSep]), string(x.signs[signKey]), "", ""
	if x.two {
		sep += string(x.signs[signOpen])
	}
	if x.have[signQuote] != 0 {
		quote = string(x.signs[signQuote])
	}
	if x.have[signLead] != 0 {
		lead = string(x.signs[signLead])
	}
	key := rapid.OneOf(rapid.SampledFrom([]string{"a", "b", "c", "key", "type", "a_key_of_16_byte", "a_key_of_17_bytes", "é", "\xff", "k" + quote, lead + "k"}),
		rapid.Custom(func(rt *rapid.T) string {
			return strings.Repeat(rapid.SampledFrom([]string{"x", "yz"}).Draw(rt, "of"), rapid.IntRange(0, 50).Draw(rt, "times"))
		}))
	sequences := rapid.SliceOfN(rapid.SliceOfN(key, 0, rapid.SampledFrom([]int{24, 24, 24, 3 * mostKeys}).Draw(rt, "keys")), 1, 4).Draw(rt, "sequences")
	value := func() string {
		v := rapid.SampledFrom([]string{"", "1", "22", "-7", "x", "a text", "=", "\xff", "é", strings.Repeat("1", 70), strings.Repeat("w ", 50)}).Draw(rt, "value")
		switch rapid.IntRange(0, 5).Draw(rt, "as") {
		case 0:
			if lead != "" {
				v += rapid.SampledFrom([]string{lead + quote, lead + lead, lead + "n", lead + "x41", lead + "x", lead + lead + lead + quote, lead + "?"}).Draw(rt, "escape") + "z"
			}
			return quote + v + quote
		case 1:
			return quote + v + quote
		case 2:
			return v
		}
		return strings.ReplaceAll(v, sep, "_")
	}
	bracket := rapid.SampledFrom([]string{"", "b"}).Draw(rt, "bracket")
	if x.around[0] != 0 {
		bracket = string(x.around[:])
	}
	row := func() []byte {
		var b []byte
		for i, k := range rapid.SampledFrom(sequences).Draw(rt, "sequence") {
			if i > 0 {
				b = append(b, sep...)
			}
			if rapid.IntRange(0, 60).Draw(rt, "other") == 0 {
				k = key.Draw(rt, "key")
			}
			b = append(b, k...)
			if rapid.IntRange(0, 9).Draw(rt, "alone") > 0 {
				b = append(append(b, sign...), value()...)
			}
		}
		if len(bracket) == 2 && rapid.IntRange(0, 3).Draw(rt, "in brackets") > 0 {
			b = append(append([]byte(bracket[:1]), b...), bracket[1])
		}
		switch rapid.IntRange(0, 30).Draw(rt, "end") {
		case 0:
			b = append(b, sep...)
		case 4:
			b = append(b, sep[0])
		case 5:
			b = append(b, bracket...)
		case 6:
			b = append([]byte(bracket), b...)
		case 1:
			b = append(b, quote...)
		case 2:
			b = append(b, lead...)
		case 3:
			b = b[:rapid.IntRange(0, len(b)).Draw(rt, "cut")]
		}
		return b
	}
	return drawRows(rt, row)
}

// drawRows draws rows, some of which are null or lie elsewhere.
func drawRows(rt *rapid.T, row func() []byte) *Fields {
	f := &Fields{}
	for range rapid.IntRange(0, 30).Draw(rt, "rows") {
		b := row()
		switch rapid.IntRange(0, 20).Draw(rt, "where") {
		case 0:
			f.PushDecoded(b)
			continue
		case 1:
			f.PushAbsent()
			continue
		case 2:
			b = []byte(rapid.SampledFrom([]string{"", "-", "no map"}).Draw(rt, "null"))
		}
		at := uint32(len(f.Src))
		f.Src = append(f.Src, b...)
		f.Push(at, uint32(len(f.Src)))
		f.Src = append(f.Src, "\n=\" \\"[:rapid.IntRange(0, 5).Draw(rt, "between")]...)
	}
	f.Src = append(f.Src, make([]byte, rapid.SampledFrom([]int{0, 20, 200}).Draw(rt, "behind"))...)
	return f
}

// TestPairs: maps that are read by masks are what they are symbol by symbol, whatever
// keys, values, escapes, errors and nulls there are.
func TestPairs(t *testing.T) {
	kinds := []dfa.Type{{}, {Kind: dfa.Int32}, {Kind: dfa.Dictionary}, {Kind: dfa.Decimal, Precision: 9, Scale: 1}}
	setsAndGo(t, func(t *testing.T) {
		byMasks := 0
		drawn.Check(t, "no map is read by masks", func() bool { return byMasks > 0 }, func(rt *rapid.T) {
			typ := dfa.Type{Elem: &kinds[rapid.IntRange(0, len(kinds)-1).Draw(rt, "kind")], Duplicates: dfa.Duplicates(rapid.IntRange(0, 3).Draw(rt, "policy"))}
			a := drawPairs(rt)
			if newPairing(a.Table()) == nil {
				rt.Fatalf("no masks for %v", a)
			}
			byMasks += comparePairs(rt, a, typ)
		})
	})
}

// changed is another automaton than a, nil if that is none.
func changed(t *rapid.T, a *dfa.Automaton) *dfa.Automaton {
	other := *a
	other.Next, other.Emit, other.AtEOF = slices.Clone(a.Next), slices.Clone(a.Emit), slices.Clone(a.AtEOF)
	if !change(t, &other) {
		return nil
	}
	return &other
}

// change makes another automaton of a, which differs in one transition, and reports whether it is valid.
func change(t *rapid.T, a *dfa.Automaton) bool {
	i := rapid.IntRange(0, len(a.Next)-1).Draw(t, "transition")
	emission := dfa.EmissionID(rapid.IntRange(0, len(a.Emissions)-1).Draw(t, "emission"))
	switch rapid.IntRange(0, 2).Draw(t, "change") {
	case 0:
		a.Next[i] = dfa.StateID(rapid.IntRange(0, len(a.States)-1).Draw(t, "next"))
	case 1:
		a.Emit[i] = emission
	case 2:
		a.AtEOF[i%len(a.AtEOF)] = emission
	}
	return a.Validate() == nil && a.ValidateValue() == nil
}

// TestPairsOfOtherAutomata: an automaton that differs in one transition is not read by
// masks, or as masks have it.
func TestPairsOfOtherAutomata(t *testing.T) {
	var taken, all int
	for range 5 {
		rapid.Check(t, func(rt *rapid.T) {
			a := changed(rt, drawPairs(rt))
			if a == nil {
				return
			}
			all++
			if comparePairs(rt, a, dfa.Type{Elem: &dfa.Type{}}) > 0 {
				taken++
			}
		})
	}
	t.Logf("%d of %d are read by masks", taken, all)
}

// TestFormatsWithPairs: the maps of these formats are read by masks, and their texts packed.
func TestFormatsWithPairs(t *testing.T) {
	for _, name := range []string{"auditd", "logfmt", "syslog_rfc5424"} {
		p, err := gen.Program(name)
		if err != nil {
			t.Fatal(err)
		}
		for i := range p.Columns {
			if p.Columns[i].Type.Kind != dfa.Map {
				continue
			}
			c, err := NewConverter(&p.Columns[i], Options{})
			if err != nil {
				t.Fatal(err)
			}
			if c.impl.(*nested).packer == nil {
				t.Errorf("%s, column %s: not by masks", name, p.Columns[i].Name)
			}
		}
	}
}

// TestKeyTable: rows whose keys differ are told from those with a key twice, however many
// there are and whatever their rows in the table have been, row by row and side by side.
func TestKeyTable(t *testing.T) {
	sets(t, func(t *testing.T, without func(func())) {
		testKeyTable(t)
		without(func() { testKeyTable(t) })
	})
}

func testKeyTable(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		col := NewColumn(&dfa.Type{})
		table := keyTable{of: rapid.SampledFrom([]uint32{0, 1, 1<<rowBits - 3}).Draw(rt, "rows before")}
		for i := range table.slots {
			table.slots[i] = table.of << rowShift
		}
		key := rapid.OneOf(rapid.StringMatching("[ab]{0,9}"), rapid.StringMatching("[a-z]{0,3}"), rapid.StringMatching("a{8}b?[ab]a{8}"))
		var rows []span
		var differ []bool
		for range rapid.IntRange(1, 8).Draw(rt, "rows") {
			s := span{from: int32(col.Len)}
			seen := map[string]bool{}
			keys := rapid.OneOf(rapid.SliceOfN(key, 1, 5), rapid.SliceOfN(key, 1, 2*mostKeys)).Draw(rt, "keys")
			for _, k := range keys {
				if rapid.IntRange(0, 9).Draw(rt, "again") == 0 || !seen[k] {
					col.AppendText([]byte(k))
					seen[k] = true
				}
			}
			s.to = int32(col.Len)
			rows, differ = append(rows, s), append(differ, len(seen) == int(s.to-s.from))
		}
		var ends []int32
		good := 0
		for i, s := range rows {
			if ends = append(ends, s.to); good == i && differ[i] && s.to-s.from <= mostKeys {
				good++
			}
		}
		col.Data = col.Grow(col.Data, rapid.SampledFrom([]int{8, 128, 1000}).Draw(rt, "room"))
		for _, recur := range []bool{false, true} {
			if got := table.distinctRows(col, 0, 0, ends, recur); got != good {
				rt.Fatalf("%d rows of which none has a key twice, want %d", got, good)
			}
		}
		for k := range 2 * len(rows) { // once more, behind others of their set
			i := k % len(rows)
			s := rows[i]
			if got := table.distinct(col, s); got && !differ[i] || !got && differ[i] && s.to-s.from <= mostKeys {
				rt.Fatalf("%d keys of which none is twice: %t, want %t", s.to-s.from, got, differ[i])
			}
			for range 2 { // the row before may be that row
				if got := table.distinctRows(col, int(s.from), 0, []int32{s.to - s.from}, true) == 1; got && !differ[i] || !got && differ[i] && s.to-s.from <= mostKeys {
					rt.Fatalf("%d keys, rows: none is twice: %t, want %t", s.to-s.from, got, differ[i])
				}
			}
		}
	})
}

// TestPlacePairs compares what vector code finds in masks with what Go does.
func TestPlacePairs(t *testing.T) {
	for _, set := range instructionSets() {
		if !set.have {
			continue
		}
		set.use(true)
		rng := rand.New(rand.NewPCG(31, 32))
		x, y, reached := new(pairBlocks), new(pairBlocks), 0
		for range 500 {
			have := [6]uint64{^uint64(0), ^uint64(0)}
			for k := signQuote; k <= signLead; k++ {
				have[k] = -rng.Uint64N(2)
			}
			const blocks = 40
			for i := range blocks {
				x.behind[i] = 0
				if rng.IntN(3) == 0 || i == blocks-1 {
					x.behind[i] = 1 << rng.IntN(maskBlock)
				}
				for k := range 4 {
					x.signs[k][i] = 0
				}
				kind := signKey
				for b := rng.IntN(20); b < maskBlock; b += 2 + rng.IntN(30) { // keys and values by turns, and others at times
					k := kind
					if kind = signKey - kind; rng.IntN(20) == 0 {
						k = rng.IntN(4)
					}
					x.signs[k][i] |= 1 << b
				}
				switch rng.IntN(8) {
				case 0: // leads up to the end
					x.signs[signLead][i] |= ^uint64(0) << rng.IntN(maskBlock)
				case 1:
					x.signs[signLead][i] = ^uint64(0)
				}
			}
			*y = *x
			for from := 0; from < blocks; {
				done, want := placePairs(x, from, blocks, &have), placePairsGeneric(y, from, blocks, &have)
				if done != want {
					t.Fatalf("%s: blocks %d: up to %d, want %d", set.name, from, done, want)
				}
				for i := from; i < done; i++ {
					for k := range x.places {
						if x.places[k][i] != y.places[k][i] {
							t.Fatalf("%s: block %d, places %d: %x, want %x", set.name, i, k, x.places[k][i], y.places[k][i])
						}
					}
					if x.leads[i] != y.leads[i] || x.alone[i] != y.alone[i] {
						t.Fatalf("%s: block %d: leads %x, alone %x, want %x, %x", set.name, i, x.leads[i], x.alone[i], y.leads[i], y.alone[i])
					}
				}
				reached += done - from
				from = max(done, from) + 1
			}
		}
		if reached < 1000 {
			t.Errorf("%s: %d blocks were not odd", set.name, reached)
		}
		set.use(false)
	}
}

// touching is a with fields that end where the next one begins, at the symbol that says so.
func touching(a *dfa.Automaton) *dfa.Automaton {
	other := *a
	other.Emissions = slices.Clone(a.Emissions)
	for i := range other.Emissions {
		if e := &other.Emissions[i]; e.Kind == dfa.Field && e.Lag == 0 {
			e.Touch = true
		}
	}
	return &other
}

// TestPairsThatTouch: keys that no symbol parts from their values are as the automaton has them.
func TestPairsThatTouch(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		a := drawPairs(rt)
		compareMaps(rt, dfa.Type{Kind: dfa.Map, Lex: touching(a), Elem: &dfa.Type{}}, func() *Fields { return drawMaps(rt, a.Table()) })
	})
}

// TestRowsAlone: where many rows would be read by themselves among those that are packed, rows are hardly packed.
func TestRowsAlone(t *testing.T) {
	if !hasAVX2 {
		t.Skip("this machine has no AVX2")
	}
	for every, packed := range map[int]bool{2: false, 5: false, 50: true} {
		typ := dfa.Type{Kind: dfa.Map, Lex: objects(t)[0], Elem: &dfa.Type{}, Duplicates: dfa.LastDuplicate}
		c, err := NewConverter(&dfa.Column{Name: "c", Type: typ}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		f := &Fields{}
		for i := range 2000 {
			at := uint32(len(f.Src))
			if i%every == 0 {
				f.Src = append(f.Src, `{"a":1,"a":2}`...)
			} else {
				f.Src = append(f.Src, `{"a":1,"b":2}`...)
			}
			f.Push(at, uint32(len(f.Src)))
		}
		f.Src = append(f.Src, make([]byte, maskBlock)...)
		c.Append(NewColumn(&typ), f, nil)
		if n := c.impl.(*nested); n.unpack == 1 != packed {
			t.Errorf("one of %d rows has a key twice: %d rows are converted otherwise where one cannot be packed", every, n.unpack)
		}
	}
}
