package cpu

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/enginetest"
	"github.com/dfaparse/dfaparse/internal/gen"
)

// maskedAutomata are automata that have masks, with the symbols that matter.
func maskedAutomata(t *testing.T) (automata []enginetest.Machine) {
	all := enginetest.Machines(t)
	for _, name := range gen.VariedFormats() {
		p, err := gen.Program(name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, enginetest.Machine{Name: name, Automaton: p.Automaton, Alphabet: "ab \"\"[],|\t\\\r\n\n"})
	}
	for _, m := range all {
		if masks, why := dfa.FindMasks(m.Automaton); masks == nil {
			t.Logf("%s has no masks: %s", m.Name, why)
			continue
		}
		automata = append(automata, m)
	}
	return automata
}

// drawText draws text of which long stretches are not odd to m: each chunk is
// one that the automaton has just read so, or else a symbol drawn at random.
func drawText(rng *rand.Rand, m *dfa.Masks, alphabet string, n int) []byte {
	var ends, text []byte
	for c := range 256 {
		if m.Fields.Has(byte(c)) || m.Records.Has(byte(c)) {
			ends = append(ends, byte(c))
		}
		if m.Records.Has(byte(c)) && !m.Return.Empty() && rng.IntN(2) == 0 {
			ends = append(ends, byte(c))
		}
	}
	odd := []int{0, 0, 1, 5, 30}[rng.IntN(5)] // per mille
	for len(text) < n {
		if rng.IntN(1000) < odd {
			text = append(text, alphabet[rng.IntN(len(alphabet))])
			continue
		}
		word := bytes.Repeat([]byte{"xyz"[rng.IntN(3)]}, 1+rng.IntN(1+rng.IntN(40)))
		content := func(x *dfa.Enclosure) []byte {
			for range rng.IntN(4) {
				if c := alphabet[rng.IntN(len(alphabet))]; c != x.Close && !x.Odd.Has(c) && (m.Quote == nil || c != m.Quote.Open) {
					word = append(word, c)
				} else if c == x.Close && x.Doubled {
					word = append(word, c, c)
				}
			}
			return slices.Concat([]byte{x.Open}, word, []byte{x.Close})
		}
		switch k := rng.IntN(5); {
		case k == 0 && m.Quote != nil:
			word = content(m.Quote)
		case k == 1 && m.Bracket != nil:
			word = content(m.Bracket)
		}
		if led := m.Led; led != nil && rng.IntN(4) == 0 {
			word = escapes(rng, m, led, alphabet)
		} else if m.Quote != nil && m.Quote.Led != nil && rng.IntN(4) == 0 {
			word = slices.Concat([]byte{m.Quote.Open}, escapes(rng, m, m.Quote.Led, alphabet), []byte{m.Quote.Close})
		}
		end := ends[rng.IntN(len(ends))]
		text = append(text, word...)
		if rng.IntN(1000) < odd {
			text = append(text, alphabet[rng.IntN(len(alphabet))])
			text = append(text, word...)
		}
		if m.Records.Has(end) && rng.IntN(4) == 0 {
			for c := range 256 {
				if m.Return.Has(byte(c)) {
					text = append(text, byte(c))
				}
			}
		}
		text = append(text, end)
	}
	return text[:n]
}

// escapes draws runs of leads, with symbols behind them that mostly are of led.
func escapes(rng *rand.Rand, m *dfa.Masks, led *dfa.Led, alphabet string) (text []byte) {
	lead := byte(0)
	for c := range 256 {
		if m.Lead.Has(byte(c)) {
			lead = byte(c)
		}
	}
	for range 1 + rng.IntN(4) {
		text = append(text, bytes.Repeat([]byte{'z'}, rng.IntN(3))...)
		for range rng.IntN(1 + rng.IntN(1+rng.IntN(40))) { // over blocks, too
			text = append(text, lead, lead)
		}
		c := alphabet[rng.IntN(len(alphabet))]
		for range 20 {
			if led[c] < 0 {
				c = alphabet[rng.IntN(len(alphabet))]
			}
		}
		text = append(text, lead, c)
	}
	return text
}

