//go:build cuda

package gpu

import (
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"slices"

	"github.com/dfaparse/dfaparse/internal/columns"
	"github.com/dfaparse/dfaparse/internal/device"
	"github.com/dfaparse/dfaparse/internal/spread"
	"github.com/dfaparse/dfaparse/kernels"
	"github.com/dfaparse/dfaparse/runtime"
)

// This file has texts of columns of dictionaries come as numbers of tokens, see
// kernels/dictionary.cu. Which tokens there are the host is told once a parser; that a record
// has them in the order of its rows is the Reader's doing, as with every engine.

// Of a dictionary on the device: so many tokens, and words of 8 bytes of them. A column
// with more comes as texts.
var (
	mostTokens     = 1 << 16 // less in a test
	mostTokenWords = 1 << 19
)

// dictionaryBlocks is how many blocks a multiprocessor holds: each has to meet all tokens.
const dictionaryBlocks = 2

// dictionary is what a parser knows of the tokens of a column.
type dictionary struct {
	image  dictionaryImage
	memory device.Memory
	off    bool // there were too many tokens: texts come

	had, hadWords int // of what is on the device, the tokens and words that flights have fetched

	// The lander's:
	tokens  *columns.Column  // texts: of number n that in row n-1
	index   []int32          // of number n, 0 for 0, the index that lexicon has; where it has none, ^n
	lexicon *columns.Lexicon // of index
	own     *columns.Column  // tokens, for columns that are to begin with none
	ownLast *columns.Lexicon // of own
}

func newDictionary(d *device.Device, s *device.Stream) (*dictionary, error) {
	nslots := 2 * mostTokens
	memory, err := d.Alloc(sizeOf[dictionaryImage]() + 8*(nslots+mostTokens+mostTokenWords))
	if err != nil {
		return nil, err
	}
	slots := memory.Address + uint64(sizeOf[dictionaryImage]())
	x := &dictionary{memory: memory, tokens: columns.New(columns.Text), index: []int32{0}, image: dictionaryImage{
		Seed: rand.Uint64(), Slots: slots, TokenAt: slots + uint64(8*nslots), Words: slots + uint64(8*(nslots+mostTokens)),
		Mask: uint32(nslots - 1), Capacity: uint32(mostTokens), Room: uint32(mostTokenWords),
	}}
	if err = s.Fill(slots, 0, 8*(nslots+mostTokens+mostTokenWords)); err == nil {
		err = s.Upload(memory.Address, bytesOf([]dictionaryImage{x.image}))
	}
	if err == nil {
		err = s.Synchronize()
	}
	if err != nil {
		d.FreeMemory(memory)
		return nil, err
	}
	return x, nil
}

func (x *dictionary) close(d *device.Device) { d.KeepMemory(x.memory) }

// address is for Output.Options; 0: the texts are to go out.
func (x *dictionary) address() uint64 {
	if x.off {
		return 0
	}
	return x.memory.Address
}

// numbered reports whether some columns are of dictionaries.
func (c *columnSet) numbered() bool {
	for _, t := range c.tokens {
		if t != nil {
			return true
		}
	}
	return false
}

// dictionaryStage makes numbers of texts: the twin is token.go of internal/columns.
type dictionaryStage struct {
	device  *device.Device
	numbers dictionaryKernel
	end     dictionaryKernel
}

func newDictionaryStage(d *device.Device) (*dictionaryStage, error) {
	numbers, err := findDictionaryKernel(d, "dfa_dictionary")
	if err != nil {
		return nil, err
	}
	end, err := findDictionaryKernel(d, "dfa_dictionary_end")
	return &dictionaryStage{d, numbers, end}, err
}

// launch runs the stage over at most so many rows of a delivery of so many outputs.
func (x *dictionaryStage) launch(s *device.Stream, job pointer[kernels.Job], delivery pointer[kernels.Delivery], rows, outputs int) error {
	if rows > 0 {
		grid := device.Grid{min(ceil(rows, dictionaryThreads), dictionaryBlocks*x.device.Info().Multiprocessors), min(outputs, 1<<16-1)}
		if err := x.numbers.launch(s, grid, dictionaryThreads, 0, job, delivery); err != nil {
			return err
		}
	}
	return x.end.launch(s, device.Grid{1}, dictionaryThreads, 0, job, delivery)
}

// flightTokens is what a flight brings of a column of a dictionary.
type flightTokens struct {
	output    int
	at, words []byte          // of the tokens that no flight before had, as the device has them
	numbers   wide            // of the rows, if they come narrow
	texts     *columns.Column // in place of numbers

	column  *columns.Column
	index   []int32        // as the dictionary had it
	tokens  columns.Column // likewise
	unknown []bool         // by part of widenRows rows: some have a number that index has no index for
}

