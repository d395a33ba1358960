package cpu

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/formats"
	"github.com/dfaparse/dfaparse/runtime/enginetest"
)

// TestMarkerLayout holds the offsets that the assembly has against the struct.
func TestMarkerLayout(t *testing.T) {
	var k marker
	for i, offset := range []uintptr{
		unsafe.Offsetof(k.src), unsafe.Offsetof(k.nblocks), unsafe.Offsetof(k.marks), unsafe.Offsetof(k.records),
		unsafe.Offsetof(k.nmarks), unsafe.Offsetof(k.nrecords), unsafe.Offsetof(k.maxMarks), unsafe.Offsetof(k.all),
		unsafe.Offsetof(k.number), unsafe.Offsetof(k.offset), unsafe.Offsetof(k.doubling), unsafe.Offsetof(k.quoted),
		unsafe.Offsetof(k.bracketed), unsafe.Offsetof(k.afterRecord), unsafe.Offsetof(k.afterField), unsafe.Offsetof(k.afterQuote),
		unsafe.Offsetof(k.afterBracket), unsafe.Offsetof(k.afterReturn), unsafe.Offsetof(k.afterQuoteReturn), unsafe.Offsetof(k.afterBracketReturn),
		unsafe.Offsetof(k.afterBlank), unsafe.Offsetof(k.doubled), unsafe.Offsetof(k.anyDoubled), unsafe.Offsetof(k.anyReturn),
		unsafe.Offsetof(k.odd), unsafe.Offsetof(k.roles),
	} {
		if offset != uintptr(8*i) {
			t.Errorf("field %d of marker is at %d", i, offset)
		}
	}
	var r roles
	if unsafe.Offsetof(r.low) != 0 || unsafe.Offsetof(r.high) != 16 || unsafe.Offsetof(r.bits) != 32 || unsafe.Offsetof(r.nibble) != 48 || unsafe.Offsetof(r.wide) != 64 {
		t.Error("the layout of roles is not the assembly's")
	}
}