// TestMarker: up to the first odd symbol the marks are the fields that the
// automaton means.
func TestMarker(t *testing.T) { onEach(t, testMarker) }

func testMarker(t *testing.T) {
	for _, machine := range maskedAutomata(t) {
		rng := rand.New(rand.NewPCG(5, 6))
		masks, _ := dfa.FindMasks(machine.Automaton)
		blocks, marked := 0, 0
		for range 400 {
			text := drawText(rng, masks, machine.Alphabet, blockSize*(1+rng.IntN(40)))
			marked += checkMarker(t, machine.Automaton, masks, text)
			blocks += len(text) / blockSize
		}
		t.Logf("%s: %d blocks of %d were marked", machine.Name, marked, blocks)
		if marked < blocks/4 {
			t.Errorf("%s: only %d blocks of %d were marked", machine.Name, marked, blocks)
		}
	}
	with, quotes, brackets, returns := 0, 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		machine := enginetest.DrawDelimited(t)
		masks, why := dfa.FindMasks(machine.Automaton)
		if masks == nil {
			t.Skip(why)
		}
		with++
		quotes += len(one(masks.Quote))
		brackets += len(one(masks.Bracket))
		returns += masks.Return.Len()
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "text"), 0))
		for range 30 {
			checkMarker(t, machine.Automaton, masks, drawText(rng, masks, machine.Alphabet, blockSize*(1+rng.IntN(6))))
		}
	})
	t.Logf("%d automata drawn have masks, %d with quotes, %d with brackets, %d with returns", with, quotes, brackets, returns)
}

func one(x *dfa.Enclosure) []*dfa.Enclosure {
	if x == nil {
		return nil
	}
	return []*dfa.Enclosure{x}
}

// checkMarker marks text and compares the marks with what the automaton means;
// it gives the number of blocks in which there was nothing odd.
func checkMarker(t interface{ Fatalf(string, ...any) }, a *dfa.Automaton, masks *dfa.Masks, text []byte) int {
	k := newMarker(newRoles(masks))
	marks, records := make([]mark, len(text)+marksRoom+1), make([]uint32, len(text)+marksRoom+1)
	k.nblocks, k.maxMarks = len(text)/blockSize, len(text)
	k.run(text, marks, records)
	limit := k.nblocks * blockSize
	led := map[int]ledField{}
	if k.leads != nil {
		for _, f := range k.leads.fields {
			led[f.number()] |= f
		}
	}
	n, nrecords, spoilt := 1, 0, false
	check := func(rec *dfa.RawRecord) bool {
		if rec.Next == limit && nrecords == k.nrecords { // ended by the end of what is read, as a rule
			return false
		}
		last := k.number
		if nrecords < k.nrecords {
			last = int(records[nrecords])
		}
		for i := n; i <= last; i++ {
			if f, ok := led[i]; ok && (i == k.number || f.wrong(marks[i])) { // the record is stepped, and what follows is another matter
				spoilt = true
				return false
			}
		}
		if rec.Kind != dfa.DataRecord || rec.Code != 0 || nrecords >= k.nrecords {
			t.Fatalf("%q: the record at %d, %+v, was marked over", text, rec.Start, rec)
		}
		if got := int(records[nrecords]); got != n-1+len(rec.Fields) {
			t.Fatalf("%q: the record at %d has %d fields, want %d", text, rec.Start, got-n+1, len(rec.Fields))
		}
		nrecords++
		for i, f := range rec.Fields {
			m := marks[n]
			start, end := marks[n-1].offset(), m.offset()-1
			boundary := end
			if i == len(rec.Fields)-1 && end > start && masks.Return.Has(text[end-1]) {
				end--
				if masks.ReturnEnds {
					boundary--
				}
			}
			class, value := masks.Class, text[start:end]
			switch {
			case m&markQuoted != 0:
				class, value = masks.Quote.Class, value[1:len(value)-1]
				if m >= markDoubled {
					value = appendUndoubled(nil, value, masks.Quote.Open)
				}
			case m&markBracket != 0:
				class, value = masks.Bracket.Class, value[1:len(value)-1]
			}
			if _, ok := led[n]; ok {
				of := masks.Led
				if m&markQuoted != 0 {
					of = masks.Quote.Led
				}
				value = text[start:end]
				if m >= markQuoted {
					value = value[1 : len(value)-1]
				}
				if m >= markDoubled {
					value = k.appendDoubled(nil, value, of)
				} else {
					value = appendLed(nil, value, k.lead, of)
				}
			}
			if f.Column != i || f.Class != class || string(f.Value) != string(value) || f.Start != start || f.End != boundary {
				t.Fatalf("%q: field %d of the record at %d is marked as %q, class %d, from %d to %d, want %+v", text, i, rec.Start, value, class, start, boundary, f)
			}
			n++
		}
		return true
	}
	a.Walk(text[:limit], masks.Begin, check)
	if nrecords != k.nrecords && !spoilt {
		t.Fatalf("%q: %d records were marked, want %d", text, k.nrecords, nrecords)
	}
	return k.nblocks
}