// take orders what has come about since the flights before, and reports whether the
// flight's numbers are right; if not, its texts come.
func (t *dictionary) take(x *flight, f *flightTokens, want func(to *[]byte, from uint64, size, pitch int)) bool {
	n, nwords := x.counter(f.output, tokenCount), x.counter(f.output, tokenWords)
	if !t.off && n == noDictionary {
		t.off = true
	}
	if t.off {
		return false
	}
	want(&f.at, t.image.TokenAt+uint64(8*t.had), 8*(n-t.had), 0)
	want(&f.words, t.image.Words+uint64(8*t.hadWords), 8*(nwords-t.hadWords), 0)
	t.had, t.hadWords = n, nwords
	return true
}

// add adds tokens that a flight has brought.
func (t *dictionary) add(f *flightTokens) {
	if len(f.at) == 0 {
		return
	}
	first := -1 // of the words
	for i := 0; i < len(f.at); i += 8 {
		at := int(binary.LittleEndian.Uint32(f.at[i:]))
		if size := binary.LittleEndian.Uint32(f.at[i+4:]); size > 0 && (first < 0 || at < first) {
			first = at
		}
	}
	for i := 0; i < len(f.at); i += 8 {
		at, size := 8*(int(binary.LittleEndian.Uint32(f.at[i:]))-first), int(binary.LittleEndian.Uint32(f.at[i+4:]))
		if size == 0 {
			at = 0
		}
		t.tokens.AppendText(f.words[at:][:size])
	}
}

// look completes index, which c is to have, that begins with a lexicon and is empty. What begins
// with none begins with tokens of this dictionary: whose rows they are the Reader finds out.
func (t *dictionary) look(c *columns.Column, lexicon *columns.Lexicon) {
	if lexicon == nil {
		if t.own == nil {
			t.own = columns.New(c.Form)
		}
		for n := t.own.Children[0].Len + 1; n <= t.tokens.Len; n++ {
			if _, ok := t.own.Intern(tokenOf(t.tokens, n)); !ok {
				break
			}
		}
		t.ownLast = t.own.Lexicon(t.ownLast)
		lexicon = t.ownLast
	}
	if c.Begin(lexicon); lexicon != t.lexicon {
		t.lexicon, t.index = lexicon, []int32{0} // flights before may still look into what there was
	}
	for n := len(t.index); n <= t.tokens.Len; n++ {
		i := c.Token(tokenOf(t.tokens, n))
		if i < 0 {
			i = ^int32(n)
		}
		t.index = append(t.index, i)
	}
}

// tokenOf is the token of a number.
func tokenOf(tokens *columns.Column, n int) []byte {
	return tokens.Data[tokens.Offsets[n-1]:tokens.Offsets[n]]
}

var errManyTokens = errors.New("gpu: more than 2 GiB of tokens in a flight")

// look takes the tokens that a flight has brought, in the order of flights, and gives what makes
// indices of the flight's numbers, as far as the Reader's columns know their tokens: pieces of
// work for several goroutines, to be done before index.
func (p *parser) look(x *flight, lexicons runtime.Lexicons) (all []func()) {
	for _, f := range x.tokens {
		t := p.columns.tokens[f.output]
		f.column = x.columns[f.output]
		t.add(f)
		var lexicon *columns.Lexicon
		if lexicons != nil {
			lexicon = lexicons.Lexicon(p.mine[f.output])
		}
		if f.texts != nil {
			f.column.Begin(lexicon)
			continue
		}
		t.look(f.column, lexicon)
		f.begin(t)
		overRows(f.column.Len, func(part, from, to int) {
			all = append(all, func() { f.indexNumbers(part, from, to) })
		})
	}
	return all
}

// begin has f know what the dictionary does.
func (f *flightTokens) begin(t *dictionary) {
	f.index, f.tokens = t.index, *t.tokens
	f.unknown = make([]bool, ceil(f.column.Len, widenRows))
}

// index completes the columns of dictionaries of a flight. Rows that the host has read get
// their indices from patch.
func (p *parser) index(x *flight, runs []run) error {
	for _, f := range x.tokens {
		var gone []int // rows that the host has read
		whole, todo := p.leavesRecords(x), x.todo[f.output]
		for i := range runs {
			for _, row := range runs[i].rows {
				if whole || todo != nil && bit(todo, row.row) {
					gone = append(gone, row.row)
				}
			}
		}
		values := arrayOf[int32](f.column.Fixed)
		if f.texts != nil {
			if err := indexTexts(values, f.column, f.texts); err != nil {
				return err
			}
		}
		for _, row := range gone {
			values[row] = 0
		}
		if f.texts == nil {
			if err := f.indexUnknown(p.cfg.Threads); err != nil {
				return err
			}
		}
	}
	return nil
}