// maskedAutomata are automata that have masks, with the symbols that matter.
func maskedAutomata(t *testing.T) (automata []enginetest.Machine) {
	all := enginetest.Machines(t)
	for _, name := range formats.Names() {
		p, err := formats.Program(name)
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

// drawText draws text of which long stretches are not odd to m: each piece is
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
				if c := alphabet[rng.IntN(len(alphabet))]; c != x.Close && !x.Odd.Has(c) && c != m.Quote.Open {
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
		end := ends[rng.IntN(len(ends))]
		text = append(text, word...)
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

// TestMarker: up to the first odd symbol the marks are where the automaton ends
// fields and records, and the state is what the marker says it is.
func TestMarker(t *testing.T) { onEach(t, testMarker) }

func testMarker(t *testing.T) {
	for _, machine := range maskedAutomata(t) {
		rng := rand.New(rand.NewPCG(5, 6))
		masks, _ := dfa.FindMasks(machine.Automaton)
		table, blocks, marked := machine.Automaton.Table(), 0, 0
		for range 600 {
			text := drawText(rng, masks, machine.Alphabet, blockSize*(1+rng.IntN(12)))
			k := newMarker(newRoles(masks))
			marks, records := make([]mark, len(text)+200), make([]uint32, len(text)+200)
			k.nblocks, k.maxMarks = len(text)/blockSize, len(text)
			k.run(text, marks, records)
			row, n, last := table.Row(masks.Begin), 1, 0
			start, enclosed, doubled := 0, byte(0), false
			for p := range k.nblocks * blockSize {
				c := text[p]
				e := table.Entries[row|uint32(c)]
				em := table.Emission(e)
				row = e.Row()
				switch {
				case em.Kind == dfa.Error || em.Code != 0 || em.Boundary() && (em.Record != dfa.DataRecord || em.Column != dfa.NextColumn):
					t.Fatalf("%s: %q: symbol %d is odd, and was marked over", machine.Name, text, p)
				case em.Boundary():
					if n >= k.nmarks || marks[n].offset() != p+1 {
						t.Fatalf("%s: %q: a field ends at %d, not marked", machine.Name, text, p)
					}
					class := masks.Class
					if marks[n]&markQuoted != 0 {
						class = masks.Quote.Class
					} else if marks[n]&markBracket != 0 {
						class = masks.Bracket.Class
					}
					if class != em.Class || (marks[n] >= markQuoted) != (enclosed == '"') || doubled != (marks[n] >= markDoubled) {
						t.Fatalf("%s: %q: the field that ends at %d is marked as %#x, of class %d", machine.Name, text, p, marks[n], em.Class)
					}
					if em.Kind == dfa.Record {
						if last >= k.nrecords || records[last] != uint32(n) {
							t.Fatalf("%s: %q: a record ends at %d, not marked", machine.Name, text, p)
						}
						last++
					}
					n++
					start, enclosed, doubled = p+1, 0, false
				case p == start && em.Kind == dfa.Skip:
					enclosed = c
				case em.Kind == dfa.Data && masks.Quote != nil && enclosed == masks.Quote.Open && c == enclosed:
					doubled = true
				}
			}
			if n != k.nmarks || last != k.nrecords {
				t.Fatalf("%s: %q: %d marks and %d records, want %d and %d", machine.Name, text, k.nmarks, k.nrecords, n, last)
			}
			blocks += len(text) / blockSize
			marked += k.nblocks
		}
		t.Logf("%s: %d blocks of %d were marked", machine.Name, marked, blocks)
		if marked < blocks/4 {
			t.Errorf("%s: only %d blocks of %d were marked", machine.Name, marked, blocks)
		}
	}
}

func newMarker(r *roles) *marker {
	k := newMasked(&dfa.Program{}, r).marker
	k.begin()
	k.offset, k.nmarks, k.number, k.all = 1, 1, 1, ^uint64(0)
	return &k
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
			text := drawText(rng, masks, machine.Alphabet, blockSize*(1+rng.IntN(12)))
			vector := newMarker(newRoles(masks))
			vector.all = -uint64(rng.IntN(2))
			vector.maxMarks = rng.IntN(len(text))
			twin := *vector
			size := len(text) + 200
			marks, records := [2][]mark{make([]mark, size), make([]mark, size)}, [2][]uint32{make([]uint32, size), make([]uint32, size)}
			for from := 0; from < len(text) && vector.odd == 0; {
				vector.nblocks = 1 + rng.IntN((len(text)-from)/blockSize)
				twin.nblocks = vector.nblocks
				vector.run(text[from:], marks[0], records[0])
				twin.runGeneric(text[from:], marks[1], records[1])
				vector.src, vector.marks, vector.records = nil, nil, nil
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
				if *vector != twin {
					t.Fatalf("%s: %q:\n%+v, in Go\n%+v", machine.Name, text, *vector, twin)
				}
				if !slices.Equal(marks[0][:twin.nmarks], marks[1][:twin.nmarks]) || !slices.Equal(records[0][:twin.nrecords], records[1][:twin.nrecords]) {
					t.Fatalf("%s: %q: marks %x, %d, in Go %x, %d", machine.Name, text, marks[0][:twin.nmarks], records[0][:twin.nrecords], marks[1][:twin.nmarks], records[1][:twin.nrecords])
				}
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
		"apache_combined": `83.149.9.216 - - [17/May/2015:10:05:03 +0000] "GET /a.png HTTP/1.1" 200 203023 "http://semicomplete.com/" "Mozilla/5.0 (X11)"` + "\n",
	} {
		b.Run(name, func(b *testing.B) {
			p, err := formats.Program(name)
			if err != nil {
				b.Fatal(err)
			}
			masks, _ := dfa.FindMasks(p.Automaton)
			text := bytes.Repeat([]byte(line), 512*blockSize/len(line))
			k := newMarker(newRoles(masks))
			k.maxMarks = len(text)
			marks, records := make([]mark, len(text)+200), make([]uint32, len(text)+200)
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