func newMarker(r *roles) *masked {
	k := newMasked(r)
	k.begin()
	k.offset, k.nmarks, k.number, k.all = 1, 1, 1, ^uint64(0)
	return k
}

// TestMarkerTwins compares the vector code with its twin in Go.
func TestMarkerTwins(t *testing.T) { onEach(t, testMarkerTwins) }

func testMarkerTwins(t *testing.T) {
	for _, machine := range maskedAutomata(t) {
		rng := rand.New(rand.NewPCG(7, 8))
		masks, _ := dfa.FindMasks(machine.Automaton)
		if !newRoles(masks).vectors {
			t.Errorf("%s: no vector code", machine.Name)
		}
		for range 600 {
			text := drawText(rng, masks, machine.Alphabet, blockSize*(1+rng.IntN(1+rng.IntN(3*stripBlocks))))
			vector := &newMarker(newRoles(masks)).marker
			vector.all = -uint64(rng.IntN(2))
			vector.maxMarks = rng.IntN(len(text))
			twin := *vector
			if twin.leads != nil {
				twin.leads = new(leads)
			}
			size := len(text) + marksRoom + 1
			marks, records := [2][]mark{make([]mark, size), make([]mark, size)}, [2][]uint32{make([]uint32, size), make([]uint32, size)}
			for from := 0; from < len(text) && vector.odd == 0; {
				vector.nblocks = 1 + rng.IntN((len(text)-from)/blockSize)
				twin.nblocks = vector.nblocks
				vector.run(text[from:], marks[0], records[0])
				twin.runBy((*marker).stripGeneric, text[from:], marks[1], records[1])
				vector.src, vector.left, vector.marks, vector.records, twin.bitmaps = nil, 0, nil, nil, vector.bitmaps
				twin.src, twin.left, twin.marks, twin.records, vector.inGo = nil, 0, nil, nil, twin.inGo
				vector.unled, vector.unledBare, vector.leadsIn = 0, 0, 0
				twinLeads := twin.leads
				if twinLeads != nil && !slices.Equal(vector.leads.fields, twinLeads.fields) {
					t.Fatalf("%s: %q: fields with escapes %x, in Go %x", machine.Name, text, vector.leads.fields, twinLeads.fields)
				}
				if vector.odd != 0 { // the rest is of no use
					twin.odd = vector.odd
					vector.begin()
					odd := twin.odd
					twin.begin()
					vector.odd, twin.odd = odd, odd
					vector.number, twin.number = 0, 0
				}
				if !vector.bracket { // nobody asks
					vector.afterBlank, twin.afterBlank = 0, 0
				}
				vector.anyDoubled, twin.anyDoubled = min(vector.anyDoubled, 1), min(twin.anyDoubled, 1)
				vector.anyReturn, twin.anyReturn = min(vector.anyReturn, 1), min(twin.anyReturn, 1)
				twin.leads = vector.leads
				if *vector != twin {
					t.Fatalf("%s: %q:\n%+v, in Go\n%+v", machine.Name, text, *vector, twin)
				}
				if !slices.Equal(marks[0][:twin.nmarks], marks[1][:twin.nmarks]) || !slices.Equal(records[0][:twin.nrecords], records[1][:twin.nrecords]) {
					t.Fatalf("%s: %q: marks %x, %d, in Go %x, %d", machine.Name, text, marks[0][:twin.nmarks], records[0][:twin.nrecords], marks[1][:twin.nmarks], records[1][:twin.nrecords])
				}
				twin.leads = twinLeads
				if from += vector.nblocks * blockSize; vector.nmarks > vector.maxMarks {
					break
				}
			}
		}
	}
}