// indexNumbers makes indices of the numbers of rows from up to to: of a number without one its
// complement.
func (f *flightTokens) indexNumbers(part, from, to int) {
	c, w := f.column, &f.numbers
	own := arrayOf[int32](c.Fixed)[from:to]
	var some int32
	switch {
	case w.column == nil: // they came as they are
		some = indexTo(own, arrayOf[uint32](c.Fixed)[from:to], 0, f.index)
	case w.width == 0:
		one := []int32{0}
		some = indexTo(one, []uint8{0}, uint32(w.base), f.index)
		fill(own, one[0])
	case w.width == 1:
		some = indexTo(own, w.n[from:to], uint32(w.base), f.index)
	default:
		some = indexTo(own, arrayOf[uint16](w.n)[from:to], uint32(w.base), f.index)
	}
	clearNulls(own, c, from)
	f.unknown[part] = some < 0
}

// indexUnknown gives the rows whose numbers have no index one. Their tokens come to the column in
// the order of their rows.
func (f *flightTokens) indexUnknown(threads int) error {
	var parts []int
	for part, some := range f.unknown {
		if some {
			parts = append(parts, part)
		}
	}
	values := arrayOf[int32](f.column.Fixed)
	over := func(do func(i int, values []int32)) {
		spread.Over(min(threads, mostWiden, ceil(len(parts), leastWiden)), len(parts), func(i int) {
			from := parts[i] * widenRows
			do(i, values[from:min(from+widenRows, len(values))])
		})
	}
	met := make([][]int32, len(parts)) // numbers without an index, each once, in the order in which a part has them
	over(func(i int, values []int32) { met[i] = unknown(values, len(f.index)) })
	all := slices.Concat(met...)
	if len(all) == 0 {
		return nil
	}
	own := slices.Repeat([]int32{-1}, len(f.index)) // by number, the index that the column gives it
	for _, n := range all {
		if own[n] < 0 {
			var ok bool
			if own[n], ok = f.column.Intern(tokenOf(&f.tokens, int(n))); !ok {
				return errManyTokens
			}
		}
	}
	over(func(_ int, values []int32) {
		for i, v := range values {
			if v < 0 {
				values[i] = own[^v]
			}
		}
	})
	return nil
}

// unknown are the numbers below n whose complements are among values, each once, in their order.
func unknown(values []int32, n int) (numbers []int32) {
	seen := make([]bool, n)
	for _, v := range values {
		if v < 0 && !seen[^v] {
			seen[^v] = true
			numbers = append(numbers, ^v)
		}
	}
	return numbers
}

// indexTo gives index[base+n] to each value; of rows that have no number there may be none. It
// is below 0 if some are.
func indexTo[N uint8 | uint16 | uint32](values []int32, n []N, base uint32, index []int32) (some int32) {
	values = values[:len(n)]
	for i, n := range n {
		v := int32(0)
		if k := base + uint32(n); k < uint32(len(index)) {
			v = index[k]
		}
		values[i] = v
		some |= v
	}
	return some
}

// indexTexts makes indices of texts.
func indexTexts(values []int32, c, texts *columns.Column) error {
	offsets := texts.Offsets
	start, end := arrayOf[uint32](bytesOf(offsets[:len(values)])), arrayOf[uint32](bytesOf(offsets[1:]))
	for i := 0; i < len(values); i++ {
		if i += c.FindTokens(values[i:], texts.Data, start[i:], end[i:]); i == len(values) {
			break
		}
		if values[i] = 0; c.IsValid(i) {
			index, ok := c.Intern(texts.Data[start[i]:end[i]])
			if !ok {
				return errManyTokens
			}
			values[i] = index
		}
	}
	clearNulls(values, c, 0)
	return nil
}

// patchTokens replaces the rows of the runs that todo has, all if it is nil.
func patchTokens(column *columns.Column, todo []byte, all []run, output int) error {
	values := arrayOf[int32](column.Fixed)
	for i := range all {
		x := &all[i]
		from := x.columns[output].column
		tokens, indices := from.Children[0], arrayOf[int32](from.Fixed)
		for j, row := range x.rows {
			if todo != nil && !bit(todo, row.row) {
				continue
			}
			k := x.first + j
			is := from.IsValid(k)
			if values[row.row] = 0; is {
				token := indices[k]
				index, ok := column.Intern(tokens.Data[tokens.Offsets[token]:tokens.Offsets[token+1]])
				if !ok {
					return errManyTokens
				}
				values[row.row] = index
			}
			setBit(column.Valid, row.row, is)
		}
	}
	return nil
}