// BenchmarkMarker marks text that stays in the second-level cache.
func BenchmarkMarker(b *testing.B) {
	for name, line := range map[string]string{
		"lineitem":        "1|155190|7706|1|17|21168.23|0.04|0.02|N|O|1996-03-13|1996-02-12|1996-03-22|DELIVER IN PERSON|TRUCK|egular courts above the|\n",
		"csv":             "2,2018-01-01 00:13:03,2018-01-01 00:25:17,5,1.99,1,N,79,230,1,8,0.5,0.5,1.86,0,0.3,11.16\n",
		"yelp":            `"-p69WIw9LQ_1OG7zKQTmrq","HBq6SuRAuLISBZai2auo7V","ozLAanP_k_FYuY8XeTmZGA","5","2011-09-05","` + strings.Repeat(`They said ""come back"", and I did, as often as I could. `, 10) + `","0","6","3"` + "\n",
		"apache_combined": `83.149.9.216 - - [17/May/2015:10:05:03 +0000] "GET /a.png HTTP/1.1" 200 203023 "http://semicomplete.com/" "Mozilla/5.0 (X11)"` + "\n",
	} {
		b.Run(name, func(b *testing.B) {
			p, err := gen.Program(name)
			if err != nil {
				b.Fatal(err)
			}
			masks, _ := dfa.FindMasks(p.Automaton)
			text := bytes.Repeat([]byte(line), 512*blockSize/len(line))
			k := newMarker(newRoles(masks))
			k.maxMarks = len(text)
			marks, records := make([]mark, len(text)+marksRoom+1), make([]uint32, len(text)+marksRoom+1)
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				k.begin()
				k.nblocks, k.nmarks, k.nrecords, k.number = len(text)/blockSize, 1, 0, 1
				k.run(text, marks, records)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(text)/blockSize), "ns/block")
		})
	}
}

// TestVectorLegs says what the tests of vector code run here: make vectors.
func TestVectorLegs(t *testing.T) { onEach(t, func(*testing.T) {}) }

// TestEmit compares the marks of sets with their bits one by one.
func TestEmit(t *testing.T) { onEach(t, testEmit) }

func testEmit(t *testing.T) {
	rng := rand.New(rand.NewPCG(27, 28))
	for range 2000 {
		sets, offset := make([]uint64, rng.IntN(stripBlocks+1)), mark(rng.IntN(maxMarked))
		var want []mark
		for at := range sets {
			for n := rng.IntN(4); n < 3 && sets[at]&(1<<63|1) == 0; n++ {
				sets[at] = rng.Uint64() & (sets[at] | rng.Uint64())
			}
			if rng.IntN(20) == 0 {
				sets[at] = ^uint64(0)
			}
			for i := range blockSize {
				if sets[at]>>i&1 != 0 {
					want = append(want, offset+mark(at*blockSize+i))
				}
			}
		}
		marks := make([]mark, (len(sets)+1)*blockSize)
		if n := emit(marks, sets, offset); !slices.Equal(marks[:n], want) {
			t.Fatalf("%x: %x, want %x", sets, marks[:n], want)
		}
	}
}
